// The best leg between any two states under noise: the FRs of the base policies, of which only the largest matters.
import { ROWS, factorise } from "./banded.js";
import { allVisits } from "./visits.js";
/** @import { LegTable, Room } from "../types" */

// A policy leads only if it is better by more than this, relatively: rounding does not decide between equal legs.
const EQUAL = 1e-12;
const TINY = 2.2250738585072014e-308; // smaller numbers lack digits: better no leg than a wrong one

/** @param {Room} room @returns {LegTable} */
export function foldLegs(room) {
  const { count } = room, size = Math.ceil(count / ROWS) * ROWS, [from, to] = workspace(size * size + 1);
  // Subgoal x above state s, and below it: best[x, s] is the largest F(s, x), leader[x, s] the policy that attains it.
  const later = halfTable(count), earlier = halfTable(count), own = new Float64Array(count);
  room.actions.forEach((moves, policy) => {
    allVisits(factorise(room, moves), from, to);
    for (let state = 0; state < count; state++) own[state] = 1 / from[state * size + state];
    for (let i = 0; i < count; i++) challenge(i, policy, own, size, from, to, later, earlier);
  });
  return joined(later, earlier, count);
}

// Memory for one policy at a time, kept between mazes: getting it anew takes longer than filling it.
let kept = [new Float64Array(0), new Float64Array(0)];

/** @param {number} length */
function workspace(length) {
  if (kept[0].length < length) kept = [new Float64Array(length), new Float64Array(length)];
  return kept;
}

/** @param {number} count */
const halfTable = (count) => ({ best: new Float64Array(count * count), leader: new Uint8Array(count * count) });

/**
 * @param {number} i
 * @param {number} policy
 * @param {Float64Array} own
 * @param {number} size
 * @param {Float64Array} from
 * @param {Float64Array} to
 * @param {{ best: Float64Array, leader: Uint8Array }} later
 * @param {{ best: Float64Array, leader: Uint8Array }} earlier
 */
function challenge(i, policy, own, size, from, to, later, earlier) {
  const mine = own[i], count = own.length;
  for (let j = i + 1, at = i * count + i + 1, there = i * size + i + 1; j < count; j++, at++, there++) {
    const forth = from[there] * own[j], back = to[there] * mine;
    if (forth > later.best[at] * (1 + EQUAL)) {
      later.best[at] = forth;
      later.leader[at] = policy;
    }
    if (back > earlier.best[at] * (1 + EQUAL)) {
      earlier.best[at] = back;
      earlier.leader[at] = policy;
    }
  }
}

// Both halves as one table of logarithms, subgoal first: row x holds the legs to x from every state.
/** @param {ReturnType<typeof halfTable>} later @param {ReturnType<typeof halfTable>} earlier @param {number} count @returns {LegTable} */
function joined(later, earlier, count) {
  const { best: logs, leader } = earlier, block = 32;
  for (let i = 0; i < count; i++) {
    logs[i * count + i] = -Infinity;
    for (let at = i * count + i + 1; at < (i + 1) * count; at++) logs[at] = logOf(logs[at]);
  }
  // Block by block, so that both sides of the transposition stay in the cache.
  for (let top = 0; top < count; top += block) for (let left = top; left < count; left += block) {
    for (let i = top; i < Math.min(top + block, count); i++) for (let j = Math.max(left, i + 1); j < Math.min(left + block, count); j++) {
      logs[j * count + i] = logOf(later.best[i * count + j]);
      leader[j * count + i] = later.leader[i * count + j];
    }
  }
  return { logs, leader, count };
}

// FRs above 1 are rounding errors, and would make cycles profitable.
/** @param {number} value */
const logOf = (value) => (value < TINY ? -Infinity : Math.log(Math.min(1, value)));
