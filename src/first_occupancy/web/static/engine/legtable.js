// The best leg between any two states under noise: the FRs of the base policies, of which only the largest matters.
import { factorise } from "./banded.js";
import { EQUAL, simdKernel, workspace } from "./simd.js";
import { allVisits, weightsOf } from "./visits.js";
/** @import { BestLegs, HalfTable, LegTable, Room } from "../types" */

const TINY = 2.2250738585072014e-308; // smaller numbers lack digits: better no leg than a wrong one

/** @param {Room} room @returns {LegTable} */
export const foldLegs = (room) => joined([bestLegs(room, [...room.actions.keys()])], room.count);

// The best legs of some of the policies, in two halves: subgoals with higher numbers than the state, and with lower.
// `best` holds the largest F, `leader` the policy that attains it, both right of the diagonal only.
/** @param {Room} room @param {number[]} policies @returns {BestLegs} */
export function bestLegs(room, policies) {
  const { count } = room, all = count * count;
  /** @type {Float64Array[]} */
  let space = [];
  for (const policy of policies) {
    const banded = factorise(room, room.actions[policy]), { size, band } = banded;
    // Chains of one room differ in their moves only, so all have the same band.
    if (!space.length) {
      const [visits, weights] = [size * size + 1, weightsOf(band)];
      space = workspace([visits, visits, weights, weights, all + 1, all + 1, Math.ceil((all + 1) / 8), Math.ceil((all + 1) / 8), count + 1, 2]);
      for (const table of space.slice(4, 8)) table.fill(0);
    }
    const [from, to, right, left, , , , , own, mine] = space, { later, earlier } = halves(space, all);
    allVisits(banded, from, to, right, left);
    for (let state = 0; state < count; state++) own[state] = 1 / from[state * size + state];
    for (let i = 0; i < count; i++) {
      mine.fill(own[i]);
      challengeRow(later, i, policy, from, size, own, i + 1);
      challengeRow(earlier, i, policy, to, size, mine, -1);
    }
  }
  const { later, earlier } = halves(space, all);
  return { later: copied(later), earlier: copied(earlier) };
}

/** @param {Float64Array[]} space @param {number} all @returns {BestLegs} */
function halves(space, all) {
  const [forth, back, ...leaders] = space.slice(4, 8), [leadsForth, leadsBack] = leaders.map(({ buffer, byteOffset }) => new Uint8Array(buffer, byteOffset, all + 1));
  return { later: { best: forth, leader: leadsForth }, earlier: { best: back, leader: leadsBack } };
}

/** @param {HalfTable} table @returns {HalfTable} */
const copied = ({ best, leader }) => ({ best: best.slice(0, leader.length - 1), leader: leader.slice(0, -1) });

// F(i, j), or F(j, i), of a policy against the best so far, for all j > i: visits times a factor for each j, or with -1
// for `first` the same for all. The kernel may go one beyond the last, into what is not used.
/** @param {HalfTable} table @param {number} i @param {number} policy @param {Float64Array} visits @param {number} size @param {Float64Array} factors @param {number} first */
function challengeRow({ best, leader }, i, policy, visits, size, factors, first) {
  const count = Math.floor(Math.sqrt(leader.length)), there = i * size, at = i * count, kernel = simdKernel();
  if (kernel) {
    const begin = visits.byteOffset + 8 * (there + i + 1), place = at + i + 1;
    kernel.challenge(begin, factors.byteOffset + 8 * Math.max(0, first), best.byteOffset + 8 * place, leader.byteOffset + place, begin + 8 * (count - i - 1), policy, first < 0 ? 0 : 16);
    return;
  }
  for (let j = i + 1; j < count; j++) {
    const value = visits[there + j] * factors[first < 0 ? 0 : j];
    if (!(value > best[at + j] * (1 + EQUAL))) continue;
    best[at + j] = value;
    leader[at + j] = policy;
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
