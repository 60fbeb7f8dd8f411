// F(s, .) and M(s, .) of one policy: how soon, and how often, it comes from one state to every other.
import { factorise, visitsFrom } from "./banded.js";
import { ownVisits } from "./visits.js";
/** @import { Banded, Room, Rows } from "../types" */

// The factors of a policy's chain, made once for all states from which it may be followed.
/** @param {Room} room @param {number} policy */
export function prepareRows(room, policy) {
  const banded = factorise(room, room.actions[policy]);
  return { banded, own: ownVisits(banded) };
}

/** @param {{ banded: Banded, own: Float64Array }} prepared @param {number} state @returns {Rows} */
export function noisyRows({ banded, own }, state) {
  const often = visitsFrom(banded, state);
  return { soon: often.map((visits, other) => visits / own[other]), often };
}

// Without noise a policy walks: the discount on arrival is that of the time it took, and on a cycle it comes again and
// again.
/** @param {Room} room @param {number} policy @param {number} state @returns {Rows} */
export function walkedRows({ ahead, count, discount, costs }, policy, state) {
  const soon = new Float64Array(count), often = new Float64Array(count), walk = [];
  const times = new Int32Array(count).fill(-1);
  let here = state, time = 0;
  while (times[here] < 0) {
    times[here] = time;
    walk.push(here);
    here = ahead[policy][here];
    time += costs ? costs[here] : 1;
  }
  const cycle = 1 / (1 - discount ** (time - times[here]));
  for (const place of walk) {
    soon[place] = discount ** times[place];
    often[place] = soon[place] * (times[place] >= times[here] ? cycle : 1);
  }
  return { soon, often };
}
