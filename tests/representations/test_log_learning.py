"""TD from logs: one transition after the other, whatever the log's length and storage."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.representations import (
    LambdaRepresentation,
    _log_learning,
    first_occupancy,
    successor,
)

SETTINGS = {"discount": 0.9, "step_size": 0.3}
LENGTH, STATES, POLICIES = 50, 5, 3


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    """Make 50 transitions span several pieces, the last one not full."""
    monkeypatch.setattr(_log_learning, "PIECE", 16)


def a_log(seed=0):
    random = np.random.default_rng(seed)
    return [random.integers(size, size=LENGTH) for size in (STATES, STATES, POLICIES)]


def fresh():
    return jnp.stack([first_occupancy.initial(STATES)] * POLICIES)


@pytest.mark.parametrize("representation", [first_occupancy, successor, LambdaRepresentation(0.4)])
def test_a_pass_over_a_log_is_one_td_step_after_the_other(representation):
    states, next_states, policies = a_log()
    expected = np.array(fresh())
    for state, following, policy in zip(states, next_states, policies, strict=True):
        rep = expected[policy]
        target = representation.target(
            state, jnp.asarray(rep[following]), discount=SETTINGS["discount"]
        )
        rep[state] += SETTINGS["step_size"] * (target - rep[state])
    learned = representation.td_learn_log(fresh(), *a_log(), **SETTINGS)
    np.testing.assert_allclose(learned, expected, rtol=1e-14)


def test_a_memory_mapped_log_gives_the_same_bytes(tmp_path):
    columns = []
    for position, column in enumerate(a_log()):
        np.save(tmp_path / f"{position}.npy", column.astype(np.uint16))
        columns.append(np.load(tmp_path / f"{position}.npy", mmap_mode="r"))
    mapped = first_occupancy.td_learn_log(fresh(), *columns, **SETTINGS)
    held = first_occupancy.td_learn_log(fresh(), *a_log(), **SETTINGS)
    assert np.array_equal(mapped, held)


def test_the_given_representations_are_left_as_they_were():
    before = fresh()
    first_occupancy.td_learn_log(before, *a_log(), **SETTINGS)
    assert np.array_equal(before, fresh())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda log: log[0].__setitem__(20, STATES),
            "td_learn: states from transition 16 on must be in 0..4, got 5 at position 4",
        ),
        (
            lambda log: log[2].__setitem__(3, -1),
            "td_learn: policies from transition 0 on must be in 0..2, got -1 at position 3",
        ),
        (
            lambda log: log.__setitem__(1, log[1][1:]),
            "td_learn: policies, states and next_states must be rows of one length, "
            "at least 1, got shapes [(50,), (50,), (49,)]",
        ),
    ],
)
@pytest.mark.usefixtures("as_users_run_it")
def test_a_wrong_log_is_refused(change, message):
    log = a_log()
    change(log)
    with pytest.raises(InputError) as error:
        first_occupancy.td_learn_log(fresh(), *log, **SETTINGS)
    assert str(error.value) == message
