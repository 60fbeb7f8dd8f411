// A kernel of WebAssembly that computes with two numbers at a time, for the one loop that takes most of the time: four
// rows of all expected visits (`addFar` in visits.js, whose results it gives to the last bit). Assembled here from its
// instructions, so that the page needs no other tool; browsers that lack it use the JavaScript.

/** @typedef {number[]} Code */

const PAGE = 65536;
const [I32, V128, NOTHING] = [0x7f, 0x7b, 0x40];
const [LOAD, SPLAT, STORE, ADD, MUL, ZERO] = [0, 10, 11, 240, 242, 12]; // after the prefix 0xfd
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
  const clear = rows.flatMap((row) => halves.flatMap((half) => set(at(row, half), [...simd(ZERO), ...new Array(16).fill(0)])));
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

// A module that imports a memory and exports one function.
function assembled() {
  /** @param {number} id @param {Code} content */
  const section = (id, content) => [id, ...unsigned(content.length), ...content];
  /** @param {string} text */
  const name = (text) => [text.length, ...[...text].map((letter) => letter.charCodeAt(0))];
  const body = [2, 2, I32, 10, V128, ...far(), 0x0b];
  return new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, 0x60, 5, I32, I32, I32, I32, I32, 0]),
    ...section(2, [1, ...name("page"), ...name("memory"), 2, 0, 0]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name("far"), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

/** @type {{ memory: WebAssembly.Memory, far: (at: number, weights: number, columnsEnd: number, weightsEnd: number, step: number) => void } | null | undefined} */
let kernel;

// The kernel with its memory, made on first use; null if the browser cannot have it.
export function simdKernel() {
  if (kernel === undefined) {
    const program = assembled(), memory = typeof WebAssembly === "object" && WebAssembly.validate(program) ? new WebAssembly.Memory({ initial: 1 }) : null;
    const instance = memory && new WebAssembly.Instance(new WebAssembly.Module(program), { page: { memory } });
    kernel = memory && instance ? { memory, far: /** @type {any} */ (instance.exports.far) } : null;
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
