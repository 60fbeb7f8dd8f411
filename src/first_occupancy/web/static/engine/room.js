// A scene as the planners see it: states are the free cells, numbered row by row.
/** @import { Point, Room, Scene } from "../types" */

// The moves, as (row, column) steps: four of them, or all eight.
/** @type {Point[]} */
export const MOVES = [[-1, 0], [0, 1], [1, 0], [0, -1], [-1, 1], [1, 1], [1, -1], [-1, -1]];
export const SYMBOLS = ["↑", "→", "↓", "←", "↗", "↘", "↙", "↖"];
export const MOST_GOALS = 8;

// Marks of cells: 1 to 4 are one-way cells, left by that move alone; larger ones are costs of entering, from 2 to 9.
export const MARKS = ".^>v<23456789";
const ONE_WAY = 4;

// The move by which a one-way cell is left, -1 for any.
/** @param {number} mark */
export const exitOf = (mark) => (mark > 0 && mark <= ONE_WAY ? mark - 1 : -1);

// The mark that counts: under the start and the goals there is none, as in a drawing, where S and G hide it.
/** @param {Pick<Scene, "marks" | "start" | "goals">} scene @param {number} cell */
export const markAt = ({ marks, start, goals }, cell) => (marks[cell] && (cell === start || goals.includes(cell)) ? 0 : marks[cell]);

/** @param {Scene} scene @returns {Room} */
export function makeRoom(scene) {
  const { rows, columns, walls, discount } = scene;
  const stateOf = new Int32Array(rows * columns).fill(-1);
  const cells = new Int32Array(walls.length - walls.reduce((sum, wall) => sum + Number(wall > 0), 0));
  for (let cell = 0, state = 0; cell < walls.length; cell++) if (!walls[cell]) {
    cells[state] = cell;
    stateOf[cell] = state++;
  }
  const next = MOVES.slice(0, scene.moves).map((_, move) => statesAfter(scene, cells, stateOf, move));
  const costs = Uint8Array.from(cells, (cell) => costAt(scene, cell));
  const actions = scene.drawn.length
    ? scene.drawn.map((policy) => drawnActions(policy, cells))
    : next.map((_, move) => new Uint8Array(cells.length).fill(move));
  return {
    rows, columns, cells, stateOf, next, actions, count: cells.length,
    names: scene.drawn.length ? scene.drawn.map((_, number) => String.fromCharCode(65 + number)) : SYMBOLS.slice(0, scene.moves),
    ahead: actions.map((moves) => led(moves, next)),
    discount, noise: scene.noise, costs: costs.some((cost) => cost > 1) ? costs : null,
    entering: Float64Array.from(costs, (cost) => discount ** cost),
    start: scene.start < 0 ? -1 : stateOf[scene.start],
    goals: scene.goals.map((cell) => stateOf[cell]).filter((state) => state >= 0).sort((one, other) => one - other).slice(0, MOST_GOALS),
  };
}

// The state to which a move leads from each state.
/** @param {Scene} scene @param {Int32Array} cells @param {Int32Array} stateOf @param {number} move */
function statesAfter(scene, cells, stateOf, move) {
  const result = new Int32Array(cells.length);
  for (let state = 0; state < cells.length; state++) result[state] = stateOf[cellAfter(scene, cells[state], move)];
  return result;
}

// The state to which a policy leads from each state.
/** @param {Uint8Array} moves @param {Int32Array[]} next */
function led(moves, next) {
  const result = new Int32Array(moves.length);
  for (let state = 0; state < moves.length; state++) result[state] = next[moves[state]][state];
  return result;
}

// What it costs to enter a cell.
/** @param {Scene} scene @param {number} cell */
export function costAt(scene, cell) {
  const mark = markAt(scene, cell);
  return mark > ONE_WAY ? mark - ONE_WAY + 1 : 1;
}

// The time of walking over cells, from the first to the last.
/** @param {Scene} scene @param {number[]} cells */
export const timeOf = (scene, cells) => cells.slice(1).reduce((sum, cell) => sum + costAt(scene, cell), 0);

// The cell to which a move leads: the same one if it is blocked by a wall, the edge of the drawing, walls beside a
// diagonal step, or because the cell can only be left another way.
/** @param {Scene} scene @param {number} cell @param {number} move */
export function cellAfter(scene, cell, move) {
  const { rows, columns, walls } = scene, down = MOVES[move][0], right = MOVES[move][1];
  const row = Math.floor(cell / columns) + down, column = (cell % columns) + right;
  if (row < 0 || row >= rows || column < 0 || column >= columns) return cell;
  const there = row * columns + column, exit = exitOf(markAt(scene, cell));
  const besides = down && right && scene.corners !== "allow" ? walls[there - right] + walls[there - down * columns] : 0;
  return walls[there] || besides > (scene.corners === "strict" ? 0 : 1) || (exit >= 0 && exit !== move) ? cell : there;
}

// The move of a hand-drawn policy in each state: its arrow, or its usual direction where there is none.
/** @param {Scene["drawn"][number]} policy @param {Int32Array} cells */
function drawnActions({ usual, arrows }, cells) {
  const base = ["up", "right", "down", "left"].indexOf(usual);
  return Uint8Array.from(cells, (cell) => (arrows[cell] ? arrows[cell] - 1 : base));
}

// A number for each state as one for each cell of the drawing.
/**
 * @template {Int32Array | Float64Array} Numbers
 * @param {Room} room
 * @param {Numbers} values
 * @param {number} elsewhere
 * @returns {Numbers}
 */
export function onCells(room, values, elsewhere) {
  const result = new /** @type {any} */ (values.constructor)(room.rows * room.columns).fill(elsewhere);
  for (let state = 0; state < room.count; state++) result[room.cells[state]] = values[state];
  return result;
}

// States as cells; -1 stays -1.
/** @param {Room} room @param {Int32Array} states */
export const cellsOf = (room, states) => states.map((state) => (state < 0 ? -1 : room.cells[state]));
