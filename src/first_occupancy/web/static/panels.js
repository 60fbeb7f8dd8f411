// The maps beside the maze, and what is said about the plan.
import { heat, policyColour, role } from "./colours.js";
import { LEAST, drawArrow, drawGoal, drawMap, drawStart, outline, precise } from "./drawing.js";
import { $, all } from "./elements.js";
import { arrives, isWalledOff, paintLegs, place } from "./legs.js";
import { canvasPen } from "./pens.js";
import { state } from "./state.js";
/** @import { MapName, Plan, Scene } from "./types" */

const MOST = 380;
const MOVES = ["up", "right", "down", "left", "up-right", "down-right", "down-left", "up-left"];
let geometry = { cell: 1, left: 0 };

export function paintMaps() {
  const row = shownRow(), most = row ? Math.max(1, ...row.successor.map((value) => value ?? 0)) : 1;
  paintMap("fr", row?.first_occupancy, (value) => 0.06 + 0.94 * value);
  paintMap("sr", row?.successor, (value) => 0.06 + (0.94 * value) / most);
  ramp("fr", "0", "1");
  ramp("sr", "0", String(Number(most.toPrecision(2))));
  sayRow();
}

function shownRow() {
  const { scene, row } = state;
  return row && row.rows === scene.rows && row.columns === scene.columns && !row.message ? row : null;
}

/** @param {MapName} name @param {(number | null)[] | null | undefined} values @param {(value: number) => number} scale */
function paintMap(name, values, scale) {
  const { scene, from, target } = state;
  const pen = canvasPen($(`${name}-map`), scene.rows, scene.columns, MOST);
  geometry = pen;
  drawMap(pen, scene, values, name, scale, { numbers: state.numbers });
  if (from !== null) outline(pen, from, scene.columns, role("ink"), Math.max(1.5, pen.cell * 0.1));
  if (target !== null && target !== from) outline(pen, target, scene.columns, role("focus"), 2);
}

/** @param {MapName} name @param {string} low @param {string} high */
function ramp(name, low, high) {
  const place = $(`${name}-ramp`);
  if (!place.firstChild) place.append(document.createElement("span"), document.createElement("canvas"), document.createElement("span"));
  const [left, canvas, right] = /** @type {[Element, HTMLCanvasElement, Element]} */ (/** @type {unknown} */ ([...place.children]));
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
      const box = canvas.getBoundingClientRect(), { scene } = state;
      const column = Math.floor((event.clientX - box.left - geometry.left) / geometry.cell);
      const row = Math.floor((event.clientY - box.top) / geometry.cell);
      const inside = row >= 0 && row < scene.rows && column >= 0 && column < scene.columns;
      state.target = inside ? row * scene.columns + column : null;
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
  const { from, scene, plan, policy } = state, name = plan?.policies[/** @type {number} */ (policy)] ?? "", row = shownRow();
  if (!row || from === null) {
    $("row-reading").textContent = "Point at a free cell of the maze.";
    return;
  }
  const target = state.target !== null && !scene.walls[state.target] ? state.target : null;
  if (target === null) {
    const reached = row.first_occupancy.filter((value) => value !== null).length;
    const most = row.successor.reduce((/** @type {number} */ best, value, cell) => ((value ?? 0) > (row.successor[best] ?? 0) ? cell : best), from);
    const hint = state.numbers && geometry.cell < LEAST ? "Cells are too small for numbers: point at a map for them." : "Point at a map for numbers.";
    $("row-reading").innerHTML = `Following <b>${name}</b> from ${place(from)} comes to ${reached} cell${reached === 1 ? "" : "s"}. `
      + `It is in ${place(most)} most: <i>M</i> = ${precise(row.successor[most])}. ${hint}`;
    return;
  }
  const [f, m] = [row.first_occupancy[target], row.successor[target]];
  const steps = f && !scene.noise ? ` = <i>γ</i><sup>${Math.round(Math.log(f) / Math.log(scene.discount))}</sup>` : "";
  $("row-reading").innerHTML = `From ${place(from)} to ${place(target)} with <b>${name}</b>: `
    + `<span class="fr">F</span> = ${precise(f)}${steps}, <span class="sr">M</span> = ${precise(m)}.`;
}

export function paintSweeps() {
  const { scene, plan } = state;
  const there = plan && plan.rows === scene.rows && plan.columns === scene.columns ? plan.sweeps : null;
  const pen = canvasPen($("vi-map"), scene.rows, scene.columns, MOST);
  drawMap(pen, scene, there ? there.discount : null, "vi", (value) => 0.1 + 0.6 * value);
  if (there && pen.cell >= 8) there.action.forEach((move, cell) => {
    if (move >= 0 && !scene.walls[cell]) drawArrow(pen, cell, scene.columns, move, role("ink"), 0.75, 0.85);
  });
  for (const { goal } of plan && there ? plan.plans.slice(0, 1) : []) drawGoal(pen, goal, scene.columns, "G");
  if (scene.start >= 0) drawStart(pen, scene.start, scene.columns);
  const sweeps = there ? there.sweeps : 0;
  $("vi-caption").textContent = there ? `value iteration, ${count(sweeps, "sweep")}` : "value iteration";
}

