r"""Alg. 1 as others would write it: with the plain argmax, or with sweeps in place.

Both work on whole numbers of steps, where $-\log$ of a discount is a length, so that ties
are exact and no rounding decides them.
"""

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.experiments import Row


def self_subgoals(steps: Float[np.ndarray, "N S S"]) -> Row:
    """Return how often Alg. 1's last sweep chooses a state as its own subgoal.

    `steps[n, s, t]` is how long policy n takes from s to t. Among equally good pairs of
    policy and subgoal the first is taken, policy by policy; `by_chance` is the share if
    one is drawn at random. `endless` counts starts from which Alg. 2 never ends.
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
    """Return the steps of every policy and subgoal in the sweep that changes nothing more."""
    to_goal = steps[:, :, goal].min(axis=0)
    while True:
        through = steps + to_goal[None, None, :]
        shorter = through.min(axis=(0, 2))
        if np.array_equal(shorter, to_goal):
            return through
        to_goal = shorter


def _follow(subgoal: Int[np.ndarray, " S"]) -> Int[np.ndarray, " S"]:
    """Return where going from subgoal to subgoal leads, after more rounds than there are states."""
    for _ in range(len(subgoal).bit_length()):
        subgoal = subgoal[subgoal]
    return subgoal


def in_place_sweeps(best: Float[np.ndarray, "S S"], most: int) -> list[Float[np.ndarray, "S S"]]:
    """Return the steps [state, goal] after 0, 1, ... sweeps that see their own results at once.

    `best[s, t]` is how long the quickest policy takes; states are swept in their order.
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
    """Return how long following each goal's policy takes from every state; infinite if for ever."""
    num_goals, num_states = policy.shape
    steps = np.full((num_states, num_goals), np.inf)
    goals = np.arange(num_goals)
    here = np.tile(np.arange(num_states)[:, None], (1, num_goals))
    for time in range(num_states):
        steps = np.where((here == goals) & np.isinf(steps), time, steps)
        here = next_states[policy[goals[None, :], here], here]
    return steps
