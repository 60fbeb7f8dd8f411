// A kernel of WebAssembly that computes with two numbers at a time, for the two loops that take most of the time under
// noise: four rows of all expected visits (`addFar` in visits.js), and the better of two legs (`challengeRow` in
// legtable.js). Its results are those of the JavaScript to the last bit. It is assembled here from its instructions, so
// that the page needs no other tool; browsers that lack it use the JavaScript.

/** @import { Code, Kernel } from "../types" */

// A policy leads only if it is better by more than this, relatively: rounding does not decide between equal legs.
export const EQUAL = 1e-12;

const PAGE = 65536;
const [I32, V128, NOTHING] = [0x7f, 0x7b, 0x40];
const [LOAD, SPLAT, STORE, ADD, MUL, CONSTANT, GREATER, SELECT, BITS] = [0, 10, 11, 240, 242, 12, 74, 82, 196]; // after 0xfd
const ROW = 4; // rows together; columns too

/** @param {number} value @returns {Code} */
const unsigned = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >> 7)]);
/** @param {number} value @returns {Code} */
const signed = (value) => (value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)]);
/** @param {number} local @returns {Code} */
const get = (local) => [0x20, local];
/** @param {number} local @param {Code} value @returns {Code} */
const set = (local, value) => [...value, 0x21, local];
/** @param {number} value @returns {Code} */
const number = (value) => [0x41, ...signed(value)];
/** @param {Code} one @param {Code} other @returns {Code} */
const plus = (one, other) => [...one, ...other, 0x6a];
/** @param {number} operation @returns {Code} */
const simd = (operation) => [0xfd, ...unsigned(operation)];
/** @param {number} operation @param {Code} address @param {number} offset @returns {Code} */
const load = (operation, address, offset) => [...address, ...simd(operation), 3, ...unsigned(offset)];
/** @param {Code} address @param {number} value @returns {Code} */
const store = (address, value) => [...address, ...get(value), ...simd(STORE), 3, 0];
/** @param {Code} one @param {Code} other @returns {Code} */
const times = (one, other) => [...one, ...other, ...simd(MUL)];
/** @param {Code} one @param {Code} other @returns {Code} */
const sum = (one, other) => [...one, ...other, ...simd(ADD)];
// A number twice.
/** @param {number} value @returns {Code} */
const constant = (value) => [...simd(CONSTANT), ...new Uint8Array(new Float64Array([value, value]).buffer)];
// Runs the body if a condition is not 0.
/** @param {Code} condition @param {Code} body @returns {Code} */
const when = (condition, body) => [...condition, 0x04, NOTHING, ...body, 0x0b];
// Repeats the body while a local address is below another.
/** @param {number} local @param {number} end @param {Code} body @returns {Code} */
const whileBelow = (local, end, body) => [
  0x02, NOTHING, 0x03, NOTHING, ...get(local), ...get(end), 0x4f, 0x0d, 1, ...body, 0x0c, 0, 0x0b, 0x0b,
];

// Parameters: the address of the first entry, of the weights, of the end of the columns and of the weights, and bytes
// from a row to the next. Sums are two to a row, for two columns each.
const [AT, WEIGHTS, COLUMNS_END, WEIGHTS_END, STEP, WEIGHT, BELOW, LEFT, RIGHT, SUMS] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** @returns {Code} */
function far() {
  /** @param {number} row @param {number} half */
  const at = (row, half) => SUMS + 2 * row + half;
  const rows = [0, 1, 2, 3], halves = [0, 1];
  /** @param {number} place @returns {Code} */
  const weight = (place) => load(SPLAT, get(WEIGHTS), 8 * place);
  const clear = rows.flatMap((row) => halves.flatMap((half) => set(at(row, half), constant(0))));
  const gather = [
    ...set(LEFT, load(LOAD, get(BELOW), 0)), ...set(RIGHT, load(LOAD, get(BELOW), 16)),
    ...rows.flatMap((row) => halves.flatMap((half) => set(at(row, half), sum(get(at(row, half)), times(load(SPLAT, get(WEIGHT), 8 * row), get(half ? RIGHT : LEFT)))))),
    ...set(WEIGHT, plus(get(WEIGHT), number(8 * ROW))), ...set(BELOW, plus(get(BELOW), get(STEP))),
  ];
  // The rows among the four that are below each: the third adds the fourth, and so on.
  const near = halves.flatMap((half) => {
    const [a, b, c, d] = rows.map((row) => at(row, half));
    return [
      ...set(c, sum(get(c), times(weight(14), get(d)))),
      ...set(b, sum(get(b), sum(times(weight(9), get(c)), times(weight(13), get(d))))),
      ...set(a, sum(get(a), sum(sum(times(weight(4), get(b)), times(weight(8), get(c))), times(weight(12), get(d))))),
    ];
  });
  const write = [
    ...set(BELOW, get(AT)),
    ...rows.flatMap((row) => [
      ...store(get(BELOW), at(row, 0)), ...store(plus(get(BELOW), number(16)), at(row, 1)), ...set(BELOW, plus(get(BELOW), get(STEP))),
    ]),
  ];
  return whileBelow(AT, COLUMNS_END, [
    ...clear,
    ...set(WEIGHT, plus(get(WEIGHTS), number(8 * ROW * ROW))),
    ...set(BELOW, plus(get(AT), [...get(STEP), ...number(ROW), 0x6c])),
    ...whileBelow(WEIGHT, WEIGHTS_END, gather),
    ...near, ...write,
    ...set(AT, plus(get(AT), number(8 * ROW))),
  ]);
}

