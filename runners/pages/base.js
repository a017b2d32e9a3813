// What our pages share: making elements of text, never of markup, and the keys that play a replay.
"use strict";
const by = (id) => document.getElementById(id);
const made = (tag, text, more = {}) => Object.assign(document.createElement(tag), { textContent: text }, more);
const shown = (value) =>
  typeof value !== "number" ? String(value)
  : Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(3)));
const counted = (number, noun) => `${shown(number)} ${noun}${number === 1 ? "" : "s"}`;
const words = (name) => name.replaceAll("_", " ").replace(".", ": ");

// Plays a replay by the buttons first, back, play, step and last, the slider and the speed. `end()` is its last place,
// `show(at)` draws one, `ready()` says whether that can be drawn yet.
function player({ end, show, ready = () => true }) {
  const it = { at: 0, timer: 0 };
  it.go = (to) => {
    it.at = Math.max(0, Math.min(end(), to));
    by("slider").value = it.at;
    by("first").disabled = by("back").disabled = it.at === 0;
    by("step").disabled = by("last").disabled = it.at === end();
    if (!ready()) return;
    show(it.at);
    if (it.at === end()) it.pause();
  };
  it.play = () => {
    if (it.at === end()) it.go(0);
    by("play").textContent = "Pause";
    it.timer = setInterval(() => ready() && it.go(it.at + 1), Number(by("speed").value));
  };
  it.pause = () => {
    clearInterval(it.timer);
    it.timer = 0;
    by("play").textContent = "Play";
  };
  it.toggle = () => (it.timer ? it.pause() : it.play());
  const stop = (act) => () => (it.pause(), act());
  it.keys = {
    ArrowLeft: stop(() => it.go(it.at - 1)), ArrowRight: stop(() => it.go(it.at + 1)), Home: stop(() => it.go(0)),
    End: stop(() => it.go(end())), " ": it.toggle,
  };
  it.jump = (to) => stop(() => it.go(to))();
  by("first").onclick = it.keys.Home;
  by("back").onclick = it.keys.ArrowLeft;
  by("step").onclick = it.keys.ArrowRight;
  by("last").onclick = it.keys.End;
  by("play").onclick = it.toggle;
  by("speed").onchange = () => it.timer && (it.pause(), it.play());
  by("slider").oninput = () => it.jump(Number(by("slider").value));
  return it;
}

// What a key does on a page with a replay; the browser itself takes those of menus and pressed buttons.
function keyOf(event, keys) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return null;
  const pressed = event.key === " " && ["BUTTON", "SUMMARY", "A"].includes(event.target.tagName);
  return pressed ? null : keys[event.key] || null;
}

// A picture of tiles: what lies on it after each frame, painted on a canvas. `frames[n]` holds place and tile by turns.
class Tiles {
  static EVERY = 64; // frames between two places that are kept whole

  constructor({ size, tile, columns, frames }, start, sheet) {
    [this.size, this.tile, this.columns, this.frames] = [size, tile, columns, frames];
    [this.start, this.sheet] = [start, sheet];
    this.across = Math.ceil(size[0] / tile);
    this.whole = [new Map()];
  }

  at(number) {
    while (this.whole.length <= Math.floor(number / Tiles.EVERY)) {
      this.whole.push(this.after(this.whole.length * Tiles.EVERY));
    }
    return this.after(number);
  }

  after(number) { // the tile at each place, from the last whole one on
    const from = Math.min(this.whole.length - 1, Math.floor(number / Tiles.EVERY));
    const tiles = new Map(this.whole[from]);
    for (const frame of this.frames.slice(from * Tiles.EVERY, number)) {
      for (let i = 0; i < frame.length; i += 2) tiles.set(frame[i], frame[i + 1]);
    }
    return tiles;
  }

  paint(brush, number, x = 0, y = 0, scale = 1) {
    const { tile, columns, across } = this;
    brush.save();
    brush.translate(x, y);
    brush.scale(scale, scale);
    brush.drawImage(this.start, 0, 0);
    brush.beginPath();
    brush.rect(0, 0, ...this.size);
    brush.clip();
    for (const [place, n] of this.at(number)) {
      brush.drawImage(this.sheet, (n % columns) * tile, Math.floor(n / columns) * tile, tile, tile,
                      (place % across) * tile, Math.floor(place / across) * tile, tile, tile);
    }
    brush.restore();
  }
}
