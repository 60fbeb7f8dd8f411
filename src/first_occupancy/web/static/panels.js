// The maps beside the maze: how soon and how often, and value iteration.
import { heat, policyColour, role } from "./colours.js";
import { LEAST, drawArrow, drawGoal, drawMap, drawMarks, drawStart, outline, precise } from "./drawing.js";
import { $, all } from "./elements.js";
import { arrives, firstGoal, place, shownLegs } from "./legs.js";
import { canvasPen, cellUnder } from "./pens.js";
import { state } from "./state.js";
import { count } from "./words.js";
/** @import { Geometry, MapName } from "./types" */

const MOST = 380;
const MOVES = ["up", "right", "down", "left", "up-right", "down-right", "down-left", "up-left"];
/** @type {Geometry} */
let geometry = { cell: 1, left: 0, top: 0 };

export const mapGeometry = () => geometry;

export function paintMaps() {
  const row = shownRow(), most = Math.max(1, row ? row.often.reduce((one, other) => Math.max(one, other)) : 1);
  paintMap("fr", row?.soon, (value) => 0.06 + 0.94 * value);
  paintMap("sr", row?.often, (value) => 0.06 + (0.94 * value) / most);
  ramp("fr", "0", "1");
  ramp("sr", "0", String(Number(most.toPrecision(2))));
  sayRow();
}

function shownRow() {
  const { scene, row } = state;
  return row && row.rows === scene.rows && row.columns === scene.columns && row.soon && row.often ? { ...row, soon: row.soon, often: row.often } : null;
}

// The cell whose numbers are read: the one that is pointed at, or the end of a leg that is.
const shownTarget = () => (state.leg === null ? state.target : shownLegs()[state.leg]?.subgoal ?? null);

/** @param {MapName} name @param {Float64Array | null | undefined} values @param {(value: number) => number} scale */
function paintMap(name, values, scale) {
  const { scene, row } = state, target = shownTarget();
  const pen = canvasPen($(`${name}-map`), scene.rows, scene.columns, MOST);
  geometry = pen;
  drawMap(pen, scene, values, name, scale, { numbers: state.numbers });
  if (!state.numbers) drawMarks(pen, scene, 0.6);
  if (row && values) outline(pen, row.from, scene.columns, role("ink"), Math.max(1.5, pen.cell * 0.1));
  if (target !== null && target !== row?.from) outline(pen, target, scene.columns, role("focus"), 2);
}

/** @param {MapName} name @param {string} low @param {string} high */
function ramp(name, low, high) {
  const bar = $(`${name}-ramp`);
  if (!bar.firstChild) bar.append(document.createElement("span"), document.createElement("canvas"), document.createElement("span"));
  const [left, canvas, right] = /** @type {[Element, HTMLCanvasElement, Element]} */ (/** @type {unknown} */ ([...bar.children]));
  canvas.ariaHidden = "true";
  left.textContent = low;
  right.textContent = high;
  const top = heat(name, 1);
  if (canvas.dataset.top === top) return;
  canvas.dataset.top = top;
  canvas.width = 64;
  canvas.height = 8;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  for (let x = 0; x < 64; x++) {
    context.fillStyle = heat(name, x / 63);
    context.fillRect(x, 0, 1, 8);
  }
}

/** @param {() => void} repaint */
export function listenToMaps(repaint) {
  for (const name of /** @type {MapName[]} */ (["fr", "sr"])) {
    const canvas = $(`${name}-map`);
    /** @param {PointerEvent} event */
    const point = (event) => {
      state.target = cellUnder(event, canvas, geometry, state.scene);
      repaint();
    };
    canvas.addEventListener("pointermove", point);
    canvas.addEventListener("pointerdown", point);
    canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "touch") return; // a finger that is lifted still points
      state.target = null;
      repaint();
    });
  }
}

export function sayRow() {
  const { scene, plan } = state, row = shownRow(), name = row ? plan?.policies[row.policy] ?? "" : "";
  if (!row) {
    $("row-reading").textContent = "Point at a free cell of the maze.";
    return;
  }
  const pointed = shownTarget(), target = pointed !== null && !scene.walls[pointed] ? pointed : null;
  if (target === null) {
    const reached = row.soon.filter((value) => value > 0).length;
    const most = row.often.reduce((best, value, cell) => (value > row.often[best] ? cell : best), row.from);
    const hint = state.numbers && geometry.cell < LEAST ? "Cells are too small for numbers: point at a map for them." : state.pinned ? "Point at a map for numbers." : "Click a cell to pin it.";
    $("row-reading").innerHTML = `Following <b>${name}</b> from ${place(row.from)} reaches ${count(reached, "cell")}. `
      + `It is in ${place(most)} most: <span class="sr">SR</span> <i>M</i> = ${precise(row.often[most])} visits, discounted. ${hint}`;
    return;
  }
  const [f, m] = [row.soon[target], row.often[target]];
  const steps = f && !scene.noise ? ` = <i>γ</i><sup>${Math.round(Math.log(f) / Math.log(scene.discount))}</sup>` : "";
  $("row-reading").innerHTML = `${state.leg === null ? "From" : `Leg ${state.leg + 1}: from`} ${place(row.from)} to ${place(target)} with <b>${name}</b>: `
    + `<span class="fr">F</span> = ${precise(f)}${steps}, <span class="sr">M</span> = ${precise(m)}.`;
}

export function paintSweeps() {
  const { scene, plan } = state;
  const there = plan && plan.rows === scene.rows && plan.columns === scene.columns ? plan.sweeps : null;
  const pen = canvasPen($("vi-map"), scene.rows, scene.columns, MOST);
  drawMap(pen, scene, there ? there.discount : null, "vi", (value) => 0.1 + 0.6 * value);
  drawMarks(pen, scene, 0.6);
  if (there && pen.cell >= 8) there.action.forEach((move, cell) => {
    if (move >= 0 && !scene.walls[cell]) drawArrow(pen, cell, scene.columns, move, role("ink"), 0.75, 0.85);
  });
  const several = plan && plan.plans.length > 1, name = several && arrives(plan) ? "1" : "G";
  for (const { goal } of plan && there ? plan.plans.slice(0, 1) : []) drawGoal(pen, goal, scene.columns, name);
  if (scene.start >= 0) drawStart(pen, scene.start, scene.columns);
  $("vi-caption").textContent = there ? `value iteration${several ? ` to ${firstGoal(plan)}` : ""}, ${count(there.sweeps, "sweep")}` : "value iteration";
}

/** @param {(number: number) => void} choose */
export function paintPolicies(choose) {
  const { plan, scene } = state, names = plan?.policies ?? [];
  for (const id of /** @type {const} */ (["policies", "learn-policies"])) {
    const chips = $(id);
    if (chips.childElementCount !== names.length) {
      chips.replaceChildren(...names.map((_, number) => {
        const chip = document.createElement("button");
        chip.type = "button";
        chip.addEventListener("click", () => choose(number));
        return chip;
      }));
    }
    all(`#${id} > *`).forEach((chip, number) => {
      chip.textContent = names[number];
      chip.title = scene.drawn.length ? `policy ${names[number]}, drawn by hand` : `always ${MOVES[number]}`;
      chip.setAttribute("aria-label", chip.title);
      chip.style.borderBottomColor = policyColour(number);
      chip.setAttribute("aria-pressed", String(number === state.policy));
    });
  }
}
