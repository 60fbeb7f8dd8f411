// FR-planning with deterministic policies (Alg. 1): shortest paths cut into legs, without any table of FRs.
// Ties are broken as in the library: the least time, then the fewest switches, then the first subgoal, then
// the first policy that leads there. Keys hold these numbers in that order, so that the smallest key wins.
// A step takes as long as it costs to enter the state in which it ends; without costs every step takes 1.
/** @import { Cuts } from "../types" */

const POLICIES = 16; // more than there can be
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * @param {Int32Array[]} ahead the state to which each policy leads from each state
 * @param {number} goal
 * @param {number | null} switches at most so many, or null for as many as help
 * @param {Uint8Array | null} costs of entering each state
 * @returns {Cuts}
 */
export function planPaths(ahead, goal, switches, costs) {
  return switches === null ? shortest(ahead, goal, costs) : withSwitches(ahead, goal, switches, costs);
}

// Shortest paths, cut into the fewest legs. `met[n][s]` is the best key on policy n's path from s, where a key
// says how many legs follow a switch there. A path that leaves the shortest paths meets no further subgoal.
/** @param {Int32Array[]} ahead @param {number} goal @param {Uint8Array | null} costs @returns {Cuts} */
function shortest(ahead, goal, costs) {
  const count = ahead[0].length, leg = count * POLICIES;
  const { order, times } = costs ? cheapest(ahead, goal, costs) : search(ahead, goal);
  const best = new Float64Array(count).fill(NEVER);
  const met = ahead.map(() => new Float64Array(count).fill(NEVER));
  best[goal] = goal * POLICIES;
  for (const path of met) path[goal] = best[goal];
  for (const state of order.subarray(1)) {
    let least = NEVER;
    for (let policy = 0; policy < ahead.length; policy++) {
      const there = ahead[policy][state];
      if (times[there] + (costs ? costs[there] : 1) !== times[state]) continue;
      met[policy][state] = met[policy][there];
      least = Math.min(least, met[policy][there] + policy);
    }
    best[state] = least;
    const own = (Math.floor(least / leg) + 1) * leg + state * POLICIES;
    for (const path of met) path[state] = Math.min(path[state], own);
  }
  return decoded(best, times, leg, goal);
}

// Breadth-first search backwards from the goal: the states in order, and their times, -1 where there is no way.
/** @param {Int32Array[]} ahead @param {number} goal */
export function search(ahead, goal) {
  const count = ahead[0].length, { starts, behind } = backwards(ahead);
  const times = new Int32Array(count).fill(-1), order = new Int32Array(count);
  let found = 1;
  order[0] = goal;
  times[goal] = 0;
  for (let i = 0; i < found; i++) {
    for (let edge = starts[order[i]]; edge < starts[order[i] + 1]; edge++) {
      if (times[behind[edge]] >= 0) continue;
      times[behind[edge]] = times[order[i]] + 1;
      order[found++] = behind[edge];
    }
  }
  return { order: order.subarray(0, found), times };
}

// The same where entering costs time: Dijkstra's search, with one list of states for each time.
/** @param {Int32Array[]} ahead @param {number} goal @param {Uint8Array} costs */
function cheapest(ahead, goal, costs) {
  const count = ahead[0].length, { starts, behind } = backwards(ahead), order = [], lists = [[goal]];
  const times = new Int32Array(count).fill(-1), settled = new Uint8Array(count);
  times[goal] = 0;
  for (let time = 0; time < lists.length; time++) for (const state of lists[time] ?? []) {
    if (settled[state]) continue;
    settled[state] = 1;
    order.push(state);
    const later = time + costs[state];
    for (let edge = starts[state]; edge < starts[state + 1]; edge++) {
      const before = behind[edge];
      if (settled[before] || (times[before] >= 0 && times[before] <= later)) continue;
      times[before] = later;
      lists[later] ??= [];
      lists[later].push(before);
    }
  }
  return { order: Int32Array.from(order), times };
}

