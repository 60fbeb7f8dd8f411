"""Draws from distributions by uniform random numbers that were drawn in advance."""

from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Scalar


def outcome_at(cumulative: Float[Array, " K"], number: Scalar) -> Int[Array, ""]:
    """Return the outcome that a uniform random number selects (inverse transform sampling).

    For loops that draw all random numbers in advance, where `jax.random.choice` would be slower.

    Args:
        cumulative: cumulative probabilities of the outcomes.
        number: random number from [0, 1).
    """
    # The last sum is left out because rounding may keep it below 1.
    return (number >= cumulative[:-1]).sum()
