// The replay of one episode: replay.html#KEY, or #KEY/STEP. It knows no game and no rule.
//
//   replays/KEY.js   replay({key, run, result, levels, folder, pictures, films, steps, …}); see steps.py
//
// Whatever an agent said or called itself is text here, never markup.
"use strict";
const AHEAD = 3; // screenshots loaded before they are asked for
const CLICK = 5; // pixels that a click may move
const MOST_MOMENTS = 500;
const END = { complete: "every level won", answer: "the agent ended it", deadline: "out of time", agent_failed: "the agent broke down",
              technical: "technical failure" };
const OUTCOME = { solved: "solved every level", exit: "ended by the agent", timeout: "out of time",
                  technical: "technical failure, not scored" };

let episode = null;
let tiles = {}; // level -> its film
let screens = new Map(); // number of a screenshot -> its image
let broken = false; // the screenshots are not where they should be
let moments = [];
const steps = player({ end: () => (episode ? episode.steps.length - 1 : 0), show, ready: () => episode !== null });

// --- opening ---------------------------------------------------------------------------------------------------------

function follow() {
  const [key, step] = location.hash.slice(1).split("/");
  if (!/^[0-9a-f]{16}$/.test(key)) return trouble("Choose an episode on the first page.");
  if (episode?.key === key) return Number(step) ? steps.jump(Number(step) - 1) : undefined;
  const script = made("script", "", { src: `replays/${key}.js` });
  script.onload = () => script.remove();
  script.onerror = () => (script.remove(), trouble(`replays/${key}.js is missing: make the report again.`));
  document.head.append(script);
}

function trouble(text) {
  by("trouble").textContent = text;
  by("trouble").hidden = !text;
}

async function replay(data) {
  if (!location.hash.startsWith(`#${data.key}`)) return; // another one was asked for meanwhile
  steps.pause();
  episode = null;
  [tiles, screens, broken] = [{}, new Map(), false];
  trouble(data.remark ? `From some step on there are no boards and distances: ${data.remark}` : "");
  if (!data.steps.length) data.steps.push({ t: 0 });
  await Promise.all(Object.entries(data.films).map(async ([level, film]) => {
    const pictures = [film.start, film.sheet].map((src) => src && Object.assign(new Image(), { src }));
    try {
      await Promise.all(pictures.map((image) => image && image.decode()));
    } catch {
      return trouble(`${film.start} or ${film.sheet} is missing: make the report again.`);
    }
    tiles[level] = new Tiles(film, ...pictures);
    tiles[level].place = film.place;
  }));
  episode = data;
  const result = data.result;
  const who = `${result.objective.game} ${result.objective.tier} · ${result.agent.name}`;
  document.title = by("name").textContent = who;
  const won = data.levels.filter((level) => level.solved).length;
  by("told").textContent = [data.setting, OUTCOME[result.outcome], `${won} of ${counted(data.levels.length, "level")}`,
                            counted(data.steps.length, "step"), clock(result.seconds)].join(" · ");
  by("replay").hidden = false;
  [by("view").width, by("view").height] = data.viewport;
  by("pointer").setAttribute("viewBox", `0 0 ${data.viewport.join(" ")}`);
  by("slider").max = data.steps.length - 1;
  by("distance").hidden = data.steps.every((step) => step.d === undefined);
  by("after").hidden = !Object.keys(tiles).length;
  moments = found();
  listMoments();
  listLevels();
  pairs(by("about"), [
    ["run", data.run], ["instruction", data.instruction], ["setting", data.setting], ["surface", result.surface.name],
    ["budget", `${data.budget} s`], ["seed", data.seed], ["language", data.lang], ["outcome", OUTCOME[result.outcome]],
    ["failure", result.failure && `${result.failure.kind}: ${result.failure.what}`], ["answer", result.answer], ["how the agent failed", result.agent_failure],
    ["grades", result.metrics && Object.entries(result.metrics).map(([name, value]) => `${name} ${shown(value)}`).join(", ")],
    ["inputs", result.inputs], ["foreign inputs rejected", result.rejected_inputs || null],
  ]);
  const step = Number(location.hash.split("/")[1]);
  steps.go(step ? step - 1 : 0);
}

