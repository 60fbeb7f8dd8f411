// What is drawn on the maze and its maps, with either pen.
import { heat, inkOn, policyColour, role } from "./colours.js";
import { MOVES, costAt, exitOf, markAt } from "./engine/room.js";
/** @import { Grid, Leg, MapName, Pen, Point, Scene } from "./types" */

/** @type {(cell: number, columns: number, size: number) => Point} */
export const centre = (cell, columns, size) => [((cell % columns) + 0.5) * size, (Math.floor(cell / columns) + 0.5) * size];

/** @param {Pen} pen @param {Grid} grid @param {(cell: number) => string | null} [colourOf] */
export function drawFloor(pen, { rows, columns, walls }, colourOf = () => null) {
  const size = pen.cell;
  pen.rect(0, 0, columns * size, rows * size, role("floor"));
  // Neighbours of one colour are one rectangle: in large mazes painting takes longer than planning.
  let begin = 0, colour = /** @type {string | null} */ (null);
  for (let cell = 0; cell <= rows * columns; cell++) {
    const fill = cell === rows * columns ? null : walls[cell] ? role("wall") : colourOf(cell);
    if (fill === colour && cell % columns) continue;
    if (colour) fillCells(pen, begin, cell - begin, columns, colour);
    [begin, colour] = [cell, fill];
  }
}

// Cells beside each other, from edge to edge between pixels, so that no seams show between neighbours.
/** @param {Pen} pen @param {number} cell @param {number} count @param {number} columns @param {string} fill */
function fillCells(pen, cell, count, columns, fill) {
  const [column, row] = [cell % columns, Math.floor(cell / columns)];
  const [left, top] = [pen.edge(column * pen.cell), pen.edge(row * pen.cell)];
  pen.rect(left, top, pen.edge((column + count) * pen.cell) - left, pen.edge((row + 1) * pen.cell) - top, fill);
}

/** @param {Pen} pen @param {Grid} grid */
export function drawGrid(pen, { rows, columns, walls }) {
  const size = pen.cell;
  if (size < 9) return;
  for (let row = 1; row < rows; row++) pen.line([[0, row * size], [columns * size, row * size]], role("grid"), 0.6, { alpha: 0.8 });
  for (let column = 1; column < columns; column++) pen.line([[column * size, 0], [column * size, rows * size]], role("grid"), 0.6, { alpha: 0.8 });
  for (let cell = 0; cell < rows * columns; cell++) {
    if (walls[cell]) fillCells(pen, cell, 1, columns, role("wall"));
  }
}

/**
 * @param {Pen} pen
 * @param {number} cell
 * @param {number} columns
 * @param {number} move
 * @param {string} colour
 * @param {number} alpha
 * @param {number} [scale]
 */
export function drawArrow(pen, cell, columns, move, colour, alpha, scale = 1) {
  const size = pen.cell, [x, y] = centre(cell, columns, size);
  const [down, right] = MOVES[move], norm = Math.hypot(down, right);
  const [dx, dy] = [right / norm, down / norm], reach = size * 0.27 * scale, head = size * 0.17 * scale;
  const tip = /** @type {Point} */ ([x + dx * reach, y + dy * reach]);
  if (size > 11) pen.line([[x - dx * reach, y - dy * reach], [x + dx * reach * 0.6, y + dy * reach * 0.6]], colour, Math.max(1, size * 0.06), { alpha });
  const back = [tip[0] - dx * head * 1.6, tip[1] - dy * head * 1.6];
  pen.shape([tip, [back[0] - dy * head, back[1] + dx * head], [back[0] + dy * head, back[1] - dx * head]], colour, alpha);
}

// One-way cells as large chevrons, costs of entering as numbers, both in grey: colours have other meanings.
/** @param {Pen} pen @param {Scene} scene @param {number} [alpha] */
export function drawMarks(pen, scene, alpha = 1) {
  if (pen.cell < 7 || !scene.marks.some(Boolean)) return;
  for (let cell = 0; cell < scene.marks.length; cell++) {
    const mark = scene.walls[cell] ? 0 : markAt(scene, cell);
    if (mark && exitOf(mark) >= 0) drawChevron(pen, cell, scene.columns, exitOf(mark), alpha);
    else if (mark) drawCost(pen, cell, scene, alpha);
  }
}

