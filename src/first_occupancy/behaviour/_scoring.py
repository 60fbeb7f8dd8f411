r"""Fisher scoring, of all subjects, parts of their choices and starts at once.

Models have few parameters and many choices, so the fit is by Fisher scoring with Levenberg's
damping: with $g_{ta} = \partial \log p_t(a) / \partial\theta$ on the unconstrained scale,

$$\nabla = \sum_t g_{t a_t}, \qquad
  \mathcal{I} = \sum_t \sum_a p_t(a)\, g_{ta} g_{ta}^\top, \qquad
  \theta \leftarrow \theta + (\mathcal{I} + \mu D)^{-1} \nabla .$$

The information is positive semidefinite, takes first derivatives only, and says afterwards how well
each parameter is determined. Derivatives are taken forwards, through all learning.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

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


class _Place(NamedTuple):
    """Values of the parameters, and what is known there."""

    numbers: Float[Array, " P"]
    likelihood: Float[Array, ""]
    gradient: Float[Array, " P"]
    information: Float[Array, "P P"]


class _Climb(NamedTuple):
    """Where an ascent is: the best place so far, and the next one to look at."""

    best: _Place
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

    def of_part(mine: Choices, own: Any, weight: Array, begins: Array) -> tuple[Array, ...]:
        look = partial(_look, model, mine, layouts, own, weight)
        places = jax.vmap(partial(_climb, look))(begins)
        top = jax.tree.map(lambda each: each[places.likelihood.argmax()], places)
        agree = (places.likelihood > top.likelihood - 0.01).mean()
        return top.numbers, top.information, top.likelihood, weight.sum().astype(int), agree

    of_parts = jax.vmap(of_part, in_axes=(None, None, 0, 0))
    everything = (choices, prepared, weights, starts)
    if model.valuation.separable:
        return jax.vmap(of_parts)(*everything)
    # Learning goes from cell to cell of one subject's path: with one subject at a time the cell
    # is the same for all parts and starts, and each subject takes rounds of its own.
    return jax.lax.map(lambda each: of_parts(*each), everything)


def _look(
    model: Model,
    choices: Choices,
    layouts: Layouts,
    prepared: Any,
    weights: Float[Array, " T"],
    numbers: Float[Array, " P"],
) -> _Place:
    """Return log-likelihood, gradient and information at some values of the parameters."""

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
    return _Place(numbers, likelihood, gradient, information)


def _climb(look: Callable[[Array], _Place], begin: Float[Array, " P"]) -> _Place:
    """Return the end of an ascent from one start.

    The first round looks at the start itself. So there is one place in the program at which the
    model is evaluated, and half as much to compile.
    """
    count, never = begin.size, jnp.asarray(False)
    nowhere = _Place(begin, jnp.asarray(-jnp.inf), jnp.zeros(count), jnp.zeros((count, count)))
    damping = jnp.asarray(FIRST_DAMPING * 5)
    first = _Climb(nowhere, damping, begin, never, jnp.asarray(0), never)

    def step(now: _Climb) -> _Climb:
        new = look(now.next_numbers)
        better = new.likelihood > now.best.likelihood
        best = jax.tree.map(partial(jnp.where, better), new, now.best)
        damping = now.damping * jnp.where(better, 1 / 5, 5.0)
        change = _damped_step(best.information, best.gradient, damping)
        return _Climb(
            best,
            damping,
            next_numbers=best.numbers + change,
            last=best.gradient @ change < TOLERANCE,
            rounds=now.rounds + 1,
            done=now.last | (damping > 1e6),
        )

    def going(now: _Climb) -> Bool[Array, ""]:
        return ~now.done & (now.rounds <= MAX_ROUNDS)

    return (step(first) if count == 0 else jax.lax.while_loop(going, step, first)).best


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
