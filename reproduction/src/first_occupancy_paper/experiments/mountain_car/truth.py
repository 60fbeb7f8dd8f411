"""True values and exact representations of MountainCar, computed without learning.

World and policies are deterministic, so only the starts are random. Walks from a grid of starts
give expectations over starts, up to the resolution of the grid.
"""

from functools import lru_cache

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.environments import mountain_car as world
from first_occupancy.representations.features.maps import RadialBasis, radial_basis
from first_occupancy_paper.worlds import mountain_car_walks

from .config import STOPS, Config

BOX = ((world.LEFT_WALL, -world.TOP_SPEED), (world.RIGHT_WALL, world.TOP_SPEED))


class PositionBumps(eqx.Module):
    """Radial basis functions of the position alone: a goal is a position, at any velocity."""

    bumps: RadialBasis

    def __call__(self, state: Float[Array, " 2"]) -> Float[Array, " D"]:
        """Return the features of one state."""
        return self.bumps(state[:1])

    @property
    def centres(self) -> Float[Array, " D"]:
        """Where each feature is 1."""
        return self.bumps.centres[:, 0]


def position_bumps(config: Config) -> PositionBumps:
    """Return the features, whose occupancy FF and SF count."""
    (low, _), (high, _) = BOX
    return PositionBumps(radial_basis((low,), (high,), config.num_features, width=config.width))


def basis(config: Config) -> RadialBasis:
    """Return the basis functions in which the estimate is linear.

    Positions alone are not enough: how soon a car gets somewhere depends on its velocity.
    """
    return radial_basis(*BOX, config.basis, width=config.width)


def walks(config: Config) -> Float[Array, "N B T 2"]:
    """Return each policy's walk from a grid of starts."""
    return rollouts(mountain_car_walks.start_grid(config.starts), config.horizon, config)


def rollouts(
    starts: Float[Array, "B 2"], num_steps: int, config: Config
) -> Float[Array, "N B T 2"]:
    """Return each policy's walks under the config's rule for the left wall.

    Args:
        starts: first states.
        num_steps: number of steps of each walk.
    """
    stops = config.left_wall == STOPS
    return mountain_car_walks.rollouts(
        starts, jnp.array(mountain_car_walks.POWERS), num_steps=num_steps, wall_stops=stops
    )


def true_values(walks: Float[Array, "N B T 2"], config: Config) -> Float[Array, "N G"]:
    """Return the expected discount at first arrival: goals pay 1, once, and end the walk.

    Args:
        walks: walks of each policy from a grid of starts.
    """
    times = mountain_car_walks.arrival_times(walks, jnp.array(config.goals))
    return (config.discount**times).mean(axis=1)


def expected_values(config: Config) -> Float[Array, "N G"]:
    """Return `true_values` of `walks`, which are computed once for all runs of the same world.

    Seeds, features and what is learned do not matter to them, and a run would spend an eighth of
    its time on them.
    """
    same = {name: getattr(config, name) for name in _OF_TRUTH}
    return _expected_values(Config("choice", **same), jnp.result_type(float))


_OF_TRUTH = ("starts", "horizon", "left_wall", "goals", "discount")
"""The settings that true values depend on."""


@lru_cache(maxsize=16)
def _expected_values(config: Config, dtype: jnp.dtype) -> Float[Array, "N G"]:
    del dtype  # tells values in double precision from those in single
    return true_values(walks(config), config)


def exact_features(
    walks: Float[Array, "N B T 2"], config: Config
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Return FF and SF of every policy, in expectation over starts.

    Args:
        walks: walks of each policy from a grid of starts.
    """
    count = position_bumps(config)

    def along(walk: Array) -> tuple[Array, Array]:
        features = jax.vmap(count)(walk)
        reached = features >= config.threshold
        times = jnp.where(reached.any(axis=0), reached.argmax(axis=0), jnp.inf)
        discounts = config.discount ** jnp.arange(len(walk))
        return config.discount**times, discounts @ features

    of_policy = jax.jit(lambda starts: jax.lax.map(along, starts))
    ff, sf = zip(*map(of_policy, walks), strict=True)
    return jnp.stack(ff).mean(axis=1), jnp.stack(sf).mean(axis=1)


def rewards(states: Float[Array, "T 2"], config: Config) -> Float[Array, "T G"]:
    """Return the reward of each state for each goal: 1 from its position on over its length."""
    beyond = states[:, :1] - jnp.array(config.goals)[None]
    return ((beyond >= 0) & (beyond <= config.goal_length)).astype(states.dtype)
