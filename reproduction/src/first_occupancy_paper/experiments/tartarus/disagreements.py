"""What subjects did where two models make different predictions.

Most choices are predicted alike by all models: go on, towards the goal. Models are told apart by
the choices at which they prefer different moves. A model prefers the actions to which it gives its
largest probability, of which there may be several; two models disagree at a choice if they prefer
none in common. There, how often did subjects make either one's move?

    first, second = (held_out(model, subjects, key, folds=folds) for model in models)
    disagreement(first, second, subjects).shares
"""

import equinox as eqx
import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.behaviour.held_out import HeldOut
from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.core.errors import InputError

TIED = 1e-6
"""Actions are preferred alike if their log probabilities differ by less than this."""


class Disagreement(eqx.Module):
    """Choices at which two models prefer different moves.

    Attributes:
        names: names of the two models.
        first: number of these choices at which each subject did what the first model prefers.
        second: number at which it did what the second one prefers.
        neither: number at which it did something else.
        num_choices: number of all choices of each subject.
    """

    names: tuple[str, str] = eqx.field(static=True)
    first: Int[np.ndarray, " I"]
    second: Int[np.ndarray, " I"]
    neither: Int[np.ndarray, " I"]
    num_choices: Int[np.ndarray, " I"]

    @property
    def number(self) -> Int[np.ndarray, " I"]:
        """How often the models disagree, for each subject."""
        return self.first + self.second + self.neither

    @property
    def shares(self) -> Float[np.ndarray, "I 3"]:
        """Shares of disagreements at which the first, the second or neither model was right.

        NaN for a subject whose choices are all predicted alike.
        """
        counts = np.stack([self.first, self.second, self.neither], axis=1).astype(float)
        number = counts.sum(axis=1, keepdims=True)
        return counts / np.where(number > 0, number, np.nan)

    def __repr__(self) -> str:
        number = max(int(self.number.sum()), 1)
        return (
            f"Disagreement({self.names[0]} and {self.names[1]} differ at "
            f"{int(self.number.sum()):,} of {int(self.num_choices.sum()):,} choices: "
            f"{self.first.sum() / number:.0%} and {self.second.sum() / number:.0%} right, "
            f"{self.neither.sum() / number:.0%} neither)"
        )


def preferred(log_probabilities: Float[np.ndarray, "I T A"]) -> Bool[np.ndarray, "I T A"]:
    """Return which actions have the largest probability, up to rounding."""
    logs = np.asarray(log_probabilities)
    return np.asarray(logs > logs.max(axis=-1, keepdims=True) - TIED)


def disagreement(first: HeldOut, second: HeldOut, subjects: Subjects) -> Disagreement:
    """Return what subjects did where two models prefer different moves."""
    shape = subjects.choices.allowed.shape
    if not first.log_probabilities.shape == second.log_probabilities.shape == shape:
        raise InputError(
            "disagreement: first and second must predict the choices of subjects, of shape "
            f"{list(shape)}, got {list(first.log_probabilities.shape)} and "
            f"{list(second.log_probabilities.shape)}"
        )
    counted = np.asarray(subjects.choices.counted)
    one, other = preferred(first.log_probabilities), preferred(second.log_probabilities)
    apart = counted & ~(one & other).any(axis=-1)
    actions = np.asarray(subjects.choices.actions)[..., None]
    did = [np.take_along_axis(each, actions, axis=-1)[..., 0] & apart for each in (one, other)]
    return Disagreement(
        (first.model.name, second.model.name),
        did[0].sum(axis=1),
        did[1].sum(axis=1),
        (apart & ~did[0] & ~did[1]).sum(axis=1),
        counted.sum(axis=1),
    )
