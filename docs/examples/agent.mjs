// An agent for `lpb-gen run --agent 'command:node docs/examples/agent.mjs'`, without a model: it clicks its way over a
// grid, keeps what changed the screen, and presses arrow keys in between. One line in, one line out (docs/agents.md).
import { createInterface } from "node:readline";

const KEYS = ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"];
const STEPS = 20;
let width = 0, height = 0, before = "", useful = 0;

function decide({ step, screenshot, error }) {
  if (error) console.error(`step ${step}: ${error}`); // standard error lands in the run's record
  if (step > 0 && screenshot !== before) useful += 1;
  before = screenshot;
  if (step >= STEPS) return { answer: `I gave up after ${step} steps, ${useful} of which changed the screen.` };
  if (step % 3 === 2) {
    const actions = KEYS.map((key) => ({ action: "press", key }));
    return { action: { action: "batch", actions }, text: "all four arrows" };
  }
  const cell = (step * 7) % 40; // 8 columns, 5 rows
  const x = Math.floor(((cell % 8) + 0.5) * (width / 8));
  const y = Math.floor((Math.floor(cell / 8) + 0.5) * (height / 5));
  return { action: { action: "click", x, y }, text: `what is at ${x}, ${y}?` };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "start") [width, height] = message.viewport;
  else if (message.type === "observation") console.log(JSON.stringify(decide(message)));
}
