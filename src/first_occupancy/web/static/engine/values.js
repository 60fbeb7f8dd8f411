// Value iteration towards one goal, the optimum, and the value of following a plan: V is the expected discount on arrival.
import { factorise, firstVisitsTo } from "./banded.js";
import { search } from "./paths.js";
/** @import { Room, Swept } from "../types" */

const SETTLED = 1e-12; // sweeps end when no value changes by more than this, relatively
const MATTERS = 1e-9; // smaller gains are no improvements: rounding could make policies alternate
const LEAST = 1e-290; // nor are gains in smaller values, which have few digits
const EQUAL = 1e-12; // actions whose values differ by less are equally good, and the first is taken
const MOST_SWEEPS = 200; // from the goal outwards, before an exact solution is quicker
const BETWEEN = 20; // sweeps before each exact evaluation, so that two or three of those are enough

// At most so many sweeps of value iteration.
/** @param {Room} room @param {number} goal @param {number} sweeps @returns {Swept} */
export function sweepToGoal(room, goal, sweeps) {
  let values = new Float64Array(room.count), count = 0, settled = false;
  values[goal] = 1;
  while (!settled && count < sweeps) {
    const improved = swept(room, values, goal);
    settled = improved.every((value, state) => Math.abs(value - values[state]) <= SETTLED * value);
    values = improved;
    count += 1;
  }
  return { values, action: greedy(room, values, goal), count };
}

/** @param {Room} room @param {Float64Array} values @param {number} goal */
function swept({ next, count, noise, entering }, values, goal) {
  const result = new Float64Array(count), entered = values.map((value, state) => value * entering[state]);
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
function greedy({ next, count, entering }, values, goal) {
  const action = new Int32Array(count).fill(-1), entered = values.map((value, state) => value * entering[state]);
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
  return settled(room, null, goal, guess) ?? improvedPolicy(room, goal, guess);
}

// The expected discount of one move for each state, from a guess that is not larger; -1 is any move with equal chance.
/** @param {Room} room @param {ArrayLike<number>} moves @param {number} goal @param {Float64Array} guess */
export function followed(room, moves, goal, guess) {
  return settled(room, moves, goal, guess) ?? firstVisitsTo(factorise(room, moves), goal);
}

// One round of policy improvement over the base policies: in every state the one that leads to the highest value, the
// same as before where none is better. Noise adds the same to all of them.
/** @param {Room} room @param {Int32Array} policy @param {Float64Array} values @param {number} goal */
export function refine({ ahead, entering }, policy, values, goal) {
  const entered = values.map((value, state) => value * entering[state]);
  return policy.map((before, state) => {
    if (state === goal) return -1;
    let best = before, most = before < 0 ? 0 : entered[ahead[before][state]];
    for (let other = 0; other < ahead.length; other++) {
      const value = entered[ahead[other][state]];
      if (value <= most * (1 + EQUAL)) continue;
      most = value;
      best = other;
    }
    return best;
  });
}

// Sweeps from the goal outwards, each value at once in use: with little noise a few dozen are enough. Null if they are
// not, which is left to exact solutions.
/** @param {Room} room @param {ArrayLike<number> | null} moves @param {number} goal @param {Float64Array} guess */
function settled(room, moves, goal, guess) {
  const { next, noise, entering } = room, values = guess.slice(), order = search(next, goal).order;
  const entered = values.map((value, state) => value * entering[state]);
  for (let sweep = 0, before = 0; sweep < MOST_SWEEPS; sweep++) {
    let change = 0;
    for (let i = 1; i < order.length; i++) {
      const state = order[i], move = moves ? moves[state] : -2;
      let best = 0, sum = 0;
      for (let each = 0; each < next.length; each++) {
        const value = entered[next[each][state]];
        sum += value;
        if (move === -2 ? value > best : move === each) best = value;
      }
      const slip = move === -1 ? 1 : noise, value = (1 - slip) * best + (slip * sum) / next.length;
      change = Math.max(change, Math.abs(value - values[state]) / value || 0);
      values[state] = value;
      entered[state] = value * entering[state];
    }
    // What is still to come, if changes go on shrinking as they do.
    const ratio = change / before;
    if (change === 0 || (ratio < 0.95 && (change * ratio) / (1 - ratio) < SETTLED)) return values;
    before = change;
  }
  return null;
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
