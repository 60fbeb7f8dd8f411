// What the page shows, and when it has been painted.
export const state = {
  scene: null,
  switches: null, // null: until no switch helps
  policy: 0, // of the heat maps, and the one drawn by hand; null until a plan chooses it
  from: null, // the cell whose rows are shown
  target: null, // the cell whose numbers are read
  cursor: null, // the keyboard's cell
  tool: "walls",
  numbers: false,
  plan: null,
  row: null,
  agent: null, // {cell: [row, column], trail} while one plays
};

let waiting = 0;
let listeners = [];
let painting = false;
const painters = [];

export function onPaint(painter) { painters.push(painter); }

// Paint once in the next frame, however many ask for it.
export function repaint() {
  if (painting) return;
  painting = true;
  requestAnimationFrame(() => {
    painting = false;
    for (const painter of painters) painter();
    if (!waiting) requestAnimationFrame(() => { if (!waiting && !painting) settle(); });
  });
}

export async function whileWaiting(work) {
  waiting += 1;
  try {
    return await work();
  } finally {
    waiting -= 1;
    repaint();
  }
}

function settle() {
  for (const listener of listeners.splice(0)) listener(performance.now());
}

// A promise of the time at which all that was asked for is on the screen.
export function settled() {
  return new Promise((resolve) => { listeners.push(resolve); repaint(); });
}
