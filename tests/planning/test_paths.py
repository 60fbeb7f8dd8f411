"""Plans without S x S arrays are those of the dense planner, ties included."""

import itertools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from first_occupancy.core import InputError, memory
from first_occupancy.environments import EIGHT_MOVES, four_rooms, maze
from first_occupancy.planning.frp import plan_to_every_goal, plan_to_goal, plan_to_goals
from first_occupancy.planning.paths import plan_paths, plan_paths_to_goals, prepare
from first_occupancy.representations import first_occupancy
from oracles import steps_between

SIZE, COUNT = 9, 3


def random_worlds(seed, number):
    """Return tables [B N S] of where policies lead: half by chance, half by steps on a line."""
    rng = np.random.default_rng(seed)
    by_chance = rng.integers(SIZE, size=(number // 2, COUNT, SIZE))
    strides = rng.integers(-3, 4, size=(number - number // 2, COUNT, 1))
    on_a_line = np.clip(np.arange(SIZE) + strides, 0, SIZE - 1)
    return np.concatenate([by_chance, on_a_line]), rng.integers(SIZE, size=number)


def steps_along(tables):
    """Return the steps [..., S S] from state to state along each policy, infinite if never."""
    here = np.broadcast_to(np.arange(SIZE), tables.shape)
    steps = np.full((*tables.shape, SIZE), np.inf)
    for count in range(SIZE):
        np.put_along_axis(
            steps,
            here[..., None],
            np.minimum(np.take_along_axis(steps, here[..., None], -1), count),
            -1,
        )
        here = np.take_along_axis(tables, here, -1)
    return steps


def dense_plans(frs, goals, switches):
    def plan(frs, goal):
        return plan_to_goal(frs, goal, max_switches=switches)

    return jax.tree.map(np.asarray, jax.jit(jax.vmap(plan))(jnp.asarray(frs), jnp.asarray(goals)))


@pytest.mark.parametrize("switches", [None, 0, 1, 2])
def test_every_field_is_the_dense_planners_on_hundreds_of_worlds(switches):
    """With the discount 1/e logs of discounts are whole numbers, so no rounding decides ties."""
    tables, goals = random_worlds(seed=10 if switches is None else switches, number=120)
    steps = steps_along(tables)
    assert (np.log(np.exp(-steps[np.isfinite(steps)])) == -steps[np.isfinite(steps)]).all()
    dense = dense_plans(np.exp(-steps), goals, switches)
    assert (dense.subgoal == -1).any()
    by_way_of_another = (dense.subgoal != goals[:, None]) & (dense.subgoal != -1)
    assert by_way_of_another.any() == (switches != 0)
    for world, (table, goal) in enumerate(zip(tables, goals, strict=True)):
        ours = plan_paths(table, goal, discount=np.exp(-1), max_switches=switches)
        np.testing.assert_array_equal(ours.policy, dense.policy[world])
        np.testing.assert_array_equal(ours.subgoal, dense.subgoal[world])
        np.testing.assert_allclose(ours.log_promised, dense.log_promised[world], rtol=1e-14)


def num_legs(subgoal, goals):
    """Return the number of legs [B S] of plans given by their subgoals."""
    state = np.broadcast_to(np.arange(SIZE), subgoal.shape)
    legs = np.zeros(subgoal.shape, int)
    for _ in range(SIZE):
        walking = (state != goals[:, None]) & (subgoal != -1)
        state = np.where(walking, np.take_along_axis(subgoal, state, 1), state)
        legs += walking
    return legs


def test_with_solved_frs_plans_are_as_short_and_have_as_few_legs():
    """The dense planner lets roundings choose among equals; nothing else differs."""
    tables, goals = random_worlds(seed=5, number=100)
    frs = first_occupancy.solve(jnp.eye(SIZE)[tables], discount=0.9)
    dense = dense_plans(frs, goals, None)
    plans = [plan_paths(table, g, discount=0.9) for table, g in zip(tables, goals, strict=True)]
    ours = jax.tree.map(lambda *leaves: np.stack(leaves), *plans)
    np.testing.assert_allclose(ours.log_promised, dense.log_promised, rtol=1e-12)
    np.testing.assert_array_equal(num_legs(ours.subgoal, goals), num_legs(dense.subgoal, goals))
    for plan, steps, goal in zip(plans, steps_along(tables), goals, strict=True):
        for start in np.flatnonzero(plan.reachable):
            legs = plan.legs(int(start))
            states = [start, *(leg.subgoal for leg in legs)]
            walked = sum(
                steps[leg.policy, here, leg.subgoal]
                for here, leg in zip(states[:-1], legs, strict=True)
            )
            assert states[-1] == goal
            np.testing.assert_allclose(walked * np.log(0.9), plan.log_promised[start], rtol=1e-12)


@pytest.mark.parametrize("switches", [None, 1])
def test_four_rooms_has_the_dense_plans_discounts(switches):
    world = four_rooms()
    frs = first_occupancy.solve(jnp.eye(world.num_states)[world.next_states], discount=0.95)
    dense = plan_to_every_goal(frs, max_switches=switches)
    graph = prepare(world.next_states)
    for goal in range(0, world.num_states, 5):
        plan = plan_paths(graph, goal, discount=0.95, max_switches=switches)
        np.testing.assert_allclose(plan.log_promised, dense.log_promised[goal], rtol=1e-12)
        assert ((plan.policy == -1) == (dense.policy[goal] == -1)).all()


@pytest.mark.parametrize("switches", [None, 1])
def test_plans_to_some_goals_are_the_plans_to_each(switches):
    world, goals = four_rooms(), np.array([50, 3, 67])
    frs = first_occupancy.solve(jnp.eye(world.num_states)[world.next_states], discount=0.95)
    by_paths = partial(plan_paths, world.next_states, discount=0.95, max_switches=switches)
    by_frs = partial(plan_to_goal, frs, max_switches=switches)
    together = {
        by_paths: plan_paths_to_goals(
            world.next_states, goals, discount=0.95, max_switches=switches
        ),
        by_frs: plan_to_goals(frs, goals, max_switches=switches),
    }
    for alone, plans in together.items():
        for goal in goals.tolist():
            jax.tree.map(np.testing.assert_array_equal, plans.to(goal), alone(goal))


@pytest.mark.usefixtures("as_users_run_it")
def test_goals_that_are_none_are_refused_and_plans_that_do_not_fit(monkeypatch):
    table, plan = np.array([[1, 2, 2]]), partial(plan_paths_to_goals, discount=0.9)
    refused = {
        (): "goals must be a list of states, got shape [0]",
        (2, 3): "goals must be in 0..2, got 3 at position 1",
        (0.5,): "goals must be whole numbers, got float64",
    }
    for goals, said in refused.items():
        with pytest.raises(InputError) as caught:
            plan(table, np.array(goals))
        assert str(caught.value) == f"plan_paths_to_goals: {said}"
    graph = prepare(table)
    monkeypatch.setattr(memory, "on_host", lambda: 1000)
    monkeypatch.setattr(memory, "ALWAYS_FITS", 0)
    assert plan(graph, [2]).to(2).subgoal.tolist() == [2, 2, 2]
    with pytest.raises(InputError, match="use fewer goals at a time instead"):
        plan(graph, [2] * 20)


def test_a_maze_of_sixty_thousand_cells_is_planned_as_scipy_measures_it():
    random = np.random.default_rng(0)
    lines = ["".join(row) for row in np.where(random.random((280, 280)) < 0.2, "#", ".")]
    world = maze(lines, moves=EIGHT_MOVES)
    graph = prepare(world.next_states)
    goal = world.num_states // 2
    plan = plan_paths(graph, goal, discount=0.95)
    starts, behind = graph.backwards
    backwards = csr_array((np.ones(len(behind)), behind, starts))
    steps = dijkstra(backwards, indices=goal, unweighted=True)
    np.testing.assert_allclose(plan.log_promised, steps * np.log(0.95), rtol=1e-12)
    # Follow all states' first legs at once; they take no detour.
    policy, subgoal = np.asarray(plan.policy), np.asarray(plan.subgoal)
    state, walked = np.arange(world.num_states), np.zeros(world.num_states)
    walking = np.isfinite(steps) & (state != goal)
    while walking.any():
        state = np.where(walking, world.next_states[policy, state], state)
        walked += walking
        walking &= state != subgoal
    arrived = np.isfinite(steps)
    np.testing.assert_array_equal(state[arrived], subgoal[arrived])
    np.testing.assert_array_equal(walked[arrived], (steps - steps[subgoal])[arrived])


def test_what_is_worth_nothing_later_is_not_planned_for():
    table = np.array([[1, 2, 2]])
    for switches in (None, 0, 2):
        plan = plan_paths(table, 2, discount=0.0, max_switches=switches)
        assert plan.policy.tolist() == [-1, -1, -1]
        assert plan.subgoal.tolist() == [-1, -1, 2]
        assert plan.log_promised.tolist() == [-np.inf, -np.inf, 0]


def test_a_single_state_and_a_single_policy_are_worlds_too():
    assert plan_paths(np.array([[0]]), 0, discount=0.9).promised.tolist() == [1]
    ring = np.roll(np.arange(50), -1)[None]
    plan = plan_paths(ring, 49, discount=0.9)
    assert plan.subgoal.tolist() == [49] * 50
    np.testing.assert_array_equal(plan.log_promised, np.arange(49, -1, -1) * np.log(0.9))


def test_precision_is_the_users():
    with jax.enable_x64(False):
        plan = plan_paths(np.array([[1, 2, 2]]), 2, discount=0.9)
        assert (plan.log_promised.dtype, plan.policy.dtype) == (jnp.float32, jnp.int32)
    assert plan_paths(np.array([[0, 0]]), 0, discount=0.9).log_promised.dtype == jnp.float64


@pytest.mark.usefixtures("as_users_run_it")
def test_a_limit_as_large_as_its_type_allows_is_no_limit():
    most = np.uint8(255)
    plan = plan_paths(np.array([[1, 2, 2]]), 2, discount=0.5, max_switches=most)  # pyrefly: ignore
    assert plan.promised.tolist() == [0.25, 0.5, 1]


@pytest.mark.usefixtures("as_users_run_it")
def test_next_states_may_be_of_any_type_of_whole_numbers():
    table = np.array([[1, 2, 2], [0, 0, 1]], np.uint64)
    assert plan_paths(table, 2, discount=0.5, max_switches=1).promised.tolist() == [0.25, 0.5, 1]


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("switches", [None, 1])
def test_next_states_may_be_lists(switches):
    lists = [[1, 2, 2], [0, 0, 1]]
    plan = plan_paths(lists, 2, discount=0.5, max_switches=switches)  # pyrefly: ignore
    assert plan.promised.tolist() == [0.25, 0.5, 1]


def test_prepared_worlds_plan_as_unprepared_ones():
    tables, goals = random_worlds(seed=9, number=20)
    for table, goal, switches in zip(tables, goals, itertools.cycle((None, 1)), strict=False):
        options = {"discount": 0.9, "max_switches": switches}
        plain = plan_paths(table, goal, **options)
        prepared = plan_paths(prepare(table), goal, **options)
        assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), plain, prepared))


MISTAKES = {
    "discount": (
        lambda: plan_paths(np.array([[0]]), 0, discount=1.5),
        "plan_paths: discount must be at least 0 and at most 1, got 1.5",
    ),
    "switches": (
        lambda: plan_paths(np.array([[0]]), 0, discount=0.9, max_switches=-1),
        "plan_paths: max_switches must be at least 0, got -1",
    ),
    "goal": (
        lambda: plan_paths(np.array([[0, 1]]), 2, discount=0.9),
        "plan_paths: goal must be in 0..1, got 2",
    ),
    "goals": (
        lambda: plan_paths(np.array([[0, 1]]), np.array([0, 1]), discount=0.9),
        "plan_paths: goal must be one whole number (plan_paths_to_goals takes several; a maze's "
        "state(row, column) is the number of a cell), got [0 1]",
    ),
    "a row for each state": (
        lambda: plan_paths(np.array([[0, 1, 2, 2]]).T, 0, discount=0.9),
        "plan_paths: next_states must be in 0..0, got 1 at position 1; it is [N S], a row for "
        "each policy, got [4 1]",
    ),
    "a row for each state with a limit": (
        lambda: plan_paths(np.array([[0, 1, 2, 2]]).T, 0, discount=0.9, max_switches=1),
        "plan_paths: next_states must be in 0..0, got 1 at position 1; it is [N S], a row for "
        "each policy, got [4 1]",
    ),
    "goal with a limit": (
        lambda: plan_paths(np.array([[0, 1]]), -1, discount=0.9, max_switches=1),
        "plan_paths: goal must be in 0..1, got -1",
    ),
    "shape": (
        lambda: prepare(np.array([0, 1])),
        "prepare: next_states must have shape [N S], got [2]",
    ),
    "shape with a limit": (
        lambda: plan_paths(np.array([0, 1]), 0, discount=0.9, max_switches=1),
        "plan_paths: next_states must have shape [N S], got [2]",
    ),
    "states": (
        lambda: prepare(np.array([[0, 7]])),
        "prepare: next_states must be in 0..1, got 7 at position 1",
    ),
    "negative states": (
        lambda: plan_paths(np.array([[-1, 0]]), 0, discount=0.9, max_switches=0),
        "plan_paths: next_states must be in 0..1, got -1 at position 0",
    ),
    "kind": (
        lambda: prepare(np.array([[0.0, 1.0]])),
        "prepare: next_states must be whole numbers, got float64",
    ),
    "nothing": (
        lambda: prepare(np.zeros((0, 3), int)),
        "prepare: next_states must not be empty, got shape [0, 3]",
    ),
    "more edges than SciPy counts": (
        lambda: prepare(np.broadcast_to(np.int32(0), (8, 2**28))),
        "prepare: next_states must have fewer than 2**31 entries, got 8 x 268435456",
    ),
}


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message


def test_the_oracle_of_distances_agrees():
    table = np.random.default_rng(2).integers(30, size=(2, 30))
    plan = plan_paths(table, 4, discount=0.9)
    np.testing.assert_allclose(plan.log_promised, steps_between(table)[:, 4] * np.log(0.9))
