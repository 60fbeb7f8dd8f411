// The maze itself: painting it, and drawing on it by pointer and keys.
import { policyColour, role, heat } from "./colours.js";
import { drawAgent, drawArrow, drawFloor, drawGoal, drawGrid, drawLegs, drawStart, outline } from "./drawing.js";
import { $ } from "./elements.js";
import { arrives } from "./legs.js";
import { canvasPen } from "./pens.js";
import { state } from "./state.js";
/** @import { Drag, Edit, GoalPlan, Grid, Pen, Plan, Point, Scene } from "./types" */

const canvas = $("board");
let geometry = { cell: 1, left: 0 };

export function paintBoard() {
  const { scene } = state;
  const room = innerWidth > 980 ? Math.max(260, innerHeight - 340) : innerHeight * 0.75;
  const pen = canvasPen(canvas, scene.rows, scene.columns, room);
  geometry = pen;
  drawBoard(pen);
  if (state.agent) drawAgent(pen, state.agent.cell, state.agent.trail, scene.columns);
  // In small cells the start is larger than its outline, which would cross out the letter.
  const { from } = state, shown = from !== null && !scene.walls[from] && (pen.cell > 16 || from !== scene.start);
  if (shown) outline(pen, from, scene.columns, role("ink"), 1.6);
  if (state.cursor !== null && document.activeElement === canvas) outline(pen, state.cursor, scene.columns, role("focus"), 3);
}

// Everything but what comes and goes; figures are made of it too.
/** @param {Pen} pen */
export function drawBoard(pen) {
  const { scene, plan } = state, first = fits(plan, scene) ? plan.plans[0] : null;
  drawFloor(pen, scene, (cell) => {
    const value = first?.discount[cell];
    return value ? heat("fr", 0.06 + 0.34 * value) : null;
  });
  drawGrid(pen, scene);
  const byHand = state.tool === "arrows" && scene.drawn.length;
  if (plan && first && !byHand && pen.cell >= 11) drawChoices(pen, scene, plan, first);
  if (plan && first) drawLegs(pen, plan.plans, scene.columns, byHand ? 0.4 : 1);
  if (byHand) drawPolicy(pen, scene, Number(state.policy));
  const order = fits(plan, scene) ? plan.plans.map(({ goal }) => goal) : scene.goals;
  for (const goal of scene.goals) {
    const place = order.indexOf(goal);
    drawGoal(pen, goal, scene.columns, scene.goals.length > 1 && place >= 0 && arrives(plan) ? String(place + 1) : "G");
  }
  if (scene.start >= 0) drawStart(pen, scene.start, scene.columns);
}

/** @param {Pen} pen @param {Scene} scene @param {Plan} plan @param {GoalPlan} first */
function drawChoices(pen, scene, plan, first) {
  for (let cell = 0; cell < first.policy.length; cell++) {
    const policy = first.policy[cell];
    if (policy >= 0 && !scene.walls[cell]) drawArrow(pen, cell, scene.columns, plan.actions[policy][cell], policyColour(policy), 0.75, 0.8);
  }
}

/** @param {Pen} pen @param {Scene} scene @param {number} number */
function drawPolicy(pen, scene, number) {
  const { usual, arrows } = scene.drawn[Math.min(number, scene.drawn.length - 1)];
  const base = ["up", "right", "down", "left"].indexOf(usual);
  for (let cell = 0; cell < arrows.length; cell++) {
    if (scene.walls[cell]) continue;
    const own = arrows[cell] > 0;
    drawArrow(pen, cell, scene.columns, own ? arrows[cell] - 1 : base, policyColour(number), own ? 1 : 0.4, own ? 1.1 : 0.8);
  }
}

/** @type {(plan: Plan | null, scene: Scene) => plan is Plan} */
const fits = (plan, scene) => plan !== null && plan.rows === scene.rows && plan.columns === scene.columns && plan.plans.length > 0;

/** @param {PointerEvent} event */
export function cellAt(event) {
  const box = canvas.getBoundingClientRect(), { scene } = state;
  const column = Math.floor((event.clientX - box.left - geometry.left) / geometry.cell);
  const row = Math.floor((event.clientY - box.top) / geometry.cell);
  return row >= 0 && row < scene.rows && column >= 0 && column < scene.columns ? row * scene.columns + column : null;
}

// `edit` holds what drawing does: begin, hover, wall, move, goal, arrow.
/** @param {Edit} edit */
export function listen(edit) {
  /** @type {Drag | null} */
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    const cell = cellAt(event);
    if (cell === null || event.button > 0) return;
    canvas.setPointerCapture(event.pointerId);
    state.cursor = cell;
    edit.begin();
    drag = begin(cell, edit);
  });
  canvas.addEventListener("pointermove", (event) => {
    const cell = cellAt(event);
    if (cell === null) return;
    if (!drag) edit.hover(cell);
    else if (cell !== drag.last) {
      for (const passed of between(drag.last, cell, state.scene.columns)) drag.over(passed);
      drag.last = cell;
    }
  });
  const end = () => { drag = null; };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("keydown", (event) => keys(event, edit));
  canvas.addEventListener("focus", () => edit.focus());
  canvas.addEventListener("blur", () => edit.focus());
}

// What a stroke does depends on where it begins: on start or goal it moves them.
/**
 * @param {number} cell
 * @param {Edit} edit
 * @returns {Drag}
 */
function begin(cell, edit) {
  const { scene } = state;
  if (state.tool === "arrows" && scene.drawn.length) {
    const drag = { last: cell, over: /** @type {Drag["over"]} */ (() => {}) };
    drag.over = (next) => {
      for (const step of square(drag.last, next, scene)) {
        edit.arrow(drag.last, step);
        drag.last = step;
      }
    };
    return drag;
  }
  if (cell === scene.start) return { last: cell, over: (next) => edit.move(null, next) };
  if (scene.goals.includes(cell) && state.tool !== "goals") {
    let from = cell;
    return { last: cell, over: (next) => { if (edit.move(from, next)) from = next; } };
  }
  if (state.tool === "look") {
    edit.hover(cell);
    return { last: cell, over: (next) => edit.hover(next) };
  }
  if (state.tool === "goals") {
    edit.goal(cell);
    return { last: cell, over: () => {} };
  }
  const wall = scene.walls[cell] ? 0 : 1;
  edit.wall(cell, wall);
  return { last: cell, over: (next) => edit.wall(next, wall) };
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

/** @type {Record<string, Point>} */
const ARROW_KEYS = { ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowDown: [1, 0], ArrowLeft: [0, -1] };

/** @param {KeyboardEvent} event @param {Edit} edit */
function keys(event, edit) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { scene } = state, cell = state.cursor ?? Math.max(0, scene.start);
  const step = ARROW_KEYS[event.key];
  const does = /** @type {Record<string, () => void>} */ ({
    " ": () => edit.wall(cell, scene.walls[cell] ? 0 : 1),
    s: () => edit.move(null, cell),
    g: () => edit.goal(cell),
  })[event.key.toLowerCase()];
  if (step) {
    const row = Math.min(scene.rows - 1, Math.max(0, Math.floor(cell / scene.columns) + step[0]));
    const column = Math.min(scene.columns - 1, Math.max(0, (cell % scene.columns) + step[1]));
    state.cursor = row * scene.columns + column;
    if (event.shiftKey && scene.drawn.length) {
      edit.begin();
      edit.arrow(cell, state.cursor);
    }
    edit.hover(state.cursor, true);
  } else if (does) {
    edit.begin();
    does();
    edit.hover(cell, true);
  } else return;
  event.preventDefault();
}
