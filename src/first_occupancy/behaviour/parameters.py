"""Parameters of models: their ranges, and the transforms that make fitting unconstrained.

A parameter in (low, high) is fitted on the whole real line: a bounded one through the logistic
function, one with a lower bound through the exponential, and one without bounds as it is.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float

from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.errors import InputError

Values = Mapping[str, Float[ArrayLike, "..."]]
"""The values of a model's parameters, by name: numbers, or one per subject."""


@dataclass(frozen=True)
class Parameter:
    """A parameter that is fitted, and where to look for it.

    The typical value and the spread describe a weakly informative normal distribution on the
    unconstrained scale. Starts are drawn from it, and recovery draws subjects from it; maximum
    likelihood ignores it otherwise.

    Attributes:
        name: name, unique within a model.
        low: lower bound, exclusive; minus infinity for none.
        high: upper bound, exclusive; infinity for none, which needs no lower bound or one.
        typical: median of the distribution.
        spread: its standard deviation on the unconstrained scale.
    """

    name: str
    low: float
    high: float
    typical: float
    spread: float = 1.0

    def __post_init__(self) -> None:
        if not self.low < self.typical < self.high or not self.spread > 0:
            raise InputError(
                f"Parameter: {self.name} must have a typical value between its bounds and a "
                f"positive spread, got {self.typical} in ({self.low}, {self.high}), {self.spread}"
            )
        if math.isinf(self.low) and not math.isinf(self.high):
            raise InputError(f"Parameter: {self.name} must have a lower bound if it has an upper")

    @property
    def middle(self) -> float:
        """The typical value on the unconstrained scale."""
        if math.isinf(self.low):
            return self.typical
        above = math.log(self.typical - self.low)
        return above if math.isinf(self.high) else above - math.log(self.high - self.typical)

    def from_line(self, number: Float[ArrayLike, "*shape"]) -> Float[Array, "*shape"]:
        """Return the value that belongs to a number on the real line."""
        number = jnp.asarray(number)
        if math.isinf(self.low):
            return number
        if math.isinf(self.high):
            return self.low + jnp.exp(number)
        return self.low + (self.high - self.low) * jax.nn.sigmoid(number)


def named(
    parameters: Sequence[Parameter], numbers: Float[np.ndarray | Array, "*shape P"]
) -> dict[str, Float[Array, "*shape"]]:
    """Return the values of parameters, by name."""
    return {each.name: each.from_line(numbers[..., place]) for place, each in enumerate(parameters)}


def distribution(parameters: Sequence[Parameter]) -> Float[np.ndarray, "2 P"]:
    """Return the means and the standard deviations of parameters on the unconstrained scale."""
    return np.array([[each.middle for each in parameters], [each.spread for each in parameters]])


def draw(
    parameters: Sequence[Parameter], shape: tuple[int, ...], key: PRNGKey, *, scale: float = 1.0
) -> Float[np.ndarray, "*shape P"]:
    """Return numbers drawn from the parameters' distributions, on the unconstrained scale."""
    mean, spread = distribution(parameters)
    return mean + scale * spread * np.asarray(jax.random.normal(key, (*shape, len(parameters))))
