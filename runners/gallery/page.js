// The gallery: filters, sorts and replays pictures. It knows no game and no rule: a move is a few tiles to paint.
//
//   levels.js        gallery({title, source, games, figures, levels: [{id, game, tier, number, size, figures, moves}]})
//   replays/ID.js    replay({id, tile, columns, frames, moves, proof, provenance, board}); frames[n] holds place and
//                    number by turns: move n paints that tile of the sheet at that place of the picture
"use strict";
const BATCH = 60; // cards made at once, more as the page is scrolled
let all = null; // what levels.js says
let found = []; // the levels that the wish admits, in its order
let cards = 0; // how many of them have a card
let level = null; // the one in the viewer
let film = null; // its replay, once it is there, and ...
let tiles = null; // ... its pictures
const moves = player({ end: () => level.moves || 0, show: draw, ready: () => film !== null });

// --- the list --------------------------------------------------------------------------------------------------------

function gallery(data) {
  all = data;
  document.title = by("title").textContent = data.title;
  by("source").textContent = data.source === data.title ? "" : data.source;
  offer(by("game"), [["", "all"], ...Object.entries(data.games)]);
  offerTiers();
  offerFigures();
  by("wish").addEventListener("input", (event) => {
    if (event.target.id === "game") offerTiers();
    if (event.target.id === "game" || event.target.id === "tier") offerFigures();
    choose();
  });
  by("wish").addEventListener("reset", () => setTimeout(() => (offerTiers(), offerFigures(), choose())));
  by("wish").addEventListener("submit", (event) => event.preventDefault());
  new IntersectionObserver(([end]) => end.isIntersecting && addCards(), { rootMargin: "600px" }).observe(by("more"));
  choose();
  follow();
}

function offer(select, options) {
  const before = select.value;
  select.replaceChildren(...options.map(([value, text]) => made("option", text, { value })));
  if (options.some(([value]) => value === before)) select.value = before;
}

function offerTiers() {
  const game = by("game").value;
  const tiers = new Set(all.levels.filter((l) => !game || l.game === game).map((l) => l.tier));
  offer(by("tier"), [["", "all"], ...[...tiers].filter(Boolean).map((tier) => [tier, tier])]);
}

function offerFigures() { // those that the chosen game and tier have, between its own ends; what was asked for stays
  const [game, tier] = [by("game").value, by("tier").value];
  const levels = all.levels.filter((l) => (!game || l.game === game) && (!tier || l.tier === tier));
  const names = all.figures.filter((name) => levels.some((l) => l.figures[name] !== undefined));
  const asked = [...by("figures").querySelectorAll("input, select")].map((input) => [input.name, input.value]);
  offer(by("sort"), [["", "catalogue"], ...names.map((name) => [name, words(name)])]);
  by("figures").replaceChildren(...names.map((name) => band(name, levels)));
  for (const [name, value] of asked) {
    const input = by("figures").querySelector(`[name="${name}"]`);
    if (input) input.value = value;
  }
}

function band(name, levels) {
  const values = levels.map((l) => l.figures[name]).filter((value) => value !== undefined);
  const label = made("label", words(name));
  const ends = made("span", "");
  if (values.every((value) => typeof value === "number")) {
    const [low, high] = extremes(values);
    for (const [end, value] of [["least", low], ["most", high]]) {
      ends.append(made("input", "", { type: "number", step: "any", placeholder: shown(value), name: `${name} ${end}`,
                                      ariaLabel: `${words(name)}, ${end}` }));
    }
  } else {
    const select = made("select", "", { name: `${name} word`, ariaLabel: words(name) });
    offer(select, [["", "any"], ...[...new Set(values.map(String))].sort().map((value) => [value, words(value)])]);
    ends.append(select);
  }
  label.append(ends);
  return label;
}

function extremes(values) { // not Math.min(...values): a hundred thousand arguments are too many
  let [low, high] = [values[0], values[0]];
  for (const value of values) [low, high] = [value < low ? value : low, value > high ? value : high];
  return [low, high];
}

function choose() {
  const [game, tier, id, sort] = ["game", "tier", "id", "sort"].map((name) => by(name).value.trim());
  const bands = [...by("figures").querySelectorAll("input, select")].filter((input) => input.value !== "");
  const admits = (l) => bands.every((input) => {
    const [name, end] = input.name.split(" ");
    const value = l.figures[name];
    if (value === undefined) return false; // what is not known lies in no band
    if (end === "word") return String(value) === input.value;
    return end === "least" ? value >= input.valueAsNumber : value <= input.valueAsNumber;
  });
  found = all.levels.filter((l) =>
    (!game || l.game === game) && (!tier || l.tier === tier) && l.id.startsWith(id.toLowerCase()) && admits(l));
  const way = Number(by("order").value);
  if (sort) {
    found = found.map((l, place) => [l.figures[sort], place, l]).sort(([a, i], [b, j]) =>
      (a === undefined) - (b === undefined) || way * ((a > b) - (a < b)) || i - j).map(([, , l]) => l);
  } else if (way < 0) found.reverse();
  by("count").textContent = `${found.length} of ${counted(all.levels.length, "level")}`;
  by("cards").replaceChildren();
  cards = 0;
  addCards();
}

