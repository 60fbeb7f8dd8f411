"""Maximum likelihood estimates, of all subjects and from several starts at once.

The fit is by Fisher scoring (`_scoring`), for which models need first derivatives only.

Two things keep fits fast, and change no sum: choices that a model cannot tell apart are counted
together (`grouping`), and fits to different parts of the same choices, as when one layout after
another is left out, run side by side (`fit_parts`).
"""

import dataclasses
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.behaviour._scoring import fit_all
from first_occupancy.behaviour.grouping import grouped
from first_occupancy.behaviour.models import Model
from first_occupancy.behaviour.parameters import distribution, draw, named
from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.core.arguments import PositiveInt, check_arguments
from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.errors import InputError, check_key, warn

UNDETERMINED = 10.0
"""Standard error, on the unconstrained scale, from which a parameter counts as undetermined."""

AT_ONCE = 2**28
"""Bytes of log probabilities and derivatives that are held together."""


class UndeterminedWarning(UserWarning):
    """The data do not determine a parameter."""


class Fit(eqx.Module):
    """The fit of one model to several subjects.

    Attributes:
        model: the model.
        names: names of the subjects.
        numbers: estimates on the unconstrained scale.
        information: Fisher information there.
        log_likelihoods: log-likelihood of the choices that were fitted.
        num_choices: number of choices that were fitted.
        starts_agree: share of starts that ended within 0.01 nats of the best one.
    """

    model: Model
    names: tuple[str, ...] = eqx.field(static=True)
    numbers: Float[Array, "I P"]
    information: Float[Array, "I P P"]
    log_likelihoods: Float[Array, " I"]
    num_choices: Int[Array, " I"]
    starts_agree: Float[Array, " I"]

    @property
    def values(self) -> dict[str, Float[Array, " I"]]:
        """The estimates, by the name of the parameter."""
        return named(self.model.parameters, self.numbers)

    @property
    def log_likelihood(self) -> float:
        """The sum over subjects, in nats."""
        return float(self.log_likelihoods.sum())

    @property
    def standard_errors(self) -> Float[np.ndarray, "I P"]:
        """Standard errors on the unconstrained scale; infinite where nothing is known."""
        floor = 1e-12 * np.eye(self.numbers.shape[-1])
        inverse = np.linalg.inv(np.asarray(self.information) + floor)
        return np.sqrt(np.maximum(np.diagonal(inverse, axis1=-2, axis2=-1), 0.0))

    @property
    def aic(self) -> Float[Array, " I"]:
        """Akaike's information criterion of each subject; smaller is better."""
        return 2 * self.numbers.shape[-1] - 2 * self.log_likelihoods

    @property
    def bic(self) -> Float[Array, " I"]:
        """The Bayesian information criterion of each subject; smaller is better."""
        count = self.numbers.shape[-1]
        return count * jnp.log(self.num_choices) - 2 * self.log_likelihoods

    def __repr__(self) -> str:
        medians = ", ".join(
            f"{name} {float(jnp.median(value)):.3g}" for name, value in self.values.items()
        )
        return (
            f"Fit({self.model.name}: log-likelihood {self.log_likelihood:,.1f} of "
            f"{len(self.names)} subjects; medians: {medians or 'no parameters'})"
        )


@check_arguments
def fit(
    model: Model,
    subjects: Subjects,
    key: PRNGKey,
    *,
    num_starts: PositiveInt = 4,
    fitted: Bool[np.ndarray, "I T"] | None = None,
) -> Fit:
    """Return the best estimates of each subject's parameters; warn of undetermined ones.

    Args:
        num_starts: number of starts, one at the parameters' typical values and the others drawn.
        fitted: which choices to fit; learning goes along the whole path all the same. None for all.
    """
    check_key("fit", "key", key)
    counted = subjects.choices.counted
    weights = counted if fitted is None else counted & np.asarray(fitted)
    starts = draw(model.parameters, (len(subjects), num_starts), key)
    starts[:, 0] = distribution(model.parameters)[0]
    prepared = model.valuation.prepare(subjects)
    (result,) = fit_parts(model, subjects, weights[:, None], starts[:, None], prepared)
    _warn_of_undetermined(result)
    return result


def fit_parts(
    model: Model,
    subjects: Subjects,
    fitted: Bool[np.ndarray, "I F T"],
    starts: Float[np.ndarray, "I F starts P"],
    prepared: Any,
) -> list[Fit]:
    """Return the fits of several parts of the same choices, side by side.

    Args:
        prepared: what `model.valuation.prepare(subjects)` returned.
    """
    weights = np.asarray(fitted, float)
    empty = np.argwhere(~(weights > 0).any(axis=2))
    if len(empty):
        raise InputError(f"fit: {subjects.names[empty[0, 0]]} must have a choice to fit, got none")
    choices = subjects.choices
    if model.valuation.separable:
        choices, prepared, weights = grouped(model, choices, prepared, weights)
    number, parts, length = weights.shape
    each = 8 * number * length * starts.shape[2] * choices.allowed.shape[-1]
    together = max(1, min(parts, AT_ONCE // (each * (2 + starts.shape[3]))))
    together = -(-parts // -(-parts // together))  # as equal as possible
    unnamed, found = dataclasses.replace(model, name=""), []
    for begin in range(0, parts, together):
        # The last ones again, if need be: one size, one program.
        places = np.minimum(np.arange(begin, begin + together), parts - 1)
        inputs = map(jnp.asarray, (weights[:, places], starts[:, places]))
        fields = fit_all(unnamed, choices, subjects.layouts, prepared, *inputs)
        found.append([np.asarray(field)[:, : parts - begin] for field in fields])
    joined = [np.concatenate(field, axis=1) for field in zip(*found, strict=True)]
    return [
        Fit(model, subjects.names, *(jnp.asarray(field[:, place]) for field in joined))
        for place in range(parts)
    ]


def _warn_of_undetermined(result: Fit) -> None:
    errors = result.standard_errors
    for place, parameter in enumerate(result.model.parameters):
        unknown = np.flatnonzero(~(errors[:, place] < UNDETERMINED))
        if len(unknown):
            warn(
                f"fit: the choices do not determine {parameter.name} of {result.model.name} for "
                f"{len(unknown)} of {len(errors)} subjects, first {result.names[unknown[0]]}",
                UndeterminedWarning,
            )
