// What the last scenes took long to find: sliding K, or pointing at another cell, asks for it again.
/** @import { Memory, Scene } from "../types" */

const KEPT = 24;

/** @returns {Memory} */
export function makeMemory() {
  const kept = new Map();
  return {
    has: (what, scene) => kept.has(`${what}|${identity(scene)}`),
    remembered(what, scene, find) {
      const key = `${what}|${identity(scene)}`, found = kept.has(key) ? kept.get(key) : find();
      kept.delete(key);
      kept.set(key, found); // the newest is last
      if (kept.size > KEPT) kept.delete(kept.keys().next().value);
      return found;
    },
  };
}

/** @param {Scene} scene */
function identity({ rows, columns, walls, marks, start, goals, moves, corners, drawn, discount, noise }) {
  const arrows = drawn.map(({ usual, arrows }) => `${usual}${arrows.join("")}`);
  return [rows, columns, walls.join(""), marks.some(Boolean) ? marks.join() : "", start, goals, moves, corners, arrows, discount, noise].join("|");
}
