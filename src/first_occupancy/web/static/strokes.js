// Drawing on the maze, by pointer and by keys.
import { boardGeometry } from "./board.js";
import { $ } from "./elements.js";
import { MARKS, costAt } from "./engine/room.js";
import { cellUnder } from "./pens.js";
import { state } from "./state.js";
/** @import { Drag, Edit, Grid, Point } from "./types" */

const canvas = $("board");

/** @param {PointerEvent} event */
const cellAt = (event) => cellUnder(event, canvas, boardGeometry(), state.scene);

// `edit` holds what strokes do: begin, look, pin, wall, mark, move, goal, arrow.
/** @param {Edit} edit */
export function listen(edit) {
  /** @type {Drag | null} */
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    const cell = cellAt(event);
    if (cell === null || event.button > 0) return;
    // A finger that looks may still scroll the page.
    if (event.pointerType !== "touch" || state.tool !== "look") canvas.setPointerCapture(event.pointerId);
    state.cursor = cell;
    edit.begin();
    drag = begin(cell, event.pointerType === "touch", edit);
  });
  canvas.addEventListener("pointermove", (event) => {
    const cell = cellAt(event);
    if (cell === null) return;
    if (!drag) edit.look(cell);
    else if (cell !== drag.last) {
      for (const passed of between(drag.last, cell, state.scene.columns)) drag.over(passed);
      Object.assign(drag, { last: cell, moved: true });
    }
  });
  canvas.addEventListener("pointerup", () => {
    if (drag && !drag.moved) drag.click?.();
    drag = null;
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("pointerleave", (event) => { if (!drag && event.pointerType !== "touch") edit.away(); });
  canvas.addEventListener("keydown", (event) => keys(event, edit));
  canvas.addEventListener("focus", () => edit.focus());
  canvas.addEventListener("blur", () => edit.focus());
}

// What a stroke does depends on where it begins: on start or goal it moves them.
/** @param {number} cell @param {boolean} byTouch @param {Edit} edit @returns {Drag} */
function begin(cell, byTouch, edit) {
  const { scene, tool } = state, click = tool === "look" ? () => edit.pin(cell) : undefined;
  if (tool === "arrows" && scene.drawn.length) return arrows(cell, edit);
  if (tool === "look" && byTouch) return { last: cell, over: () => {}, click };
  if (cell === scene.start) return { last: cell, over: (next) => edit.move(null, next), click };
  if (scene.goals.includes(cell) && tool !== "goals") {
    let from = cell;
    return { last: cell, over: (next) => { if (edit.move(from, next)) from = next; }, click };
  }
  if (tool === "look") return { last: cell, over: (next) => edit.look(next), click };
  if (tool === "goals") {
    edit.goal(cell);
    return { last: cell, over: () => {} };
  }
  if (tool === "terrain") {
    const brush = Number($("mark").value), mark = !scene.walls[cell] && scene.marks[cell] === brush ? 0 : brush;
    edit.mark(cell, mark);
    return { last: cell, over: (next) => edit.mark(next, mark) };
  }
  const wall = scene.walls[cell] ? 0 : 1;
  edit.wall(cell, wall);
  return { last: cell, over: (next) => edit.wall(next, wall) };
}

/** @param {number} cell @param {Edit} edit @returns {Drag} */
function arrows(cell, edit) {
  const drag = { last: cell, over: /** @type {Drag["over"]} */ (() => {}) };
  let from = cell;
  drag.over = (next) => {
    for (const step of square(from, next, state.scene)) {
      edit.arrow(from, step);
      from = step;
    }
  };
  return drag;
}

// The cells of a straight stroke: fast pointers skip some.
/** @param {number} one @param {number} other @param {number} columns */
function between(one, other, columns) {
  const [row, column] = [Math.floor(one / columns), one % columns];
  const [down, right] = [Math.floor(other / columns) - row, (other % columns) - column];
  const count = Math.max(Math.abs(down), Math.abs(right));
  return Array.from({ length: count }, (_, i) => {
    const part = (i + 1) / count;
    return Math.round(row + down * part) * columns + Math.round(column + right * part);
  });
}

// From a cell to its neighbour without diagonals, which arrows do not have: round the corner that is free.
/** @param {number} one @param {number} other @param {Grid} grid */
function square(one, other, { columns, walls }) {
  const [down, right] = [Math.floor(other / columns) - Math.floor(one / columns), (other % columns) - (one % columns)];
  if (!down || !right) return [other];
  return [walls[one + right] ? one + down * columns : one + right, other];
}

// The mark of a cell that costs as much to enter, from 1 to 9.
/** @param {number} cost */
const costing = (cost) => Math.max(0, MARKS.indexOf(String(Math.min(cost, 9))));

/** @type {Record<string, Point>} */
const ARROW_KEYS = { ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowDown: [1, 0], ArrowLeft: [0, -1] };

/** @param {KeyboardEvent} event @param {Edit} edit */
function keys(event, edit) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { scene } = state, cell = state.cursor ?? Math.max(0, scene.start);
  const step = ARROW_KEYS[event.key];
  const does = /** @type {Record<string, () => void>} */ ({
    " ": () => edit.wall(cell, scene.walls[cell] ? 0 : 1),
    enter: () => edit.pin(cell),
    s: () => edit.move(null, cell),
    g: () => edit.goal(cell),
    "+": () => edit.mark(cell, costing(costAt(scene, cell) + 1)),
    "-": () => edit.mark(cell, costing(costAt(scene, cell) - 1)),
    "^": () => edit.mark(cell, MARKS.indexOf("^")),
    ">": () => edit.mark(cell, MARKS.indexOf(">")),
    v: () => edit.mark(cell, MARKS.indexOf("v")),
    "<": () => edit.mark(cell, MARKS.indexOf("<")),
    ".": () => edit.mark(cell, 0),
  })[event.key.toLowerCase()];
  if (step) {
    const row = Math.min(scene.rows - 1, Math.max(0, Math.floor(cell / scene.columns) + step[0]));
    const column = Math.min(scene.columns - 1, Math.max(0, (cell % scene.columns) + step[1]));
    state.cursor = row * scene.columns + column;
    if (event.shiftKey && scene.drawn.length) {
      edit.begin();
      edit.arrow(cell, state.cursor);
    }
    edit.look(state.cursor, true);
  } else if (does) {
    edit.begin();
    does();
    edit.look(cell, true);
  } else return;
  event.preventDefault();
}
