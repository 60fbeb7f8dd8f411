"""Choices that a model cannot tell apart, counted together.

A planner's value of an action depends on the steps that remain after it, and on nothing else. Of
some thousand recorded choices most agree with another one in the steps after each action, the
actions that are available and the one that was taken. Their log-likelihoods are equal for all
parameters, so one of them is evaluated and multiplied by their number: sums over choices stay the
same, up to rounding.
"""

import dataclasses
from typing import Any

import jax
import numpy as np
from jaxtyping import Float, Int

from first_occupancy.behaviour.models import Model
from first_occupancy.behaviour.subjects import NO_ACTION, Choices

MULTIPLE = 64
"""Numbers of groups are rounded up to a multiple of this, so that fewer programs are compiled."""


def grouped(
    model: Model, choices: Choices, prepared: Any, weights: Float[np.ndarray, "I F T"]
) -> tuple[Choices, Any, Float[np.ndarray, "I F U"]]:
    """Return one choice of each group, what was prepared for it, and the group's weights.

    Returns:
        Choices and prepared arrays with an axis of groups in place of that of choices; sums of
        weights over each group. Groups that only fill up have weight 0.
    """
    if not model.choice.remembers:
        nothing = np.full_like(choices.previous, NO_ACTION)
        choices = dataclasses.replace(choices, previous=nothing)
    arrays = (choices, prepared)
    seen = [choices.allowed, choices.actions, choices.previous, *jax.tree.leaves(prepared)]
    keys = [np.asarray(each, float).reshape(*choices.states.shape, -1) for each in seen]
    table = np.concatenate(keys, axis=-1)
    found = [_groups(rows) for rows in table]
    longest = -(-max(len(first) for first, _ in found) // MULTIPLE) * MULTIPLE
    first = np.stack([np.pad(each, (0, longest - len(each))) for each, _ in found])
    sums = np.zeros((*weights.shape[:2], longest))
    for own, weight, (_, which) in zip(sums, weights, found, strict=True):
        for part, of_part in zip(own, weight, strict=True):
            part += np.bincount(which, of_part, longest)
    subject = np.arange(len(first))[:, None]
    picked = jax.tree.map(lambda each: np.asarray(each)[subject, first], arrays)
    return (*picked, sums)


def _groups(rows: Float[np.ndarray, "T D"]) -> tuple[Int[np.ndarray, " U"], Int[np.ndarray, " T"]]:
    """Return the first row of each group of equal rows, and the group of each row."""
    _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, which.reshape(-1)
