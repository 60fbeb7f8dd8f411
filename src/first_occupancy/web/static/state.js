// What the page shows, and when it has been painted.
/** @import { Part, State } from "./types" */
/** @type {State} */
export const state = {
  scene: /** @type {any} */ (null), // until the first one is opened
  switches: null, // null: until no switch helps
  policy: 0, // of the heat maps, and the one drawn by hand; null until a plan chooses it
  from: null, // the cell that is looked at: its plan is drawn, and its rows are in the maps
  pinned: false, // whether it stays when the pointer moves on
  leg: null, // the leg that is pointed at, counted from 0: its row is in the maps instead
  target: null, // the cell whose numbers are read
  cursor: null, // the keyboard's cell
  tool: "look",
  numbers: false,
  plan: null,
  row: null,
  agent: null, // {cell: [row, column], trail} while one plays
  runs: [], // discounts of the plays of this plan
};

let waiting = 0;
/** @type {((time: number) => void)[]} */
const listeners = [];
let painting = false;
const painters = new Map();
const stale = new Set();

/** @param {Part} part @param {() => void} painter */
export function onPaint(part, painter) { painters.set(part, painter); }

// Paint these parts, or all, once in the next frame, however many ask for it.
/** @param {...Part} parts */
export function repaint(...parts) {
  for (const part of parts.length ? parts : painters.keys()) stale.add(part);
  nextFrame();
}

function nextFrame() {
  if (painting) return;
  painting = true;
  requestAnimationFrame(() => {
    painting = false;
    const parts = [...stale];
    stale.clear();
    for (const part of parts) painters.get(part)?.();
    if (!waiting) requestAnimationFrame(() => { if (!waiting && !painting) settle(); });
  });
}

// Work that brings what these parts show; they are painted when it is done.
/** @param {Part[]} parts @param {() => Promise<void>} work */
export async function whileWaiting(parts, work) {
  waiting += 1;
  try {
    return await work();
  } finally {
    waiting -= 1;
    repaint(...parts);
  }
}

function settle() {
  for (const listener of listeners.splice(0)) listener(performance.now());
}

// A promise of the time at which all that was asked for is on the screen.
export function settled() {
  return new Promise((resolve) => { listeners.push(resolve); nextFrame(); });
}
