"""Networks learn what the linear fixed point is near to."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feature_walks import BUMPS, DISCOUNT, FINE, TARGETS, drifting_walks
from first_occupancy.core import InputError
from first_occupancy.representations.features import networks as feature_networks
from first_occupancy.representations.features.linear import predict_at, solve


def test_networks_reach_the_linear_fixed_point():
    # The soft form, since with it what is learned is smooth.
    target, episodes = TARGETS[1], drifting_walks(2, 20, 40, seed=2)
    networks, losses = feature_networks.learn_networks(
        target,
        episodes,
        jax.random.key(0),
        features=BUMPS,
        discount=DISCOUNT,
        training=feature_networks.Training(hidden=16, num_updates=600, learning_rate=1e-2),
    )
    assert losses.shape == (2, 600)
    places = jnp.linspace(0.1, 0.9, 9)[:, None]
    found = feature_networks.predict_at(networks, places)
    for walks_of_one, predictions in zip(episodes, found, strict=True):
        weights = solve(target, walks_of_one, features=BUMPS, basis=FINE, discount=DISCOUNT)
        expected = np.asarray(predict_at(weights, places, basis=FINE))
        assert np.sqrt(np.mean((predictions - expected) ** 2)) < 0.02
        assert expected.std() > 0.1


def test_training_must_make_sense(as_users_run_it):
    with pytest.raises(InputError) as error:
        feature_networks.Training(batch_size=0)
    assert str(error.value) == "Training: batch_size must be positive, got 0"
    with pytest.raises(InputError) as error:
        feature_networks.Training(copy_rate=1.5)
    assert str(error.value) == "Training: copy_rate must be at most 1, got 1.5"