// Parameters: addresses of visits, of their factors, of the best so far and of its leaders; the end of the visits; the
// policy; bytes from a factor to the next pair.
const [VISITS, FACTORS, BEST, LEADERS, END, POLICY, STRIDE, MASK_BITS, VALUE, OLD, MASK] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** @returns {Code} */
function challenge() {
  /** @param {number} lane @returns {Code} */
  const lead = (lane) => when([...get(MASK_BITS), ...number(1 << lane), 0x71], [...get(LEADERS), ...get(POLICY), 0x3a, 0, lane]);
  return whileBelow(VISITS, END, [
    ...set(VALUE, times(load(LOAD, get(VISITS), 0), load(LOAD, get(FACTORS), 0))),
    ...set(OLD, load(LOAD, get(BEST), 0)),
    ...set(MASK, [...get(VALUE), ...times(get(OLD), constant(1 + EQUAL)), ...simd(GREATER)]),
    ...set(MASK_BITS, [...get(MASK), ...simd(BITS)]),
    ...when(get(MASK_BITS), [
      ...set(OLD, [...get(VALUE), ...get(OLD), ...get(MASK), ...simd(SELECT)]),
      ...store(get(BEST), OLD), ...lead(0), ...lead(1),
    ]),
    ...set(VISITS, plus(get(VISITS), number(16))), ...set(FACTORS, plus(get(FACTORS), get(STRIDE))),
    ...set(BEST, plus(get(BEST), number(16))), ...set(LEADERS, plus(get(LEADERS), number(2))),
  ]);
}

// A module that imports a memory and exports both functions.
function assembled() {
  /** @param {number} id @param {Code} content */
  const section = (id, content) => [id, ...unsigned(content.length), ...content];
  /** @param {string} text */
  const name = (text) => [text.length, ...[...text].map((letter) => letter.charCodeAt(0))];
  /** @param {number} numbers @param {number} pairs @param {Code} code */
  const body = (numbers, pairs, code) => {
    const whole = [2, numbers, I32, pairs, V128, ...code, 0x0b];
    return [...unsigned(whole.length), ...whole];
  };
  return new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [2, 0x60, 5, I32, I32, I32, I32, I32, 0, 0x60, 7, I32, I32, I32, I32, I32, I32, I32, 0]),
    ...section(2, [1, ...name("page"), ...name("memory"), 2, 0, 0]),
    ...section(3, [2, 0, 1]),
    ...section(7, [2, ...name("far"), 0, 0, ...name("challenge"), 0, 1]),
    ...section(10, [2, ...body(2, 10, far()), ...body(1, 3, challenge())]),
  ]);
}

/** @type {Kernel | null | undefined} */
let kernel;

// The kernel with its memory, made on first use; null if the browser cannot compile it, or may not.
export function simdKernel() {
  if (kernel === undefined) {
    try {
      const program = new WebAssembly.Module(assembled()), memory = new WebAssembly.Memory({ initial: 1 });
      kernel = { memory, .../** @type {any} */ (new WebAssembly.Instance(program, { page: { memory } }).exports) };
    } catch {
      kernel = null;
    }
  }
  return kernel;
}

/** @type {Float64Array[]} */
let elsewhere = [];

// Arrays of so many numbers each in the kernel's memory, or elsewhere without one; they hold until the next call. They are
// kept between mazes: getting memory anew takes longer than filling it.
/** @param {number[]} lengths */
export function workspace(lengths) {
  const memory = simdKernel()?.memory;
  if (!memory) {
    elsewhere = lengths.map((length, place) => (elsewhere[place]?.length >= length ? elsewhere[place] : new Float64Array(length)));
    return elsewhere;
  }
  const bytes = 8 * lengths.reduce((all, length) => all + length, 0);
  if (bytes > memory.buffer.byteLength) memory.grow(Math.ceil((bytes - memory.buffer.byteLength) / PAGE));
  let begin = 0;
  return lengths.map((length) => {
    begin += 8 * length;
    return new Float64Array(memory.buffer, begin - 8 * length, length);
  });
}
