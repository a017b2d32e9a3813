// The page of the suite: paints the patches that arrive and forwards what a person (or a driver of real input) does.
// It knows no game, no level and no text. In evaluation it runs in an isolated world, out of reach of the page's scripts.
//
//   in   binary: frame (uint32), x, y of the patch, width, height of the whole (uint16 each), then a PNG or nothing
//   out  text: ["ack", frame], ["down" | "move" | "up", x, y], ["key", name], ["untrusted", type]
"use strict";
(() => {
  const ADDRESS = "{address}"; // absolute in evaluation, where this file is injected; empty: beside the page
  const KEYS = /^(Arrow(Up|Down|Left|Right)|Enter|Escape|Backspace| |[a-zA-Z])$/;
  const GROWS = document.currentScript?.dataset.grows !== undefined; // beyond its size, in a window that has room
  const HEADER = 12;
  const BUSY = 4009;

  function start() {
    const canvas = document.querySelector("canvas");
    const stopped = document.querySelector("p");
    const brush = canvas.getContext("2d", { alpha: false });
    const fixed = ADDRESS !== ""; // in evaluation one canvas pixel is one viewport pixel
    Object.assign(document.body.style, { margin: "0", overflow: "hidden" });
    Object.assign(canvas.style, { display: "block", touchAction: "none", userSelect: "none" });

    const address = fixed ? ADDRESS : new URL("socket", location.href).href.replace(/^http/, "ws");
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    const send = (...message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    };

    // --- pictures in ---
    let order = Promise.resolve(); // patches are decoded one after another: they are painted in the order of sending
    socket.onmessage = ({ data }) => {
      order = order.then(() => paint(data));
    };
    async function paint(data) {
      const head = new DataView(data);
      const [x, y, width, height] = [4, 6, 8, 10].map((at) => head.getUint16(at));
      if (canvas.width !== width || canvas.height !== height) {
        [canvas.width, canvas.height] = [width, height];
        if (!fixed) canvas.style.width = `min(100vw, calc(100vh * ${width / height}), ${GROWS ? "100vw" : `${width}px`})`;
      }
      if (data.byteLength > HEADER) {
        const png = new Blob([new Uint8Array(data, HEADER)], { type: "image/png" });
        const patch = await createImageBitmap(png, { colorSpaceConversion: "none", premultiplyAlpha: "none" });
        brush.drawImage(patch, x, y);
        patch.close();
      }
      requestAnimationFrame(() => send("ack", head.getUint32(0)));
    }
    socket.onclose = ({ code }) => {
      if (code === BUSY) return location.replace("busy");
      canvas.style.opacity = 0.25;
      stopped.hidden = fixed;
    };

    // --- input out ---
    let pressed = false;
    function forward(event) {
      if (!event.isTrusted) return send("untrusted", event.type);
      if (!event.isPrimary) return;
      const kind = event.type.slice("pointer".length);
      if (kind === "down" ? event.button !== 0 || event.target !== canvas : !pressed) return; // hovering is no input
      pressed = kind === "down" || kind === "move"; // after "cancel" the gesture is forgotten
      if (kind === "cancel") return;
      if (kind === "down") canvas.setPointerCapture(event.pointerId);
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      const scale = canvas.width / box.width;
      send(kind, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
    }
    for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) {
      addEventListener(type, forward, { capture: true });
    }
    addEventListener("keydown", (event) => {
      if (!event.isTrusted) return send("untrusted", event.type);
      if (event.ctrlKey || event.metaKey || event.altKey || !KEYS.test(event.key)) return; // the browser's own
      event.preventDefault();
      if (!event.repeat) send("key", event.key);
    }, { capture: true });
    addEventListener("contextmenu", (event) => event.preventDefault());
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
