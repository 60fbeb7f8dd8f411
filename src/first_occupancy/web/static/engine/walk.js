// Walking a plan: leg by leg, each policy until its subgoal, so that what a walk gets is on average the product of the
// legs' discounts. A plan that was made as if there were no noise is looked up again in every cell.
import { cellAfter } from "./room.js";
/** @import { Plan, Scene, Step } from "../types" */

// What is followed, and until which cell.
/** @param {Plan} plan @returns {{ until: number, policyIn: (cell: number) => number }[]} */
function stages({ note, plans }) {
  if (note) return plans.map(({ goal, policy }) => ({ until: goal, policyIn: (cell) => policy[cell] }));
  return plans.flatMap(({ legs }) => legs).map(({ subgoal, policy }) => ({ until: subgoal, policyIn: () => policy }));
}

// The steps of one walk from the start through all goals. In a cell without a plan any move is taken.
/** @param {Scene} scene @param {Plan} plan @param {() => number} random @returns {Generator<Step, void>} */
export function* walk(scene, plan, random) {
  const anyMove = () => Math.floor(random() * scene.moves);
  let cell = scene.start;
  for (const { until, policyIn } of stages(plan)) while (cell !== until) {
    const policy = policyIn(cell), wanted = policy < 0 ? anyMove() : plan.actions[policy][cell];
    const move = random() < scene.noise ? anyMove() : wanted, from = cell;
    cell = cellAfter(scene, cell, move);
    yield { from, to: cell, slipped: move !== wanted };
  }
}

// The expected discount of a walk; null if it is too small for a number.
/** @param {Plan} plan */
export function expectedDiscount({ note, plans, tourFollowed }) {
  const legs = plans.flatMap((goal) => goal.legs);
  return (note ? tourFollowed : legs.reduce((product, { factor }) => product * factor, 1)) || null;
}
