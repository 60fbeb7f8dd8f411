// A scene as the planners see it: states are the free cells, numbered row by row.
/** @import { Point, Room, Scene } from "../types" */

// The moves, as (row, column) steps: four of them, or all eight.
/** @type {Point[]} */
export const MOVES = [[-1, 0], [0, 1], [1, 0], [0, -1], [-1, 1], [1, 1], [1, -1], [-1, -1]];
export const SYMBOLS = ["↑", "→", "↓", "←", "↗", "↘", "↙", "↖"];
export const MOST_GOALS = 8;

/** @param {Scene} scene @returns {Room} */
export function makeRoom(scene) {
  const { rows, columns, walls } = scene;
  const stateOf = new Int32Array(rows * columns).fill(-1);
  const cells = Int32Array.from([...walls.keys()].filter((cell) => !walls[cell]));
  cells.forEach((cell, state) => { stateOf[cell] = state; });
  const next = MOVES.slice(0, scene.moves).map((step) => targets(step, cells, stateOf, rows, columns));
  const actions = scene.drawn.length
    ? scene.drawn.map((policy) => drawnActions(policy, cells))
    : next.map((_, move) => new Uint8Array(cells.length).fill(move));
  return {
    rows, columns, cells, stateOf, next, actions, count: cells.length,
    names: scene.drawn.length ? scene.drawn.map((_, number) => String.fromCharCode(65 + number)) : SYMBOLS.slice(0, scene.moves),
    ahead: actions.map((moves) => Int32Array.from(moves, (move, state) => next[move][state])),
    discount: scene.discount, noise: scene.noise,
    start: scene.start < 0 ? -1 : stateOf[scene.start],
    goals: scene.goals.map((cell) => stateOf[cell]).filter((state) => state >= 0).sort((one, other) => one - other).slice(0, MOST_GOALS),
  };
}

// The cell to which a step leads, -1 for none: into a wall, off the drawing, or between two walls that touch at a corner.
/** @param {Point} step @param {number} cell @param {number} rows @param {number} columns @param {(cell: number) => boolean} isWall */
export function cellAhead([down, right], cell, rows, columns, isWall) {
  const row = Math.floor(cell / columns) + down, column = (cell % columns) + right;
  if (row < 0 || row >= rows || column < 0 || column >= columns) return -1;
  const there = row * columns + column;
  const squeezes = down && right && isWall(there - right) && isWall(there - down * columns);
  return isWall(there) || squeezes ? -1 : there;
}

// The state to which a move leads from each state: where it is blocked it stays in place.
/** @param {Point} step @param {Int32Array} cells @param {Int32Array} stateOf @param {number} rows @param {number} columns */
function targets(step, cells, stateOf, rows, columns) {
  return cells.map((cell, state) => {
    const there = cellAhead(step, cell, rows, columns, (each) => stateOf[each] < 0);
    return there < 0 ? state : stateOf[there];
  });
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
