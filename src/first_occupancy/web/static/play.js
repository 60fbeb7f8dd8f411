// The agent walks the drawn plan: leg by leg, each policy until its subgoal, and slips as often as the noise says.
import { cellAfter, costAt } from "./engine/room.js";
import { repaint, state } from "./state.js";
/** @import { Agent, Leg, Plan, Point } from "./types" */

const MOST_STEPS = 3000;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const button = /** @type {Element} */ (document.querySelector("#play span"));
let turn = 0;

export const isPlaying = () => state.agent?.moving ?? false;

export function stopPlaying() {
  turn += 1;
  state.agent = null;
  button.textContent = "Play";
  repaint("board");
}

// Calls `say` with how it went, unless stopped before.
/** @param {(how: { arrived: boolean, steps: number, time: number, slips: number }) => void} say */
export async function play(say) {
  const mine = ++turn, { scene } = state, plan = /** @type {Plan} */ (state.plan);
  const legs = plan.plans.flatMap((goal) => goal.legs), length = legs.reduce((sum, { cells }) => sum + cells.length - 1, 0);
  const pace = Math.min(140, Math.max(18, 3200 / Math.max(1, length)));
  let [cell, leg, steps, time, slips] = [scene.start, 0, 0, 0, 0];
  const trail = [cell], goals = plan.plans.map(({ goal }) => goal);
  state.agent = { cell: spot(cell), trail, moving: true };
  button.textContent = "Stop";
  while (leg < legs.length && steps < MOST_STEPS) {
    const wanted = plan.actions[policyAt(plan, legs[leg], cell, goals)][cell];
    const move = Math.random() < scene.noise ? Math.floor(Math.random() * scene.moves) : wanted;
    slips += Number(move !== wanted);
    const next = cellAfter(scene, cell, move);
    await glide(cell, next, pace, () => mine === turn);
    if (mine !== turn) return;
    cell = next;
    trail.push(cell);
    steps += 1;
    time += costAt(scene, cell);
    leg = onward(legs, leg, cell, goals);
  }
  /** @type {Agent} */ (state.agent).moving = false;
  button.textContent = "Play";
  repaint("board");
  say({ arrived: leg >= legs.length, steps, time, slips });
}

// The policy of the leg. A plan that was made as if there were no noise is looked up anew in every cell.
/** @param {Plan} plan @param {Leg} leg @param {number} cell @param {number[]} goals */
function policyAt(plan, leg, cell, goals) {
  if (!plan.note) return leg.policy;
  const goal = plan.plans[goals.indexOf(goalOf(plan, leg))], policy = goal.policy[cell];
  return policy < 0 ? leg.policy : policy;
}

/** @param {Plan} plan @param {Leg} leg */
const goalOf = (plan, leg) => /** @type {{ goal: number }} */ (plan.plans.find(({ legs }) => legs.includes(leg))).goal;

// The leg that comes next: the same until its subgoal is reached. A goal that is met on the way ends all legs towards it.
/** @param {Leg[]} legs @param {number} leg @param {number} cell @param {number[]} goals */
function onward(legs, leg, cell, goals) {
  if (legs[leg].subgoal === cell) return leg + 1;
  const end = legs.findIndex(({ subgoal }, number) => number >= leg && goals.includes(subgoal));
  return legs[end]?.subgoal === cell ? end + 1 : leg;
}

/** @type {(cell: number) => Point} */
const spot = (cell) => [Math.floor(cell / state.scene.columns), cell % state.scene.columns];

/** @param {number} one @param {number} other @param {number} time @param {() => boolean} goesOn */
function glide(one, other, time, goesOn) {
  const [a, b] = [spot(one), spot(other)], begin = performance.now();
  return /** @type {Promise<void>} */ (new Promise((resolve) => {
    /** @param {number} now */
    const frame = (now) => {
      if (!goesOn()) return resolve();
      const done = Math.min(1, Math.max(0, (now - begin) / time)), part = still.matches && done < 1 ? 0 : done;
      /** @type {Agent} */ (state.agent).cell = [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part];
      repaint("board");
      return done < 1 ? requestAnimationFrame(frame) : resolve();
    };
    requestAnimationFrame(frame);
  }));
}
