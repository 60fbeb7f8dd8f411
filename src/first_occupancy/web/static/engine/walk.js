// Walking a plan. Without noise each leg's policy is followed until its subgoal. With noise the plan is looked up again in
// every cell, so that no slip leads astray.
import { cellAfter } from "./room.js";
/** @import { Plan, Scene, Step } from "../types" */

// What is followed, and until which cell.
/** @param {Scene} scene @param {Plan} plan @returns {{ until: number, policyIn: (cell: number) => number }[]} */
function stages({ noise }, { plans }) {
  if (noise) return plans.map(({ goal, policy }) => ({ until: goal, policyIn: (cell) => policy[cell] }));
  return plans.flatMap(({ legs }) => legs).map(({ subgoal, policy }) => ({ until: subgoal, policyIn: () => policy }));
}

// The steps of one walk from the start through all goals. In a cell without a plan any move is taken.
/** @param {Scene} scene @param {Plan} plan @param {() => number} random @returns {Generator<Step, void>} */
export function* walk(scene, plan, random) {
  const anyMove = () => Math.floor(random() * scene.moves);
  let cell = scene.start;
  for (const { until, policyIn } of stages(scene, plan)) while (cell !== until) {
    const policy = policyIn(cell), wanted = policy < 0 ? anyMove() : plan.actions[policy][cell];
    const move = random() < scene.noise ? anyMove() : wanted, from = cell;
    cell = cellAfter(scene, cell, move);
    yield { from, to: cell, slipped: move !== wanted };
  }
}
