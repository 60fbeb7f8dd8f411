"""What subjects did where two models make different predictions.

Most choices are predicted alike by all models: go on, towards the goal. Models are told apart by
the choices at which they prefer different moves. A model prefers the actions to which it gives its
largest probability, of which there may be several; two models disagree at a choice if they prefer
none in common. There, how often did subjects make either one's move?

    first, second = (held_out(each, subjects, folds=folds) for each in fits)
    shares(disagreement(first, second, subjects))
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.behaviour.held_out import HeldOut
from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.core.errors import InputError

TIED = 1e-6
"""Actions are preferred alike if their log probabilities differ by less than this."""


def preferred(log_probabilities: Float[np.ndarray, "I T A"]) -> Bool[np.ndarray, "I T A"]:
    """Return which actions have the largest probability, up to rounding."""
    return log_probabilities > log_probabilities.max(axis=-1, keepdims=True) - TIED


def disagreement(
    first: HeldOut, second: HeldOut, subjects: Subjects
) -> dict[str, Int[np.ndarray, " I"]]:
    """Return what subjects did where two models prefer different moves.

    Returns:
        For each subject the number of all choices, "choices", and the numbers of disagreements at
        which it did what the first model prefers, "did_first", what the second one prefers,
        "did_second", or something else, "did_neither".
    """
    choices = subjects.choices
    shape = choices.allowed.shape
    if not first.log_probabilities.shape == second.log_probabilities.shape == shape:
        raise InputError(
            "disagreement: first and second must predict the choices of subjects, of shape "
            f"{list(shape)}, got {list(first.log_probabilities.shape)} and "
            f"{list(second.log_probabilities.shape)}"
        )
    one, other = preferred(first.log_probabilities), preferred(second.log_probabilities)
    apart = choices.counted & ~(one & other).any(axis=-1)
    actions = choices.actions[..., None]
    did = [np.take_along_axis(each, actions, axis=-1)[..., 0] & apart for each in (one, other)]
    return {
        "choices": choices.counted.sum(axis=1),
        "did_first": did[0].sum(axis=1),
        "did_second": did[1].sum(axis=1),
        "did_neither": (apart & ~did[0] & ~did[1]).sum(axis=1),
    }


def shares(counts: Mapping[str, Any]) -> Float[np.ndarray, "I 3"]:
    """Return shares of disagreements at which the first, the second or neither model was right.

    NaN for a subject whose choices are all predicted alike.

    Args:
        counts: what `disagreement` returned, or a row of it.
    """
    did = np.array([counts[f"did_{whose}"] for whose in ("first", "second", "neither")], float).T
    number = did.sum(axis=1, keepdims=True)
    return did / np.where(number > 0, number, np.nan)
