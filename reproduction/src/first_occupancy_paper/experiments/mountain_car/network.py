"""The same choice with small networks in place of the linear estimate.

The networks learn from the same walks as part "choice" with the same seed, in `updates` gradient
steps. Rates and sizes were chosen with key 1000, which no result uses.
"""

from collections.abc import Iterator

import jax
import jax.numpy as jnp

from first_occupancy.representations.features.networks import Training, learn_networks, predict_at
from first_occupancy.representations.features.targets import FirstOccupancy
from first_occupancy_paper.rows.row import Row

from . import choices, truth
from .config import Config


def rows(config: Config, seed: int) -> Iterator[Row]:
    """Yield the choices for every goal by FF of networks, one network for each policy."""
    key = jax.random.key(seed)
    walks, rewarded = choices.draw_walks(key, config)
    networks, _ = learn_networks(
        FirstOccupancy(config.threshold),
        walks,
        jax.random.fold_in(key, 1),
        features=truth.position_bumps(config),
        discount=jnp.asarray(config.discount),
        training=Training(
            num_updates=config.updates, learning_rate=0.01, copy_rate=config.copy_rate
        ),
    )
    strengths = predict_at(networks, walks[0, :, 0]).mean(axis=1)
    weights = choices.reward_weights(rewarded.reshape(-1, 2), config)
    true = truth.expected_values(config)
    yield {"representation": choices.FF, **choices.choice(strengths, weights, true, config)}
