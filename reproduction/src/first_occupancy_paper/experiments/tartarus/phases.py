"""Phases of learning: trials within a layout, and layouts in the order in which they were met."""

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.behaviour.subjects import Subjects

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
