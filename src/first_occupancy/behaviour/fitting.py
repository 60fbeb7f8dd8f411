r"""Maximum likelihood and MAP estimates, of all subjects and from several starts at once.

Models have few parameters and many choices, so the fit is by Fisher scoring with Levenberg's
damping: with $g_{ta} = \partial \log p_t(a) / \partial\theta$ on the unconstrained scale,

$$\nabla = \sum_t g_{t a_t}, \qquad
  \mathcal{I} = \sum_t \sum_a p_t(a)\, g_{ta} g_{ta}^\top, \qquad
  \theta \leftarrow \theta + (\mathcal{I} + \mu D)^{-1} \nabla .$$

The information is positive semidefinite, takes first derivatives only, and says afterwards how well
each parameter is determined. Derivatives are taken forwards, through all learning.
"""

import warnings
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.behaviour.models import Model, of_chosen
from first_occupancy.behaviour.parameters import distribution, draw, named
from first_occupancy.behaviour.subjects import Choices, Layouts, Subjects
from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.errors import InputError, check_key

MAX_ROUNDS = 80
TOLERANCE = 1e-5
"""Expected improvement, in nats, below which a fit has converged."""

LONGEST_STEP = 2.0
"""Largest change of a parameter in one round, on the unconstrained scale."""

UNDETERMINED = 10.0
"""Standard error, on the unconstrained scale, from which a parameter counts as undetermined."""


class UndeterminedWarning(UserWarning):
    """The data do not determine a parameter."""


class NormalPrior(eqx.Module):
    """Independent normal priors on the unconstrained scale.

    Attributes:
        mean: means.
        spread: standard deviations.
    """

    mean: Float[Array, " P"]
    spread: Float[Array, " P"]


class Fit(eqx.Module):
    """The fit of one model to several subjects.

    Attributes:
        model: the model.
        names: names of the subjects.
        numbers: estimates on the unconstrained scale.
        information: Fisher information there, with the prior's.
        log_likelihoods: log-likelihood of the choices that were fitted.
        log_priors: log density of the estimates under the prior, 0 without one.
        num_choices: number of choices that were fitted.
        starts_agree: share of starts that ended within 0.01 nats of the best one.
    """

    model: Model
    names: tuple[str, ...] = eqx.field(static=True)
    numbers: Float[Array, "I P"]
    information: Float[Array, "I P P"]
    log_likelihoods: Float[Array, " I"]
    log_priors: Float[Array, " I"]
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
    def standard_errors(self) -> Float[Array, "I P"]:
        """Standard errors on the unconstrained scale; infinite where nothing is known."""
        count = self.numbers.shape[-1]
        floor = 1e-12 * jnp.eye(count)
        inverse = jnp.linalg.inv(self.information + floor[None])
        return jnp.sqrt(jnp.maximum(jnp.diagonal(inverse, axis1=-2, axis2=-1), 0.0))

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
        """Return the sum of log-likelihoods and the medians of the estimates."""
        medians = ", ".join(
            f"{name} {float(jnp.median(value)):.3g}" for name, value in self.values.items()
        )
        return (
            f"Fit({self.model.name}: log-likelihood {self.log_likelihood:,.1f} of "
            f"{len(self.names)} subjects; medians: {medians or 'no parameters'})"
        )


def fit(
    model: Model,
    subjects: Subjects,
    key: PRNGKey,
    *,
    num_starts: int = 4,
    fitted: Bool[np.ndarray, "I T"] | None = None,
    prior: NormalPrior | None = None,
    start: Float[Array, "I P"] | None = None,
    prepared: Any = None,
) -> Fit:
    """Return the estimates of each subject's parameters.

    Args:
        model: the model.
        subjects: recorded choices.
        key: JAX random key, for the starts.
        num_starts: number of starts, one at the parameters' typical values and the others drawn;
            may be 0 if `start` is given.
        fitted: which choices to fit; learning goes along the whole path all the same. None for all.
        prior: prior of the parameters, for MAP estimates; None for maximum likelihood.
        start: numbers to start from in addition, on the unconstrained scale.
        prepared: what `model.valuation.prepare(subjects)` returned, to fit the same choices again
            without preparing them again; None to prepare them.

    Returns:
        The best estimates over all starts, with a warning if a parameter is undetermined.

    Raises:
        InputError: if `num_starts` is below 1, or a subject has no choice to fit.
    """
    check_key("fit", "key", key)
    if num_starts < (start is None):
        raise InputError(f"fit: num_starts must be at least 1, got {num_starts}")
    counted = subjects.choices.counted
    weights = counted if fitted is None else counted & jnp.asarray(fitted)
    empty = np.flatnonzero(~np.asarray(weights).any(axis=1))
    if len(empty):
        raise InputError(f"fit: {subjects.names[empty[0]]} must have a choice to fit, got none")
    starts = _starts(model, len(subjects), key, num_starts)
    if start is not None:
        starts = jnp.concatenate([jnp.asarray(start)[:, None], starts], axis=1)
    prepared = model.valuation.prepare(subjects) if prepared is None else prepared
    found = _fit_all(
        model, subjects.choices, subjects.layouts, prepared, weights.astype(float), starts, prior
    )
    result = Fit(model, subjects.names, *found)
    _warn_of_undetermined(result)
    return result


def _starts(model: Model, number: int, key: PRNGKey, num_starts: int) -> Float[Array, "I starts P"]:
    drawn = draw(model.parameters, (number, num_starts), key)
    return drawn.at[:, :1].set(distribution(model.parameters)[:1][None])


