"""The engine without FRs: it keeps its promise, and refined plans are those of the dense engine."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core.errors import InputError
from first_occupancy.planning._dense.engine import DenseEngine
from first_occupancy.planning._drafts import Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._sparse.engine import SparseEngine

WORLD = fo.maze(["S..4", ".>#.", "...G"], noise=0.3)
GOALS = np.array([9])


@pytest.fixture(params=[0.0, 0.9, 1.0])
def dynamics(request):
    return Dynamics(WORLD, None, request.param, np.zeros(0, int))


def test_unrefined_it_follows_the_luckiest_path_which_keeps_its_promise(dynamics):
    draft = SparseEngine(dynamics).plan(Request(GOALS, rounds=0))
    promised = np.exp(draft.log_promised)
    assert (promised <= draft.achieved * (1 + 1e-12)).all()
    assert (promised[draft.achieved > 0] > 0).all()


def test_refined_it_achieves_what_chained_frs_do_once_they_are_refined(dynamics):
    ours, theirs = (engine(dynamics).plan(Request(GOALS)) for engine in (SparseEngine, DenseEngine))
    np.testing.assert_allclose(ours.achieved, theirs.achieved, rtol=1e-12)
    assert (ours.known, theirs.known) == ("exact", "exact")


def test_a_tolerance_bounds_what_is_left_to_gain():
    dynamics = Dynamics(WORLD, None, 0.9, np.zeros(0, int))
    best = SparseEngine(dynamics).plan(Request(GOALS))
    close = SparseEngine(dynamics).plan(Request(GOALS, tolerance=0.01))
    assert (close.known, close.gap <= 0.01) == ("lower bound", True)
    assert (close.achieved <= best.achieved * (1 + 1e-12)).all()
    assert (best.achieved <= close.achieved + close.gap).all()


def test_it_cannot_count_switches():
    dynamics = Dynamics(WORLD, None, 0.9, np.zeros(0, int))
    with pytest.raises(InputError, match="plan: max_switches must be None in stochastic worlds"):
        SparseEngine(dynamics).plan(Request(GOALS, max_switches=1))


@pytest.mark.parametrize("tolerance", [None, 0.01])
def test_worlds_with_more_moves_than_small_indices_can_count_are_planned_in_too(tolerance):
    small, large = (Dynamics(WORLD, None, 0.9, np.zeros(0, int)) for _ in range(2))
    rows = large.moves.rows
    rows.indptr, rows.indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
    ours, theirs = (
        SparseEngine(each).plan(Request(GOALS, tolerance=tolerance)) for each in (large, small)
    )
    np.testing.assert_array_equal(ours.policy, theirs.policy)
    np.testing.assert_array_equal(ours.achieved, theirs.achieved)
