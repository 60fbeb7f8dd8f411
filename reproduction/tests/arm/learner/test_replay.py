"""The replay against plain lists of everything that was ever inserted."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy_paper.arm.learner import replay
from first_occupancy_paper.arm.learner.agent_state import AgentConfig
from first_occupancy_paper.arm.learner.replay import Arrival
from first_occupancy_paper.arm.training import lockstep

CAPACITY, N_STEP, DISCOUNT, BATCH = 16, 3, 0.9, 64
ENVIRONMENTS, RUNS = 2, 2
CONFIG = AgentConfig(
    "aps", 2, 1, 1, width=4, batch=8, neighbours=2, n_step=N_STEP, discount=DISCOUNT
)

draw = jax.jit(jax.vmap(partial(replay.sample, CONFIG, batch=BATCH)))


def arrivals(number, seed):
    """Return rows [T R E] with episodes of 1 to 6 steps, some of them terminated.

    An observation says which environment and row it is.
    """
    random, shape = np.random.default_rng(seed), (number, RUNS, ENVIRONMENTS)
    first = np.zeros(shape, bool)
    discount = np.ones(shape)
    for run in range(RUNS):
        for environment in range(ENVIRONMENTS):
            row = 0
            while row < number:
                first[row, run, environment] = True
                row += 1 + random.integers(1, 7)
                if row <= number and random.random() < 0.5:
                    discount[row - 1, run, environment] = 0
    names = np.broadcast_to(np.arange(ENVIRONMENTS), shape), np.indices(shape)[0]
    return {
        "observation": np.stack(names, axis=-1).astype(float),
        "action": random.normal(size=(*shape, 1)),
        "task": random.normal(size=(*shape, 1)),
        "reward": random.normal(size=shape),
        "discount": discount,
        "first": first,
    }


def insert_all(rows, upto, memory=None, begin=0):
    memory = memory or lockstep.init_replay(
        CONFIG, RUNS, capacity=CAPACITY * ENVIRONMENTS, num_environments=ENVIRONMENTS
    )
    for row in range(begin, upto):
        memory = lockstep.insert(
            memory, Arrival(**{k: jnp.asarray(v[row]) for k, v in rows.items()})
        )
    return memory


def starts_by_hand(rows, count, run, environment):
    """Return the rows still kept, and written, after which a step was taken that is kept too."""
    kept = range(max(0, count - CAPACITY), count - 1)
    return [row for row in kept if not rows["first"][row + 1, run, environment]]


@pytest.mark.parametrize("count", [2, 9, CAPACITY, CAPACITY + 1, 40])
def test_every_kept_step_and_no_other_can_be_drawn(count):
    rows = arrivals(40, seed=count)
    memory = insert_all(rows, count)
    for run in range(RUNS):
        for environment in range(ENVIRONMENTS):
            oldest, newest = (int(x[run, environment]) for x in (memory.oldest, memory.newest))
            ring = np.asarray(memory.starts[run, environment])
            expected = starts_by_hand(rows, count, run, environment)
            assert [ring[i % CAPACITY] for i in range(oldest, newest)] == expected


def test_windows_stay_within_an_episode_and_say_what_happened():
    rows, count = arrivals(40, seed=1), 37
    keys = jax.random.split(jax.random.key(0), RUNS)
    windows = jax.tree.map(np.asarray, draw(insert_all(rows, count), keys))
    lengths = set()
    for run in range(RUNS):
        for i in range(BATCH):
            window = jax.tree.map(lambda x, at=(run, i): x[at], windows)
            lengths.add(check_window(rows, count, run, window))
    assert lengths == {1, 2, 3}


def check_window(rows, count, run, window):
    """Compare a window with a walk along the rows; return how many steps it has."""
    environment, start = np.asarray(window.observation).astype(int)
    at = {name: column[:, run, environment] for name, column in rows.items()}
    assert start in starts_by_hand(rows, count, run, environment)
    np.testing.assert_array_equal(window.action, at["action"][start + 1])
    np.testing.assert_array_equal(window.task, at["task"][start])
    row, expected = start, {"rewards": [], "discounts": [], "inside": [], "next_observations": []}
    for _ in range(N_STEP):
        inside = row + 1 < count and not at["first"][row + 1]
        row += inside
        expected["inside"].append(inside)
        expected["rewards"].append(at["reward"][row] if inside else 0)
        expected["discounts"].append(DISCOUNT * at["discount"][row] if inside else 1)
        expected["next_observations"].append(at["observation"][row])
        if not inside:
            count = 0  # what has ended does not go on
    for name, values in expected.items():
        np.testing.assert_allclose(getattr(window, name), values, rtol=1e-15)
    return sum(expected["inside"])


def test_truncation_bootstraps_and_termination_does_not():
    """Two steps that pay 1 each, then the episode is cut, or ends: what follows counts or not."""
    for discount, following in ((1.0, 0.9**2), (0.0, 0.0)):
        rows = {
            "observation": np.zeros((4, 1, 1, 2)),
            "action": np.zeros((4, 1, 1, 1)),
            "task": np.zeros((4, 1, 1, 1)),
            "reward": np.ones((4, 1, 1)),
            "discount": np.array([1, 1, discount, 1.0]).reshape(4, 1, 1),
            "first": np.array([True, False, False, True]).reshape(4, 1, 1),
        }
        memory = insert_all(rows, 4, lockstep.init_replay(CONFIG, 1, capacity=CAPACITY))
        windows = draw(memory, jax.random.split(jax.random.key(0), 1))
        whole = np.asarray(windows.inside[0].sum(axis=1)) == 2
        np.testing.assert_allclose(np.prod(windows.discounts[0], axis=1)[whole], following)
        assert 0 < whole.sum() < BATCH


def test_steps_are_drawn_with_equal_chance():
    """Environments with few steps are not favoured; counts lie within 5 standard deviations."""
    rows, count, repeats = arrivals(40, seed=3), 30, 100
    memory = insert_all(rows, count)
    seen = []
    for key in jax.random.split(jax.random.key(5), repeats):
        seen.append(np.asarray(draw(memory, jax.random.split(key, RUNS)).observation[0]))
    found, counts = np.unique(np.concatenate(seen), axis=0, return_counts=True)
    expected = [starts_by_hand(rows, count, 0, each) for each in range(ENVIRONMENTS)]
    assert [list(found[found[:, 0] == each, 1]) for each in range(ENVIRONMENTS)] == expected
    chance = 1 / len(found)
    deviation = np.sqrt(repeats * BATCH * chance * (1 - chance))
    assert np.all(np.abs(counts - repeats * BATCH * chance) < 5 * deviation)


def test_float32_without_x64():
    with jax.enable_x64(False):
        memory = lockstep.init_replay(CONFIG, 1, capacity=4)
        assert memory.rows.dtype == jnp.float32
        assert memory.rows.shape == (1, 1, 4, 2 + 1 + 1 + 3)


def test_what_does_not_fit_is_refused(as_users_run_it):
    rows = arrivals(2, seed=0)
    memory = lockstep.init_replay(CONFIG, RUNS, capacity=8)
    with pytest.raises(InputError) as caught:
        insert_all(rows, 1, memory)
    assert str(caught.value) == "insert: observation must have shape [2, 1, 2], got [2, 2, 2]"
