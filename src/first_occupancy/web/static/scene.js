// A scene: what is drawn, and how it becomes lines of text, a link and a file.
import { MARKS, markAt } from "./engine/room.js";
/** @import { Corners, Direction, Grid, Scene, SceneText } from "./types" */
export const MOST = 60;
/** @type {Direction[]} */
export const DIRECTIONS = ["up", "right", "down", "left"];
/** @type {Corners[]} */
export const CORNERS = ["forbid", "strict", "allow"];
const ARROWS = ".^>v<"; // the position is the number kept for a drawn cell, 0 being "as usual"
const DISCOUNTS = /** @type {const} */ ([0.5, 0.999]);

/**
 * @param {number} rows
 * @param {number} columns
 * @returns {Scene}
 */
export function makeScene(rows, columns) {
  const [walls, marks] = [new Uint8Array(rows * columns), new Uint8Array(rows * columns)];
  return { rows, columns, walls, marks, start: -1, goals: [], moves: 4, corners: CORNERS[0], drawn: [], discount: 0.95, noise: 0 };
}

/** @param {SceneText} text */
export function fromText(text) {
  const scene = makeScene(text.drawing.length, Math.max(...text.drawing.map((line) => line.length)));
  const letters = text.drawing.map((line) => line.padEnd(scene.columns, "#")).join("");
  [...letters].forEach((letter, cell) => {
    if (letter === "#") scene.walls[cell] = 1;
    if (letter === "S") scene.start = cell;
    if (letter === "G") scene.goals.push(cell);
    scene.marks[cell] = Math.max(0, MARKS.indexOf(letter));
  });
  const drawn = text.drawn.map((policy) => {
    const arrows = new Uint8Array(scene.rows * scene.columns);
    for (const [row, line] of policy.arrows.entries()) {
      for (const [column, arrow] of [...line].entries()) arrows[row * scene.columns + column] = ARROWS.indexOf(arrow);
    }
    return { usual: policy.usual, arrows };
  });
  return Object.assign(scene, { moves: text.moves, corners: text.corners ?? scene.corners, drawn, discount: text.discount, noise: text.noise });
}

/** @param {Scene} scene */
export function drawing(scene) {
  /** @type {string[]} */
  const letters = Array.from(scene.walls, (wall, cell) => (wall ? "#" : MARKS[markAt(scene, cell)]));
  if (scene.start >= 0) letters[scene.start] = "S";
  for (const goal of scene.goals) letters[goal] = "G";
  return lines(letters, scene);
}

/** @param {Scene} scene */
export function toText(scene) {
  const drawn = scene.drawn.map(({ usual, arrows }) => ({ usual, arrows: lines(Array.from(arrows, (n) => ARROWS[n]), scene) }));
  return { drawing: drawing(scene), moves: scene.moves, corners: scene.corners, drawn, discount: scene.discount, noise: scene.noise };
}

/** @param {string[]} letters @param {{ rows: number, columns: number }} grid */
function lines(letters, { rows, columns }) {
  return Array.from({ length: rows }, (_, row) => letters.slice(row * columns, (row + 1) * columns).join(""));
}

// Cells inside keep their places; a closed outer wall stays the outer wall.
/** @param {Scene} scene @param {number} rows @param {number} columns */
export function resized(scene, rows, columns) {
  const result = Object.assign(makeScene(rows, columns), { moves: scene.moves, corners: scene.corners, discount: scene.discount, noise: scene.noise });
  const ring = isRinged(scene);
  /** @param {number} cell */
  const moved = (cell) => {
    const row = Math.floor(cell / scene.columns), column = cell % scene.columns;
    const most = ring ? 1 : 0;
    if (row >= rows - most || column >= columns - most) return -1;
    return row * columns + column;
  };
  for (let cell = 0; cell < scene.walls.length; cell++) {
    if (ring && onRing(cell, scene.rows, scene.columns)) continue;
    if (moved(cell) < 0) continue;
    result.walls[moved(cell)] = scene.walls[cell];
    result.marks[moved(cell)] = scene.marks[cell];
  }
  if (ring) for (let cell = 0; cell < rows * columns; cell++) {
    if (onRing(cell, rows, columns)) result.walls[cell] = 1;
  }
  const inside = ring ? columns + 1 : 0;
  const kept = scene.start < 0 ? -1 : moved(scene.start);
  result.start = kept >= 0 ? kept : inside;
  result.goals = scene.goals.map(moved).filter((cell) => cell >= 0 && cell !== result.start);
  for (const cell of [result.start, ...result.goals]) result.walls[cell] = 0;
  result.drawn = scene.drawn.map(({ usual, arrows }) => {
    const kept = new Uint8Array(rows * columns);
    arrows.forEach((arrow, cell) => { if (moved(cell) >= 0) kept[moved(cell)] = arrow; });
    return { usual, arrows: kept };
  });
  return result;
}

