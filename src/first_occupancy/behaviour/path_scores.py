"""How well a path goes with values of cells: an FR, an SR, or the discount of a plan.

    score = score_path(subjects, values)      # values: one number per cell, such as fr[:, goal]

Nothing is fitted. At each choice the neighbours are ranked by their values, and the score says how
far up the one is that the subject went to. A random walk has a mean rank of one half, whatever the
values.
"""

import equinox as eqx
import numpy as np
from jaxtyping import ArrayLike, Float, Int

from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.core.errors import InputError


class PathScore(eqx.Module):
    """How well the paths of subjects go with values.

    Attributes:
        best: share of choices at which each subject went to a neighbour of the largest value.
        rank: mean share of the other neighbours with smaller values, ties counted half.
        num_choices: number of choices with at least two neighbours, which are those that count.
    """

    best: Float[np.ndarray, " I"]
    rank: Float[np.ndarray, " I"]
    num_choices: Int[np.ndarray, " I"]


def score_path(subjects: Subjects, values: Float[ArrayLike, " cells"]) -> PathScore:
    """Return how well the paths of subjects go with values of cells, such as a column of an FR."""
    size = subjects.layouts.num_states
    numbers = np.asarray(values, float)
    if numbers.shape != (size,) or np.isnan(numbers).any():
        raise InputError(
            f"score_path: values must be {size} numbers, one per cell, got shape "
            f"{list(numbers.shape)}{' with NaN' if np.isnan(numbers).any() else ''}"
        )
    choices = subjects.choices
    allowed, number_allowed = choices.allowed, choices.allowed.sum(axis=-1)
    ahead = numbers[np.asarray(subjects.layouts.next_states)[choices.states]]
    chosen = numbers[choices.next_states][..., None]
    counted = choices.counted & (number_allowed > 1)
    others = np.maximum(number_allowed - 1, 1)
    below = (allowed & (ahead < chosen)).sum(axis=-1)
    ties = (allowed & (ahead == chosen)).sum(axis=-1) - 1
    rank = (below + 0.5 * ties) / others
    best = ~(allowed & (ahead > chosen)).any(axis=-1)
    number = counted.sum(axis=1)
    divisor = np.where(number > 0, number, np.nan)
    return PathScore(
        (best & counted).sum(axis=1) / divisor,
        np.where(counted, rank, 0.0).sum(axis=1) / divisor,
        number,
    )
