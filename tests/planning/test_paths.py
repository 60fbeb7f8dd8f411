"""Plans without S x S arrays are those of the dense planner, ties included."""

import itertools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

from first_occupancy.core import InputError, memory
from first_occupancy.environments import EIGHT_MOVES, four_rooms, maze
from first_occupancy.planning._paths import few_switches, shortest_paths
from first_occupancy.planning._sparse.noisy_mazes import best_discount, follow_actions
from first_occupancy.planning.frp import plan_to_every_goal, plan_to_goal, plan_to_goals
from first_occupancy.planning.paths import plan_paths, plan_paths_to_goals, prepare
from first_occupancy.planning.plans import unroll
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


WAYS = {
    "arrays": lambda patch: patch.setattr(shortest_paths, "NARROW", 0),
    "both": lambda patch: patch.setattr(shortest_paths, "NARROW", 3),
    "plain loop": lambda patch: patch.setattr(shortest_paths, "NARROW", 1000),
    "messages": lambda patch: patch.setattr(few_switches, "SENDERS", 2),
    "sweeps over all": lambda patch: patch.setattr(few_switches, "EDGES_PER_ROUND", 10**6),
    "sweeps over all after two rounds": lambda patch: patch.setattr(
        few_switches, "EDGES_PER_ROUND", few_switches.FEW_EDGES // 2
    ),
    "keys beyond int32": lambda patch: patch.setattr(
        few_switches, "packing", lambda *of: shortest_paths.Keys(4, 30)
    ),
}
CASES = [
    *itertools.product([None], ["arrays", "both", "plain loop"]),
    *itertools.product([0, 1, 2], ["messages"]),
    *itertools.product([1, 2], ["sweeps over all after two rounds"]),
    (1, "sweeps over all"),
    (2, "keys beyond int32"),
]


@pytest.mark.parametrize(("switches", "way"), CASES)
def test_every_field_is_the_dense_planners_on_thousands_of_worlds(switches, way, monkeypatch):
    """With the discount 1/e logs of discounts are whole numbers, so no rounding decides ties."""
    WAYS[way](monkeypatch)
    monkeypatch.setattr(shortest_paths, "CHUNK", 16)
    tables, goals = random_worlds(seed=CASES.index((switches, way)), number=350)
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
        np.testing.assert_allclose(ours.log_discount, dense.log_discount[world], rtol=1e-14)


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
    np.testing.assert_allclose(ours.log_discount, dense.log_discount, rtol=1e-12)
    np.testing.assert_array_equal(num_legs(ours.subgoal, goals), num_legs(dense.subgoal, goals))
    for plan, steps, goal in zip(plans, steps_along(tables), goals, strict=True):
        for start in np.flatnonzero(plan.reachable):
            legs = unroll(plan, int(start))
            states = [start, *(leg.subgoal for leg in legs)]
            walked = sum(
                steps[leg.policy, here, leg.subgoal]
                for here, leg in zip(states[:-1], legs, strict=True)
            )
            assert states[-1] == goal
            np.testing.assert_allclose(walked * np.log(0.9), plan.log_discount[start], rtol=1e-12)


@pytest.mark.parametrize("switches", [None, 1])
def test_four_rooms_has_the_dense_plans_discounts(switches):
    world = four_rooms()
    frs = first_occupancy.solve(jnp.eye(world.num_states)[world.next_states], discount=0.95)
    dense = plan_to_every_goal(frs, max_switches=switches)
    graph = prepare(world.next_states)
    for goal in range(0, world.num_states, 5):
        plan = plan_paths(graph, goal, discount=0.95, max_switches=switches)
        np.testing.assert_allclose(plan.log_discount, dense.log_discount[goal], rtol=1e-12)
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
        (): "goals must be a list of states, got shape (0,)",
        (2, 3): "goals must be in 0..2, got 3 at position 1",
        (0.5,): "goals must be whole numbers, got float64",
    }
    for goals, said in refused.items():
        with pytest.raises(InputError) as caught:
            plan(table, np.array(goals))
        assert str(caught.value) == f"plan_paths_to_goals: {said}"
    graph = prepare(table)
    monkeypatch.setattr(memory, "on_host", lambda: 1000)
    assert plan(graph, [2]).to(2).subgoal.tolist() == [2, 2, 2]
    with pytest.raises(InputError, match="use fewer goals at a time instead"):
        plan(graph, [2] * 20)