export function sayPlan() {
  const { plan, scene } = state;
  if (!plan) return;
  const k = shownSwitches(), worth = plan.worth, slider = $("switches");
  slider.max = String(Math.max(1, plan.most_switches));
  slider.disabled = plan.most_switches === 0;
  slider.value = String(k);
  slider.setAttribute("aria-valuetext", k === 0 ? "0, generalised policy improvement" : count(k, "switch", "es"));
  $("switches-value").textContent = String(k);
  $("most").textContent = `${plan.most_switches} = converged`;
  $("note").hidden = !plan.note;
  $("note").textContent = plan.note ?? "";
  $("play").disabled = !arrives(plan);
  $("readout").innerHTML = sentence(plan, k, scene);
  /** @type {[string, number | null | undefined][]} */
  const rows = [[`<span class="fr">FR-planning</span>, K = ${k}${plan.note ? ", if there were no noise" : ""}`, worth?.plan]];
  if (scene.noise && worth?.plan) rows.push([plan.note ? "… followed with it" : "… re-choosing in every cell", worth.followed]);
  rows.push([`<span class="vi">Value iteration</span>, ${count(plan.sweeps?.sweeps ?? 0, "sweep")}`, worth?.sweeps], ["Optimum", worth?.optimum]);
  $("worth").innerHTML = "<caption>expected discount from S to the first goal</caption>"
    + rows.map(([name, value]) => `<tr><th scope="row">${name}</th><td>${value ? precise(value) : "–"}</td></tr>`).join("");
  paintLegs();
}

/** @param {number} number @param {string} name @param {string} [more] */
const count = (number, name, more = "s") => `${number} ${name}${number === 1 ? "" : more}`;

export function shownSwitches() {
  const most = state.plan?.most_switches ?? 0;
  return state.switches === null ? most : Math.min(state.switches, most);
}

/** @param {Plan} plan @param {number} k @param {Scene} scene */
function sentence(plan, k, scene) {
  if (!plan.worth) return plan.message ?? "";
  const legs = plan.plans.reduce((sum, { legs }) => sum + legs.length, 0);
  const steps = plan.plans.reduce((sum, { legs }) => sum + legs.reduce((part, leg) => part + leg.cells.length - 1, 0), 0);
  const each = plan.plans.length > 1 ? " on the way to each goal" : "";
  const name = k === 0 ? `No switch${each} (GPI)` : `At most ${count(k, "switch", "es")}${each}`;
  if (!arrives(plan)) {
    if (isWalledOff(scene, plan.plans[0].goal)) return "The goal is walled off from the start.";
    return k < plan.most_switches
      ? `${name}: ${k ? `no ${k + 1} policies, one after the other, lead` : "none of the policies leads"} from S to ${plan.plans.length > 1 ? "all goals" : "the goal"}. Slide <i>K</i> up.`
      : `No sequence of these policies leads from S to ${plan.plans.length > 1 ? "all goals" : "the goal"}.`;
  }
  const shortest = !scene.noise && plan.plans.length === 1 && plan.worth.optimum && Math.abs(scene.discount ** steps / plan.worth.optimum - 1) < 1e-5;
  const many = plan.plans.length > 1 ? ` The best order of the ${plan.plans.length} goals is numbered.` : "";
  const known = plan.worth.sweeps ? "" : ` Value iteration, after ${count(plan.sweeps?.sweeps ?? 0, "sweep")}, does not know of the goal at S yet.`;
  const promised = `a discount of <b>${plan.tour_discount ? precise(plan.tour_discount) : "less than 10<sup>−300</sup>"}</b>`;
  const taken = `<b>${legs}</b> leg${legs === 1 ? "" : "s"}${scene.noise ? "" : `, <b>${steps}</b> step${steps === 1 ? "" : "s"}${shortest ? ", the shortest there is" : ""}`}`;
  // Each next leg is looked up in the same table, whose subgoals have plans of K switches of their own (Alg. 2).
  if (plan.plans.some((goal) => goal.legs.length > k + 1)) {
    return `${name}: the plan promises ${promised}. Subgoals have such plans of their own, so whoever follows it may switch more often, and arrives sooner: ${taken}.${many}${known}`;
  }
  if (plan.note) return `${name}: ${taken}. Without noise it would bring ${promised}.${many}${known}`;
  return `${name}: ${taken}. The plan ${scene.noise ? "promises" : "brings"} ${promised}.${many}${known}`;
}

/** @param {(number: number) => void} choose */
export function paintPolicies(choose) {
  const { plan, scene } = state, chips = $("policies");
  const names = plan?.policies ?? [];
  if (chips.childElementCount !== names.length) {
    chips.replaceChildren(...names.map((_, number) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.addEventListener("click", () => choose(number));
      return chip;
    }));
  }
  all("#policies > *").forEach((chip, number) => {
    chip.textContent = names[number];
    chip.title = scene.drawn.length ? `policy ${names[number]}, drawn by hand` : `always ${MOVES[number]}`;
    chip.setAttribute("aria-label", chip.title);
    chip.style.borderBottomColor = policyColour(number);
    chip.setAttribute("aria-pressed", String(number === state.policy));
  });
}