/** @param {Pen} pen @param {number} cell @param {number} columns @param {number} move @param {number} alpha */
function drawChevron(pen, cell, columns, move, alpha) {
  const [x, y] = centre(cell, columns, pen.cell), [down, right] = MOVES[move], reach = pen.cell * 0.46, back = pen.cell * 0.12;
  /** @param {number} along @param {number} across @returns {Point} */
  const at = (along, across) => [x + right * along - down * across, y + down * along + right * across];
  pen.shape([at(reach, 0), at(-back, reach), at(-reach, reach), at(back * 1.6, 0), at(-reach, -reach), at(-back, -reach)], role("quiet"), 0.5 * alpha);
}

// In the corner, where plans do not hide it; the dearer, the darker the cell.
/** @param {Pen} pen @param {number} cell @param {Scene} scene @param {number} alpha */
function drawCost(pen, cell, scene, alpha) {
  const size = pen.cell, cost = costAt(scene, cell), x = (cell % scene.columns) * size, y = Math.floor(cell / scene.columns) * size;
  pen.rect(x, y, size, size, role("quiet"), 0.045 * cost * alpha);
  pen.text(x + size * 0.22, y + size * 0.25, String(cost), Math.max(7, size * 0.34), role("ink"), 700);
}

// Legs in their policies' colours, each ending in a ring with its number, its subgoal. A line is what the policy walks
// without noise; it is dashed where noise may lead elsewhere, and ends where the policy stands still.
/** @param {Pen} pen @param {Leg[]} legs @param {number} columns @param {{ noisy: boolean, thickness?: number, alpha?: number, chosen?: number | null }} how */
export function drawLegs(pen, legs, columns, { noisy, thickness = 1, alpha = 1, chosen = null }) {
  const size = pen.cell * thickness, width = Math.max(2.5, size * 0.2);
  const dash = noisy ? [width * 1.6, width * 1.5] : [];
  /** @param {Leg} leg */
  const points = ({ cells }) => cells.map((cell) => centre(cell, columns, pen.cell));
  for (const leg of legs) pen.line(points(leg), role("halo"), width * 1.5, { alpha: 0.95 * alpha });
  legs.forEach((leg, number) => { pen.line(points(leg), policyColour(leg.policy), width * (number === chosen ? 1.5 : 1), { alpha, dash }); });
  if (thickness < 1) return;
  for (const leg of legs) if (pen.cell >= 20 && leg.cells.length > 3) drawFactor(pen, leg, columns);
  legs.forEach((leg, number) => {
    if (number === legs.length - 1) return; // the goal is drawn by itself
    const [x, y] = centre(leg.subgoal, columns, pen.cell), radius = Math.max(6, size * 0.27);
    pen.circle(x, y, radius, { fill: role("halo"), stroke: policyColour(leg.policy), width: Math.max(1.5, size * (number === chosen ? 0.14 : 0.09)) });
    pen.text(x, y, String(number + 1), Math.max(8, radius * 1.2), role("ink"), 700);
  });
}

// A leg's F, in the middle of its way.
/** @param {Pen} pen @param {Leg} leg @param {number} columns */
function drawFactor(pen, { cells, factor }, columns) {
  const [x, y] = centre(cells[Math.floor(cells.length / 2)], columns, pen.cell), text = short(factor) || "0";
  const size = Math.min(13, pen.cell * 0.38), width = size * 0.6 * text.length + 4;
  pen.rect(x - width / 2, y - size * 0.75, width, size * 1.5, role("halo"), 0.95);
  pen.text(x, y, text, size, role("ink"), 650);
}

// Rows and columns, counted from 0 as the legs name them.
/** @param {Pen} pen @param {Grid} grid @param {number} margin */
export function drawCoordinates(pen, { rows, columns }, margin) {
  const size = Math.min(11, Math.max(8, pen.cell * 0.4)), every = [1, 2, 5].find((count) => count * pen.cell >= size * 2) ?? 10;
  for (let row = 0; row < rows; row += every) pen.text(-margin / 2, (row + 0.5) * pen.cell, String(row), size, role("quiet"), 500);
  for (let column = 0; column < columns; column += every) pen.text((column + 0.5) * pen.cell, -margin / 2, String(column), size, role("quiet"), 500);
}

/** @param {Pen} pen @param {number} cell @param {number} columns */
export function drawStart(pen, cell, columns) {
  const size = pen.cell, [x, y] = centre(cell, columns, size);
  pen.circle(x, y, Math.max(6, size * 0.38), { fill: role("ink"), stroke: role("halo"), width: 1 });
  pen.text(x, y, "S", Math.max(8, size * 0.44), role("card"), 700);
}

