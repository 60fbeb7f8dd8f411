"""Recorded trials and those of subjects simulated with fitted parameters, layout by layout.

Phases of learning: trials within a layout, and layouts in the order in which they were met.
"""

from functools import partial

import jax
import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.behaviour.fitting import Fit
from first_occupancy.behaviour.recovery import simulated_like
from first_occupancy.behaviour.simulation import moves_per_trial, reaches_goal, starts_of
from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.behaviour.switch_distances import steps_to_goal
from first_occupancy.core.axes import PRNGKey

WITHIN_A_LAYOUT = {"trial 1": (0, 1), "trials 2 to 5": (1, 5), "trials 6 to 10": (5, 10)}
"""Trials since a layout was met, as a half-open range."""

OVER_LAYOUTS = {"layouts 1 to 8": (0, 8), "layouts 9 to 16": (8, 16), "layouts 17 to 25": (16, 25)}
"""Layouts, as a half-open range."""

PHASES = (*WITHIN_A_LAYOUT, *OVER_LAYOUTS)


def sums_by_phase(
    logs: Float[np.ndarray, "I T"], subjects: Subjects
) -> dict[str, Float[np.ndarray, " I"]]:
    """Return sums over the choices of each phase, for each subject.

    Args:
        logs: a number for each choice, such as its log-likelihood.
        subjects: recorded choices.
    """
    numbers = np.stack([_trial_of_layout(subjects, place) for place in range(len(subjects))])
    layouts = np.asarray(subjects.choices.layouts)
    counted = np.asarray(subjects.choices.counted)

    def summed(values: Int[np.ndarray, "I T"], ends: tuple[int, int]) -> Float[np.ndarray, " I"]:
        inside: Bool[np.ndarray, "I T"] = counted & (ends[0] <= values) & (values < ends[1])
        return np.where(inside, logs, 0.0).sum(axis=1)

    within = {name: summed(numbers, ends) for name, ends in WITHIN_A_LAYOUT.items()}
    return within | {name: summed(layouts, ends) for name, ends in OVER_LAYOUTS.items()}


def _trial_of_layout(subjects: Subjects, place: int) -> Int[np.ndarray, " T"]:
    """Return the number of the trial within its layout, from 0, at each choice of one subject."""
    layouts = np.asarray(subjects.choices.layouts[place])
    trials = np.asarray(subjects.choices.trials[place])
    counted = np.asarray(subjects.choices.counted[place])
    first = np.zeros(int(subjects.layouts.free.shape[0]), int)
    for layout in np.unique(layouts[counted]):
        first[layout] = trials[counted & (layouts == layout)].min()
    return trials - first[layouts]


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
    steps = partial(steps_to_goal, subjects.layouts)
    return np.asarray(jax.vmap(steps)(subjects.layouts.free))
