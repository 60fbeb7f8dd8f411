"""Compiled loops against the plain functions that they are, and against SciPy and NumPy."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from first_occupancy.planning._sparse import kernels
from first_occupancy.planning._sparse.moves import Moves
from first_occupancy.representations._solvers.jumps import jump_chain


def random_moves(rng, size, count=3):
    jumps = []
    for _ in range(count):
        rows = np.zeros((size, size))
        for row in rows:
            ends = rng.choice(size, min(4, size), replace=False)
            row[ends] = 0.95 * rng.dirichlet(np.ones(len(ends)))
        jumps.append(jump_chain(csr_array(rows), 0.05))
    return Moves(jumps)


@pytest.fixture(params=[False, True], ids=["compiled", "plain"])
def run(request):
    """Return the loops, compiled or as they are written."""
    return lambda name: getattr(kernels, name).py_func if request.param else getattr(kernels, name)


def test_luckiest_paths_are_those_of_scipys_search(run):
    rng = np.random.default_rng(0)
    for size in (2, 5, 40):
        moves, goals = random_moves(rng, size), rng.choice(size, 2, replace=False)
        choice, logs, order, moves_needed = run("luckiest_paths")(*moves.arriving, 1e-12, goals)
        lengths = np.full((size, size), np.inf)
        for part in moves.rows.toarray().reshape(-1, size, size):
            with np.errstate(divide="ignore"):
                lengths = np.minimum(lengths, -np.log(part))
        graph = csr_array(np.where(np.isfinite(lengths), lengths, 0).T)
        truth = dijkstra(graph, indices=goals, min_only=True)
        np.testing.assert_allclose(-logs, truth, rtol=1e-12)
        assert (np.diff(logs[order]) <= 1e-9).all()
        assert sorted([*order, *goals]) == np.flatnonzero(np.isfinite(truth)).tolist()
        assert (choice[goals] == -1).all()
        assert (size > 2) <= moves_needed < size


def test_rows_in_order_are_the_rows_with_all_goals_in_one_column(run):
    rng = np.random.default_rng(1)
    moves, goals = random_moves(rng, 9), np.array([4, 7])
    order = np.array([8, 0, 3, 1])
    starts, ends, weights = run("in_order")(*moves.parts, order, goals, 9)
    found = csr_array((weights, ends.astype(int), starts.astype(int)), (12, 5))
    found = found.toarray().reshape(4, 3, 5)
    dense = moves.rows.toarray().reshape(3, 9, 9)[:, order].swapaxes(0, 1)
    np.testing.assert_allclose(found[..., :4], dense[..., order])
    np.testing.assert_allclose(found[..., 4], dense[..., goals].sum(axis=-1))


def test_an_improvement_takes_the_best_policy_and_stays_below_what_it_achieves(run):
    rng = np.random.default_rng(2)
    for _ in range(10):
        moves, goals, order = random_moves(rng, 12), np.array([0]), np.arange(1, 12)
        rows = moves.rows
        ordered = kernels.in_order(*moves.parts, order, goals, 12)
        choice, values = np.zeros(11, np.int32), np.append(np.zeros(11), 1.0)
        for _ in range(40):
            changed, gain = run("improve")(*ordered, np.arange(11), choice, values, 1e-14, 3, 0.0)
            states = np.arange(1, 12)
            dense = rows.toarray().reshape(3, 12, 12)[choice, states]
            exact = np.linalg.solve(np.eye(11) - dense[:, 1:], dense[:, 0])
            assert (values[:-1] <= exact * (1 + 1e-12)).all()
        assert changed == 0
        assert gain < 1e-12
        ahead = rows.toarray().reshape(3, 12, 12)[:, 1:] @ np.append(1.0, exact)
        np.testing.assert_allclose(ahead.max(axis=0), exact, rtol=1e-9)


def test_changes_are_those_of_dense_arrays(run):
    rng = np.random.default_rng(3)
    moves, values = random_moves(rng, 8), rng.random(8)
    gained, rows = rng.random(24), moves.rows
    found, errors = run("changes")(*moves.parts, moves.losses, values, gained, 1e-15)
    own = np.tile(values, 3)
    np.testing.assert_allclose(found, rows.toarray() @ values - own + gained, atol=1e-14)
    assert (errors >= 1e-15 * own).all()
    assert (errors < 1e-14).all()
