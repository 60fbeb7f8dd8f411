"""Closed-form bounds on iterations and norms, and norms that attain their bound."""

import math
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

from first_occupancy.representations import first_occupancy
from first_occupancy_paper.rows.row import Row

ERROR = 0.1
"""The paper's epsilon."""

SIZES = (1, 2, 3, 4, 6, 9, 12, 18, 24, 36, 50, 70, 100, 140, 200)


def measure(discount: float) -> Iterator[Row]:
    """Yield bounds on iterations, then for each number of states those on |F(s)|_1."""
    yield {
        "discount": discount,
        "error": ERROR,
        "value_iteration": sweeps_needed(discount, ERROR),
        "policy_iteration": rounds_needed(discount, ERROR),
    }
    norms = _norms_of_round_trips(discount)
    for size, norm in zip(SIZES, norms, strict=True):
        yield {
            "num_states": size,
            "printed": (1 - discount ** (size + 1)) / (1 - discount),
            "tight": (1 - discount**size) / (1 - discount),
            "attained": float(norm),
            "limit": 1 / (1 - discount),
        }


def sweeps_needed(discount: float, error: float) -> int:
    r"""Return the paper's bound on the number of sweeps of value iteration.

    $$\frac{1}{1-\gamma} \log\frac{2}{(1-\gamma)^2 \epsilon}$$
    """
    return math.ceil(math.log(2 / ((1 - discount) ** 2 * error)) / (1 - discount))


def rounds_needed(discount: float, error: float) -> int:
    r"""Return the paper's bound on the number of rounds of policy iteration.

    $$\frac{1}{1-\gamma} \log\frac{1}{(1-\gamma) \epsilon}$$
    """
    return math.ceil(math.log(1 / ((1 - discount) * error)) / (1 - discount))


def _norms_of_round_trips(discount: float) -> np.ndarray:
    """Return |F(0)|_1 of policies that walk through n states in a circle, for n in `SIZES`.

    All chains have the size of the largest. The additional states are never reached and add
    nothing to the norm, so one compiled solver serves all sizes.
    """
    chains = np.tile(np.eye(max(SIZES)), (len(SIZES), 1, 1))
    for chain, size in zip(chains, SIZES, strict=True):
        chain[:size, :size] = np.roll(np.eye(size), 1, axis=1)
    return np.asarray(first_occupancy.solve(jnp.asarray(chains), discount=discount))[:, 0].sum(
        axis=1
    )
