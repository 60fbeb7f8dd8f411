// The agent walks: it looks the plan up in every cell, and slips as often as the noise says.
import { STEPS } from "./drawing.js";
import { repaint, state } from "./state.js";
/** @import { Agent, Grid, Plan, Point } from "./types" */

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
/** @param {(how: { arrived: boolean, steps: number, slips: number }) => void} say */
export async function play(say) {
  const mine = ++turn, { scene } = state, plan = /** @type {Plan} */ (state.plan);
  const length = plan.plans.reduce((sum, { legs }) => sum + legs.reduce((part, leg) => part + leg.cells.length - 1, 0), 0);
  const pace = Math.min(140, Math.max(18, 3200 / Math.max(1, length)));
  let [cell, goal, steps, slips] = [scene.start, 0, 0, 0];
  const trail = [cell];
  state.agent = { cell: spot(cell), trail, moving: true };
  button.textContent = "Stop";
  while (plan.plans[goal]?.goal === cell) goal += 1;
  while (goal < plan.plans.length && steps < MOST_STEPS) {
    const policy = plan.plans[goal].policy[cell];
    if (policy < 0 && scene.noise === 0) break;
    const wanted = policy < 0 ? random(scene.moves) : plan.actions[policy][cell];
    const move = Math.random() < scene.noise ? random(scene.moves) : wanted;
    slips += Number(move !== wanted);
    const next = after(scene, cell, move);
    await glide(cell, next, pace, () => mine === turn);
    if (mine !== turn) return;
    cell = next;
    trail.push(cell);
    steps += 1;
    while (plan.plans[goal]?.goal === cell) goal += 1;
  }
  /** @type {Agent} */ (state.agent).moving = false;
  button.textContent = "Play";
  repaint("board");
  say({ arrived: goal >= plan.plans.length, steps, slips });
}

/** @param {number} count */
const random = (count) => Math.floor(Math.random() * count);
/** @type {(cell: number) => Point} */
const spot = (cell) => [Math.floor(cell / state.scene.columns), cell % state.scene.columns];

/** @param {Grid} grid @param {number} cell @param {number} move */
export function after({ rows, columns, walls }, cell, move) {
  const row = Math.floor(cell / columns) + STEPS[move][0], column = (cell % columns) + STEPS[move][1];
  const inside = row >= 0 && row < rows && column >= 0 && column < columns;
  return inside && !walls[row * columns + column] ? row * columns + column : cell;
}

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
