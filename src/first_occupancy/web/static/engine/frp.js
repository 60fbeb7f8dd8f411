// FR-planning under noise (Alg. 1): the best plan from every state to one goal, by sweeps over the table of legs.
//
// Discounts are multiplied as they are where no product can get too small for a number, else as logarithms, which take
// ten times as long to compute.
/** @import { LegTable, NoisyPlan, Reckoning } from "../types" */

// A gain in log discount below this counts as none; it grows with the log, as rounding errors do.
const INDIFFERENCE = 64 * 2 ** -52;
// Subgoals whose log discounts differ by less are equally good, and the first is taken.
const EQUAL = 1e-11;
const SMALL = 1e-290; // products of discounts above this have all their digits

/** @param {LegTable} table @param {number} goal @param {number | null} switches @returns {NoisyPlan} */
export function planToGoal(table, goal, switches) {
  const { plan, least } = chained(table, { legs: table.best, inLogs: false, nothing: 0, all: 1 }, goal, switches);
  if (table.least * least > SMALL) return { ...plan, log: plan.value.map(Math.log) };
  table.logs ??= table.best.map(Math.log);
  const exact = chained(table, { legs: table.logs, inLogs: true, nothing: -Infinity, all: 0 }, goal, switches).plan;
  return { ...exact, log: exact.value };
}

// The plan, and the least discount by which a leg was multiplied on the way.
/** @param {LegTable} table @param {Reckoning} how @param {number} goal @param {number | null} switches */
function chained(table, how, goal, switches) {
  const plan = direct(table, how, goal), limit = switches ?? table.count;
  let raised = [...plan.value.keys()].filter((state) => plan.value[state] > how.nothing), least = how.all;
  for (let k = 0; k < limit && raised.length; k++) {
    for (const state of raised) least = Math.min(least, plan.value[state]);
    raised = sweep(table, how, plan, raised);
  }
  return { plan, least };
}

// One leg from each state, without a switch: generalised policy improvement.
/** @param {LegTable} table @param {Reckoning} how @param {number} goal */
function direct({ leader, count }, { legs, nothing, all }, goal) {
  const value = legs.slice(goal * count, (goal + 1) * count);
  value[goal] = all;
  const policy = Int32Array.from(value, (each, state) => (each > nothing && state !== goal ? leader[goal * count + state] : -1));
  return { policy, value, subgoal: Int32Array.from(value, (each) => (each > nothing ? goal : -1)) };
}

// Allows one more switch; returns the states whose discount that has raised. Only those that the sweep before raised can
// be better subgoals than before.
/** @param {LegTable} table @param {Reckoning} how @param {ReturnType<typeof direct>} plan @param {number[]} raised */
function sweep({ leader, count }, { legs, inLogs, nothing }, plan, raised) {
  const gained = new Float64Array(count).fill(nothing), subgoal = new Int32Array(count);
  const enough = plan.value.slice(); // what a subgoal must exceed
  const look = inLogs ? lookInLogs : lookInProducts;
  for (const x of raised) look(legs.subarray(x * count, (x + 1) * count), plan.value[x], x, gained, enough, subgoal);
  const better = [];
  for (let state = 0; state < count; state++) if (isGain(gained[state], plan.value[state], inLogs)) better.push(state);
  for (const state of better) {
    plan.value[state] = gained[state];
    plan.subgoal[state] = subgoal[state];
    plan.policy[state] = leader[subgoal[state] * count + state];
  }
  return better;
}

// What a subgoal brings to every state. Subgoals come in order, so among equals the first stays.
/** @param {Float64Array} legs @param {number} ahead @param {number} x @param {Float64Array} gained @param {Float64Array} enough @param {Int32Array} subgoal */
function lookInProducts(legs, ahead, x, gained, enough, subgoal) {
  for (let state = 0; state < legs.length; state++) {
    const through = legs[state] * ahead;
    if (through <= enough[state]) continue;
    gained[state] = through;
    enough[state] = through * (1 + EQUAL);
    subgoal[state] = x;
  }
}

/** @type {typeof lookInProducts} */
function lookInLogs(legs, ahead, x, gained, enough, subgoal) {
  for (let state = 0; state < legs.length; state++) {
    const through = legs[state] + ahead;
    if (through <= enough[state]) continue;
    gained[state] = through;
    enough[state] = through + EQUAL;
    subgoal[state] = x;
  }
}

/** @param {number} gained @param {number} before @param {boolean} inLogs */
function isGain(gained, before, inLogs) {
  if (!(gained > before)) return false;
  const log = inLogs ? gained : Math.log(gained), gain = inLogs ? gained - before : gained / before - 1;
  return gain > INDIFFERENCE * Math.max(1, -log);
}
