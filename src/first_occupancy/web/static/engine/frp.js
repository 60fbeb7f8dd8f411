// FR-planning under noise (Alg. 1): the best plan from every state to one goal, by sweeps over the table of legs.
/** @import { LegTable, NoisyPlan } from "../types" */

// A gain in log discount below this counts as none; it grows with the log, as rounding errors do.
const INDIFFERENCE = 64 * 2 ** -52;
// Subgoals whose log discounts differ by less are equally good, and the first is taken.
const EQUAL = 1e-11;

/** @param {LegTable} table @param {number} goal @param {number | null} switches @returns {NoisyPlan} */
export function planToGoal(table, goal, switches) {
  const plan = direct(table, goal), limit = switches ?? table.count;
  let raised = [...plan.log.keys()].filter((state) => plan.log[state] > -Infinity);
  for (let k = 0; k < limit && raised.length; k++) raised = sweep(table, plan, raised);
  return plan;
}

// One leg from each state, without a switch: generalised policy improvement.
/** @param {LegTable} table @param {number} goal @returns {NoisyPlan} */
function direct({ logs, leader, count }, goal) {
  const log = logs.slice(goal * count, (goal + 1) * count);
  log[goal] = 0;
  const policy = Int32Array.from(log, (value, state) => (value > -Infinity && state !== goal ? leader[goal * count + state] : -1));
  return { policy, log, subgoal: Int32Array.from(log, (value) => (value > -Infinity ? goal : -1)) };
}

// Allows one more switch; returns the states whose discount that has raised. Only those that the sweep before raised can
// be better subgoals than before.
/** @param {LegTable} table @param {NoisyPlan} plan @param {number[]} raised */
function sweep({ logs, leader, count }, plan, raised) {
  const gained = new Float64Array(count).fill(-Infinity), subgoal = new Int32Array(count);
  for (const x of raised) {
    const ahead = plan.log[x], row = x * count;
    for (let state = 0; state < count; state++) {
      const through = logs[row + state] + ahead;
      // Subgoals come in order, so among equals the first stays.
      if (through > gained[state] + EQUAL) {
        gained[state] = through;
        subgoal[state] = x;
      }
    }
  }
  const better = [];
  for (let state = 0; state < count; state++) {
    const size = gained[state] > -Infinity ? Math.max(1, -gained[state]) : 1;
    if (!(gained[state] > plan.log[state] + INDIFFERENCE * size)) continue;
    better.push(state);
  }
  for (const state of better) {
    plan.log[state] = gained[state];
    plan.subgoal[state] = subgoal[state];
    plan.policy[state] = leader[subgoal[state] * count + state];
  }
  return better;
}
