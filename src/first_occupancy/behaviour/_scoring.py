r"""Fisher scoring, of all subjects, parts of their choices and starts at once.

Models have few parameters and many choices, so the fit is by Fisher scoring with Levenberg's
damping: with $g_{ta} = \partial \log p_t(a) / \partial\theta$ on the unconstrained scale,

$$\nabla = \sum_t g_{t a_t}, \qquad
  \mathcal{I} = \sum_t \sum_a p_t(a)\, g_{ta} g_{ta}^\top, \qquad
  \theta \leftarrow \theta + (\mathcal{I} + \mu D)^{-1} \nabla .$$

The information is positive semidefinite, takes first derivatives only, and says afterwards how well
each parameter is determined. Derivatives are taken forwards, through all learning.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.behaviour.models import Model, of_chosen
from first_occupancy.behaviour.parameters import named
from first_occupancy.behaviour.subjects import Choices, Layouts

MAX_ROUNDS = 80
TOLERANCE = 1e-5
"""Expected improvement, in nats, below which a fit has converged."""

LONGEST_STEP = 2.0
"""Largest change of a parameter in one round, on the unconstrained scale."""

FIRST_DAMPING = 1e-2
"""Levenberg's damping at the start, as a share of the information's diagonal."""


class _Point(eqx.Module):
    """Where an optimisation is: the best place so far, what is known there, and the next one."""

    numbers: Float[Array, " P"]
    likelihood: Float[Array, ""]
    gradient: Float[Array, " P"]
    information: Float[Array, "P P"]
    damping: Float[Array, ""]
    next_numbers: Float[Array, " P"]
    last: Bool[Array, ""]
    rounds: Int[Array, ""]
    done: Bool[Array, ""]


@eqx.filter_jit
def fit_all(
    model: Model,
    choices: Choices,
    layouts: Layouts,
    prepared: Any,
    weights: Float[Array, "I F T"],
    starts: Float[Array, "I F starts P"],
) -> tuple[Array, ...]:
    """Return the fields of `Fit` after the names, with an axis of parts after that of subjects."""

    def one(mine: Choices, own: Any, weight: Array, begin: Array) -> _Point:
        return _climb(lambda at: _look(model, mine, layouts, own, weight, at), begin)

    of_starts = jax.vmap(one, in_axes=(None, None, None, 0))
    of_parts = jax.vmap(of_starts, in_axes=(None, None, 0, 0))
    everything = (choices, prepared, weights, starts)
    if model.valuation.separable:
        points = jax.vmap(of_parts)(*everything)
    else:
        # Learning goes from cell to cell of one subject's path: with one subject at a time the
        # cell is the same for all parts and starts, and each subject takes rounds of its own.
        points = jax.lax.map(lambda each: of_parts(*each), everything)
    best = points.likelihood.argmax(axis=2)

    def pick(each: Array) -> Array:
        return jax.vmap(jax.vmap(lambda row, at: row[at]))(each, best)

    top = jax.tree.map(pick, points)
    agree = (points.likelihood > top.likelihood[..., None] - 0.01).mean(axis=2)
    counts = weights.sum(axis=2).astype(int)
    return top.numbers, top.information, top.likelihood, counts, agree


def _look(
    model: Model,
    choices: Choices,
    layouts: Layouts,
    prepared: Any,
    weights: Float[Array, " T"],
    numbers: Float[Array, " P"],
) -> tuple[Array, Array, Array]:
    """Return log-likelihood, gradient and information."""

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
    return likelihood, gradient, information


def _climb(look: Any, begin: Float[Array, " P"]) -> _Point:
    """Return the end of an ascent from one start.

    The first round looks at the start itself. So there is one place in the program at which the
    model is evaluated, and half as much to compile.
    """
    count = begin.size
    nothing, never, lowest = jnp.zeros(count), jnp.asarray(False), jnp.asarray(-jnp.inf)
    first = _Point(
        numbers=begin,
        likelihood=lowest,
        gradient=nothing,
        information=jnp.zeros((count, count)),
        damping=jnp.asarray(FIRST_DAMPING * 5),
        next_numbers=begin,
        last=never,
        rounds=jnp.asarray(0),
        done=never,
    )

    def step(point: _Point) -> _Point:
        likelihood, gradient, information = look(point.next_numbers)
        better = likelihood > point.likelihood

        def new_if_better(new: Array, old: Array) -> Array:
            return jnp.where(better, new, old)

        damping = point.damping * new_if_better(jnp.asarray(1 / 5), jnp.asarray(5.0))
        numbers = new_if_better(point.next_numbers, point.numbers)
        gradient = new_if_better(gradient, point.gradient)
        information = new_if_better(information, point.information)
        change = _damped_step(information, gradient, damping)
        return _Point(
            numbers=numbers,
            likelihood=new_if_better(likelihood, point.likelihood),
            gradient=gradient,
            information=information,
            damping=damping,
            next_numbers=numbers + change,
            last=gradient @ change < TOLERANCE,
            rounds=point.rounds + 1,
            done=point.last | (damping > 1e6),
        )

    def going(point: _Point) -> Bool[Array, ""]:
        return ~point.done & (point.rounds <= MAX_ROUNDS)

    return step(first) if count == 0 else jax.lax.while_loop(going, step, first)


def _damped_step(
    information: Float[Array, "P P"], gradient: Float[Array, " P"], damping: Float[Array, ""]
) -> Float[Array, " P"]:
    """Return the change of the parameters in one round."""
    if gradient.size == 0:
        return gradient
    matrix = information + jnp.diag(damping * jnp.diag(information) + 1e-9)
    # Where rounding makes the matrix indefinite the step is NaN, is refused, and damping grows.
    root = jnp.linalg.cholesky(matrix)
    change = jax.scipy.linalg.cho_solve((root, True), gradient)
    return change * jnp.minimum(1.0, LONGEST_STEP / jnp.maximum(jnp.abs(change).max(), 1e-12))
