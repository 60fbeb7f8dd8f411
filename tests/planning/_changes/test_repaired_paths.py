"""The engine that repairs plans against the engine that makes them."""

import numpy as np
import pytest

from first_occupancy.environments import maze
from first_occupancy.planning._changes.repaired_paths import ChangingPaths
from first_occupancy.planning._drafts import Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._paths.engine import PathEngine
from first_occupancy.planning.limits import KEPT_GOALS

HALL = maze(["......", ".##.#.", "......", ".#...."])
NOWHERE = np.zeros(0, int)


def dynamics(world, discount=0.9):
    return Dynamics(world, None, discount, NOWHERE)


@pytest.mark.parametrize("discount", [0.0, 0.9, 1.0])
def test_drafts_are_those_of_the_engine_that_plans_afresh(discount):
    engine, world, rng = ChangingPaths(dynamics(HALL, discount), HALL.next_states), HALL, None
    rng = np.random.default_rng(2)
    for _ in range(25):
        goals = rng.choice(HALL.num_states, int(rng.integers(1, 3)), replace=False)
        request = Request(np.sort(goals), max_switches=None if rng.random() < 0.8 else 1)
        draft = engine.plan(request)
        expected = PathEngine(dynamics(world, discount), world.next_states).plan(request)
        for name in ("policy", "subgoal", "log_promised", "achieved", "time"):
            found, whole = getattr(draft, name), getattr(expected, name)
            if whole is None:  # of a refined plan
                assert found is None
                continue
            assert np.asarray(found).tolist() == np.asarray(whole, found.dtype).tolist()
            for state in rng.integers(0, HALL.num_states, 3).tolist():
                assert found[state] == np.asarray(whole, found.dtype)[state]
        free = np.setdiff1d(np.arange(HALL.num_states), goals)
        world = HALL.with_walls(HALL.cells[rng.choice(free, 3, replace=False)])
        states = np.flatnonzero((world.next_states.T != engine.steps.T).any(axis=1))
        engine.dynamics = dynamics(world, discount)
        assert engine.change(states, world.next_states.T[states], np.ones((len(states), 4)))


def test_policies_may_not_become_more_or_fewer():
    engine = ChangingPaths(dynamics(HALL), HALL.next_states)
    assert not engine.change(np.array([0]), np.zeros((1, 5), int), np.ones((1, 5)))
    assert (engine.steps == HALL.next_states).all()


def test_what_is_known_is_used_again_for_the_last_goals_only():
    engine = ChangingPaths(dynamics(HALL), HALL.next_states)
    for goal in range(KEPT_GOALS + 1):
        engine.plan(Request(np.array([goal])))
        assert engine.touched is None
    engine.plan(Request(np.array([1])))
    assert engine.touched == 0
    engine.plan(Request(np.array([0])))
    assert engine.touched is None
