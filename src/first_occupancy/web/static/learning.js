// FRs learned live on the drawn maze: a random walk, and what it teaches.
import { ask } from "./asking.js";
import { heat, role } from "./colours.js";
import { centre, drawFloor, drawGoal, drawGrid, drawMap, drawMarks, drawStart, outline } from "./drawing.js";
import { $ } from "./elements.js";
import { EXACT_UP_TO } from "./engine/answers.js";
import { lookAt, restingCell } from "./looking.js";
import { canvasPen, cellUnder } from "./pens.js";
import { place } from "./legs.js";
import { repaint, state } from "./state.js";
/** @import { Geometry, Learned } from "./types" */

const PACES = [1, 4, 20, 100, 500]; // steps a frame
const KEPT = 60; // steps of the walk that are drawn
/** @type {Learned & { walk: number[] } | null} */
let now = null;
/** @type {Geometry} */
let geometry = { cell: 1, left: 0, top: 0 };
let run = 0, seed = 1;

export function wireLearning() {
  $("learn-run").addEventListener("click", () => (isRunning() ? pause() : learn()));
  $("learn-again").addEventListener("click", () => { seed += 1; startAnew(); });
  $("learn-rate").addEventListener("change", startAnew);
  const canvas = $("learn-board");
  canvas.addEventListener("pointerdown", (event) => {
    const cell = cellUnder(event, canvas, geometry, state.scene);
    if (cell === null) return;
    state.pinned = false;
    lookAt(cell);
    if (!isRunning()) step(0, run, false);
  });
}

const isRunning = () => document.body.dataset.learning === "running";

// The maze may have changed since: what was learned in another one is forgotten.
export function openLearning() {
  startAnew();
}

export function closeLearning() {
  if (isRunning()) pause();
}

function pause() {
  run += 1;
  document.body.dataset.learning = "paused";
  $("learn-run").textContent = "Go on";
}

async function startAnew() {
  pause();
  now = null;
  $("learn-run").textContent = "Learn";
  const tooLarge = state.scene.rows * state.scene.columns > EXACT_UP_TO, empty = restingCell(state.scene) === null;
  $("learn-run").disabled = tooLarge || empty;
  if (tooLarge || empty) {
    $("learn-reading").textContent = tooLarge ? `Live learning keeps a table of all pairs of cells, so it takes mazes of up to ${EXACT_UP_TO.toLocaleString("en")} cells.` : "Erase some walls: there is no free cell.";
    return repaint("learning");
  }
  return step(0, run, true);
}

async function learn() {
  const mine = ++run;
  document.body.dataset.learning = "running";
  $("learn-run").textContent = "Pause";
  while (mine === run) {
    await step(PACES[Number($("learn-speed").value)], mine, false);
    await new Promise((resolve) => { requestAnimationFrame(resolve); });
  }
}

/** @param {number} steps @param {number} mine @param {boolean} fresh */
async function step(steps, mine, fresh) {
  const { scene } = state, cell = state.from ?? restingCell(scene);
  if (cell === null) return;
  const begin = fresh ? { scene, stepSize: Number($("learn-rate").value), seed } : null;
  const answer = await ask("practice", { begin, steps, policy: state.policy ?? 0, cell });
  if (!answer || mine !== run) return;
  now = { ...answer, walk: [...(now && !fresh ? now.walk : []), ...answer.walk].slice(-KEPT) };
  say(cell);
  repaint("learning");
}

/** @param {number} cell */
function say(cell) {
  if (!now) return;
  const name = state.plan?.policies[state.policy ?? 0] ?? "", exact = exactRow(), { soon } = now;
  const error = exact ? Math.max(...exact.map((value, at) => Math.abs(value - soon[at]))) : null;
  $("learn-reading").innerHTML = `<b>${now.steps.toLocaleString("en")}</b> steps. With the first-occupancy representations (FRs) learned so far a plan to ${state.scene.goals.length > 1 ? `the goal at ${place(Math.min(...state.scene.goals))}` : "the goal"} is known from <b>${Math.round(100 * now.share)}%</b> of the cells. `
    + `F of <b>${name}</b> from ${place(cell)}: ${error === null ? "" : `largest error <b>${error.toFixed(3)}</b>.`}`;
}

// The exact FR, if the page has that of the same cell and policy.
function exactRow() {
  const { row, scene } = state;
  return row?.soon && row.from === state.from && row.policy === state.policy && row.soon.length === scene.walls.length ? row.soon : null;
}

export function paintLearning() {
  const { scene, from } = state, most = Math.max(240, innerHeight - 330);
  const pen = canvasPen($("learn-board"), scene.rows, scene.columns, most);
  geometry = pen;
  drawFloor(pen, scene, (cell) => (now?.known[cell] ? heat("fr", 0.1 + 0.5 * now.known[cell] ** 0.25) : null));
  drawGrid(pen, scene);
  drawMarks(pen, scene);
  for (const goal of scene.goals) drawGoal(pen, goal, scene.columns, "G");
  if (scene.start >= 0) drawStart(pen, scene.start, scene.columns);
  if (now && now.walk.length > 1) pen.line(now.walk.map((cell) => centre(cell, scene.columns, pen.cell)), role("agent"), 1.4, { alpha: 0.55 });
  if (now) pen.circle(...centre(now.walk[now.walk.length - 1], scene.columns, pen.cell), Math.max(3, pen.cell * 0.3), { fill: role("agent"), stroke: role("halo"), width: 2 });
  for (const [id, values] of /** @type {["learned-map" | "exact-map", Float64Array | null | undefined][]} */ ([["learned-map", now?.soon], ["exact-map", exactRow()]])) {
    const small = canvasPen($(id), scene.rows, scene.columns, most);
    drawMap(small, scene, values, "fr", (value) => 0.06 + 0.94 * value);
    if (from !== null) outline(small, from, scene.columns, role("ink"), Math.max(1.5, small.cell * 0.1));
  }
}