/** @param {Pen} pen @param {number} cell @param {number} columns @param {string} label */
export function drawGoal(pen, cell, columns, label) {
  const size = pen.cell, [x, y] = centre(cell, columns, size), reach = Math.max(8, size * 0.46);
  pen.shape([[x, y - reach], [x + reach, y], [x, y + reach], [x - reach, y]], role("goal"));
  pen.line([[x, y - reach], [x + reach, y], [x, y + reach], [x - reach, y], [x, y - reach]], role("goal-ink"), Math.max(0.8, size * 0.04), { alpha: 0.6 });
  pen.text(x, y, label, Math.max(9, size * 0.42), role("goal-ink"), 700);
}

// The threat of the escape: a warning triangle.
/** @param {Pen} pen @param {number} cell @param {number} columns */
export function drawThreat(pen, cell, columns) {
  const size = pen.cell, [x, y] = centre(cell, columns, size), reach = Math.max(9, size * 0.75);
  pen.shape([[x, y - reach * 0.8], [x + reach, y + reach * 0.75], [x - reach, y + reach * 0.75]], role("threat"));
  pen.text(x, y + reach * 0.2, "!", reach * 1.1, role("card"), 800);
}

// The shelter: a house.
/** @param {Pen} pen @param {number} cell @param {number} columns */
export function drawShelter(pen, cell, columns) {
  const size = pen.cell, [x, y] = centre(cell, columns, size), reach = Math.max(8, size * 0.7);
  pen.shape([[x - reach, y], [x, y - reach], [x + reach, y], [x + reach * 0.7, y], [x + reach * 0.7, y + reach * 0.8], [x - reach * 0.7, y + reach * 0.8], [x - reach * 0.7, y]], role("goal"));
  pen.shape([[x - reach * 0.2, y + reach * 0.8], [x - reach * 0.2, y + reach * 0.15], [x + reach * 0.2, y + reach * 0.15], [x + reach * 0.2, y + reach * 0.8]], role("goal-ink"));
}

/** @param {Pen} pen @param {Point} place @param {number[]} trail @param {number} columns */
export function drawAgent(pen, [row, column], trail, columns) {
  const size = pen.cell, point = /** @type {Point} */ ([(column + 0.5) * size, (row + 0.5) * size]);
  const points = [...trail.map((cell) => centre(cell, columns, size)), point];
  if (points.length > 1) pen.line(points, role("agent"), Math.max(1.2, size * 0.07), { alpha: 0.75, dash: [size * 0.01, size * 0.22] });
  pen.circle(...point, Math.max(4, size * 0.33), { fill: role("agent"), stroke: role("halo"), width: Math.max(1.5, size * 0.09) });
}

/** @param {Pen} pen @param {number} cell @param {number} columns @param {string} colour @param {number} [width] */
export function outline(pen, cell, columns, colour, width = 2) {
  const size = pen.cell, x = (cell % columns) * size, y = Math.floor(cell / columns) * size, inset = width / 2;
  pen.line([[x + inset, y + inset], [x + size - inset, y + inset], [x + size - inset, y + size - inset], [x + inset, y + size - inset], [x + inset, y + inset]], colour, width);
}

export const LEAST = 14; // pixels of a cell that can hold a number

// A map of numbers; `scale` takes a value to 0..1, and where they are 0 the floor shows.
/**
 * @param {Pen} pen
 * @param {Grid} scene
 * @param {Float64Array | null | undefined} values
 * @param {MapName | "vi"} name
 * @param {(value: number) => number} scale
 * @param {{ numbers?: boolean }} [how]
 */
export function drawMap(pen, scene, values, name, scale, { numbers = false } = {}) {
  const colours = new Map();
  /** @param {number} cell */
  const colourOf = (cell) => {
    const value = values?.[cell];
    if (!value) return null;
    if (!colours.has(value)) colours.set(value, heat(name, scale(value)));
    return colours.get(value);
  };
  drawFloor(pen, scene, colourOf);
  drawGrid(pen, scene);
  if (!numbers || pen.cell < LEAST) return;
  for (let cell = 0; cell < scene.rows * scene.columns; cell++) {
    const fill = colourOf(cell);
    if (fill) pen.text(...centre(cell, scene.columns, pen.cell), short(Number(values?.[cell])), Math.min(12, pen.cell * 0.36), inkOn(fill), 500);
  }
}

/** @param {number} value */
export function short(value) {
  if (value >= 9.95) return value.toFixed(0);
  if (value >= 0.995) return value.toFixed(1);
  if (value >= 0.005) return value.toFixed(2).replace(/^0/, "");
  return "";
}

/** @param {number | null | undefined} value */
export function precise(value) {
  if (!value) return "0";
  if (value >= 9.995) return value.toFixed(1);
  return value >= 0.0995 ? value.toFixed(3) : Number(value.toPrecision(3)).toString();
}
