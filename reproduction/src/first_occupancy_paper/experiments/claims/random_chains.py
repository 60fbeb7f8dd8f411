"""The FR's operator on random chains: Def. 3.2, Prop. 3.1 and 3.2, and the norms."""

from collections.abc import Iterator
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.core.axes import PRNGKey, Scalar
from first_occupancy.representations import first_occupancy, successor
from first_occupancy_paper.rows.row import Row

SHARPNESS = {"dense": 1.0, "sparse": 6.0, "deterministic": 1e4}
"""Rows are softmax(sharpness * Gumbel noise): nearly uniform, a few next states, or one."""

DISCOUNTS = (0.5, 0.9, 0.99)

ITERATIONS = 30
"""How often the operator is applied; beyond, rounding dominates for the smallest discount."""

ROUNDING = 1e-12


def measure(key: PRNGKey, *, num_states: int, trials: int, discount: float) -> Iterator[Row]:
    """Yield a row for each kind of chain and discount: how far each statement is from true.

    Args:
        key: JAX random key.
        num_states: number of states of each chain.
        trials: number of random chains for each row.
        discount: discount factor per step of the counterexample, whose row comes first.
    """
    yield counterexample(discount)
    shape = (len(SHARPNESS), len(DISCOUNTS), 3, trials, num_states, num_states)
    # All draws at once, because compiling the generator takes longer than running it.
    draws = np.asarray(jax.random.uniform(key, (int(np.prod(shape)),))).reshape(shape)
    for of_kind, (kind, sharpness) in zip(draws, SHARPNESS.items(), strict=True):
        for (noise, one, other), per_step in zip(of_kind, DISCOUNTS, strict=True):
            row = _measure(_chains(noise, sharpness), one, other, per_step)
            yield {"kind": kind, "discount": per_step, "num_states": num_states, **row}


def _chains(draws: Float[np.ndarray, "B S S"], sharpness: float) -> Float[np.ndarray, "B S S"]:
    """Return a random chain for each matrix of numbers uniform in [0, 1)."""
    # The smallest normal number keeps the logarithm of a draw of 0 finite.
    logits = -sharpness * np.log(-np.log(np.maximum(draws, np.finfo(draws.dtype).tiny)))
    weights = np.exp(logits - logits.max(axis=2, keepdims=True))
    return weights / weights.sum(axis=2, keepdims=True)


def _measure(
    chains: Float[np.ndarray, "B S S"],
    one: Float[np.ndarray, "B S S"],
    other: Float[np.ndarray, "B S S"],
    discount: float,
) -> Row:
    """Return the extremes of each measure over the chains, and the mean share of violations."""
    frs = first_occupancy.solve(jnp.asarray(chains), discount=discount)
    visits = np.asarray(successor.solve(jnp.asarray(chains), discount=discount)).sum(axis=2)
    found = {k: np.asarray(v) for k, v in _check(frs, chains, one, other, discount).items()}
    norms, size = np.asarray(frs.sum(axis=2)), chains.shape[1]
    found |= {
        "norm": norms,
        "norm_of_printed": norms * (1 - discount) / (1 - discount ** (size + 1)),
        "norm_of_tight": norms * (1 - discount) / (1 - discount**size),
        "bonus_error": np.abs(1 / visits - (1 - discount)),
    }
    shares = found.pop("entrywise_share")
    return {
        "trials": len(chains),
        "entrywise_mean_share": float(shares.mean()),
        "entrywise_variance": float(shares.var(ddof=1)),
        **{f"{name}_least": float(values.min()) for name, values in found.items()},
        **{f"{name}_most": float(values.max()) for name, values in found.items()},
    }


def counterexample(discount: float) -> Row:
    """Return a counterexample to Prop. 3.1: three states in a circle, F the FR and F' = I.

    State 2 is two steps away from state 0. One application of the operator to I leaves
    that entry at 0, so the error there does not shrink at all.
    """
    circle = jnp.asarray(np.roll(np.eye(3), 1, axis=1))
    fr, identity = first_occupancy.solve(circle, discount=discount), first_occupancy.initial(3)
    once = first_occupancy.backup(identity, circle, discount=discount)
    return {
        "kind": "circle",
        "num_states": 3,
        "discount": discount,
        "before": float(jnp.abs(fr - identity)[0, 2]),
        "after": float(jnp.abs(fr - once)[0, 2]),
    }


@jax.jit
@partial(jax.vmap, in_axes=(0, 0, 0, 0, None))
def _check(fr: Array, chain: Array, one: Array, other: Array, discount: Scalar) -> dict[str, Array]:
    """Return how the operator violates or fulfils each statement on one chain."""
    return {
        **_contraction(one, other, chain, discount),
        "convergence": _convergence(fr, chain, discount),
        "printed_miss": jnp.abs(_printed_backup(fr, chain, discount) - fr).max(),
        "corrected_miss": jnp.abs(first_occupancy.backup(fr, chain, discount=discount) - fr).max(),
    }


def _contraction(
    one: Float[Array, "S S"],
    other: Float[Array, "S S"],
    chain: Float[Array, "S S"],
    discount: Scalar,
) -> dict[str, Array]:
    """Return the share of entries that shrink too little, and the largest ratio of a column."""
    before = jnp.abs(one - other)
    images = [first_occupancy.backup(matrix, chain, discount=discount) for matrix in (one, other)]
    after = jnp.abs(images[0] - images[1])
    violated = (after > discount * before + ROUNDING).sum()
    size = len(chain)
    return {
        "entrywise_share": violated / (size * (size - 1)),
        "column_ratio": (after.max(axis=0) / (discount * before.max(axis=0))).max(),
        "diagonal": jnp.abs(jnp.diagonal(after)).max(),
    }


def _convergence(fr: Float[Array, "S S"], chain: Float[Array, "S S"], discount: Scalar) -> Array:
    """Return the largest |F_k - F| / gamma^k over entries and k."""

    def apply(iterate: Array, k: Array) -> tuple[Array, Array]:
        ratio = jnp.abs(iterate - fr).max() / discount**k
        return first_occupancy.backup(iterate, chain, discount=discount), ratio

    begin = first_occupancy.initial(len(chain))
    return jax.lax.scan(apply, begin, jnp.arange(ITERATIONS))[1].max()


def _printed_backup(
    fr: Float[Array, "S S"], chain: Float[Array, "S S"], discount: Scalar
) -> Float[Array, "S S"]:
    """Return Def. 3.2 as printed, with a matrix product where an elementwise one belongs."""
    identity = jnp.eye(len(fr))
    return identity + discount * (1 - identity) @ chain @ fr
