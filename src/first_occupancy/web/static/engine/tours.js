// The best order in which to visit several goals: Held and Karp's recursion over subsets of them.

/**
 * @param {number[]} first log discount from the start to each goal
 * @param {number[][]} between log discount from one goal to another
 * @returns {{ order: number[], log: number } | null} positions in the order of visiting, or null if none visits all
 */
export function bestOrder(first, between) {
  const count = first.length, whole = (1 << count) - 1;
  const best = Array.from({ length: 1 << count }, () => new Float64Array(count).fill(-Infinity));
  const before = best.map(() => new Int8Array(count).fill(-1));
  for (let goal = 0; goal < count; goal++) best[1 << goal][goal] = first[goal];
  // Every subset comes after its own subsets.
  for (let subset = 1; subset <= whole; subset++) for (let goal = 0; goal < count; goal++) {
    if (subset & (1 << goal)) continue;
    const grown = subset | (1 << goal);
    for (let last = 0; last < count; last++) {
      const log = best[subset][last] + between[last][goal];
      if (log <= best[grown][goal]) continue;
      best[grown][goal] = log;
      before[grown][goal] = last;
    }
  }
  const log = Math.max(...best[whole]);
  if (log === -Infinity) return null;
  const order = [best[whole].indexOf(log)];
  for (let subset = whole; order.length < count;) {
    const last = before[subset][order[0]];
    subset &= ~(1 << order[0]);
    order.unshift(last);
  }
  return { order, log };
}
