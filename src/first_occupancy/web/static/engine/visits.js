// All expected visits M = (I - A)^-1 of a chain, or those near the diagonal, from its factors (see banded.js).
//
// Row i follows from the rows below it (Takahashi's recursion), right of the diagonal and below it:
//
//     M(i, j) = sum over k > i of u(i, k) M(k, j),   M(j, i) = sum over k > i of M(j, k) l(k, i),   j > i,
//     M(i, i) = 1 / U(i, i) + sum over k > i of u(i, k) M(k, i).
//
// `from` holds M(i, j) and `to` holds M(j, i), both right of the diagonal, so that both sums run along rows; left of it
// they hold what the rows above will read.
import { ROWS } from "./banded.js";
import { simdKernel, workspace } from "./simd.js";
/** @import { Banded, Layout } from "../types" */

// All of M: entry (i, j) is at i * size + j. `right` and `left` are space for weights.
/** @param {Banded} banded @param {Float64Array} from @param {Float64Array} to @param {Float64Array} right @param {Float64Array} left */
export function allVisits(banded, from, to, right, left) {
  fill(banded, from, to, right, left, { step: banded.size, base: 0, span: banded.size });
}

/** @param {number} band */
export const weightsOf = (band) => ROWS * (band + ROWS);

// M(g, g) of every state.
/** @param {Banded} banded */
export function ownVisits(banded) {
  const { factors, count, band, reach, step } = banded, near = factors.length + step, weights = weightsOf(band);
  const [from, to, right, left] = workspace([near, near, weights, weights]);
  fill(banded, from, to, right, left, { step, base: reach, span: band });
  return Float64Array.from({ length: count }, (_, state) => from[state * step + reach + state]);
}

/** @param {Banded} banded @param {Float64Array} from @param {Float64Array} to @param {Float64Array} right @param {Float64Array} left @param {Layout} layout */
function fill(banded, from, to, right, left, layout) {
  const { factors, size, band, reach, step } = banded;
  const kernel = simdKernel(), add = kernel?.memory.buffer === from.buffer ? addFarQuickly : addFar;
  for (let top = size - ROWS; top >= 0; top -= ROWS) {
    const near = Math.min(size - top, band + ROWS);
    // Weights of the rows from `top` on in each of the four rows.
    for (let k = 0; k < near; k++) for (let row = 0; row < ROWS; row++) {
      const below = k > row;
      right[k * ROWS + row] = below ? factors[(top + row) * step + reach + top + k] : 0;
      left[k * ROWS + row] = below ? factors[(top + k) * step + reach + top + row] : 0;
    }
    add(from, right, top, near, size, layout);
    add(to, left, top, near, size, layout);
    for (let row = ROWS - 1; row >= 0; row--) addNear(banded, from, to, right, left, top, row, layout);
  }
}

// The four rows from `top` on, right of all four diagonals: two columns at a time, four rows each.
/** @param {Float64Array} m @param {Float64Array} w @param {number} top @param {number} near @param {number} size @param {Layout} layout */
function addFar(m, w, top, near, size, { step, base, span }) {
  const row = base + top * step, last = Math.min(size - 1, top + ROWS - 1 + span), end = near * ROWS;
  for (let j = top + ROWS; j <= last; j += 2) {
    let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    for (let k = ROWS * ROWS, at = row + ROWS * step + j; k < end; k += ROWS, at += step) {
      const one = m[at], two = m[at + 1], p = w[k], q = w[k + 1], r = w[k + 2], s = w[k + 3];
      a += p * one;
      b += q * one;
      c += r * one;
      d += s * one;
      e += p * two;
      f += q * two;
      g += r * two;
      h += s * two;
    }
    c += w[14] * d;
    b += w[9] * c + w[13] * d;
    a += w[4] * b + w[8] * c + w[12] * d;
    g += w[14] * h;
    f += w[9] * g + w[13] * h;
    e += w[4] * f + w[8] * g + w[12] * h;
    m[row + j] = a;
    m[row + j + 1] = e;
    m[row + step + j] = b;
    m[row + step + j + 1] = f;
    m[row + 2 * step + j] = c;
    m[row + 2 * step + j + 1] = g;
    m[row + 3 * step + j] = d;
    m[row + 3 * step + j + 1] = h;
  }
}

// The same by the kernel, four columns at a time. It may go up to three beyond the last, into what is not read.
/** @type {typeof addFar} */
function addFarQuickly(m, w, top, near, size, { step, base, span }) {
  const row = m.byteOffset + 8 * (base + top * step), last = Math.min(size - 1, top + ROWS - 1 + span);
  simdKernel()?.far(row + 8 * (top + ROWS), w.byteOffset, row + 8 * (last + 1), w.byteOffset + 8 * near * ROWS, 8 * step);
}

// The rest of one of the four rows: the few columns up to the fourth diagonal, its own, and the entries left of the
// diagonal that rows above read.
/**
 * @param {Banded} banded
 * @param {Float64Array} from
 * @param {Float64Array} to
 * @param {Float64Array} right
 * @param {Float64Array} left
 * @param {number} top
 * @param {number} row
 * @param {Layout} layout
 */
function addNear({ factors, size, band, reach, step: rowStep }, from, to, right, left, top, row, { step, base }) {
  const i = top + row, last = Math.min(size - 1, i + band), here = base + i * step;
  for (let j = i + 1; j < top + ROWS; j++) {
    let forth = 0, back = 0;
    for (let k = i + 1; k <= last; k++) {
      forth += right[(k - top) * ROWS + row] * from[base + k * step + j];
      back += left[(k - top) * ROWS + row] * to[base + k * step + j];
    }
    from[here + j] = forth;
    to[here + j] = back;
  }
  let own = factors[i * rowStep + reach + i];
  for (let k = i + 1; k <= last; k++) own += right[(k - top) * ROWS + row] * to[here + k];
  from[here + i] = to[here + i] = own;
  for (let k = i + 1; k <= last; k++) {
    from[base + k * step + i] = to[here + k];
    to[base + k * step + i] = from[here + k];
  }
}
