// The arena of the escape: a threat at the top, a shelter at the bottom, a barrier between. States number the cells of
// the arena without barrier, so that what was learned before the barrier was put up keeps its meaning.
import { makeRoom } from "./room.js";
/** @import { Arena } from "../types" */

const SIZE = 25;

/** @returns {Arena} */
export function makeArena() {
  const walls = new Uint8Array(SIZE * SIZE), middle = Math.floor(SIZE / 2), barrier = [];
  for (let i = 0; i < SIZE; i++) for (const cell of [i, i * SIZE, i * SIZE + SIZE - 1, (SIZE - 1) * SIZE + i]) walls[cell] = 1;
  const side = Math.max(Math.floor(SIZE / 4), 2); // symmetric about the start, as the library's
  for (let column = side; column < SIZE - side; column++) barrier.push(middle * SIZE + column);
  return { rows: SIZE, columns: SIZE, walls, barrier, start: SIZE + middle, shelter: (SIZE - 2) * SIZE + middle };
}

// Where each of the eight moves leads from each state; nothing enters or leaves the barrier.
/** @param {Arena} arena @param {boolean} barrier */
export function arenaMoves(arena, barrier) {
  const marks = new Uint8Array(arena.walls.length), scene = { ...arena, marks, goals: [arena.shelter], moves: 8, corners: /** @type {const} */ ("forbid"), drawn: [], discount: 0.99, noise: 0 };
  const room = makeRoom(scene), closed = new Set(barrier ? arena.barrier.map((cell) => room.stateOf[cell]) : []);
  const next = room.next.map((targets) => targets.map((there, state) => (closed.has(there) || closed.has(state) ? state : there)));
  return { room, next };
}
