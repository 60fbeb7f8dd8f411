// The legs of a plan as a list, and what their discounts, or counts, multiply to.
import { inkOn, policyColour } from "./colours.js";
import { precise } from "./drawing.js";
import { $, all } from "./elements.js";
import { after } from "./play.js";
import { state } from "./state.js";
/** @import { Leg, Plan, Scene } from "./types" */

/** @param {number} cell */
export const place = (cell) => `(${Math.floor(cell / state.scene.columns)}, ${cell % state.scene.columns})`;

// Whether a plan leads through all goals. Its discount does not say: far away it is too small for a number.
/** @param {Plan | null} plan */
export const arrives = (plan) => plan !== null && plan.plans.length > 0 && plan.plans.every(({ legs }) => legs.length > 0);

/** @param {Scene} scene @param {number} goal */
export function isWalledOff(scene, goal) {
  const met = new Set([scene.start]);
  for (const cell of met) for (let move = 0; move < scene.moves; move++) met.add(after(scene, cell, move));
  return !met.has(goal);
}

// What a cell is, and what the plan does there.
/** @param {number} cell */
export function describe(cell) {
  const { scene, plan } = state, goal = plan?.plans[0];
  const what = scene.walls[cell] ? "wall" : cell === scene.start ? "start" : scene.goals.includes(cell) ? "goal" : "free";
  const policy = scene.walls[cell] ? -1 : goal?.policy[cell] ?? -1;
  const way = plan && goal && policy >= 0 ? `, plan: ${plan.policies[policy]} until ${place(goal.subgoal[cell])}` : "";
  return `${place(cell)}: ${what}${way}`;
}

// The plan, where there surely is one.
const thePlan = () => /** @type {Plan} */ (state.plan);

export function paintLegs() {
  const plan = thePlan();
  const first = plan.plans[0]?.legs[0];
  $("legs").innerHTML = plan.plans.flatMap(({ legs, goal }, number) => legs.map((leg) => line(leg, goal, number, leg === first ? "" : "× "))).join("");
  for (const dot of all("#legs .dot")) {
    const colour = policyColour(Number(dot.dataset.policy));
    Object.assign(dot.style, { background: colour, color: inkOn(colour) });
  }
  $("product").innerHTML = product();
}

/** @param {Leg} leg @param {number} goal @param {number} number @param {string} times */
function line(leg, goal, number, times) {
  const { scene } = state, plan = thePlan(), steps = leg.cells.length - 1, many = plan.plans.length > 1;
  const end = leg.subgoal === goal ? ` <span class="goal">goal${many ? ` ${number + 1}` : ""}</span>` : "";
  const factor = scene.noise ? "" : `<span class="factor">${times}${precise(scene.discount ** steps)}</span>`;
  return `<li><span class="dot" data-policy="${leg.policy}">${plan.policies[leg.policy]}</span>until ${place(leg.subgoal)}, ${steps} step${steps === 1 ? "" : "s"}${end}${factor}</li>`;
}

// Without noise only: with it the legs' discounts are means, which the page is not told.
function product() {
  const { scene } = state, plan = thePlan(), legs = plan.plans.flatMap((goal) => goal.legs);
  if (!legs.length || scene.noise || !plan.tour_discount || !arrives(plan)) return "";
  const soon = legs.reduce((all, { cells }) => all * scene.discount ** (cells.length - 1), 1);
  const often = legs.reduce((all, leg) => all * ownVisits(leg), soon);
  const visits = often > soon * 1.0001 ? ` With the <span class="sr">SR</span> it would be ${large(often)}: visits, not time.` : "";
  return `The <span class="fr">FR</span>'s ${legs.length > 1 ? "product" : "discount"}, <b>${precise(soon)}</b>, says how soon one arrives.${visits}`;
}

/** @param {number} value */
const large = (value) => (value < 1e6 ? precise(value) : `some 10<sup>${Math.round(Math.log10(value))}</sup>`);

// M(x, x) at a leg's end: how often its policy is there if it is never left.
/** @param {Leg} leg */
function ownVisits({ policy, subgoal }) {
  const { scene } = state, plan = thePlan();
  let cell = subgoal;
  for (let steps = 1; steps <= scene.walls.length; steps++) {
    cell = after(scene, cell, plan.actions[policy][cell]);
    if (cell === subgoal) return 1 / (1 - scene.discount ** steps);
  }
  return 1;
}