def serpentine(rows, columns):
    """Return a maze that is one long corridor."""
    lines = ["." * columns]
    for turn in range(rows // 2):
        gap = "." if turn % 2 else "#"
        lines += [gap + "#" * (columns - 2) + ("#" if turn % 2 else "."), "." * columns]
    return lines


DRAWINGS = {
    "half open": [
        "".join(row) for row in np.where(np.random.default_rng(1).random((30, 30)) < 0.25, "#", ".")
    ],
    "corridor": serpentine(21, 20),
    "room and corridor": ["." * 12 + "#" * 20] * 9 + ["." * 32] + ["." * 12 + "#" * 20] * 9,
}


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_arrays_and_plain_loop_and_sweeps_to_the_end_find_one_plan(drawing, monkeypatch):
    world = maze(DRAWINGS[drawing], moves=EIGHT_MOVES)
    graph, goal = prepare(world.next_states), world.num_states // 3
    swept = plan_paths(graph, goal, discount=0.99, max_switches=world.num_states)
    steps = dijkstra(graph.backwards, indices=goal, unweighted=True)
    np.testing.assert_allclose(swept.log_discount, steps * np.log(0.99), rtol=1e-12)
    for narrow, chunk in [(0, 50), (8, 10**6), (10**6, 1)]:
        monkeypatch.setattr(shortest_paths, "NARROW", narrow)
        monkeypatch.setattr(shortest_paths, "CHUNK", chunk)
        plan = plan_paths(graph, goal, discount=0.99)
        np.testing.assert_array_equal(plan.policy, swept.policy)
        np.testing.assert_array_equal(plan.subgoal, swept.subgoal)
        np.testing.assert_array_equal(plan.log_discount, swept.log_discount)


def test_a_long_corridor_is_swept_at_once(monkeypatch):
    size, swept = 20_000, []
    nearest_ahead = few_switches.nearest_ahead
    monkeypatch.setattr(
        few_switches, "nearest_ahead", lambda *of: swept.append(1) or nearest_ahead(*of)
    )
    plan = plan_paths(
        np.minimum(np.arange(1, size + 1), size - 1)[None], size - 1, discount=0.99, max_switches=0
    )
    assert len(swept) == 1
    assert (plan.subgoal == size - 1).all()
    np.testing.assert_allclose(plan.log_discount, np.arange(size)[::-1] * np.log(0.99), rtol=1e-12)


def messages_counted(monkeypatch):
    """Return a list to which each round adds how many messages were passed on in it."""
    counts, passed_on = [], few_switches._Policies.passed_on

    def counting(policies, news):
        further = passed_on(policies, news)
        counts.append(len(further.states))
        return further

    monkeypatch.setattr(few_switches._Policies, "passed_on", counting)
    return counts


def test_policies_that_agree_do_not_multiply_messages(monkeypatch):
    size, counts = 20, messages_counted(monkeypatch)
    ahead = np.minimum(np.arange(1, size + 1), size - 1)
    graph = prepare(np.stack([ahead] * 3))
    assert graph.backwards.nnz == size - 1
    plan = plan_paths(graph, size - 1, discount=0.9, max_switches=0)
    assert plan.policy.tolist() == [0] * (size - 1) + [-1]
    assert counts == [3] * (size - 2) + [0]


def test_those_behind_a_path_do_not_hear_from_all_of_it(monkeypatch):
    """Policy 1 walks 200 states to the goal, policy 0 every other of them but the last one."""
    handle, size = 200, 30_000
    line = np.arange(handle)
    fast, slow = np.zeros((2, size), int)
    fast[line], slow[line] = np.minimum(line + 2, handle - 2 + line % 2), line + 1
    fast[handle] = slow[handle] = handle
    counts = messages_counted(monkeypatch)
    graph = prepare(np.stack([fast, slow]))
    plan = plan_paths(graph, handle, discount=0.9, max_switches=1)
    # By the slow policy from the last but one, to which the fast one leads.
    assert plan.subgoal[size - 1] == handle - 2
    np.testing.assert_allclose(
        plan.log_discount[size - 1], (handle // 2 + 2) * np.log(0.9), rtol=1e-12
    )
    # Nearly all states lie behind: they would hear from a hundred.
    assert sum(counts) < 10 * size


def test_a_maze_of_sixty_thousand_cells_is_planned_as_scipy_measures_it():
    random = np.random.default_rng(0)
    lines = ["".join(row) for row in np.where(random.random((280, 280)) < 0.2, "#", ".")]
    world = maze(lines, moves=EIGHT_MOVES)
    graph = prepare(world.next_states)
    goal = world.num_states // 2
    plan = plan_paths(graph, goal, discount=0.95)
    steps = dijkstra(graph.backwards, indices=goal, unweighted=True)
    np.testing.assert_allclose(plan.log_discount, steps * np.log(0.95), rtol=1e-12)
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
        assert plan.log_discount.tolist() == [-np.inf, -np.inf, 0]


def test_a_single_state_and_a_single_policy_are_worlds_too():
    assert plan_paths(np.array([[0]]), 0, discount=0.9).discount.tolist() == [1]
    ring = np.roll(np.arange(50), -1)[None]
    plan = plan_paths(ring, 49, discount=0.9)
    assert plan.subgoal.tolist() == [49] * 50
    np.testing.assert_array_equal(plan.log_discount, np.arange(49, -1, -1) * np.log(0.9))


def test_precision_is_the_users():
    with jax.enable_x64(False):
        plan = plan_paths(np.array([[1, 2, 2]]), 2, discount=0.9)
        assert (plan.log_discount.dtype, plan.policy.dtype) == (jnp.float32, jnp.int32)
    assert plan_paths(np.array([[0, 0]]), 0, discount=0.9).log_discount.dtype == jnp.float64


@pytest.mark.usefixtures("as_users_run_it")
def test_a_limit_as_large_as_its_type_allows_is_no_limit():
    most = np.uint8(255)
    plan = plan_paths(np.array([[1, 2, 2]]), 2, discount=0.5, max_switches=most)  # pyrefly: ignore
    assert plan.discount.tolist() == [0.25, 0.5, 1]


@pytest.mark.usefixtures("as_users_run_it")
def test_next_states_may_be_of_any_type_of_whole_numbers():
    table, action = np.array([[1, 2, 2], [0, 0, 1]], np.uint64), np.array([0, 0, 0])
    assert plan_paths(table, 2, discount=0.5, max_switches=1).discount.tolist() == [0.25, 0.5, 1]
    assert follow_actions(table, action, 2, discount=0.5).tolist() == [0.25, 0.5, 1]
    noisy = best_discount(table, 2, discount=0.5, noise=0.1)
    assert noisy.tolist() == best_discount(table.astype(int), 2, discount=0.5, noise=0.1).tolist()


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("switches", [None, 1])
def test_next_states_may_be_lists(switches):
    lists = [[1, 2, 2], [0, 0, 1]]
    plan = plan_paths(lists, 2, discount=0.5, max_switches=switches)  # pyrefly: ignore
    assert plan.discount.tolist() == [0.25, 0.5, 1]


def test_prepared_worlds_plan_as_unprepared_ones():
    tables, goals = random_worlds(seed=9, number=20)
    for table, goal, switches in zip(tables, goals, itertools.cycle((None, 1)), strict=False):
        options = {"discount": 0.9, "max_switches": switches}
        plain = plan_paths(table, goal, **options)
        prepared = plan_paths(prepare(table), goal, **options)
        assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), plain, prepared))


