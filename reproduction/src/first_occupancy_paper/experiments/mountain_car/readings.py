"""Estimates under other readings of "reward", with exact FF and SF instead of learned ones.

Rewards are observed along one walk of each policy from each of several starts. Least squares
yields weights that add up to the goal's length divided by the area of a bump, sqrt(2 pi) widths,
while the FF counts 1 for each bump that is reached. So the scale of its estimate is right only
for a goal whose length equals that area, and grows with the goal's length.
"""

from collections.abc import Iterator
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.planning.feature_policies import fit_reward
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.worlds import mountain_car_walks

from . import truth
from .choices import FF, SF, choice
from .config import COUNTED, ENDING, Config

AS_CHOSEN = "as chosen"
OBSERVED_STARTS = 3


def rows(config: Config, seed: int) -> Iterator[Row]:
    """Yield where each power is best, then the choices under each reading."""
    del seed
    walks = truth.walks(config)
    true = truth.true_values(walks, config)
    times = np.asarray(mountain_car_walks.arrival_times(walks, jnp.array(config.goals)))
    # A power is best from a start if no other arrives sooner; ties go to the higher power.
    best = len(times) - 1 - times[::-1].argmin(axis=0)
    shares = [(best == number).mean(axis=0).tolist() for number in range(len(times))]
    yield {"goals": list(config.goals), "true": np.asarray(true).tolist(), "best_from": shares}
    exact = dict(zip((FF, SF), truth.exact_features(walks, config), strict=True))
    observed = walks[:, :: -(-config.starts // OBSERVED_STARTS), : config.steps + 1]
    cases = [
        (AS_CHOSEN, config),
        *((AS_CHOSEN, replace(config, goal_length=each)) for each in config.other_lengths),
        *((reading, config) for reading in config.other_readings),
    ]
    for reading, case in cases:
        weights = _weights(observed, reading, case)
        about = {"reading": reading, "length": case.goal_length}
        for name, strengths in exact.items():
            yield {**about, "representation": name, **choice(strengths, weights, true, case)}


def _weights(walks: Float[Array, "N B T 2"], reading: str, config: Config) -> Float[Array, "D G"]:
    """Return w for every goal under a reading."""
    states = walks.reshape(-1, 2)
    features = jax.vmap(truth.position_bumps(config))(states)
    paid = truth.rewards(states, config)
    if reading == ENDING:
        return _fit_until_arrival(walks, features, paid, config)
    if reading == COUNTED:
        features = (features >= config.threshold).astype(features.dtype)
    return jax.vmap(fit_reward, (None, 1), 1)(features, paid)


def _fit_until_arrival(
    walks: Float[Array, "N B T 2"],
    features: Float[Array, "NBT D"],
    paid: Float[Array, "NBT G"],
    config: Config,
) -> Float[Array, "D G"]:
    """Return w for every goal if nothing is seen after the first arrival."""
    times = mountain_car_walks.arrival_times(walks, jnp.array(config.goals))
    steps = jnp.arange(walks.shape[2])[None, None, :, None]
    seen = (steps <= times[:, :, None, :]).reshape(paid.shape).astype(paid.dtype)

    def fit(of_goal: tuple[Array, Array]) -> Array:
        # Rows of zeros do not affect least squares, and keep shapes the same for all goals.
        seen, paid = of_goal
        return fit_reward(features * seen[:, None], paid * seen)

    return jax.lax.map(fit, (seen.T, paid.T)).T