class _Point(eqx.Module):
    """Where an optimisation is: its place, objective, gradient, information and damping."""

    numbers: Float[Array, " P"]
    objective: Float[Array, ""]
    likelihood: Float[Array, ""]
    gradient: Float[Array, " P"]
    information: Float[Array, "P P"]
    damping: Float[Array, ""]
    rounds: Int[Array, ""]
    done: Bool[Array, ""]


def _point(
    numbers: Float[Array, " P"],
    looked: tuple[Array, Array, Array, Array],
    damping: Float[Array, ""],
    rounds: Int[Array, ""],
    done: Bool[Array, ""],
) -> _Point:
    """Return where an optimisation is, from what `_look` returned."""
    objective, likelihood, gradient, information = looked
    return _Point(numbers, objective, likelihood, gradient, information, damping, rounds, done)


@eqx.filter_jit
def _fit_all(
    model: Model,
    choices: Choices,
    layouts: Layouts,
    prepared: Any,
    weights: Float[Array, "I T"],
    starts: Float[Array, "I starts P"],
    prior: NormalPrior | None,
) -> tuple[Array, ...]:
    """Return the fields of `Fit` after the names."""

    def one(mine: Choices, own: Any, weight: Array, begin: Array) -> _Point:
        return _climb(lambda at: _look(model, mine, layouts, own, weight, prior, at), begin)

    many = jax.vmap(jax.vmap(one, in_axes=(None, None, None, 0)))
    points = many(choices, prepared, weights, starts)
    best = points.objective.argmax(axis=1)
    top = jax.tree.map(lambda each: jax.vmap(lambda row, at: row[at])(each, best), points)
    agree = (points.objective > top.objective[:, None] - 0.01).mean(axis=1)
    return (
        top.numbers,
        top.information,
        top.likelihood,
        top.objective - top.likelihood,
        weights.sum(axis=1).astype(int),
        agree,
    )


def _look(
    model: Model,
    choices: Choices,
    layouts: Layouts,
    prepared: Any,
    weights: Float[Array, " T"],
    prior: NormalPrior | None,
    numbers: Float[Array, " P"],
) -> tuple[Array, Array, Array, Array]:
    """Return objective, log-likelihood, gradient and information."""

    def logs(at: Float[Array, " P"]) -> tuple[Array, Array]:
        found = model.log_probabilities_of_one(
            named(model.parameters, at), choices, layouts, prepared
        )
        # Actions that are not available have no derivative, and no share in the information.
        found = jnp.where(choices.allowed, found, 0.0)
        return found, found

    slopes, found = jax.jacfwd(logs, has_aux=True)(numbers)
    slopes = jnp.where(jnp.isfinite(slopes), slopes, 0.0)
    weighted = jnp.where(weights > 0, of_chosen(found, choices), 0.0)
    likelihood = (weights * weighted).sum()
    chosen = jnp.take_along_axis(slopes, choices.actions[:, None, None], axis=1)[:, 0]
    gradient = weights @ chosen
    chances = jnp.where(choices.allowed, jnp.exp(found), 0.0) * weights[:, None]
    information = jnp.einsum("ta,tap,taq->pq", chances, slopes, slopes)
    if prior is None:
        return likelihood, likelihood, gradient, information
    away = (numbers - prior.mean) / prior.spread
    density = -0.5 * away**2 - jnp.log(prior.spread) - 0.5 * jnp.log(2 * jnp.pi)
    return (
        likelihood + density.sum(),
        likelihood,
        gradient - away / prior.spread,
        information + jnp.diag(prior.spread**-2.0),
    )


def _climb(look: Any, begin: Float[Array, " P"]) -> _Point:
    """Return the end of an ascent from one start."""
    first = _point(begin, look(begin), jnp.asarray(1e-2), jnp.asarray(0), jnp.asarray(False))

    def step(point: _Point) -> _Point:
        scale = jnp.diag(point.information)
        matrix = point.information + jnp.diag(point.damping * scale + 1e-9)
        change = jnp.linalg.solve(matrix, point.gradient)
        longest = jnp.abs(change).max(initial=0.0)
        change = change * jnp.minimum(1.0, LONGEST_STEP / jnp.maximum(longest, 1e-12))
        expected = point.gradient @ change
        numbers = point.numbers + change
        fields = look(numbers)
        better = fields[0] > point.objective
        done = expected < TOLERANCE
        moved = _point(numbers, fields, point.damping / 5, point.rounds + 1, done)
        stayed = eqx.tree_at(
            lambda each: (each.damping, each.rounds, each.done),
            point,
            (point.damping * 5, point.rounds + 1, done | (point.damping > 1e6)),
        )
        return jax.tree.map(lambda new, old: jnp.where(better, new, old), moved, stayed)

    def going(point: _Point) -> Bool[Array, ""]:
        return ~point.done & (point.rounds < MAX_ROUNDS)

    if begin.size == 0:
        return first
    return jax.lax.while_loop(going, step, first)


def _warn_of_undetermined(result: Fit) -> None:
    errors = np.asarray(result.standard_errors)
    for place, parameter in enumerate(result.model.parameters):
        unknown = np.flatnonzero(~(errors[:, place] < UNDETERMINED))
        if len(unknown):
            warnings.warn(
                f"fit: the choices do not determine {parameter.name} of {result.model.name} for "
                f"{len(unknown)} of {len(errors)} subjects, first {result.names[unknown[0]]}",
                UndeterminedWarning,
                stacklevel=3,
            )
