"""The luckiest path against a plain search over products; legs along the most likely moves."""

import numpy as np
from scipy.sparse import csr_array

from first_occupancy.planning._sparse.moves import Moves
from first_occupancy.representations._solvers.arrivals import arrivals
from first_occupancy.representations._solvers.jumps import jump_chain


def best_products(kernels, goals):
    """Return the largest product along any path, by relaxing all edges S times."""
    staying = np.einsum("nss->ns", kernels)
    leave = kernels / np.where(staying < 1, 1 - staying, np.inf)[:, :, None]
    best = np.zeros(kernels.shape[1])
    best[goals] = 1
    for _ in best:
        ahead = leave * best[None, None]
        ahead[:, np.arange(len(best)), np.arange(len(best))] = 0
        best = np.maximum(best, ahead.max(axis=(0, 2)))
        best[goals] = 1
    return best


def test_following_the_luckiest_path_brings_at_least_its_product():
    rng = np.random.default_rng(7)
    for factor in (0.9, 1.0):
        for _ in range(80):
            size, count = int(rng.integers(2, 8)), int(rng.integers(1, 4))
            kernels = np.zeros((count, size, size))
            for row in kernels.reshape(-1, size):
                ends = rng.choice(size, min(3, size), replace=False)
                row[ends] = factor * rng.dirichlet(np.ones(len(ends)))
            goals = rng.choice(size, 1)
            jumps = [jump_chain(csr_array(each), 1 - factor) for each in kernels]
            choice, logs, *_ = Moves(jumps).lucky_paths(goals)
            products = best_products(kernels, goals)
            np.testing.assert_allclose(np.exp(logs), products, rtol=1e-12)
            followed = arrivals(Moves(jumps).of(choice), goals).values
            assert (followed >= products * (1 - 1e-12)).all()
            assert ((followed > 0) == (products > 0)).all()
            assert choice[goals[0]] == -1


def test_a_goal_that_nothing_leads_to_has_no_path():
    moves = Moves([jump_chain(csr_array(np.eye(3) * 0.9), 0.1)])
    choice, logs, order, _ = moves.lucky_paths(np.array([1]))
    assert not len(order)
    assert choice.tolist() == [-1, -1, -1]
    assert logs.tolist() == [-np.inf, 0, -np.inf]


def test_the_luckiest_path_is_found_however_near_to_certain_its_moves_are():
    # Straight from 0 to 2 loses 3e-12; through 1, each of two moves loses 1e-12.
    kernel = csr_array(np.array([[0, 1.0, 0], [0, 0, 1.0], [0, 0, 0]]))
    straight = csr_array(np.array([[0, 0, 1.0], [0, 0, 0], [0, 0, 0]]))
    jumps = [jump_chain(kernel, 1e-12), jump_chain(straight, 3e-12)]
    choice, logs, order, _ = Moves(jumps).lucky_paths(np.array([2]))
    assert order.tolist() == [1, 0]
    assert choice.tolist() == [0, 0, -1]
    np.testing.assert_allclose(logs, [-2e-12, -1e-12, 0], rtol=1e-3)


def leading(*ends):
    """Return the moves of two policies, which lead from each state to another for certain."""
    return chain(np.eye(len(ends))[list(ends)])


def chain(rows):
    return Moves([jump_chain(csr_array(np.array(rows, float)))] * 2)


def steps_of(moves):
    """Return the first steps, which are legs if no two states follow the same policy."""
    size = moves.num_states
    alike = [jump_chain(moves.rows[:size])] * size
    return Moves(alike).likely_legs(np.arange(size), np.arange(0))


def test_a_leg_ends_at_the_goal_or_where_the_choice_changes():
    legs = leading(1, 2, 3, 4, 4).likely_legs(np.array([0, 0, 1, 1, -1]), np.array([4]))
    assert legs.tolist() == [2, 2, 4, 4, 4]


def test_the_most_likely_move_away_counts_and_of_equals_the_first_state():
    moves = chain([[0.8, 0.05, 0.15], [0.5, 0, 0.5], [0, 0, 1]])
    assert steps_of(moves).tolist() == [2, 0, -1]
    assert moves.likely_legs(np.array([0, 0, -1]), np.array([2])).tolist() == [2, 2, 2]


def test_likely_steps_are_those_of_a_plain_search():
    rng = np.random.default_rng(0)
    for _ in range(50):
        size = int(rng.integers(1, 9))
        dense = rng.integers(0, 3, (size, size)) * rng.integers(0, 2, (size, size)) / 4
        away = np.where(np.eye(size, dtype=bool), 0, dense)
        expected = np.where(away.max(axis=1) > 0, away.argmax(axis=1), -1)
        assert steps_of(chain(dense)).tolist() == expected.tolist()
        shuffled = csr_array(dense).tocoo()
        order = rng.permutation(shuffled.nnz)
        entries = (shuffled.data[order], (shuffled.row[order], shuffled.col[order]))
        shuffled = Moves([jump_chain(csr_array(entries, (size, size)))])
        assert steps_of(shuffled).tolist() == expected.tolist()


def test_a_circle_has_no_leg():
    assert leading(1, 0, 2).likely_legs(np.array([0, 0, -1]), np.array([2])).tolist() == [
        -1,
        -1,
        2,
    ]


def test_who_follows_nothing_has_no_leg():
    assert leading(0, 1).likely_legs(np.array([-1, -1]), np.array([1])).tolist() == [-1, 1]
