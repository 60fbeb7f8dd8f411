"""The resolution is chosen by predicting held-out episodes."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from corridors import corridor_log
from first_occupancy.continuous._resolution import ENOUGH, GOOD, Prediction, chosen, drawn
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.core.episodes import Episodes


def prediction(spacing, error):
    return Prediction(spacing, 10, (1, 4, 16), (error,) * 3, (0.1,) * 3, (0.5,) * 3)


def test_the_widest_spacing_that_is_as_good_as_the_best_is_chosen():
    found = [prediction(4.0, 0.9), prediction(2.0, 0.6), prediction(1.0, 0.6 / ENOUGH + 0.01)]
    assert chosen(found).spacing == 2.0
    assert chosen([prediction(4.0, GOOD), *found]).spacing == 4.0


def test_landmarks_are_drawn_by_their_shares():
    rows = csr_array(np.array([[0.5, 0.25, 0.25, 0.0], [0.1, 0.0, 0.2, 0.7]]))
    found = drawn(csr_array(rows[np.zeros(4000, int)]), np.random.default_rng(0))
    assert np.bincount(found, minlength=4) / 4000 == pytest.approx([0.5, 0.25, 0.25, 0], abs=0.03)


def swung(num_episodes, rng):
    """Return a log of pendulums without friction, as position and speed."""
    state, seen, done = rng.uniform(-1, 1, (num_episodes, 2)), [], []
    turn = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    for _ in range(80):
        seen.append(state)
        push = rng.uniform(-0.1, 0.1, (num_episodes, 1))
        done.append(push)
        state = state @ turn + push * [0, 1]
    return Episodes(list(np.stack([*seen, state], 1)), list(np.stack(done, 1)))


def test_where_moves_turn_fast_landmarks_are_close():
    world = landmark_world(swung(60, np.random.default_rng(0)), num_actions=3)
    slow = landmark_world(corridor_log(), num_actions=3)
    assert world.spacing < 2
    assert [each.spacing for each in slow.predictions] == sorted(
        (each.spacing for each in slow.predictions), reverse=True
    )
    # The local model knows the turn; landmarks round it.
    errors = chosen(list(world.predictions))
    assert max(errors.model_errors) < min(errors.errors)


def test_one_episode_is_too_few_to_hold_any_out(error_of):
    log = corridor_log(num_episodes=1)
    assert error_of(lambda: landmark_world(log)).startswith(
        "landmark_world: log must have at least 2 episodes"
    )
    assert landmark_world(log, stride=4.0).num_states > 5
