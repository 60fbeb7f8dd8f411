// The escape as a story: explore, escape, and both again, while an FR and an SR agent learn.
//
// Both explore the same random walk from the shelter. Then each runs home from the threat in its own way: the one by
// FR-planning, the other by generalised policy improvement on SRs. Where no way is known the default move is down.
import { arenaMoves, makeArena } from "./arena.js";
import { bestPolicy, bestSubgoal, learn, makeLearner, planned } from "./learner.js";
import { seeded } from "./random.js";
/** @import { EscapeQuestion, Learner, MapName, Moment, Room, Runner, Trial } from "../types" */

const EPISODES = 5, MOST_STEPS = 50, CHUNK = 25; // steps of exploration between two looks at what is known
const STEP_SIZE = 0.05;
const DECAYS = { fr: 0, sr: 1 };
const BOTH = /** @type {MapName[]} */ (["fr", "sr"]);
// The moves from down to up, the left side first, or the right.
const PREFERENCES = [[2, 6, 5, 3, 1, 7, 4, 0], [2, 5, 6, 1, 3, 4, 7, 0]];

// The moments of the whole story.
/** @param {EscapeQuestion} question @returns {Generator<Moment>} */
export function* story({ variant, episodeSteps, seed }) {
  const arena = makeArena(), random = seeded(seed), open = arenaMoves(arena, false), barred = arenaMoves(arena, true);
  const { room } = open, learners = { fr: fresh(room, "fr"), sr: fresh(room, "sr") };
  const preference = PREFERENCES[random() < 0.5 ? 0 : 1];
  yield { kind: "begin", arena };
  const trials = [];
  for (const number of [1, 2]) {
    const barrier = variant !== "new barrier" || number === 2;
    yield* exploration(learners, (barrier ? barred : open).next, room, { random, episodeSteps, number, barrier });
    let last = trial(learners, room, null, { number, variant, preference, next: barred.next });
    yield last;
    for (let step = 0; step < MOST_STEPS && !BOTH.every((name) => last[name].arrived); step++) {
      last = trial(learners, room, last, { number, variant, preference, next: barred.next });
      yield last;
    }
    trials.push({ fr: result(last.fr), sr: result(last.sr) });
  }
  yield { kind: "end", trials };
}

/** @param {Room} room @param {MapName} name */
const fresh = (room, name) => makeLearner(room.count, room.next.length, { entering: room.entering, stepSize: STEP_SIZE, decay: DECAYS[name] });

/**
 * @param {Record<MapName, Learner>} learners
 * @param {Int32Array[]} next
 * @param {Room} room
 * @param {{ random: () => number, episodeSteps: number, number: number, barrier: boolean }} how
 * @returns {Generator<Moment>}
 */
function* exploration(learners, next, room, { random, episodeSteps, number, barrier }) {
  const shelter = room.goals[0], steps = EPISODES * episodeSteps;
  let here = shelter;
  for (let done = 0; done < steps; done += CHUNK) {
    if (done % episodeSteps === 0) here = shelter;
    const policies = Array.from({ length: CHUNK }, () => Math.floor(random() * next.length));
    const walk = explore([learners.fr, learners.sr], next, policies, here);
    here = walk[walk.length - 1];
    yield { kind: "explore", number, barrier, done: (done + CHUNK) / steps, walk: walk.map((state) => room.cells[state]), maps: maps(learners, room) };
  }
}

// Follows one policy after another for a step each, and learns from every step; returns the states.
/** @param {Learner[]} learners @param {Int32Array[]} next @param {number[]} policies @param {number} from */
export function explore(learners, next, policies, from) {
  const walk = [from];
  for (const policy of policies) {
    const state = walk[walk.length - 1], following = next[policy][state];
    for (const learner of learners) learn(learner, state, policy, following);
    walk.push(following);
  }
  return walk;
}

