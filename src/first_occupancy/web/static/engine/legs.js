// The legs of a plan: follow a policy until a subgoal, then the next (Alg. 2).
/** @import { Leg, Tables } from "../types" */

// The legs from a cell to the goal; none where no plan is known. `after(cell, move)` is where a move leads without noise.
/**
 * @param {Tables} plan
 * @param {number} start
 * @param {ArrayLike<number>[]} actions
 * @param {(cell: number, move: number) => number} after
 * @returns {Leg[]}
 */
export function unroll({ goal, policy, subgoal, factor }, start, actions, after) {
  const legs = [];
  let from = start;
  while (from !== goal && subgoal[from] >= 0) {
    const moves = actions[policy[from]];
    legs.push({ policy: policy[from], from, subgoal: subgoal[from], factor: factor[from], ...way(from, subgoal[from], moves, after) });
    from = subgoal[from];
  }
  return legs;
}

// The cells that a policy passes without noise, until the subgoal. Under noise it may never get there by itself: then
// the cells end where it stands still, or begins to go round.
/** @param {number} from @param {number} subgoal @param {ArrayLike<number>} moves @param {(cell: number, move: number) => number} after */
function way(from, subgoal, moves, after) {
  const cells = [from], passed = new Set(cells);
  while (cells[cells.length - 1] !== subgoal) {
    const here = cells[cells.length - 1], next = after(here, moves[here]);
    if (passed.has(next)) return { cells, arrives: false };
    cells.push(next);
    passed.add(next);
  }
  return { cells, arrives: true };
}
