// Values towards one goal by sweeps from the goal outwards, each value at once in use (Gauss-Seidel). States are numbered in
// the order of the sweep, so that it reads and writes memory in order.
import { search } from "./paths.js";
/** @import { Course, Outwards, Room } from "../types" */

const SETTLED = 1e-12; // sweeps end when no value changes by more than this, relatively
const MOST_SWEEPS = 200; // before an exact solution is quicker
const UNROLLED = 4; // the number of moves is a multiple of it

/** @type {WeakMap<Room, Outwards>} */
const last = new WeakMap(); // for one goal of each room: several policies are evaluated one after the other

/** @param {Room} room @param {number} goal @returns {Outwards} */
function outwards(room, goal) {
  const known = last.get(room);
  if (known?.goal === goal) return known;
  const { next, count, entering } = room, { order } = search(next, goal), size = order.length, width = next.length;
  const place = new Int32Array(count).fill(size), beside = new Int32Array(size * width);
  for (let i = 0; i < size; i++) place[order[i]] = i;
  for (let i = 0; i < size; i++) for (let move = 0; move < width; move++) beside[i * width + move] = place[next[move][order[i]]];
  const found = { goal, order, beside, entering: Float64Array.from(order, (state) => entering[state]) };
  last.set(room, found);
  return found;
}

// The expected discount of one move for each state (-1 is any move with equal chance), or of the best ones if `moves` is
// null, from a guess that is not larger. With little noise a few dozen sweeps are enough; null if 200 are not.
//
// The first sweeps change values by more than they ask for (successive over-relaxation), which halves their number. The last
// ones are plain, and only they decide whether the values have settled.
/** @param {Room} room @param {ArrayLike<number> | null} moves @param {number} goal @param {Float64Array} guess */
export function settle(room, moves, goal, guess) {
  const course = setOut(room, moves, goal, guess), sweep = moves ? follow : choose;
  let before = sweep(course, 0), further = relaxation(room);
  for (let count = 1; count < MOST_SWEEPS; count++) {
    const change = sweep(course, further), ratio = change / before;
    // What is still to come, if changes go on shrinking as they do.
    const settled = change === 0 || (ratio < 0.95 && (change * ratio) / (1 - ratio) < SETTLED);
    if (settled && further === 0) return onStates(course, guess);
    if (settled || !(ratio < 1)) further = 0;
    before = change;
  }
  return null;
}

// What sweeps work on, all in their order.
/** @param {Room} room @param {ArrayLike<number> | null} moves @param {number} goal @param {Float64Array} guess @returns {Course} */
function setOut(room, moves, goal, guess) {
  const { order, beside, entering } = outwards(room, goal), { noise, next } = room, size = order.length, width = next.length;
  const values = new Float64Array(size), slips = new Float64Array(size), ahead = new Int32Array(moves ? size : 0);
  const entered = new Float64Array(size + 1); // 0 at the end, for states from which there is no way to the goal
  for (let i = 0; i < size; i++) {
    const move = moves ? moves[order[i]] : 0;
    values[i] = guess[order[i]];
    entered[i] = values[i] * entering[i];
    slips[i] = (move < 0 ? 1 : noise) / width;
    if (moves) ahead[i] = move < 0 ? size : beside[i * width + move];
  }
  return { order, values, entered, entering, beside, ahead, slips, width, keep: 1 - noise };
}

/** @param {Course} course @param {Float64Array} guess */
function onStates({ values, order }, guess) {
  const result = guess.slice();
  for (let i = 0; i < order.length; i++) result[order[i]] = values[i];
  return result;
}

// How much further values are changed, to be multiplied by the chance of one random move. Mostly at least half of the random
// moves do not lead nearer to the goal, and bring what the sweep before has found. Let q be its part of a state's value: an
// error grows on its way outwards if values are changed 1 / (1 - q) > 1 + q times as far as asked for.
/** @param {Room} room */
const relaxation = ({ next, entering }) => (next.length / 2) * entering.reduce((one, other) => Math.min(one, other), 1) ** 2;

// A sweep that follows one move for each state; returns the largest relative change. The number of moves is a power of
// two, so that dividing by it first changes no digit.
/** @param {Course} course @param {number} further */
function follow({ values, entered, entering, beside, ahead, slips, width, keep }, further) {
  let change = 0;
  for (let i = 1, at = width; i < values.length; i++) {
    let sum = 0;
    for (const end = at + width; at < end; at += UNROLLED) sum = sum + entered[beside[at]] + entered[beside[at + 1]] + entered[beside[at + 2]] + entered[beside[at + 3]];
    const gap = (1 + slips[i] * further) * (keep * entered[ahead[i]] + slips[i] * sum - values[i]), value = values[i] + gap;
    if (Math.abs(gap) > change * Math.abs(value)) change = Math.abs(gap / value);
    values[i] = value;
    entered[i] = value * entering[i];
  }
  return change;
}

// A sweep of value iteration.
/** @type {typeof follow} */
function choose({ values, entered, entering, beside, slips, width, keep }, further) {
  let change = 0;
  for (let i = 1, at = width; i < values.length; i++) {
    let best = 0, sum = 0;
    for (const end = at + width; at < end; at++) {
      const value = entered[beside[at]];
      sum += value;
      if (value > best) best = value;
    }
    const gap = (1 + slips[i] * further) * (keep * best + slips[i] * sum - values[i]), value = values[i] + gap;
    if (Math.abs(gap) > change * Math.abs(value)) change = Math.abs(gap / value);
    values[i] = value;
    entered[i] = value * entering[i];
  }
  return change;
}