// The trial one step on; without one before, its beginning. In the shelter an agent stays.
/**
 * @param {Record<MapName, Learner>} learners
 * @param {Room} room
 * @param {Trial | null} before
 * @param {{ number: number, variant: string, preference: number[], next: Int32Array[] }} how
 * @returns {Trial}
 */
function trial(learners, room, before, { number, variant, preference, next }) {
  const [fr, sr] = BOTH.map((name) => {
    const runner = before?.[name], shelter = room.goals[0];
    if (!runner) return look(learners[name], room, name, { cell: room.cells[room.start], bumped: false, hits: 0, steps: 0, arrived: false, plan: null });
    if (runner.arrived) return runner;
    const state = room.stateOf[runner.cell];
    const following = escapeStep(learners[name], next, { state, goal: shelter, plans: name === "fr", touched: runner.hits > 0, variant, preference });
    const bumped = following === state;
    return look(learners[name], room, name, {
      cell: room.cells[following], bumped, hits: runner.hits + Number(bumped), steps: runner.steps + 1, arrived: following === shelter, plan: null,
    });
  });
  const changed = !before || fr.bumped || sr.bumped;
  return { kind: "trial", number, barrier: true, fr, sr, maps: changed ? maps(learners, room) : null };
}

// One step towards the goal, from which the agent learns; returns the next state.
/**
 * @param {Learner} learner
 * @param {Int32Array[]} next
 * @param {{ state: number, goal: number, plans: boolean, touched: boolean, variant: string, preference: number[] }} how
 */
export function escapeStep(learner, next, { state, goal, plans, touched, variant, preference }) {
  const chosen = plans ? planTowards(learner, state, goal) : bestPolicy(learner, state, goal);
  // An agent that feels avoids moves that are blocked, once it has run into a wall.
  const free = preference.find((move) => !(variant === "feeling" && touched && next[move][state] === state));
  const policy = chosen >= 0 ? chosen : free ?? preference[0];
  const following = next[policy][state];
  learn(learner, state, policy, following, variant === "new barrier" && following === state);
  return following;
}

// The policy that FR-planning follows from a state, -1 if no plan is known.
/** @param {Learner} learner @param {number} state @param {number} goal */
function planTowards(learner, state, goal) {
  const subgoal = bestSubgoal(learner, planned(learner, goal, state), state);
  return subgoal < 0 ? -1 : bestPolicy(learner, state, subgoal);
}

// The runner with what it means to do from here: the subgoals of its plan.
/** @param {Learner} learner @param {Room} room @param {MapName} name @param {Runner} runner @returns {Runner} */
function look(learner, room, name, runner) {
  const goal = room.goals[0], state = room.stateOf[runner.cell];
  if (name === "sr") return { ...runner, plan: bestPolicy(learner, state, goal) < 0 ? null : [room.cells[goal]] };
  const settled = planned(learner, goal), plan = [];
  for (let here = state; here !== goal;) {
    here = bestSubgoal(learner, settled.map((log) => (log > settled[here] ? log : -Infinity)), here);
    if (here < 0) return { ...runner, plan: null };
    plan.push(room.cells[here]);
  }
  return { ...runner, plan };
}

// What each agent knows of the way home, from every cell: the discount of its plan, and the most visits to the shelter.
/** @param {Record<MapName, Learner>} learners @param {Room} room */
function maps({ fr, sr }, room) {
  const goal = room.goals[0], plans = planned(fr, goal);
  const found = { fr: new Float64Array(room.rows * room.columns), sr: new Float64Array(room.rows * room.columns) };
  for (let state = 0; state < room.count; state++) {
    found.fr[room.cells[state]] = Math.exp(plans[state]);
    const policy = bestPolicy(sr, state, goal);
    found.sr[room.cells[state]] = policy < 0 ? 0 : sr.rows[(state * sr.policies + policy) * sr.count + goal];
  }
  return found;
}

/** @param {Runner} runner */
const result = ({ steps, hits, arrived }) => ({ steps, hits, arrived });
