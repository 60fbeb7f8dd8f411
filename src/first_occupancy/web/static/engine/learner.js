// FRs or SRs of several policies, learned step by step by temporal differences, and planning with them.
/** @import { Learner, Learning } from "../types" */

// `decay` is what a visit counts compared with the one before: 0 learns the FR, 1 the SR.
/** @param {number} count @param {number} policies @param {Learning} learning @returns {Learner} */
export function makeLearner(count, policies, learning) {
  const rows = new Float64Array(count * policies * count), legs = new Float64Array(count * count).fill(-Infinity);
  for (let state = 0; state < count; state++) for (let policy = 0; policy < policies; policy++) rows[(state * policies + policy) * count + state] = 1;
  return { rows, legs, count, policies, ...learning };
}

// One step of a policy. With `settles` the row becomes what repeated bumps lead to: the policy never leaves its state.
/** @param {Learner} learner @param {number} state @param {number} policy @param {number} following @param {boolean} [settles] */
export function learn({ rows, legs, count, policies, entering, stepSize, decay }, state, policy, following, settles = false) {
  const own = (state * policies + policy) * count, ahead = (following * policies + policy) * count;
  const share = settles ? 1 : stepSize, discount = entering[following];
  // Read before it is written: a bump learns from the row itself.
  const here = settles ? 1 : 1 + discount * decay * rows[ahead + state];
  for (let x = 0; x < count; x++) {
    const target = x === state ? here : settles ? 0 : discount * rows[ahead + x];
    rows[own + x] += share * (target - rows[own + x]);
  }
  if (decay === 0) foldState({ rows, legs, count, policies }, state);
}

// The logarithms of the best legs from one state, as planning reads them: subgoal first.
/** @param {Pick<Learner, "rows" | "legs" | "count" | "policies">} learner @param {number} state */
function foldState({ rows, legs, count, policies }, state) {
  for (let x = 0; x < count; x++) {
    let best = 0;
    for (let policy = 0, at = state * policies * count + x; policy < policies; policy++, at += count) if (rows[at] > best) best = rows[at];
    legs[x * count + state] = x === state || best === 0 ? -Infinity : Math.log(Math.min(best, 1));
  }
}

// The log discount of the best plan from every state nearer to the goal than `until`, or from all states: a shortest
// path (Dijkstra) over legs.
/** @param {Learner} learner @param {number} goal @param {number} [until] */
export function planned({ legs, count }, goal, until = -1) {
  const settled = new Float64Array(count).fill(-Infinity), waiting = settled.slice();
  waiting[goal] = 0;
  for (let nearest = goal; nearest !== until && waiting[nearest] > -Infinity;) {
    const log = waiting[nearest], row = nearest * count;
    settled[nearest] = log;
    waiting[nearest] = -Infinity;
    let next = nearest, best = -Infinity;
    for (let state = 0; state < count; state++) {
      if (settled[state] > -Infinity) continue;
      const through = legs[row + state] + log;
      if (through > waiting[state]) waiting[state] = through;
      if (waiting[state] > best) {
        best = waiting[state];
        next = state;
      }
    }
    nearest = next;
  }
  return settled;
}

// The subgoal of the best leg from a state, given the log discounts of nearer states; -1 if no plan is known.
/** @param {Learner} learner @param {Float64Array} settled @param {number} state */
export function bestSubgoal({ legs, count }, settled, state) {
  let best = -Infinity, subgoal = -1;
  for (let x = 0; x < count; x++) {
    const through = legs[x * count + state] + settled[x];
    if (through <= best) continue;
    best = through;
    subgoal = x;
  }
  return subgoal;
}

// The first policy with the largest entry from a state to another; -1 if all are 0.
/** @param {Learner} learner @param {number} state @param {number} to */
export function bestPolicy({ rows, count, policies }, state, to) {
  let best = 0, found = -1;
  for (let policy = 0; policy < policies; policy++) {
    const value = rows[(state * policies + policy) * count + to];
    if (value <= best) continue;
    best = value;
    found = policy;
  }
  return found;
}
