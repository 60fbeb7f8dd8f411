// Factors of chains whose steps lead to states of nearby numbers, as in a maze numbered row by row.
//
// I - A, with A the discounted chain, is factorised into L U within its band; no rows need exchanging. Off-diagonal
// factors are stored with the opposite sign, so that only non-negative terms are ever added: entries of 1e-30 are as
// accurate as entries of 1. Row i of the factors holds
//
//     l(i, k) = -L(i, k)            left of the diagonal,
//     1 / U(i, i)                   on it,
//     u(i, j) = -U(i, j) / U(i, i)  right of it.
//
// Four rows are treated together, because reading and writing takes longer than multiplying. States that lead nowhere
// fill their number up to a multiple of four.
/** @import { Banded, Room } from "../types" */

export const ROWS = 4;

// The discounted chain of a policy (one move for each state, -1 being any move with equal chance) as factors.
/** @param {Room} room @param {ArrayLike<number>} moves @returns {Banded} */
export function factorise(room, moves) {
  const { next, count, noise, entering } = room, size = Math.ceil(count / ROWS) * ROWS;
  let band = 1;
  for (const targets of next) for (let state = 0; state < count; state++) band = Math.max(band, Math.abs(targets[state] - state));
  // Entry (i, j) is at i * step + reach + j; zeros lie beyond the band, where four rows together reach.
  const reach = band + ROWS, step = 2 * reach, factors = new Float64Array(size * (step + 1) + 1);
  for (let state = 0; state < count; state++) {
    const row = state * step + reach, slip = moves[state] < 0 ? 1 : noise;
    for (const targets of next) factors[row + targets[state]] += (entering[targets[state]] * slip) / next.length;
    const there = moves[state] < 0 ? state : next[moves[state]][state];
    if (moves[state] >= 0) factors[row + there] += entering[there] * (1 - slip);
  }
  const banded = { factors, count, size, band, reach, step };
  for (let k = 0; k < size; k += ROWS) eliminate(banded, k);
  return banded;
}

// Eliminates states k to k + 3 from all later rows.
/** @param {Banded} banded @param {number} k */
function eliminate({ factors: a, size, band, reach, step }, k) {
  const last = k + ROWS - 1, right = last + band;
  for (let i = k; i <= last; i++) {
    const row = i * step + reach;
    for (let before = k; before < i; before++) {
      const other = before * step + reach, factor = a[row + before] * a[other + before];
      a[row + before] = factor;
      if (factor !== 0) for (let j = before + 1; j <= right; j++) a[row + j] += factor * a[other + j];
    }
    a[row + i] = 1 / (1 - a[row + i]);
  }
  const p = k * step + reach, q = p + step, r = q + step, s = r + step;
  const pivots = [a[p + k], a[q + k + 1], a[r + k + 2], a[s + k + 3]];
  const [pq, pr, ps, qr, qs, rs] = [a[p + k + 1], a[p + k + 2], a[p + k + 3], a[q + k + 2], a[q + k + 3], a[r + k + 3]];
  for (let i = last + 1; i <= Math.min(size - 1, right); i += 2) {
    const row = i * step + reach, next = row + step;
    const e = a[row + k] * pivots[0], f = (a[row + k + 1] + e * pq) * pivots[1];
    const g = (a[row + k + 2] + e * pr + f * qr) * pivots[2], h = (a[row + k + 3] + e * ps + f * qs + g * rs) * pivots[3];
    const t = a[next + k] * pivots[0], u = (a[next + k + 1] + t * pq) * pivots[1];
    const v = (a[next + k + 2] + t * pr + u * qr) * pivots[2], w = (a[next + k + 3] + t * ps + u * qs + v * rs) * pivots[3];
    if (e + f + g + h + t + u + v + w === 0) continue;
    a[row + k] = e;
    a[row + k + 1] = f;
    a[row + k + 2] = g;
    a[row + k + 3] = h;
    a[next + k] = t;
    a[next + k + 1] = u;
    a[next + k + 2] = v;
    a[next + k + 3] = w;
    for (let j = last + 1; j <= right; j++) {
      const one = a[p + j], two = a[q + j], three = a[r + j], four = a[s + j];
      a[row + j] += e * one + f * two + g * three + h * four;
      a[next + j] += t * one + u * two + v * three + w * four;
    }
  }
  for (let i = k; i <= last; i++) for (let j = i + 1, row = i * step + reach; j <= right; j++) a[row + j] *= a[row + i];
}

// M(s, .), the expected discounted visits to every state from one: solves x (I - A) = 1_s.
/** @param {Banded} banded @param {number} state */
export function visitsFrom({ factors, count, band, reach, step }, state) {
  const x = new Float64Array(count);
  x[state] = 1;
  for (let k = state; k < count; k++) {
    const row = k * step + reach, last = Math.min(count - 1, k + band), own = x[k];
    if (own !== 0) for (let j = k + 1; j <= last; j++) x[j] += own * factors[row + j];
    x[k] *= factors[row + k];
  }
  for (let i = count - 1; i > 0; i--) {
    const row = i * step + reach, own = x[i];
    if (own !== 0) for (let k = Math.max(0, i - band); k < i; k++) x[k] += own * factors[row + k];
  }
  return x;
}

// M(., g), the expected discounted visits to one state from every state: solves (I - A) x = 1_g.
/** @param {Banded} banded @param {number} goal */
function visitsTo({ factors, count, band, reach, step }, goal) {
  const x = new Float64Array(count);
  x[goal] = 1;
  for (let i = goal + 1; i < count; i++) {
    const row = i * step + reach;
    let sum = 0;
    for (let k = Math.max(goal, i - band); k < i; k++) sum += factors[row + k] * x[k];
    x[i] = sum;
  }
  for (let i = count - 1; i >= 0; i--) {
    const row = i * step + reach, last = Math.min(count - 1, i + band);
    let sum = x[i] * factors[row + i];
    for (let j = i + 1; j <= last; j++) sum += factors[row + j] * x[j];
    x[i] = sum;
  }
  return x;
}

// F(., g), the expected discount at the first visit to one state, from every state.
/** @param {Banded} banded @param {number} goal */
export function firstVisitsTo(banded, goal) {
  const visits = visitsTo(banded, goal), own = visits[goal];
  return visits.map((each) => each / own);
}