/** @param {number} cell @param {number} rows @param {number} columns */
const onRing = (cell, rows, columns) => {
  const row = Math.floor(cell / columns), column = cell % columns;
  return row === 0 || column === 0 || row === rows - 1 || column === columns - 1;
};

// No walls but a closed outer one.
/** @param {Scene} scene */
export function clearedWalls(scene) {
  const ring = isRinged(scene);
  return scene.walls.map((_, cell) => Number(ring && onRing(cell, scene.rows, scene.columns)));
}

/** @param {Grid} grid */
function isRinged({ rows, columns, walls }) {
  for (let cell = 0; cell < walls.length; cell++) {
    if (onRing(cell, rows, columns) && !walls[cell]) return false;
  }
  return true;
}

// The link: everything in the fragment, which browsers do not send anywhere.
/** @param {Scene} scene @param {number | null} switches */
export function toFragment(scene, switches) {
  /** @type {Record<string, any>} */
  const parts = {
    v: 1, size: `${scene.rows}x${scene.columns}`, walls: pack(scene.walls, 1), start: scene.start, goals: scene.goals.join("."),
    moves: scene.moves, discount: scene.discount, noise: scene.noise,
  };
  if (scene.corners !== CORNERS[0]) parts.corners = scene.corners;
  if (switches !== null) parts.k = switches;
  if (scene.marks.some(Boolean)) parts.marks = pack(scene.marks, 4);
  if (scene.drawn.length) parts.drawn = scene.drawn.map(({ usual, arrows }) => `${usual}~${pack(arrows, 3)}`).join(".");
  return new URLSearchParams(parts).toString();
}

/** @param {string} fragment */
export function fromFragment(fragment) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const [rows, columns] = (parts.get("size") ?? "").split("x").map(Number);
  /** @param {number} value @param {number} low @param {number} high */
  const whole = (value, low, high) => Number.isInteger(value) && value >= low && value <= high;
  if (parts.get("v") !== "1" || !whole(rows, 1, MOST) || !whole(columns, 1, MOST)) throw new Error("not a scene");
  const scene = makeScene(rows, columns), count = rows * columns;
  scene.walls = unpack(parts.get("walls"), 1, count);
  if (parts.has("marks")) scene.marks = unpack(parts.get("marks"), 4, count).map((mark) => (mark < MARKS.length ? mark : 0));
  /** @param {string | null} text */
  const cells = (text) => (text ? text.split(".").map(Number) : []).filter((cell) => whole(cell, 0, count - 1) && !scene.walls[cell]);
  scene.start = cells(parts.get("start"))[0] ?? -1;
  scene.goals = [...new Set(cells(parts.get("goals")))].filter((cell) => cell !== scene.start).slice(0, 8);
  scene.moves = parts.get("moves") === "8" ? 8 : 4;
  scene.corners = CORNERS.find((rule) => rule === parts.get("corners")) ?? CORNERS[0];
  scene.discount = within(parts.get("discount"), ...DISCOUNTS, 0.95);
  scene.noise = within(parts.get("noise"), 0, 1, 0);
  scene.drawn = (parts.get("drawn") ?? "").split(".").filter(Boolean).slice(0, 8).map((text) => {
    const [name, packed] = text.split("~"), usual = /** @type {Direction} */ (name);
    if (!DIRECTIONS.includes(usual)) throw new Error("not a scene");
    return { usual, arrows: unpack(packed, 3, count).map((arrow) => (arrow > 4 ? 0 : arrow)) };
  });
  const k = parts.get("k");
  return { scene, switches: k !== null && whole(Number(k), 0, MOST * MOST) ? Number(k) : null };
}

/** @param {string | null} text @param {number} low @param {number} high @param {number} usual */
const within = (text, low, high, usual) => {
  const value = parseFloat(String(text));
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : usual;
};

/** @param {Uint8Array} numbers @param {number} bits */
function pack(numbers, bits) {
  const bytes = new Uint8Array(Math.ceil((numbers.length * bits) / 8));
  numbers.forEach((number, i) => {
    for (let bit = 0; bit < bits; bit++) if (number & (1 << bit)) bytes[(i * bits + bit) >> 3] |= 1 << ((i * bits + bit) & 7);
  });
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string | null | undefined} text @param {number} bits @param {number} count */
function unpack(text, bits, count) {
  const bytes = atob((text ?? "").replaceAll("-", "+").replaceAll("_", "/"));
  if (bytes.length !== Math.ceil((count * bits) / 8)) throw new Error("not a scene");
  return Uint8Array.from({ length: count }, (_, i) => {
    let number = 0;
    for (let bit = 0; bit < bits; bit++) number |= ((bytes.charCodeAt((i * bits + bit) >> 3) >> ((i * bits + bit) & 7)) & 1) << bit;
    return number;
  });
}