// The states from which some policy leads to each state: those of t are behind[starts[t]] to behind[starts[t + 1] - 1].
/** @param {Int32Array[]} ahead */
function backwards(ahead) {
  const count = ahead[0].length, starts = new Int32Array(count + 1);
  for (const path of ahead) for (const there of path) starts[there + 1] += 1;
  for (let state = 0; state < count; state++) starts[state + 1] += starts[state];
  const behind = new Int32Array(starts[count]), filled = starts.slice();
  for (const path of ahead) for (let state = 0; state < count; state++) behind[filled[path[state]]++] = state;
  return { starts, behind };
}

// One sweep for each switch. A new leg must save time; of those that save most, the smallest key wins.
/** @param {Int32Array[]} ahead @param {number} goal @param {number} switches @param {Uint8Array | null} costs @returns {Cuts} */
function withSwitches(ahead, goal, switches, costs) {
  const count = ahead[0].length, step = count * POLICIES;
  const best = new Float64Array(count).fill(NEVER);
  const times = new Int32Array(count).fill(-1);
  best[goal] = goal * POLICIES;
  times[goal] = 0;
  const orders = ahead.map(walkOrder);
  for (let sweep = 0; sweep <= switches; sweep++) {
    const least = best.slice();
    for (let policy = 0; policy < ahead.length; policy++) {
      const keys = nearestAhead(ahead[policy], orders[policy], times, step, costs);
      for (let state = 0; state < count; state++) {
        const before = times[state] < 0 ? NEVER : times[state] * step;
        if (keys[state] < before && keys[state] + policy < least[state]) least[state] = keys[state] + policy;
      }
    }
    let improved = false;
    for (let state = 0; state < count; state++) {
      if (least[state] === best[state]) continue;
      improved = true;
      best[state] = least[state];
      times[state] = Math.floor(least[state] / step);
    }
    if (!improved) break;
  }
  return decoded(best, times, step, goal);
}

// States in an order in which each comes after the state it leads to; those on a cycle, or leading into one, come
// twice, which is enough for news to go all the way round.
/** @param {Int32Array} path */
function walkOrder(path) {
  const count = path.length, seen = new Uint8Array(count), order = [];
  for (let begin = 0; begin < count; begin++) {
    const walk = [];
    let state = begin;
    while (!seen[state]) {
      seen[state] = 1;
      walk.push(state);
      state = path[state];
    }
    const cycle = walk.indexOf(state); // where this walk runs into itself, if it does
    if (cycle >= 0 && path[state] !== state) order.push(...walk.slice(cycle).reverse());
    order.push(...walk.reverse());
  }
  return Int32Array.from(order);
}

// For each state the least (time, subgoal) along its path, as a key: time to a state plus the time from there.
/** @param {Int32Array} path @param {Int32Array} order @param {Int32Array} times @param {number} step @param {Uint8Array | null} costs */
function nearestAhead(path, order, times, step, costs) {
  const keys = new Float64Array(path.length).fill(NEVER);
  for (let i = 0; i < order.length; i++) {
    const state = order[i], there = path[state];
    const cost = costs ? costs[there] : 1;
    const direct = times[there] < 0 ? NEVER : (times[there] + cost) * step + there * POLICIES;
    const further = keys[there] === NEVER ? NEVER : keys[there] + cost * step;
    keys[state] = Math.min(direct, further);
  }
  return keys;
}

// The legs that keys hold.
/** @param {Float64Array} best @param {Int32Array} times @param {number} leg @param {number} goal @returns {Cuts} */
function decoded(best, times, leg, goal) {
  const policy = new Int32Array(best.length).fill(-1), subgoal = policy.slice();
  for (let state = 0; state < best.length; state++) {
    if (times[state] < 0) continue;
    subgoal[state] = Math.floor((best[state] % leg) / POLICIES);
    if (state !== goal) policy[state] = best[state] % POLICIES;
  }
  return { policy, subgoal, times };
}