const clock = (seconds) => seconds < 60 ? `${seconds.toFixed(1)} s`
  : `${Math.floor(seconds / 60)} min ${String(Math.round(seconds) % 60).padStart(2, "0")} s`;

function pairs(list, entries) {
  list.replaceChildren(...entries.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .flatMap(([name, value]) => [made("dt", name), made("dd", shown(value))]));
}

function listLevels() {
  const heads = ["level", "won", "progress", "moves", "optimal", "in all", "attempts", "steps"];
  const head = made("tr", "");
  head.append(...heads.map((name) => made("th", name, { scope: "col" })));
  by("levels").replaceChildren(head, ...episode.levels.map((level) => {
    const row = made("tr", "");
    const cells = [level.solved ? "✓" : "", level.reached ? `${Math.round(100 * level.progress)} %` : "",
                   level.winning_moves ?? "", level.optimal_length ?? "", level.moves, level.attempts, level.steps];
    row.append(made("td", `${level.level}`), ...cells.map((text) => made("td", `${text}`)));
    return row;
  }));
}

// --- moments: what one wants to jump to ------------------------------------------------------------------------------

function found() {
  return episode.steps.flatMap((step, at) => [
    ...(step.fatal ? [{ at, text: "lost here", kind: "bad" }] : []),
    ...(step.notes || []).filter((note) => /^level \d+ solved/.test(note)).map((text) => ({ at, text, kind: "good" })),
    ...(step.err ? [{ at, text: `invalid: ${step.err}`, kind: "bad" }] : []),
    ...(step.marks || []).filter((mark) => !(mark === "protocol_violation" && step.err))
      .map((mark) => ({ at, text: words(mark), kind: "bad" })),
    ...(step.end ? [{ at, text: `the end: ${END[step.end] || step.end}`, kind: step.end === "complete" ? "good" : "" }] : []),
  ]);
}

function listMoments() {
  const items = moments.slice(0, MOST_MOMENTS).map(({ at, text, kind }) => {
    const item = made("li", "");
    const button = made("button", "", { type: "button", onclick: () => steps.jump(at) });
    button.append(made("b", `step ${at + 1}`), made("span", text, { className: kind }));
    item.append(button);
    return item;
  });
  if (moments.length > MOST_MOMENTS) items.push(made("li", `… ${moments.length - MOST_MOMENTS} more`));
  by("moments").replaceChildren(...items);
}

// --- a step ----------------------------------------------------------------------------------------------------------

function show(at) {
  const step = episode.steps[at];
  between(at);
  seen(at);
  point(step.in || []);
  const title = `Step ${at + 1} of ${episode.steps.length} · ${clock(step.t)}`;
  by("now").textContent = title;
  by("lost").hidden = !step.lost;
  by("lost").textContent = step.fatal ? "Lost here: from now on no play wins this board."
    : "The board is lost: no play wins it any more.";
  by("act").textContent = step.act || (step.end ? "" : "–");
  by("err").hidden = !step.err;
  by("err").textContent = step.err || "";
  by("text").textContent = [step.text, step.answer && `Answer: ${step.answer}`].filter(Boolean).join("\n\n");
  const end = step.end ? [`the end: ${END[step.end] || step.end}`] : [];
  by("notes").replaceChildren(...[...(step.notes || []), ...(step.marks || []).map((mark) => `failure: ${words(mark)}`), ...end]
    .map((text) => made("li", text)));
  pairs(by("facts"), [
    ["place", step.at], ["remaining moves", step.d], ["progress", step.lv === undefined ? null : `${(100 * step.pg).toFixed(0)} %`],
    ["levels won", step.won === undefined ? null : `${step.won} of ${episode.levels.length}`],
    ["decided in", step.sec === undefined ? null : `${step.sec} s`], ["counts as", step.cls],
    ["model", step.usage && Object.entries(step.usage).map(([name, value]) => `${words(name)} ${shown(value)}`).join(", ")],
  ]);
  board(step);
  by("slider").setAttribute("aria-valuetext", title);
  drawTimeline();
  if (!steps.timer) history.replaceState(null, "", `#${episode.key}${at ? `/${at + 1}` : ""}`);
}

