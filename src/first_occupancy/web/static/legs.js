// The legs of the plan that is looked at, as a list: their factors, and what these multiply to.
import { inkOn, policyColour } from "./colours.js";
import { precise } from "./drawing.js";
import { $, all } from "./elements.js";
import { unroll } from "./engine/legs.js";
import { cellAfter, costAt, exitOf, timeOf } from "./engine/room.js";
import { state } from "./state.js";
/** @import { Leg, Plan, Scene } from "./types" */

/** @param {number} cell */
export const place = (cell) => `(${Math.floor(cell / state.scene.columns)}, ${cell % state.scene.columns})`;

// Whether a plan leads through all goals. Its discount does not say: far away it is too small for a number.
/** @param {Plan | null} plan */
export const arrives = (plan) => plan !== null && plan.plans.length > 0 && plan.plans.every(({ legs }) => legs.length > 0);

// The goal that comes first: shades, value iteration and plans from elsewhere are about it alone.
/** @param {Plan} plan */
export const firstGoal = (plan) => (plan.plans.length === 1 ? "the goal" : arrives(plan) ? "goal 1" : `the goal at ${place(plan.plans[0].goal)}`);

/** @param {Scene} scene @param {number} goal */
export function isWalledOff(scene, goal) {
  const met = new Set([scene.start]);
  for (const cell of met) for (let move = 0; move < scene.moves; move++) met.add(cellAfter(scene, cell, move));
  return !met.has(goal);
}

// The plan of the cell that is looked at: from S the whole tour, from elsewhere the way to the first goal.
/** @returns {Leg[]} */
export function shownLegs() {
  const { scene, plan, from } = state;
  if (!plan?.plans.length) return [];
  if (from === null || from === scene.start) return plan.plans.flatMap(({ legs }) => legs);
  return unroll(plan.plans[0], from, plan.actions, (cell, move) => cellAfter(scene, cell, move));
}

const MOST_IN_VIEW = 9; // legs in the list; it scrolls if there are more
const WAYS = ["up", "right", "down", "left"];

/** @param {Scene} scene @param {number} cell */
function terrain(scene, cell) {
  const exit = exitOf(scene.marks[cell]), cost = costAt(scene, cell);
  return exit >= 0 ? `one-way, only ${WAYS[exit]}` : cost > 1 ? `free, takes ${cost} to enter` : "free";
}

// What a cell is, and what the plan does there.
/** @param {number} cell */
export function describe(cell) {
  const { scene, plan } = state, goal = plan?.plans[0];
  const what = scene.walls[cell] ? "wall" : cell === scene.start ? "start" : scene.goals.includes(cell) ? "goal" : terrain(scene, cell);
  const policy = scene.walls[cell] ? -1 : goal?.policy[cell] ?? -1;
  const way = plan && goal && policy >= 0 ? `, plan${plan.plans.length > 1 ? ` to ${firstGoal(plan)}` : ""}: ${plan.policies[policy]} until ${place(goal.subgoal[cell])}` : "";
  return `${place(cell)}: ${what}${way}`;
}

export function paintLegs() {
  const plan = /** @type {Plan} */ (state.plan), legs = shownLegs(), goals = plan.plans.map(({ goal }) => goal);
  const elsewhere = state.from !== null && state.from !== state.scene.start, many = legs.length > MOST_IN_VIEW ? `, ${legs.length} legs` : "";
  $("legs-title").textContent = !plan.plans.length ? "" : elsewhere ? `Plan from ${place(/** @type {number} */ (state.from))}${goals.length > 1 ? ` to ${firstGoal(plan)}` : ""}${state.pinned ? " (pinned)" : ""}${many}` : `Plan from S${many}`;
  $("legs").innerHTML = legs.length ? legs.map((leg, number) => line(leg, number, goals)).join("") : plan.plans.length ? `<li>none${state.switches === null ? "" : " with so few switches"}</li>` : "";
  for (const dot of all("#legs .dot")) {
    const colour = policyColour(Number(dot.dataset.policy));
    Object.assign(dot.style, { background: colour, color: inkOn(colour) });
  }
  $("product").innerHTML = product(legs);
}

/** @param {Leg} leg @param {number} number @param {number[]} goals */
function line(leg, number, goals) {
  const { scene } = state, plan = /** @type {Plan} */ (state.plan), steps = leg.cells.length - 1, visited = goals.indexOf(leg.subgoal);
  const end = visited >= 0 ? ` <span class="goal">goal${goals.length > 1 ? ` ${visited + 1}` : ""}</span>` : "";
  const long = scene.noise ? "" : `, ${steps} step${steps === 1 ? "" : "s"}${extra(timeOf(scene, leg.cells), steps)}`;
  return `<li><button type="button" data-leg="${number}" aria-label="Leg ${number + 1}: show its F in the map"><span class="dot" data-policy="${leg.policy}">${plan.policies[leg.policy]}</span>`
    + `<span>until ${place(leg.subgoal)}${long}${end}</span><span class="factor">${number ? "× " : ""}${precise(leg.factor)}</span></button></li>`;
}

// How long steps take, where they do not take 1 each.
/** @param {number} time @param {number} steps */
export const extra = (time, steps) => (time === steps ? "" : ` (time ${time})`);

// What the factors multiply to, and what the SR's entries would.
/** @param {Leg[]} legs */
function product(legs) {
  const { scene, plan } = state;
  if (!legs.length || legs[legs.length - 1].factor === 0) return "";
  const soon = legs.reduce((all, { factor }) => all * factor, 1);
  const name = legs.length > 1 ? "product" : "discount";
  if (scene.noise) return `The <span class="fr">FR</span>'s ${name}, <b>${precise(soon)}</b>, is the average discount on arrival${plan?.note ? " if there were no noise" : ", leg by leg"}.`;
  const often = legs.reduce((all, leg) => all * visitsOf(leg), soon);
  const visits = often > soon * 1.0001 ? ` With the <span class="sr">SR</span> it would be ${large(often)}: it counts visits, and waiting at a wall adds more, so it does not say how soon.` : "";
  return `The <span class="fr">FR</span>'s ${name}, <b>${precise(soon)}</b>, says how soon one arrives.${visits}`;
}

/** @param {number} value */
const large = (value) => (value < 1e6 ? precise(value) : `some 10<sup>${Math.round(Math.log10(value))}</sup>`);

// M(x, x) at a leg's end: how often its policy is there if it is never left.
/** @param {Leg} leg */
function visitsOf({ policy, subgoal }) {
  const { scene } = state, plan = /** @type {Plan} */ (state.plan);
  let cell = subgoal, time = 0;
  for (let steps = 1; steps <= scene.walls.length; steps++) {
    cell = cellAfter(scene, cell, plan.actions[policy][cell]);
    time += costAt(scene, cell);
    if (cell === subgoal) return 1 / (1 - scene.discount ** time);
  }
  return 1;
}
