"""The engine of exact FRs: sets of goals, moves that take time, and no discount."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import first_occupancy as fo
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning._dense.engine import DenseEngine
from first_occupancy.planning._drafts import Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.representations._solvers.arrivals import arrivals
from first_occupancy.representations._solvers.jumps import jump_chain

NOBODY = np.zeros(0, int)


def random_world(rng, *, timed):
    size, count = int(rng.integers(3, 7)), int(rng.integers(1, 4))
    rows = rng.dirichlet(np.full(size, 0.4), (size, count))
    rows[rows < 0.1] = 0
    rows[rows.sum(axis=-1) == 0, 0] = 1
    rows /= rows.sum(axis=-1, keepdims=True)
    durations = rng.integers(1, 4, (size, count)) if timed else None
    return SparseMDP(rows, durations=durations)


def by_columns(world, goals, discount):
    """Return FRP's fixed point to a set of goals, with every FR from one column of a kernel."""
    size, times = world.num_states, 1 if world.durations is None else world.durations
    worth = np.broadcast_to(discount**times, (size, world.num_actions))
    stopped = []
    for action, chain in enumerate(world.action_chains):
        rows, losses = chain.toarray() * worth[:, [action]], 1 - worth[:, action]
        # A set is left no more once it is entered; legs to one goal may pass it, as in the paper.
        rows[goals] *= len(goals) == 1
        stopped.append(jump_chain(csr_array(rows), losses))
    legs = np.zeros((size, size))
    for state in range(size):
        ends = goals if state in goals else np.array([state])
        for jumps in stopped:
            legs[:, state] = np.maximum(legs[:, state], arrivals(jumps, ends).values)
    best = np.isin(np.arange(size), goals).astype(float)
    for _ in range(size):
        best = np.maximum(best, (legs * best[None]).max(axis=1))
    return best


@pytest.mark.parametrize("discount", [0.9, 1.0])
@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("several", [1, 2])
def test_promises_are_those_of_columns(discount, timed, several):
    rng = np.random.default_rng(11)
    for _ in range(25):
        world = random_world(rng, timed=timed)
        goals = np.sort(rng.choice(world.num_states, several, replace=False))
        engine = DenseEngine(Dynamics(world, None, discount, NOBODY))
        promised = np.exp(engine.plan(Request(goals, rounds=0)).log_promised)
        np.testing.assert_allclose(promised, by_columns(world, goals, discount), rtol=1e-12)


def test_of_equally_sure_plans_the_soonest_is_taken():
    # Action 0 goes straight to the goal 2; action 1 makes a detour through 1. Both arrive.
    straight, detour = np.eye(4)[[2, 2, 2, 3]], np.eye(4)[[1, 2, 2, 3]]
    for order in ([straight, detour], [detour, straight]):
        found = fo.plan(SparseMDP(order, durations=[1.0, 1.0]), 2, discount=1.0)
        assert found.expected_time[0] == 1
        mixed = [0.5 * each + 0.5 * np.eye(4) for each in order]
        found = fo.plan(SparseMDP(mixed), 2, discount=1.0)
        np.testing.assert_allclose(found.expected_time[0], 2)
