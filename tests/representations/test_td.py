"""TD learning of tables, against exact representations and steps done one by one.

A log is learned from one transition after the other, whatever its length and storage.
"""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.representations import LambdaRepresentation, first_occupancy, successor, td
from flavours import DECAY, DISCOUNT, FLAVOURS, flavours, long_walk
from oracles import fr_by_linear_solves


def chain_of(seed, size=4):
    return np.random.default_rng(seed).dirichlet(np.ones(size), size=size)


@flavours
def test_td_learning_with_falling_steps_converges_to_the_exact_representation(flavour):
    _, td_learn, exact, _ = FLAVOURS[flavour]
    chain = chain_of(0)
    parts = long_walk(jnp.asarray(chain)[:, None, :], jnp.ones((4, 1))).states[:-1]
    rep = first_occupancy.initial(4)
    errors = []
    for walk, step_size in zip(parts.reshape(4, -1), (0.3, 0.05, 0.01, 0.002), strict=True):
        rep, _ = td_learn(rep, walk, discount=DISCOUNT, step_size=step_size)
        errors.append(np.abs(rep / exact(chain) - 1).max())
    assert errors[-1] < 0.06
    assert errors[-1] < errors[0] / 4


def test_td_learning_of_a_cycle_with_full_steps_is_exact():
    cycle = np.roll(np.eye(5), 1, axis=1)
    walk = jnp.arange(40) % 5
    fr, errors = first_occupancy.td_learn(
        first_occupancy.initial(5), walk, discount=DISCOUNT, step_size=1.0
    )
    np.testing.assert_allclose(fr, fr_by_linear_solves(cycle, DISCOUNT), rtol=1e-12)
    assert errors[0] > 0.1
    np.testing.assert_allclose(errors[-5:], 0, atol=1e-12)


@flavours
def test_td_learn_is_td_step_again_and_again(flavour):
    td_step, td_learn, _, _ = FLAVOURS[flavour]
    begin = jnp.asarray(np.random.default_rng(1).random((4, 4)))
    walk = [0, 3, 3, 1, 2, 0, 1, 1]
    rep, norms = begin, []
    for state, next_state in pairwise(walk):
        rep, error = td_step(rep, state, next_state, discount=DISCOUNT, step_size=0.3)
        norms.append(np.linalg.norm(error))
    learned, errors = td_learn(begin, jnp.array(walk), discount=DISCOUNT, step_size=0.3)
    np.testing.assert_allclose(learned, rep, rtol=1e-13)
    np.testing.assert_allclose(errors, norms, rtol=1e-13)


def test_td_learns_in_the_precision_of_the_representation():
    """Also where discounts and step sizes, as NumPy has them, are more precise."""
    settings = {"discount": np.float64(DISCOUNT), "step_size": jnp.asarray(0.3)}
    rough, walk = jnp.eye(3, dtype=jnp.float32), np.array([0, 1, 2, 0])
    learned, errors = first_occupancy.td_learn(rough, jnp.asarray(walk), **settings)
    logged = first_occupancy.td_learn_log(
        rough[None], walk[:-1], walk[1:], np.zeros(3, int), **settings
    )
    assert learned.dtype == errors.dtype == logged.dtype == jnp.float32
    exact, _ = first_occupancy.td_learn(jnp.eye(3), jnp.asarray(walk), **settings)
    np.testing.assert_allclose(learned, exact, rtol=1e-6)
    np.testing.assert_allclose(logged[0], exact, rtol=1e-6)


@flavours
def test_td_step_moves_one_row_towards_its_bellman_target(flavour):
    td_step, _, _, _ = FLAVOURS[flavour]
    rep = jnp.asarray(np.random.default_rng(2).random((3, 3)))
    keep = {"first": 0.0, "successor": 1.0, "lambda": DECAY}[flavour]
    target = DISCOUNT * np.asarray(rep[2])
    target[1] = 1 + keep * target[1]
    new, error = td_step(rep, 1, 2, discount=DISCOUNT, step_size=0.25)
    np.testing.assert_allclose(error, target - rep[1], rtol=1e-13)
    np.testing.assert_allclose(new[1], 0.75 * rep[1] + 0.25 * target, rtol=1e-13)
    np.testing.assert_array_equal(new[jnp.array([0, 2])], rep[jnp.array([0, 2])])


@flavours
def test_vmap_and_jit_leave_td_learn_as_it_is(flavour):
    _, td_learn, _, _ = FLAVOURS[flavour]
    rng = np.random.default_rng(3)
    reps, paths = jnp.asarray(rng.random((3, 4, 4))), jnp.asarray(rng.integers(4, size=(3, 9)))

    def learn(rep, path):
        return td_learn(rep, path, discount=DISCOUNT, step_size=0.1)[0]

    with jax.disable_jit():
        plain = [learn(rep, path) for rep, path in zip(reps, paths, strict=True)]
    np.testing.assert_allclose(jax.vmap(learn)(reps, paths), plain, rtol=1e-13)
    np.testing.assert_allclose(jax.jit(learn)(reps[0], paths[0]), plain[0], rtol=1e-13)


def test_a_stack_learns_along_a_stack_of_walks_as_each_would_alone():
    walks = jnp.asarray(np.random.default_rng(2).integers(4, size=(2, 3, 30)))
    stack = jnp.broadcast_to(first_occupancy.initial(4), (2, 3, 4, 4))
    settings = {"discount": DISCOUNT, "step_size": 0.3}
    reps, errors = first_occupancy.td_learn(stack, walks, **settings)
    for index in np.ndindex(2, 3):
        alone = first_occupancy.td_learn(stack[index], walks[index], **settings)
        np.testing.assert_allclose(reps[index], alone[0], rtol=1e-14)
        np.testing.assert_allclose(errors[index], alone[1], rtol=1e-12)


SETTINGS = {"discount": 0.9, "step_size": 0.3}
LENGTH, STATES, POLICIES = 50, 5, 3


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    """Make 50 transitions span several pieces, the last one not full."""
    monkeypatch.setattr(td, "PIECE", 16)


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
