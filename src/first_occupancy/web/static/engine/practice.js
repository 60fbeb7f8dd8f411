// FRs of the base policies learned on a drawn maze, beside the exact ones.
import { learn, makeLearner, planned } from "./learner.js";
import { seeded } from "./random.js";
import { makeRoom, onCells } from "./room.js";
/** @import { Learned, Practice, Scene } from "../types" */

// Begins at the start, or in the first free cell, knowing nothing.
/** @param {Scene} scene @param {number} stepSize @param {number} seed @returns {Practice} */
export function beginPractice(scene, stepSize, seed) {
  const room = makeRoom(scene);
  const learner = makeLearner(room.count, room.actions.length, { entering: room.entering, stepSize, decay: 0 });
  return { room, learner, random: seeded(seed), state: Math.max(0, room.start), steps: 0 };
}

// So many steps, each by a policy that is drawn at random and learns from it; returns the cells of the walk.
/** @param {Practice} practice @param {number} steps */
export function practise(practice, steps) {
  const { room, learner, random } = practice, walk = [room.cells[practice.state]];
  for (let step = 0; step < steps; step++) {
    const policy = pick(random, room.actions.length), { state } = practice;
    const wanted = room.actions[policy][state], move = random() < room.noise ? pick(random, room.next.length) : wanted;
    const following = room.next[move][state];
    learn(learner, state, policy, following);
    practice.state = following;
    walk.push(room.cells[following]);
  }
  practice.steps += steps;
  return walk;
}

/** @param {() => number} random @param {number} count */
const pick = (random, count) => Math.floor(random() * count);

// What has been learned: a policy's FR from one cell, and the plan to the first goal from every cell.
/** @param {Practice} practice @param {number} policy @param {number} cell @returns {Learned} */
export function learned({ room, learner, steps }, policy, cell) {
  const state = Math.max(0, room.stateOf[cell]), begin = (state * learner.policies + policy) * learner.count;
  const soon = onCells(room, learner.rows.slice(begin, begin + learner.count), 0);
  const plans = room.goals.length ? planned(learner, room.goals[0]) : new Float64Array(room.count).fill(-Infinity);
  return {
    steps, soon, known: onCells(room, plans.map(Math.exp), 0),
    share: plans.filter((log) => log > -Infinity).length / room.count,
  };
}
