"""Recorded trials and those of subjects simulated with fitted parameters, layout by layout."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.behaviour.fitting import Fit
from first_occupancy.behaviour.recovery import simulated_like
from first_occupancy.behaviour.simulation import moves_per_trial, reaches_goal, starts_of
from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.behaviour.switch_distances import believed_moves, steps_to_goal
from first_occupancy.core.axes import PRNGKey

LONGEST_TRIAL = 45
"""Moves after which the study ended a trial of a simulated subject."""


def compared_by_layout(
    found: Fit, subjects: Subjects, key: PRNGKey
) -> dict[str, Float[np.ndarray, " L"]]:
    """Return how trials went in each layout, recorded and simulated.

    Returns:
        For "recorded" and "simulated", by "_success" the share of trials that reach the goal within
        `LONGEST_TRIAL` moves, and by "_detours" the mean number of moves beyond the shortest path,
        among those that do; NaN where no trial does.
    """
    like = simulated_like(found, subjects, starts_of(subjects), key, num_moves=LONGEST_TRIAL)
    shown = {}
    for name, who in (("recorded", subjects), ("simulated", like)):
        layouts, ended, beyond = _trials(who)
        every = range(int(who.layouts.free.shape[0]))
        shown[f"{name}_success"] = np.array([_mean(ended[layouts == each]) for each in every])
        shown[f"{name}_detours"] = np.array(
            [_mean(beyond[(layouts == each) & ended]) for each in every]
        )
    return shown


def _mean(numbers: np.ndarray) -> float:
    return float(numbers.mean()) if len(numbers) else float("nan")


def _trials(
    subjects: Subjects,
) -> tuple[Int[np.ndarray, " E"], Bool[np.ndarray, " E"], Float[np.ndarray, " E"]]:
    """Return the layout of each trial, whether it reached the goal in time, and extra moves."""
    begins = starts_of(subjects)
    has = begins.states >= 0
    layouts, states = begins.layouts[has], begins.states[has]
    moves = np.concatenate(moves_per_trial(subjects))
    ended = np.concatenate(reaches_goal(subjects)) & (moves <= LONGEST_TRIAL)
    return layouts, ended, moves - shortest_paths(subjects)[layouts, states]


def shortest_paths(subjects: Subjects) -> Float[np.ndarray, "L S"]:
    """Return the number of steps from each cell to the goal, in each layout."""
    layouts = subjects.layouts

    def steps(free: Bool[jax.Array, " S"]) -> Float[jax.Array, " S"]:
        return steps_to_goal(believed_moves(layouts.next_states, free), layouts.goal)

    return np.asarray(jax.vmap(steps)(jnp.asarray(layouts.free)))
