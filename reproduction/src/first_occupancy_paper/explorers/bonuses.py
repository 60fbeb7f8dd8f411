r"""Exploration bonuses: functions of a row of a representation that are added to the reward.

A bonus is any function `bonus(row) -> number`. Those of the paper depend on the sum of the row,
$n = \|F(s)\|_1$ (section 4.1):

* `NormBonus(beta)`: $+\beta n$, the paper's formula for the FR;
* `NormBonus(beta, inverted=True)`: $\beta / n$, like a count: Machado et al.'s for the SR;
* `NormBonus(-beta)`: $-\beta n$, which penalises states that reach many others;
* `NormBonus()`: none.

They are records of numbers, so that all of them share one compiled program.
"""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from first_occupancy.core.axes import Scalar

Bonus = Callable[[Float[Array, " S"]], Float[Array, ""]]
"""A function from a row of the representation to the bonus."""


class NormBonus(eqx.Module):
    """A bonus proportional to a row's sum of absolute values, or to its inverse."""

    weight: Scalar = 0.0
    r"""Factor $\beta$ of the bonus."""
    inverted: bool | Bool[Array, ""] = False
    """Whether the bonus is proportional to the inverse of the sum."""
    floor: Scalar = 0.0
    """Lower bound on the sum, to avoid division by zero for a row of zeros."""

    def __call__(self, row: Float[Array, " S"]) -> Float[Array, ""]:
        """Return the bonus of a row."""
        norm = jnp.maximum(jnp.abs(row).sum(), self.floor)
        return jnp.asarray(self.weight * jnp.where(self.inverted, 1 / norm, norm))
