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

// Without noise a policy walks: on arrival after k steps the discount is its k-th power, and on a cycle of n steps it
// comes again and again.
/** @param {Room} room @param {number} policy @param {number} state @returns {Rows} */
export function walkedRows({ ahead, count, discount }, policy, state) {
  const soon = new Float64Array(count), often = new Float64Array(count), walk = [];
  const seen = new Int32Array(count).fill(-1);
  let here = state;
  while (seen[here] < 0) {
    seen[here] = walk.length;
    walk.push(here);
    here = ahead[policy][here];
  }
  const cycle = 1 / (1 - discount ** (walk.length - seen[here]));
  walk.forEach((place, steps) => {
    soon[place] = discount ** steps;
    often[place] = soon[place] * (steps >= seen[here] ? cycle : 1);
  });
  return { soon, often };
}
