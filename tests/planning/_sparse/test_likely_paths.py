"""Paths and legs along the most likely moves."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import first_occupancy as fo
from first_occupancy.planning._sparse.likely_paths import LikelyPaths, likely_legs, likely_steps
from first_occupancy.representations._solvers.jumps import jump_chain


def chain(rows):
    return jump_chain(csr_array(np.array(rows, float)))


def test_a_leg_ends_at_the_goal_or_where_the_choice_changes():
    ahead = np.array([1, 2, 3, 4, 4])
    legs = likely_legs(ahead, np.array([0, 0, 1, 1, -1]), np.array([4]))
    assert legs.tolist() == [2, 2, 4, 4, 4]


def test_the_most_likely_move_away_counts_and_of_equals_the_first_state():
    moves = chain([[0.8, 0.05, 0.15], [0.5, 0, 0.5], [0, 0, 1]])
    assert likely_steps(moves.moves).tolist() == [2, 0, 2]
    assert LikelyPaths([moves]).legs(np.array([0, 0, -1]), np.array([2])).tolist() == [2, 2, 2]


def test_likely_steps_are_those_of_a_plain_search():
    rng = np.random.default_rng(0)
    for _ in range(50):
        size = int(rng.integers(1, 9))
        dense = rng.integers(0, 3, (size, size)) * rng.integers(0, 2, (size, size)) / 4
        away = np.where(np.eye(size, dtype=bool), 0, dense)
        expected = np.where(away.max(axis=1) > 0, away.argmax(axis=1), np.arange(size))
        assert likely_steps(chain(dense).moves).tolist() == expected.tolist()
        shuffled = csr_array(dense).tocoo()
        order = rng.permutation(shuffled.nnz)
        entries = (shuffled.data[order], (shuffled.row[order], shuffled.col[order]))
        shuffled = jump_chain(csr_array(entries, (size, size)))
        assert likely_steps(shuffled.moves).tolist() == expected.tolist()


def test_a_circle_has_no_leg():
    assert likely_legs(np.array([1, 0, 2]), np.array([0, 0, -1]), np.array([2])).tolist() == [
        -1,
        -1,
        2,
    ]


def test_who_follows_nothing_has_no_leg():
    assert likely_legs(np.arange(2), np.array([-1, -1]), np.array([1])).tolist() == [-1, 1]


@pytest.mark.parametrize("noise", [0.1, 0.6])
def test_the_shortest_likely_path_promises_a_product_that_following_it_keeps(noise):
    world = fo.maze(["S..#.", ".#..G", "..#.."], noise=noise)
    kernels = [0.9 * each for each in world.action_chains]
    goal = world.state_number((1, 4))
    jumps = [jump_chain(each, 0.1) for each in kernels]
    choice, logs = LikelyPaths(jumps).shortest(goal)
    assert choice[goal] == -1
    assert logs[goal] == 0
    fewest = np.asarray(fo.plan(fo.maze(world.drawing), goal, discount=0.5).expected_time)
    for state in range(world.num_states):
        product, here, moves = 1.0, state, 0
        while here != goal:
            kernel = kernels[choice[here]]
            ahead = likely_steps(jumps[choice[here]].moves)[here]
            product *= kernel[here, ahead] / (1 - kernel[here, here])
            here, moves = ahead, moves + 1
        assert moves == fewest[state]
        np.testing.assert_allclose(np.exp(logs[state]), product, rtol=1e-12)


def test_where_likely_moves_do_not_lead_from_everywhere_there_is_no_shortest_path():
    unlikely = chain([[0.9, 0.1, 0], [0.4, 0, 0.6], [0, 0, 1]])
    assert LikelyPaths([unlikely]).shortest(2) is not None
    assert LikelyPaths([chain([[0, 0.9, 0.1], [0.9, 0, 0.1], [0, 0, 1]])]).shortest(2) is None
