r"""Exploration bonuses: what a row of a representation is worth to the one who learns it.

A bonus is any function of a row, `bonus(row) -> number`, that is added to the reward.
Those of the paper look at the row's sum, $n = \|F(s)\|_1$ (section 4.1):

* `printed`: $+\beta n$, the paper's formula for the FR;
* `inverse`: $\beta / n$, like a count: Machado et al.'s for the SR;
* `negative`: $-\beta n$;
* `none`.

They are records of numbers, so that one compiled program serves them all.
"""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from first_occupancy.core.axes import Scalar

Bonus = Callable[[Float[Array, " S"]], Float[Array, ""]]
"""From a row of the representation to what is added to the reward."""


class NormBonus(eqx.Module):
    """A bonus in proportion to a row's sum, or to its inverse."""

    weight: Scalar
    inverted: bool | Bool[Array, ""]
    floor: Scalar = 0.0
    """Below it a row's sum counts as it: a row of zeros has no inverse."""

    def __call__(self, row: Float[Array, " S"]) -> Float[Array, ""]:
        """Return the bonus of a row."""
        norm = jnp.maximum(jnp.abs(row).sum(), self.floor)
        return jnp.asarray(self.weight * jnp.where(self.inverted, 1 / norm, norm))


def printed(weight: Scalar) -> NormBonus:
    r"""Return the paper's bonus, $+\beta \|F(s)\|_1$."""
    return NormBonus(weight, inverted=False)


def inverse(weight: Scalar, *, floor: Scalar = 0.0) -> NormBonus:
    r"""Return the bonus $\beta / \max(\|F(s)\|_1, \text{floor})$, which falls with each visit."""
    return NormBonus(weight, inverted=True, floor=floor)


def negative(weight: Scalar) -> NormBonus:
    r"""Return the bonus $-\beta \|F(s)\|_1$: what reaches much is punished."""
    return NormBonus(-1.0 * jnp.asarray(weight), inverted=False)


def none() -> NormBonus:
    """Return no bonus, whatever the row."""
    return NormBonus(0.0, inverted=False)