MISTAKES = {
    "action": (
        lambda: follow_actions(np.array([[0, 1]]), np.array([0, 7]), 0, discount=0.9),
        "follow_actions: action must be whole numbers in -1..0, got int64 from 0 to 7",
    ),
    "discount": (
        lambda: plan_paths(np.array([[0]]), 0, discount=1.0),
        "plan_paths: discount must be at least 0 and below 1, got 1.0",
    ),
    "switches": (
        lambda: plan_paths(np.array([[0]]), 0, discount=0.9, max_switches=-1),
        "plan_paths: max_switches must be at least 0 or None, got -1",
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
        "plan_paths: next_states must be in 0..0, got 2; it is [N S], a row for each policy, "
        "got [4 1]",
    ),
    "a row for each state with a limit": (
        lambda: plan_paths(np.array([[0, 1, 2, 2]]).T, 0, discount=0.9, max_switches=1),
        "plan_paths: next_states must be in 0..0, got 2; it is [N S], a row for each policy, "
        "got [4 1]",
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
        "prepare: next_states must be in 0..1, got 7",
    ),
    "negative states": (
        lambda: plan_paths(np.array([[-1, 0]]), 0, discount=0.9, max_switches=0),
        "plan_paths: next_states must be in 0..1, got -1",
    ),
    "kind": (
        lambda: prepare(np.array([[0.0, 1.0]])),
        "prepare: next_states must be whole numbers, one for each state, "
        "got float64 of shape [1, 2]",
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
    np.testing.assert_allclose(plan.log_discount, steps_between(table)[:, 4] * np.log(0.9))
