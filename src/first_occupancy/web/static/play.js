// The agent walks the drawn plan, and slips as often as the noise says.
import { costAt } from "./engine/room.js";
import { walk } from "./engine/walk.js";
import { repaint, state } from "./state.js";
/** @import { Agent, Plan, Point } from "./types" */

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
  const length = plan.plans.flatMap(({ legs }) => legs).reduce((sum, { cells }) => sum + cells.length - 1, 0);
  const pace = Math.min(140, Math.max(18, 3200 / Math.max(1, length)));
  const trail = [scene.start], steps = walk(scene, plan, Math.random);
  let [time, slips, next] = [0, 0, steps.next()];
  state.agent = { cell: spot(scene.start), trail, moving: true };
  button.textContent = "Stop";
  for (; !next.done && trail.length <= MOST_STEPS; next = steps.next()) {
    const { from, to, slipped } = next.value;
    await glide(from, to, pace, () => mine === turn);
    if (mine !== turn) return;
    trail.push(to);
    time += costAt(scene, to);
    slips += Number(slipped);
  }
  /** @type {Agent} */ (state.agent).moving = false;
  button.textContent = "Play";
  repaint("board");
  say({ arrived: Boolean(next.done), steps: trail.length - 1, time, slips });
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
