r"""Alg. 1 in its most direct forms: with a plain argmax, or with in-place sweeps.

Both work on whole numbers of steps, the logarithms of discounts to the base $\gamma$, so that
ties are exact and not decided by rounding.
"""

import numpy as np
from jaxtyping import Float, Int

from first_occupancy_paper.rows.row import Row


def self_subgoals(steps: Float[np.ndarray, "N S S"]) -> Row:
    """Return how often Alg. 1's last sweep chooses a state as its own subgoal.

    Args:
        steps: number of steps that policy n takes from s to t; infinite if it never arrives.

    Returns:
        Over all `pairs` of start and goal: how often a state is `chosen` as its own subgoal if
        ties go to the first policy, then the first subgoal; the share `by_chance` if ties are
        broken at random; and the number of starts from which Alg. 2 never ends (`endless`).
    """
    num_states = steps.shape[1]
    chosen = endless = pairs = 0
    by_chance = 0.0
    states = np.arange(num_states)
    for goal in range(num_states):
        through = _last_sweep(steps, goal)
        others = states != goal
        subgoal = through.transpose(1, 0, 2).reshape(num_states, -1).argmin(axis=1) % num_states
        best = through == through.min(axis=(0, 2), keepdims=True)
        itself = best[:, states, states].sum(axis=0) / best.sum(axis=(0, 2))
        pairs += int(others.sum())
        chosen += int((subgoal == states)[others].sum())
        by_chance += float(itself[others].sum())
        endless += int((_follow(subgoal) != goal)[others].sum())
    return {"pairs": pairs, "chosen": chosen, "by_chance": by_chance / pairs, "endless": endless}


def _last_sweep(steps: Float[np.ndarray, "N S S"], goal: int) -> Float[np.ndarray, "N S S"]:
    """Return the steps through every policy and subgoal in the first sweep without a change."""
    to_goal = steps[:, :, goal].min(axis=0)
    while True:
        through = steps + to_goal[None, None, :]
        shorter = through.min(axis=(0, 2))
        if np.array_equal(shorter, to_goal):
            return through
        to_goal = shorter


def _follow(subgoal: Int[np.ndarray, " S"]) -> Int[np.ndarray, " S"]:
    """Return where each state's chain of subgoals leads, after more legs than there are states."""
    for _ in range(len(subgoal).bit_length()):
        subgoal = subgoal[subgoal]
    return subgoal


def in_place_sweeps(best: Float[np.ndarray, "S S"], most: int) -> list[Float[np.ndarray, "S S"]]:
    """Return the steps [state, goal] after 0, 1, ... in-place sweeps over the states, in order.

    Args:
        best: number of steps that the quickest policy takes from s to t.
        most: number of sweeps.
    """
    to_goals = best.copy()
    results = [to_goals.copy()]
    for _ in range(most):
        for state in range(len(best)):
            to_goals[state] = (best[state][:, None] + to_goals).min(axis=0)
        results.append(to_goals.copy())
    return results


def steps_walked(
    next_states: Int[np.ndarray, "A S"], policy: Int[np.ndarray, "G S"]
) -> Float[np.ndarray, "S G"]:
    """Return how many steps each goal's policy takes from every state; infinite if it fails.

    Args:
        next_states: state that each action leads to.
        policy: action in each state, for each goal.
    """
    num_goals, num_states = policy.shape
    steps = np.full((num_states, num_goals), np.inf)
    goals = np.arange(num_goals)
    here = np.tile(np.arange(num_states)[:, None], (1, num_goals))
    for time in range(num_states):
        steps = np.where((here == goals) & np.isinf(steps), time, steps)
        here = next_states[policy[goals[None, :], here], here]
    return steps