function addCards() {
  const sort = by("sort").value;
  for (const l of found.slice(cards, cards + BATCH)) {
    const card = made("button", "", { type: "button", className: "card" });
    card.dataset.id = l.id;
    card.append(
      made("img", "", { src: `pictures/${l.id}.webp`, alt: "", loading: "lazy", width: l.size[0], height: l.size[1] }),
      made("b", nameOf(l)),
      made("code", l.id.slice(0, 12)),
      made("span", l.moves === null ? "no certificate" : counted(l.moves, "move")));
    if (sort && sort !== "optimal_length") {
      card.append(made("span", `${words(sort)} ${l.figures[sort] === undefined ? "–" : shown(l.figures[sort])}`));
    }
    card.addEventListener("click", () => (location.hash = l.id));
    by("cards").append(card);
  }
  cards = Math.min(found.length, cards + BATCH);
}

const nameOf = (l) => `${all.games[l.game]} ${l.tier} ${l.number}`.replace("  ", " ");

// --- the viewer: the part after # says which level is open -----------------------------------------------------------

function follow() {
  const id = location.hash.slice(1);
  const wanted = id && all.levels.find((l) => l.id === id);
  if (!wanted) {
    level = null;
    if (by("viewer").open) by("viewer").close();
    return;
  }
  if (!by("viewer").open) by("viewer").showModal();
  show(wanted);
}

function show(wanted) {
  moves.pause();
  [level, film] = [wanted, null];
  by("name").textContent = `${nameOf(level)} · ${level.id.slice(0, 12)}`;
  const place = found.indexOf(level);
  by("before").disabled = place <= 0;
  by("after").disabled = place < 0 || place === found.length - 1;
  rows(by("facts"), all.figures.filter((f) => f in level.figures).map((f) => [f, level.figures[f]]));
  by("proof").replaceChildren();
  by("moves").replaceChildren();
  by("json").textContent = by("now").textContent = "";
  by("trouble").hidden = true;
  by("keys").hidden = level.moves === null;
  by("slider").max = level.moves || 0;
  moves.go(0);
  [by("board").width, by("board").height] = level.size;
  const start = picture(`pictures/${level.id}.webp`, wanted);
  start.onload = () => level === wanted && paint(start);
  if (level.moves === null) return;
  const script = made("script", "", { src: `replays/${level.id}.js` });
  script.onload = () => script.remove();
  script.onerror = () => (script.remove(), missing(wanted, `replays/${wanted.id}.js`));
  document.head.append(script);
}

async function replay(data) {
  if (!level || data.id !== level.id) return; // another level was opened meanwhile
  const wanted = level;
  const pictures = [picture(`pictures/${data.id}.webp`, wanted)];
  if (data.frames.some((frame) => frame.length)) pictures.push(picture(`replays/${data.id}.webp`, wanted));
  try {
    await Promise.all(pictures.map((image) => image.decode()));
  } catch { return; } // told by the picture itself
  if (level !== wanted) return;
  film = data;
  tiles = new Tiles({ size: level.size, ...data }, ...pictures);
  by("moves").append(...data.moves.map((move, n) => {
    const item = document.createElement("li");
    item.append(made("button", move, { type: "button", title: `Move ${n + 1}`, onclick: () => moves.jump(n + 1) }));
    return item;
  }));
  rows(by("proof"), [...Object.entries(data.proof), ...Object.entries(data.provenance)]);
  by("json").textContent = data.board;
  moves.go(moves.at);
}

function picture(address, wanted) {
  const image = new Image();
  image.onerror = () => missing(wanted, address);
  image.src = address;
  return image;
}

function missing(wanted, address) {
  if (level !== wanted) return;
  by("trouble").textContent = `${address} is missing or cannot be read: make the gallery again.`;
  by("trouble").hidden = false;
}

function rows(body, entries) {
  body.replaceChildren(...entries.map(([name, value]) => {
    const row = document.createElement("tr");
    row.append(made("td", words(name)), made("td", typeof value === "object" ? listed(value) : shown(value)));
    return row;
  }));
}

const listed = (value) => Array.isArray(value) ? value.map((one) => typeof one === "object" ? JSON.stringify(one) : one)
  .join(", ") : Object.entries(value || {}).map(([name, one]) => `${words(name)}: ${one}`).join("; ");

// --- the replay ------------------------------------------------------------------------------------------------------

function paint(start) {
  by("board").getContext("2d").drawImage(start, 0, 0);
}

function draw(at) {
  tiles.paint(by("board").getContext("2d"), at);
  const said = at ? `Move ${at} of ${level.moves}: ${film.moves[at - 1]}` : `Start, ${counted(level.moves, "move")} to go`;
  by("now").textContent = said;
  by("board").setAttribute("aria-label", `${nameOf(level)}. ${said}`);
  by("moves").querySelector("[aria-current]")?.removeAttribute("aria-current");
  if (at) by("moves").children[at - 1].firstChild.setAttribute("aria-current", "step");
}

const other = (way) => {
  const next = found[found.indexOf(level) + way];
  if (next && found.includes(level)) location.replace(`#${next.id}`);
};
by("before").onclick = () => other(-1);
by("after").onclick = () => other(1);
by("close").onclick = () => by("viewer").close();
by("viewer").addEventListener("close", () => {
  moves.pause();
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  const card = level && by("cards").querySelector(`[data-id="${level.id}"]`);
  level = null;
  card?.focus();
});
addEventListener("hashchange", () => all && follow());
addEventListener("keydown", (event) => {
  if (!level) return;
  const around = { ArrowUp: () => other(-1), ArrowDown: () => other(1) };
  const act = keyOf(event, level.moves === null ? around : { ...moves.keys, ...around });
  if (!act) return;
  event.preventDefault();
  act();
});
