"""Planning with noise on a table of next states, against the dense world."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core import InputError
from first_occupancy.environments import EIGHT_MOVES
from first_occupancy.planning._sparse import noisy_mazes
from first_occupancy.planning._sparse.noisy_mazes import (
    best_discount,
    chain_of,
    follow_actions,
    sweep_to_goal,
)
from first_occupancy.planning.evaluation import optimal_discount


@pytest.mark.usefixtures("as_users_run_it")
def test_next_states_may_be_of_any_type_of_whole_numbers():
    table, action = np.array([[1, 2, 2], [0, 0, 1]], np.uint64), np.array([0, 0, 0])
    assert follow_actions(table, action, 2, discount=0.5).tolist() == [0.25, 0.5, 1]
    noisy = best_discount(table, 2, discount=0.5, noise=0.1)
    assert noisy.tolist() == best_discount(table.astype(int), 2, discount=0.5, noise=0.1).tolist()


MISTAKES = {
    "action": (
        lambda: follow_actions(np.array([[0, 1]]), np.array([0, 7]), 0, discount=0.9),
        "follow_actions: action must be whole numbers in -1..0, got int64 from 0 to 7",
    ),
}


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message


def by_all_policies(table, goal, discount, noise):
    """Return the best discount of each state over all ways to choose actions, by linear solves."""
    count, size = table.shape
    identity = np.eye(size)
    random_move = identity[table].mean(axis=0)
    values = []
    for actions in itertools.product(range(count), repeat=size):
        chosen = identity[table[actions, np.arange(size)]]
        chain = (1 - noise) * chosen + noise * random_move
        chain[goal] = 0
        values.append(np.linalg.solve(identity - discount * chain, identity[goal]))
    return np.max(values, axis=0)


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_discount_is_that_of_the_best_of_all_policies(seed, noise):
    rng = np.random.default_rng(seed)
    table, goal = rng.integers(5, size=(2, 5)), int(rng.integers(5))
    expected = by_all_policies(table, goal, 0.9, noise)
    best = best_discount(table, goal, discount=0.9, noise=noise)
    np.testing.assert_allclose(best, expected, rtol=1e-8)
    swept = sweep_to_goal(table, goal, discount=0.9, noise=noise)
    np.testing.assert_allclose(swept.discount, expected, rtol=1e-10)
    # The greedy actions bring what the sweeps say.
    followed = follow_actions(table, swept.action, goal, discount=0.9, noise=noise)
    np.testing.assert_allclose(followed, expected, rtol=1e-8)


@pytest.mark.parametrize("sweeps", [0, 1, 3])
def test_some_sweeps_are_so_many_steps_of_value_iteration(sweeps):
    rng, goal, noise = np.random.default_rng(5), 2, 0.25
    table = rng.integers(6, size=(3, 6))
    values = [float(state == goal) for state in range(6)]
    for _ in range(sweeps):
        ahead = [[values[there] for there in table[:, state]] for state in range(6)]
        values = [0.8 * ((1 - noise) * max(each) + noise * sum(each) / 3) for each in ahead]
        values[goal] = 1.0
    found = sweep_to_goal(table, goal, discount=0.8, noise=noise, sweeps=sweeps)
    np.testing.assert_allclose(found.discount, values, rtol=1e-14)
    assert found.count == sweeps
    lost = np.array(values) == 0
    assert (found.action[lost] == -1).all()
    assert found.action[goal] == -1


ROOMS = ["#######", "#S.#..#", "#..#..#", "#.....#", "#..#.G#", "#######"]


@pytest.mark.parametrize("chance", [0.0, 0.4, 1.0])
def test_the_best_discount_is_the_optimum_of_the_dense_world(chance):
    world = fo.maze(ROOMS, noise=chance, moves=EIGHT_MOVES)
    goal, rng = world.goals[0], np.random.default_rng(0)
    exact = optimal_discount(world.mdp, goal, discount=0.9)
    # A guess is a beginning only: nothing, too much, and what is wrong everywhere end alike.
    guesses = [None, np.zeros(world.num_states), np.ones(world.num_states)]
    for guess in [*guesses, rng.random(world.num_states)]:
        best = best_discount(world.next_states, goal, discount=0.9, noise=chance, guess=guess)
        np.testing.assert_allclose(best, exact, rtol=1e-8)


def test_a_room_of_one_cell_has_a_best_discount():
    assert best_discount(np.array([[0], [0]]), 0, discount=0.9, noise=0.5).tolist() == [1]


@pytest.mark.parametrize("guess", [None, np.zeros(1100), np.ones(1100)])
def test_the_best_discount_is_found_where_floats_come_to_their_end(guess):
    # A corridor down to 1e-400: near 5e-324 rounding makes any action better than any other.
    states = np.arange(1100)
    table = np.stack([np.maximum(states - 1, 0), np.minimum(states + 1, 1099)])
    best = best_discount(table, 1099, discount=0.5, noise=0.2, guess=guess)
    rightwards = follow_actions(table, np.ones(1100, int), 1099, discount=0.5, noise=0.2)
    assert best[0] == 0
    seen = rightwards > 1e-280
    assert 600 < seen.sum() < 1000
    np.testing.assert_allclose(best[seen], rightwards[seen], rtol=1e-8)


@pytest.mark.parametrize("guess", [None, np.ones(4)])
def test_the_best_discount_is_nothing_behind_a_wall(guess):
    world = fo.maze(["S.#.G"], noise=0.3)
    best = best_discount(world.next_states, world.goals[0], discount=0.9, noise=0.3, guess=guess)
    assert best[:2].tolist() == [0, 0]
    assert (best[2:] > 0).all()


@pytest.mark.parametrize("narrow", [0, 64])
def test_following_actions_brings_what_the_dense_fr_says(narrow, monkeypatch):
    monkeypatch.setattr(noisy_mazes, "NARROW", narrow)  # Sparse LU, then LU of the band.
    world = fo.maze(ROOMS, noise=0.4)
    action, goal = np.arange(world.num_states) % 5 - 1, world.goals[0]
    policy = np.where((action < 0)[:, None], 0.25, np.eye(4)[action])
    fr = fo.first_occupancy.solve(fo.chain(world.mdp, jnp.asarray(policy)), discount=0.9)
    found = follow_actions(world.next_states, action, goal, discount=0.9, noise=0.4)
    np.testing.assert_allclose(found, fr[:, goal], rtol=1e-12)


def test_sparse_chains_of_actions_are_the_dense_ones():
    world = fo.maze(ROOMS, noise=0.4)
    action = np.arange(world.num_states) % 5 - 1
    policy = np.where((action < 0)[:, None], 0.25, np.eye(4)[action])
    dense = fo.chain(world.mdp, jnp.asarray(policy))
    sparse = chain_of(world.next_states, action, noise=0.4).toarray()
    np.testing.assert_allclose(sparse, dense, rtol=1e-12)


def test_sweeps_say_what_they_need(as_users_run_it):
    with pytest.raises(fo.InputError, match=r"sweeps must be at least 0 or None, got -1"):
        sweep_to_goal(np.array([[0]]), 0, discount=0.9, sweeps=-1)
    with pytest.raises(fo.InputError, match=r"noise must be at least 0 and at most 1, got 2"):
        sweep_to_goal(np.array([[0]]), 0, discount=0.9, noise=2)


@pytest.mark.usefixtures("as_users_run_it")
def test_impossible_worlds_are_refused_with_a_guess_and_without():
    table, here = np.array([[1, 1]]), "best_discount: "
    for changes, text in (
        ({"noise": -0.1}, here + "noise must be at least 0 and at most 1, got -0.1"),
        ({"goal": -1, "guess": np.ones(2)}, here + r"goal must be in 0\.\.1, got -1"),
        ({"discount": 1.0, "guess": np.ones(2)}, here + "discount must be .* below 1, got 1.0"),
        ({"guess": np.ones(3)}, here + r"guess must have one number .* 2 states, got \[3\]"),
    ):
        with pytest.raises(fo.InputError, match=text):
            best_discount(table, **{"goal": 1, "discount": 0.9, "noise": 0.1} | changes)
    with pytest.raises(fo.InputError, match=r"follow_actions: discount must be .* got 1.0"):
        follow_actions(table, np.zeros(2, int), 1, discount=1.0)
    with pytest.raises(fo.InputError, match=r"follow_actions: action must have one .* got \[1\]"):
        follow_actions(table, np.zeros(1, int), 1, discount=0.9)