// The pictures between a step's inputs, where the record kept them: the agent was shown none of these.
function between(at) {
  const pictures = episode.folder ? episode.steps[at].ps || [] : [];
  const slider = by("inner");
  const tell = () => {
    const n = Number(slider.value);
    by("inside").textContent = n ? `after input ${n} of ${pictures.length}` : "before its inputs";
    slider.setAttribute("aria-valuetext", by("inside").textContent);
  };
  by("between").hidden = !pictures.length;
  slider.max = pictures.length;
  slider.value = 0;
  slider.oninput = () => (steps.pause(), tell(), seen(at, Number(slider.value)));
  slider.onkeydown = (event) => event.key.startsWith("Arrow") && event.stopPropagation(); // they move this slider
  tell();
}

// What the agent was shown: its screenshot, or where there is none the board where it lay on the screen; or, with
// `inner`, the picture after so many inputs of the step.
function seen(at, inner = 0) {
  const step = episode.steps[at];
  for (let n = 1; n <= AHEAD; n += 1) image(episode.steps[at + n]?.p);
  for (const number of (step.ps || []).slice(inner, inner + AHEAD)) image(number);
  const picture = image(inner ? step.ps[inner - 1] : step.p);
  const label = inner ? `Step ${at + 1}, after input ${inner} of ${step.ps.length}`
    : `Before step ${at + 1}: ${episode.steps[at - 1]?.at || "the home screen"}`;
  by("view").setAttribute("aria-label", label);
  if (!picture) return drawn(step, label);
  if (picture.complete && picture.naturalWidth) return by("view").getContext("2d").drawImage(picture, 0, 0);
  const wanted = () => steps.at === at && Number(by("inner").value) === inner;
  picture.onload = () => wanted() && by("view").getContext("2d").drawImage(picture, 0, 0);
  picture.onerror = () => {
    broken = true;
    trouble(`The screenshots are not in ${episode.folder}: boards are drawn instead. Make the report again, with ` +
            "--screenshots copy where it is to be moved.");
    if (wanted()) drawn(step, label);
  };
}

function image(number) {
  const name = number === undefined ? null : episode.pictures[number];
  if (!name || broken || !episode.folder) return null;
  if (!screens.has(number)) {
    if (screens.size > 40) screens.delete(screens.keys().next().value);
    screens.set(number, Object.assign(new Image(), { src: `${episode.folder}/${name}` }));
  }
  return screens.get(number);
}

function drawn(step, label) {
  const [brush, [width, height]] = [by("view").getContext("2d"), episode.viewport];
  brush.fillStyle = "#fff7ea";
  brush.fillRect(0, 0, width, height);
  const film = step.b && tiles[step.b[0]];
  if (film) {
    const canvas = painted(film, step.b[1]);
    brush.drawImage(canvas, ...film.place);
  }
  brush.fillStyle = "#6f5a49";
  brush.font = "600 30px system-ui, sans-serif";
  brush.textAlign = "left";
  brush.fillText(label.split(": ")[1], 40, 60);
  brush.font = "22px system-ui, sans-serif";
  brush.fillText(film ? "board drawn by the evaluator" : "no screenshot", 40, 94);
}

function painted(film, number) { // at its own size, so that no seams show when it is enlarged
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = film.size;
  film.paint(canvas.getContext("2d"), number);
  return canvas;
}

function board(step) {
  const canvas = by("board");
  const film = step.a && tiles[step.a[0]];
  canvas.hidden = !film;
  if (!film) return canvas.setAttribute("aria-label", "No board is open");
  [canvas.width, canvas.height] = film.size;
  film.paint(canvas.getContext("2d"), step.a[1]);
  const left = step.lost ? "lost" : step.d === undefined ? `progress ${(100 * step.pg).toFixed(0)} %` : `${counted(step.d, "move")} left`;
  canvas.setAttribute("aria-label", `Level ${step.a[0] + 1}, ${left}`);
}

// --- the pointer -----------------------------------------------------------------------------------------------------

