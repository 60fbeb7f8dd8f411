"""Direct runs: how often mice go straight to the exit or to the water, and how often by chance.

In a tree one path leads from a node to any other. A run is direct if a mouse that is `FAR` moves
away from a target is there `FAR` moves later. A mouse that follows nothing but its turning biases
does so with a probability that is the product of its choices' probabilities along that path; the
sum of these over all moments at which it was that far away is the number of direct runs to expect.
"""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from first_occupancy.behaviour.fitting import Fit
from first_occupancy.behaviour.subjects import Layouts, Subjects
from first_occupancy_paper.rows.row import Row

FAR = 6
"""Moves of a direct run: as many as from the first junction to a dead end."""


def steps_between(layouts: Layouts) -> Int[np.ndarray, "S S"]:
    """Return the number of steps between any two nodes, where all moves can be undone."""
    following, exists = np.asarray(layouts.next_states), np.asarray(layouts.exists)
    here = np.arange(len(following))[:, None] + np.zeros_like(following)
    edges = csr_array((exists[exists].astype(int), (here[exists], following[exists])))
    return shortest_path(edges, unweighted=True).astype(int)


def direct_runs(found: Fit, subjects: Subjects, target: int) -> Row:
    """Return how many direct runs to a target there were, and how many biases let one expect.

    Args:
        found: fit of turning biases to one mouse.
        subjects: the recorded choices of that mouse.
        target: node to which the runs lead.
    """
    layouts = subjects.layouts
    steps, following = steps_between(layouts)[:, target], np.asarray(layouts.next_states)
    ahead = np.where(layouts.exists, steps[following], np.iinfo(int).max)
    own, chances = subjects.choices.of(0), _turning_chances(found, layouts)
    trials, seen, expected = own.trials, [], []
    for time in np.flatnonzero(steps[own.states] == FAR):
        last = time + FAR - 1
        here = last < len(trials) and trials[last] == trials[time]
        seen.append(bool(here and own.next_states[last] == target))
        state, before, chance = own.states[time], own.previous[time], 1.0
        while state != target:
            action = int(ahead[state].argmin())
            chance *= chances[state, before, action]
            state, before = following[state, action], action
        expected.append(chance)
    half = len(seen) // 2
    return {
        "moments": len(seen),
        "runs": sum(seen),
        "expected": round(float(np.sum(expected)), 3),
        "early": [sum(seen[:half]), round(float(np.sum(expected[:half])), 3)],
        "late": [sum(seen[half:]), round(float(np.sum(expected[half:])), 3)],
    }


def _turning_chances(found: Fit, layouts: Layouts) -> Float[np.ndarray, "S before A"]:
    """Return the probability of each action by node and action before; the last row is none."""
    names = [f"turn_{kind}" for kind in range(1, len(layouts.turn_names))]
    kinds = np.array([0.0, *(float(found.values[name][0]) for name in names)])
    # The last row is that of NO_ACTION, -1.
    biases = np.append(kinds[np.asarray(layouts.turns)], np.zeros((1, layouts.num_actions)), axis=0)
    weights = np.exp(biases) * np.asarray(layouts.exists)[:, None]
    return weights / weights.sum(axis=-1, keepdims=True)
