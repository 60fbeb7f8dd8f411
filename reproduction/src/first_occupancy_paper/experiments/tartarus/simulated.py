"""Recorded trials and those of subjects simulated with fitted parameters, layout by layout.

Phases of learning: trials within a layout, and layouts in the order in which they were met.
"""

from functools import partial

import jax
import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from first_occupancy.behaviour.fitting import Fit
from first_occupancy.behaviour.recovery import simulated_like
from first_occupancy.behaviour.simulation import starts_of
from first_occupancy.behaviour.subjects import NO_ACTION, Subjects
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
    layouts, trials = subjects.choices.layouts, subjects.choices.trials
    counted, everyone = subjects.choices.counted, np.arange(len(subjects))[:, None]
    first = np.full((len(subjects), len(subjects.layouts.free)), trials.max() + 1)
    np.minimum.at(first, (everyone, layouts), np.where(counted, trials, trials.max() + 1))
    since = trials - first[everyone, layouts]
    sums = {}
    for numbers, phases in ((since, WITHIN_A_LAYOUT), (layouts, OVER_LAYOUTS)):
        for name, (begin, end) in phases.items():
            inside = counted & (begin <= numbers) & (numbers < end)
            sums[name] = np.where(inside, logs, 0.0).sum(axis=1)
    return sums


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
        shown[f"{name}_success"] = _means(ended, layouts, who)
        shown[f"{name}_detours"] = _means(beyond[ended], layouts[ended], who)
    return shown


def _means(
    numbers: Shaped[np.ndarray, " E"], layouts: Int[np.ndarray, " E"], subjects: Subjects
) -> Float[np.ndarray, " L"]:
    """Return the mean over the trials of each layout; NaN where there are none."""
    of_layout = [numbers[layouts == each] for each in range(len(subjects.layouts.free))]
    return np.array([own.mean() if len(own) else np.nan for own in of_layout])


def _trials(
    subjects: Subjects,
) -> tuple[Int[np.ndarray, " E"], Bool[np.ndarray, " E"], Float[np.ndarray, " E"]]:
    """Return the layout of each trial, whether it reached the goal in time, and extra moves."""
    # All choices of all subjects, one after another.
    choices = jax.tree.map(lambda each: each[subjects.choices.counted], subjects.choices)
    first = np.flatnonzero(choices.previous == NO_ACTION)
    last = np.append(first[1:], len(choices.states)) - 1
    moves, layouts = 1 + last - first, choices.layouts[first]
    ended = (choices.next_states[last] == subjects.layouts.goal) & (moves <= LONGEST_TRIAL)
    return layouts, ended, moves - shortest_paths(subjects)[layouts, choices.states[first]]


def shortest_paths(subjects: Subjects) -> Float[np.ndarray, "L S"]:
    """Return the number of steps from each cell to the goal, in each layout."""
    steps = partial(steps_to_goal, subjects.layouts)
    return np.asarray(jax.vmap(steps)(subjects.layouts.free))