function drawing(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

// Inputs to gestures: {path: [[x, y], …]} from press to release, {key}.
function gestures(inputs) {
  const all = [];
  let path = null;
  for (const input of inputs) {
    if (typeof input === "string") all.push({ key: input === " " ? "Space" : input });
    else if (input[2] === 0) all.push({ path: (path = [[input[0], input[1]]]) });
    else if (path) path.push([input[0], input[1]]);
  }
  return all;
}

function point(inputs) {
  const all = gestures(inputs);
  const pointed = all.filter((gesture) => gesture.path);
  const keys = all.filter((gesture) => gesture.key).map((gesture) => gesture.key);
  const parts = pointed.flatMap(({ path }, n) => stroke(path, pointed.length > 1 ? n + 1 : null));
  by("pointer").replaceChildren(...parts, ...(keys.length ? caption(keys) : []));
}

function stroke(path, number) {
  const [[x, y], [u, v]] = [path[0], path.at(-1)];
  const far = path.some(([a, b]) => Math.hypot(a - x, b - y) > CLICK);
  const parts = [];
  if (far) {
    const points = path.map((place) => place.join(",")).join(" ");
    parts.push(drawing("polyline", { points, class: "halo" }), drawing("polyline", { points, class: "ink" }));
    const from = path.findLast(([a, b]) => Math.hypot(a - u, b - v) > CLICK) || [x, y];
    const turn = Math.atan2(v - from[1], u - from[0]) * 180 / Math.PI;
    parts.push(drawing("path", { d: "M 12 0 L -16 -13 L -9 0 L -16 13 Z", class: "head",
                                 transform: `translate(${u} ${v}) rotate(${turn})` }));
  } else {
    for (const name of ["halo", "ink"]) parts.push(drawing("circle", { cx: x, cy: y, r: 24, class: name }));
  }
  parts.push(drawing("circle", { cx: x, cy: y, r: number ? 14 : 6, class: "dot" }));
  if (number) parts.push(Object.assign(drawing("text", { x, y, class: "number" }), { textContent: number }));
  return parts;
}

function caption(keys) {
  const [width, height] = episode.viewport;
  const names = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
  const said = keys.slice(0, 14).map((key) => names[key] || key).join("  ") + (keys.length > 14 ? " …" : "");
  const wide = Math.min(width - 40, 60 + 15 * said.length);
  return [
    drawing("rect", { x: (width - wide) / 2, y: height - 78, width: wide, height: 54, rx: 14, class: "chip" }),
    Object.assign(drawing("text", { x: width / 2, y: height - 51, class: "said" }), { textContent: said }),
  ];
}

// --- the timeline ----------------------------------------------------------------------------------------------------

const PAD = 10;
const TOP = 22; // for the names of the levels
const placeOf = (at, width) => PAD + (width - 2 * PAD) * (episode.steps.length > 1 ? at / (episode.steps.length - 1) : 0);

function drawTimeline() {
  const canvas = by("timeline");
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (!width) return;
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  const brush = canvas.getContext("2d");
  brush.scale(ratio, ratio);
  const look = getComputedStyle(document.documentElement);
  const ink = (name) => look.getPropertyValue(`--${name}`).trim();
  const all = episode.steps;
  const half = Math.max(1, (width - 2 * PAD) / Math.max(1, all.length - 1) / 2);
  const bottom = height - 8;
  const rise = (share) => bottom - share * (bottom - TOP - 4);
  for (const [from, to] of spans((step) => step.lv !== undefined && step.lv)) {
    const [left, right] = [placeOf(from, width) - half, placeOf(to, width) + half];
    brush.fillStyle = ink("line");
    brush.beginPath();
    brush.moveTo(left, bottom);
    for (let n = from; n <= to; n += 1) {
      brush.lineTo(placeOf(n, width) - half, rise(all[n].pg));
      brush.lineTo(placeOf(n, width) + half, rise(all[n].pg));
    }
    brush.lineTo(right, bottom);
    brush.fill();
    brush.fillStyle = ink("muted");
    brush.font = "12px system-ui, sans-serif";
    brush.textAlign = "left";
    const name = right - left > 56 ? `level ${all[from].lv + 1}` : right - left > 9 ? `${all[from].lv + 1}` : "";
    brush.fillText(name, Math.max(2, left), 14);
    brush.fillRect(left, 2, 1, bottom - 2);
  }
  brush.fillStyle = ink("bad");
  brush.globalAlpha = 0.3;
  for (const [from, to] of spans((step) => step.lost && step.lv)) {
    brush.fillRect(placeOf(from, width) - half, TOP - 4, placeOf(to, width) - placeOf(from, width) + 2 * half, bottom - TOP + 4);
  }
  brush.globalAlpha = 1;
  const most = {};
  for (const step of all) if (step.d !== undefined) most[step.lv] = Math.max(most[step.lv] || 1, step.d);
  brush.strokeStyle = ink("accent");
  brush.lineWidth = 2;
  for (const [from, to] of spans((step) => step.d !== undefined && step.lv)) {
    brush.beginPath();
    for (let n = from; n <= to; n += 1) {
      const y = rise(all[n].d / most[all[n].lv]);
      if (n === from) brush.moveTo(placeOf(n, width) - half, y);
      brush.lineTo(placeOf(n, width) - half, y);
      brush.lineTo(placeOf(n, width) + half, y);
    }
    brush.stroke();
  }
  for (const { at, text, kind } of moments) {
    const x = placeOf(at, width);
    if (text === "lost here") flag(brush, x, text, width, ink);
    else if (kind === "good" && text.startsWith("level")) dot(brush, x, rise(0.5), ink("good"));
    else if (text.startsWith("invalid")) {
      brush.fillStyle = ink("warn-ink");
      brush.fillRect(x - 1.5, bottom - 12, 3, 12);
    }
  }
  brush.strokeStyle = ink("ink");
  brush.lineWidth = 2;
  brush.beginPath();
  brush.moveTo(placeOf(steps.at, width), 2);
  brush.lineTo(placeOf(steps.at, width), height - 2);
  brush.stroke();
  const step = all[steps.at];
  canvas.setAttribute("aria-label", `Timeline, step ${steps.at + 1} of ${all.length}: ${step.at || ""}, ` +
    (step.lost ? "lost" : step.d === undefined ? "distance not known" : `${counted(step.d, "move")} left`));
}

// Runs of neighbouring steps of which `of` says the same, and not false or undefined.
function spans(of) {
  const found = [];
  let value;
  episode.steps.forEach((step, at) => {
    const here = of(step);
    if (here === false || here === undefined) value = undefined;
    else if (here === value) found.at(-1)[1] = at;
    else [value] = [here, found.push([at, at])];
  });
  return found;
}

function dot(brush, x, y, colour) {
  brush.fillStyle = colour;
  brush.beginPath();
  brush.arc(x, y, 5, 0, 7);
  brush.fill();
}

function flag(brush, x, text, width, ink) {
  brush.fillStyle = ink("bad-ink");
  brush.fillRect(x - 1, TOP - 6, 2, brush.canvas.clientHeight - TOP - 2);
  brush.font = "600 12px system-ui, sans-serif";
  const wide = brush.measureText(text).width;
  const left = x + 5 + wide > width ? x - 5 - wide : x + 5;
  brush.fillText(text, left, TOP + 8);
}

function seek(event) {
  const box = by("timeline").getBoundingClientRect();
  const share = (event.clientX - box.left - PAD) / (box.width - 2 * PAD);
  steps.jump(Math.round(share * (episode.steps.length - 1)));
}

by("timeline").addEventListener("pointerdown", (event) => {
  by("timeline").setPointerCapture(event.pointerId);
  seek(event);
});
by("timeline").addEventListener("pointermove", (event) => event.buttons && seek(event));
addEventListener("resize", () => episode && drawTimeline());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => episode && drawTimeline());
addEventListener("hashchange", follow);
addEventListener("keydown", (event) => {
  const act = episode && event.target.id !== "slider" && keyOf(event, steps.keys);
  if (!act) return;
  event.preventDefault();
  act();
});
follow();
