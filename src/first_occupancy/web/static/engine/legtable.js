// The best leg between any two states under noise: the FRs of the base policies, of which only the largest matters.
import { ROWS, factorise } from "./banded.js";
import { allVisits } from "./visits.js";
/** @import { BestLegs, HalfTable, LegTable, Room } from "../types" */

// A policy leads only if it is better by more than this, relatively: rounding does not decide between equal legs.
const EQUAL = 1e-12;
const TINY = 2.2250738585072014e-308; // smaller numbers lack digits: better no leg than a wrong one

/** @param {Room} room @returns {LegTable} */
export const foldLegs = (room) => joined([bestLegs(room, [...room.actions.keys()])], room.count);

// The best legs of some of the policies, in two halves: subgoals with higher numbers than the state, and with lower.
// `best` holds the largest F, `leader` the policy that attains it, both right of the diagonal only.
/** @param {Room} room @param {number[]} policies @returns {BestLegs} */
export function bestLegs(room, policies) {
  const { count } = room, size = Math.ceil(count / ROWS) * ROWS;
  const legs = { later: halfTable(count), earlier: halfTable(count) }, own = new Float64Array(count);
  for (const policy of policies) {
    const { from, to } = allVisits(factorise(room, room.actions[policy]));
    for (let state = 0; state < count; state++) own[state] = 1 / from[state * size + state];
    for (let i = 0; i < count; i++) challenge(legs, i, policy, own, from, to, size);
  }
  return legs;
}

/** @param {number} count @returns {HalfTable} */
const halfTable = (count) => ({ best: new Float64Array(count * count), leader: new Uint8Array(count * count) });

// F(i, j) and F(j, i) of a policy against the best so far, for all j > i.
/** @param {BestLegs} legs @param {number} i @param {number} policy @param {Float64Array} own @param {Float64Array} from @param {Float64Array} to @param {number} size */
function challenge({ later, earlier }, i, policy, own, from, to, size) {
  const mine = own[i], count = own.length, margin = 1 + EQUAL;
  const { best: forth, leader: leadsForth } = later, { best: back, leader: leadsBack } = earlier;
  for (let j = i + 1, at = i * count + i + 1, there = i * size + i + 1; j < count; j++, at++, there++) {
    const further = from[there] * own[j], returning = to[there] * mine;
    if (further > forth[at] * margin) {
      forth[at] = further;
      leadsForth[at] = policy;
    }
    if (returning > back[at] * margin) {
      back[at] = returning;
      leadsBack[at] = policy;
    }
  }
}

// The better of two halves, the first where they are equal.
/** @param {HalfTable} one @param {HalfTable} other */
function merge(one, other) {
  for (let at = 0; at < one.best.length; at++) {
    if (other.best[at] <= one.best[at] * (1 + EQUAL)) continue;
    one.best[at] = other.best[at];
    one.leader[at] = other.leader[at];
  }
}

// All parts as one table, subgoal first: row x holds the legs to x from every state, 0 where there is none.
/** @param {BestLegs[]} parts of the policies in order @param {number} count @returns {LegTable} */
export function joined([{ later, earlier }, ...others], count) {
  for (const other of others) {
    merge(later, other.later);
    merge(earlier, other.earlier);
  }
  const { best, leader } = earlier, block = 32;
  let least = 1;
  /** @param {number} at @param {number} value */
  const set = (at, value) => {
    best[at] = value < TINY ? 0 : Math.min(1, value); // values above 1 are rounding errors, and would make cycles profitable
    if (best[at] > 0 && best[at] < least) least = best[at];
  };
  // Block by block, so that both sides of the transposition stay in the cache.
  for (let top = 0; top < count; top += block) for (let left = top; left < count; left += block) {
    for (let i = top; i < Math.min(top + block, count); i++) for (let j = Math.max(left, i + 1); j < Math.min(left + block, count); j++) {
      set(i * count + j, best[i * count + j]);
      set(j * count + i, later.best[i * count + j]);
      leader[j * count + i] = later.leader[i * count + j];
    }
  }
  return { best, leader, count, least, logs: null };
}
