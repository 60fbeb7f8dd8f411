// Value iteration towards one goal, the optimum, and the value of following a plan: V is the expected discount on arrival.
import { factorise, firstVisitsTo } from "./banded.js";
import { settle } from "./outwards.js";
/** @import { Room, Swept } from "../types" */

const SETTLED = 1e-12; // sweeps end when no value changes by more than this, relatively
const MATTERS = 1e-9; // smaller gains are no improvements: rounding could make policies alternate
const LEAST = 1e-290; // nor are gains in smaller values, which have few digits
const EQUAL = 1e-12; // actions whose values differ by less are equally good, and the first is taken
const BETWEEN = 20; // sweeps before each exact evaluation, so that two or three of those are enough

// At most so many sweeps of value iteration.
/** @param {Room} room @param {number} goal @param {number} sweeps @returns {Swept} */
export function sweepToGoal(room, goal, sweeps) {
  let values = new Float64Array(room.count), count = 0, settled = false;
  values[goal] = 1;
  while (!settled && count < sweeps) {
    const improved = swept(room, values, goal);
    settled = isSettled(improved, values);
    values = improved;
    count += 1;
  }
  return { values, action: greedy(room, values, goal), count };
}

/** @param {Float64Array} values @param {Float64Array} before */
function isSettled(values, before) {
  for (let state = 0; state < values.length; state++) if (Math.abs(values[state] - before[state]) > SETTLED * values[state]) return false;
  return true;
}

// The value of entering each state.
/** @param {Room} room @param {Float64Array} values */
function onEntering({ count, entering }, values) {
  const entered = new Float64Array(count);
  for (let state = 0; state < count; state++) entered[state] = values[state] * entering[state];
  return entered;
}

/** @param {Room} room @param {Float64Array} values @param {number} goal */
function swept(room, values, goal) {
  const { next, count, noise } = room, result = new Float64Array(count), entered = onEntering(room, values);
  for (let state = 0; state < count; state++) {
    let best = 0, sum = 0;
    for (let move = 0; move < next.length; move++) {
      const value = entered[next[move][state]];
      sum += value;
      if (value > best) best = value;
    }
    result[state] = noise ? (1 - noise) * best + (noise * sum) / next.length : best;
  }
  result[goal] = 1;
  return result;
}

// The best move in each state, -1 at the goal and where nothing is known. Noise adds the same to all moves.
/** @param {Room} room @param {Float64Array} values @param {number} goal */
function greedy(room, values, goal) {
  const { next, count } = room, action = new Int32Array(count).fill(-1), entered = onEntering(room, values);
  for (let state = 0; state < count; state++) {
    if (state === goal || values[state] === 0) continue;
    let best = 0;
    for (let move = 0; move < next.length; move++) {
      const value = entered[next[move][state]];
      if (value <= best * (1 + EQUAL)) continue;
      best = value;
      action[state] = move;
    }
  }
  return action;
}

// The largest expected discount over all policies under noise, from a guess that is not larger.
/** @param {Room} room @param {number} goal @param {Float64Array} guess */
export function optimum(room, goal, guess) {
  return settle(room, null, goal, guess) ?? improvedPolicy(room, goal, guess);
}

// The expected discount of one move for each state, from a guess that is not larger; -1 is any move with equal chance.
/** @param {Room} room @param {ArrayLike<number>} moves @param {number} goal @param {Float64Array} guess */
export function followed(room, moves, goal, guess) {
  return settle(room, moves, goal, guess) ?? firstVisitsTo(factorise(room, moves), goal);
}

// One round of policy improvement over the base policies: in every state the one that leads to the highest value, the
// same as before where none is better. Noise adds the same to all of them.
/** @param {Room} room @param {Int32Array} policy @param {Float64Array} values @param {number} goal */
export function refine(room, policy, values, goal) {
  const { ahead, count } = room, entered = onEntering(room, values), refined = policy.slice(), most = new Float64Array(count);
  for (let state = 0; state < count; state++) if (policy[state] >= 0) most[state] = entered[ahead[policy[state]][state]];
  ahead.forEach((targets, other) => {
    for (let state = 0; state < count; state++) {
      const value = entered[targets[state]];
      if (value <= most[state] * (1 + EQUAL)) continue;
      most[state] = value;
      refined[state] = other;
    }
  });
  refined[goal] = -1;
  return refined;
}

// Policy iteration, with some sweeps before each exact evaluation.
/** @param {Room} room @param {number} goal @param {Float64Array} guess */
function improvedPolicy(room, goal, guess) {
  let values = guess;
  for (;;) {
    for (let i = 0; i < BETWEEN; i++) values = swept(room, values, goal);
    values = firstVisitsTo(factorise(room, greedy(room, values, goal)), goal);
    const known = values, improved = swept(room, values, goal);
    if (!improved.some((value, state) => value > Math.max(known[state] * (1 + MATTERS), LEAST))) return values;
  }
}
