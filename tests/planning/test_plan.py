"""The one front of planning: which engine it takes, and what following its plans brings."""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.core.world import World
from first_occupancy.interop.data.logs import count_transitions, transition_log
from first_occupancy.interop.skills import Skills
from first_occupancy.interop.states import DiscreteStates
from first_occupancy.planning.evaluation import evaluate
from first_occupancy.planning.plan import Planner, plan

DISCOUNT = 0.9
PATHS, DENSE = "paths", "dense"
DRAWING = ["S..", ".#.", "..G"]
CALM, WINDY = fo.maze(DRAWING), fo.maze(DRAWING, noise=0.3)
FIELDS = ("goal", "policy", "subgoal", "log_promised")


def assert_same(one, other, *, rtol=0.0):
    """Fail unless two plans follow the same policies, for the same discounts."""
    for name in FIELDS[:3]:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_allclose(one.log_promised, other.log_promised, rtol=rtol)


def assert_equally_good(one, other, frs):
    """Fail unless two plans promise the same; of legs that are equally good each may have one."""
    np.testing.assert_allclose(one.log_promised, other.log_promised, rtol=1e-12, atol=1e-14)
    frs, states = np.asarray(frs), np.arange(len(one.policy))
    for policy, subgoal in [
        (np.asarray(each.policy), np.asarray(each.subgoal)) for each in (one, other)
    ]:
        promised = frs[policy, states, subgoal] * np.exp(np.asarray(one.log_promised))[subgoal]
        moving = policy >= 0
        # With a limit on switches, the plan behind a subgoal may be better than was promised.
        assert (promised >= np.exp(np.asarray(one.log_promised)) * (1 - 1e-12))[moving].all()


def followed_by_linear_solve(found, chains):
    """Return the expected discount of looking the plan up in every state; no plan, no arrival."""
    policy, goal = np.asarray(found.policy), int(found.goal)
    size = len(policy)
    rows = np.array([chains[n][s] if n >= 0 else np.zeros(size) for s, n in enumerate(policy)])
    return np.linalg.solve(np.eye(size) - DISCOUNT * rows, np.eye(size)[goal])


@pytest.fixture(scope="module")
def windy_frs():
    chains = fo.chain(WINDY, fo.constant_policies(WINDY))
    return chains, fo.first_occupancy.solve(chains, discount=DISCOUNT)


@pytest.mark.parametrize("switches", [None, 0, 1])
def test_in_a_deterministic_maze_plans_are_those_of_paths_ties_included(switches):
    planner = Planner(CALM, discount=DISCOUNT)
    chains = np.asarray(fo.chain(CALM, fo.constant_policies(CALM)))
    assert planner.engine == PATHS
    for goal in range(CALM.num_states):
        found = planner.plan(goal, max_switches=switches)
        direct = planning.plan_paths(
            CALM.next_states, goal, discount=DISCOUNT, max_switches=switches
        )
        assert_same(found, direct)
        assert found.engine == PATHS
        expected = followed_by_linear_solve(found, chains)
        np.testing.assert_allclose(found.expected_discount, expected, rtol=1e-12)
        # Who looks the plan up again on the way may switch more often than was promised.
        assert (found.expected_discount >= found.promised * (1 - 1e-12)).all()


@pytest.mark.parametrize("switches", [None, 0, 1])
def test_in_a_noisy_maze_plans_are_those_of_exact_frs(switches, windy_frs):
    chains, frs = windy_frs
    planner = Planner(WINDY, discount=DISCOUNT)
    assert planner.engine == DENSE
    for goal in (0, 4, 7):
        found = planner.plan(goal, max_switches=switches, refine=0)
        assert_equally_good(found, planning.plan_to_goal(frs, goal, max_switches=switches), frs)
        assert found.engine == DENSE
        expected = followed_by_linear_solve(found, np.asarray(chains))
        np.testing.assert_allclose(found.expected_discount, expected, rtol=1e-12)
        brings = evaluate(found, WINDY, fo.constant_policies(WINDY), discount=DISCOUNT)
        np.testing.assert_allclose(found.expected_discount, brings.expected_discount, rtol=1e-12)
        assert (found.expected_discount >= found.promised * (1 - 1e-12)).all()


def test_under_noise_following_a_plan_brings_more_than_it_promises():
    found = plan(WINDY, (2, 2), discount=DISCOUNT, refine=0)
    assert (np.asarray(found.expected_discount)[:7] > 1.01 * np.asarray(found.promised)[:7]).any()


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_where_the_goal_is_out_of_reach_nothing_is_promised_and_nothing_comes(noise):
    world = fo.maze("S.#.G", noise=noise)
    found = plan(world, world.goals[0], discount=DISCOUNT)
    assert found.reachable.tolist() == [False, False, True, True]
    assert found.expected_discount[:2].tolist() == [0, 0]
    chains = np.asarray(fo.chain(world, fo.constant_policies(world)))
    np.testing.assert_allclose(
        found.expected_discount, followed_by_linear_solve(found, chains), rtol=1e-12
    )


def test_a_limit_may_leave_states_without_a_plan_that_have_one_without_it():
    corner = fo.maze(["..", "#."])
    goal = corner.state(1, 1)
    found = plan(corner, goal, discount=DISCOUNT, max_switches=0)
    assert found.policy.tolist() == [-1, 2, -1]
    np.testing.assert_allclose(found.expected_discount, [0, DISCOUNT, 1])
    everywhere = plan(corner, goal, discount=DISCOUNT)
    np.testing.assert_allclose(everywhere.expected_discount, [DISCOUNT**2, DISCOUNT, 1])


@pytest.mark.parametrize("goal", [7, np.int64(7), jnp.array(7), "(2, 2)", (2, 2)])
def test_a_goal_is_given_by_number_by_name_or_by_cell(goal):
    found = plan(CALM, goal, discount=DISCOUNT)
    assert int(found.goal) == 7
    assert [str(leg) for leg in found.legs(0)] == ["right until (0, 2)", "down until (2, 2)"]


FORMS = {
    "actions": lambda actions: actions,
    "probabilities": lambda actions: np.eye(4)[actions],
    "as JAX has them": lambda actions: jnp.asarray(np.eye(4)[actions]),
    "FRs": lambda actions: fo.occupancies(WINDY, jnp.asarray(actions), discount=DISCOUNT),
}


@pytest.mark.parametrize("form", FORMS)
def test_policies_are_actions_probabilities_or_frs(form):
    actions = np.random.default_rng(0).integers(4, size=(3, 8))
    chains = np.asarray(WINDY.mdp.transition)[np.arange(8), actions]
    found = plan(WINDY, 7, policies=FORMS[form](actions), discount=DISCOUNT, refine=0)
    exact = planning.plan_to_goal(
        fo.first_occupancy.solve(jnp.asarray(chains), discount=DISCOUNT), 7
    )
    assert_same(found, exact, rtol=1e-13)
    assert found.engine == DENSE
    np.testing.assert_allclose(
        found.expected_discount, followed_by_linear_solve(found, chains), rtol=1e-12
    )


def test_without_noise_the_policies_decide_which_engine_it_is():
    actions = np.random.default_rng(0).integers(4, size=(3, 8))
    tables = np.take_along_axis(CALM.next_states, actions, axis=0)
    certain = planning.plan_paths(tables, 7, discount=DISCOUNT)
    for world in (CALM, CALM.mdp):
        for policies in (actions, np.eye(4)[actions]):
            found = plan(world, 7, policies=policies, discount=DISCOUNT)
            assert found.engine == PATHS
            assert_same(found, certain)
        coins = plan(world, 7, policies=np.full((1, 8, 4), 0.25), discount=DISCOUNT)
        assert coins.engine == DENSE
        assert coins.policy.tolist() == [0] * 7 + [-1]


def test_frs_without_policies_make_plans_of_which_nobody_knows_what_they_bring(windy_frs):
    _, frs = windy_frs
    found = plan(WINDY, 7, policies=fo.Occupancies(frs, discount=DISCOUNT), discount=DISCOUNT)
    assert_same(found, planning.plan_to_goal(frs, 7))
    assert found.achieved is None


class Ring:
    """A world of one's own: five places in a ring, which one policy goes round either way."""

    num_states = 5
    durations = entry_times = None

    def __init__(self):
        self.asked = []

    def state_number(self, state):
        return "abcde".index(state)

    def labels(self, policies):
        return list("abcde"), ["up", "down"]

    def steps(self, policies):
        self.asked.append(policies)
        return np.stack([np.roll(np.arange(5), -1), np.roll(np.arange(5), 1)])

    def policy_chains(self, policies):
        return jnp.eye(5)[self.steps(policies)]


def test_from_the_maze_to_the_plan_few_files_are_entered():
    home, entered = str(Path(fo.__file__).parent), set()

    def enter(frame, event, _):
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(home):
            entered.add(name.removeprefix(home))

    plan(fo.four_rooms(), (1, 9), discount=0.95)  # imports what is imported when it is needed
    before = sys.gettrace()
    sys.settrace(enter)
    try:
        plan(fo.four_rooms(), (1, 9), discount=0.95)
    finally:
        sys.settrace(before)
    assert len(entered) <= 9, sorted(entered)


def test_a_world_of_ones_own_is_planned_in_and_prepared_once():
    ring = Ring()
    assert isinstance(ring, World)
    planner = Planner(ring, discount=0.5)
    for goal, discounts in (("a", [1, 0.5, 0.25, 0.25, 0.5]), ("c", [0.25, 0.5, 1, 0.5, 0.25])):
        found = planner.plan(goal)
        np.testing.assert_allclose(found.promised, discounts)
        np.testing.assert_allclose(found.expected_discount, discounts)
    assert [str(leg) for leg in found.legs(1)] == ["up until c"]
    assert ring.asked == [None]


def as_skills(world):
    policies = fo.constant_policies(world)
    chains = fo.chain(world, policies)
    names = {"state_names": list(world.state_names), "policy_names": world.action_names}
    states, actions = DiscreteStates(world.num_states), [None] * 4
    return Skills(actions, states, chains, DISCOUNT, None, mdp=world.mdp, tables=policies, **names)


def as_log(world):
    """Return the chains of a log that holds each step of a deterministic maze once."""
    policies, states = (part.ravel() for part in np.indices(world.next_states.shape))
    log = transition_log(
        states,
        world.next_states.ravel(),
        policies,
        state_names=world.state_names,
        policy_names=world.action_names,
    )
    return count_transitions(log)


def test_one_world_in_four_forms_has_one_plan():
    expected = plan(CALM, "(2, 2)", discount=DISCOUNT)
    for world in (CALM.mdp, as_skills(CALM), as_log(CALM)):
        found = plan(world, "(2, 2)", discount=DISCOUNT)
        assert found.engine == PATHS
        assert_same(found, expected)
        assert found.state_names == expected.state_names
        assert found.policy_names == expected.policy_names
    noisy = plan(WINDY, 7, discount=DISCOUNT, refine=0)
    for world in (WINDY.mdp, as_skills(WINDY)):
        found = plan(world, 7, discount=DISCOUNT, refine=0)
        assert found.engine == DENSE
        assert_same(found, noisy)
        np.testing.assert_allclose(found.expected_discount, noisy.expected_discount, rtol=1e-13)


def test_frs_of_skills_are_planned_with_in_the_world_of_the_skills():
    """Their tables are of actions, of which a world known by chains knows nothing."""
    skills = as_skills(WINDY)
    found = plan(skills, 7, policies=skills.occupancies, discount=DISCOUNT)
    assert_equally_good(
        found, plan(skills, 7, discount=DISCOUNT, refine=0), skills.occupancies.values
    )
    assert found.policy_names == WINDY.action_names
    assert found.achieved is None


def test_plans_have_the_precision_of_the_session():
    with jax.enable_x64(False):
        for world in (fo.maze(DRAWING), fo.maze(DRAWING, noise=0.3)):
            found = plan(world, 7, discount=DISCOUNT)
            assert found.log_promised.dtype == found.expected_discount.dtype == jnp.float32


def test_a_discount_of_nothing_reaches_nothing_but_the_goal():
    found = plan(CALM, 7, discount=0.0)
    assert found.promised.tolist() == found.expected_discount.tolist() == [0] * 7 + [1]
    assert found.policy.tolist() == [-1] * 8


def two_lanes(legs, miss):
    """Return a world in which every leg ends in one of two lanes, and the last one at the goal.

    State 2 i is lane A after i legs, 2 i + 1 lane B. The policies take turns: only one leads on.
    """
    size = 2 * legs + 1
    rows = np.broadcast_to(np.eye(size)[:, None], (size, 2, size)).copy()
    for state in range(2 * legs):
        leg = state // 2
        onwards = np.zeros(size)
        onwards[min(2 * leg + 2, size - 1)] += 1 - miss
        onwards[min(2 * leg + 3, size - 1)] += miss
        rows[state, leg % 2] = onwards
    return fo.MDP(rows)


@pytest.mark.parametrize("legs", [1, 2, 5])
def test_a_promise_may_lose_a_factor_with_every_leg_that_re_choosing_does_not(legs):
    found = plan(two_lanes(legs, 0.2), 2 * legs, discount=DISCOUNT, refine=0)
    np.testing.assert_allclose(found.promised[0], 0.8 ** (legs - 1) * DISCOUNT**legs, rtol=1e-9)
    np.testing.assert_allclose(found.expected_discount[0], DISCOUNT**legs, rtol=1e-9)


def test_promise_and_optimum_lie_between_the_bounds_of_slips_and_legs():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        drawing = ["".join(row) for row in np.where(rng.random((5, 5)) < 0.2, "#", ".")]
        noise = float(rng.choice([0.05, 0.2]))
        calm, windy = fo.maze(drawing), fo.maze(drawing, noise=noise)
        goal = int(rng.integers(calm.num_states))
        steps = np.asarray(plan(calm, goal, discount=DISCOUNT).expected_time)
        refined = [plan(windy, goal, discount=DISCOUNT, refine=rounds) for rounds in (0, 1, None)]
        promise, first, last = (
            refined[0].promised,
            refined[0].expected_discount,
            refined[2].expected_discount,
        )
        # A slip draws the intended move, too, once in four.
        lucky = np.where(np.isinf(steps), 0, (1 - 0.75 * noise) ** steps * DISCOUNT**steps)
        assert (lucky <= promise * (1 + 1e-9)).all()
        assert (promise <= first * (1 + 1e-9)).all()
        assert (first <= refined[1].expected_discount * (1 + 1e-9)).all()
        assert (refined[1].expected_discount <= last * (1 + 1e-9)).all()
        assert (last <= DISCOUNT**steps * (1 + 1e-9)).all()
        np.testing.assert_allclose(last, evaluate(refined[2], windy, discount=DISCOUNT).optimal)


def test_the_surest_plan_takes_the_detour_that_a_discount_would_not():
    # Straight ahead a step is deadly once in five; the way round takes six safe steps.
    rows = np.zeros((8, 2, 8))
    rows[0, 0, [7, 6]], rows[0, 1, 1] = (0.8, 0.2), 1
    for state in range(1, 6):
        rows[state, :, state + 1 if state < 5 else 7] = 1
    rows[6, :, 6] = rows[7, :, 7] = 1
    gamble, sure = (plan(fo.MDP(rows), 7, discount=each, refine=None) for each in (0.9, 1.0))
    assert (int(gamble.policy[0]), int(sure.policy[0])) == (0, 1)
    assert (float(sure.expected_discount[0]), float(sure.expected_time[0])) == (1, 6)
    arrived = {}
    for name, found in (("gamble", gamble), ("sure", sure)):
        chosen = jax.nn.one_hot(jnp.maximum(found.policy, 0), 2)
        starts = jnp.zeros(2000, int)
        walks = fo.rollouts(fo.MDP(rows), jax.random.key(0), chosen, starts, num_steps=10)
        arrived[name] = float((walks.states[:, -1] == 7).mean())
    assert arrived["sure"] == 1
    assert abs(arrived["gamble"] - 0.8) < 4 * 0.4 / np.sqrt(2000)


def test_large_noisy_worlds_are_planned_in_without_frs(monkeypatch):
    dense = plan(WINDY, 6, discount=DISCOUNT, refine=None)
    monkeypatch.setattr("first_occupancy.planning._dense.engine.DenseEngine.plan", None)
    planner = Planner(WINDY, discount=DISCOUNT, dense_up_to=5)
    found = planner.plan(6, refine=0)
    assert found.engine == "sparse"
    assert (found.promised <= found.expected_discount * (1 + 1e-7)).all()
    best = planner.plan(6)
    assert best.known == "exact"
    np.testing.assert_allclose(best.expected_discount, dense.expected_discount, rtol=1e-12)
    for tolerance in (0.5, 1e-3, 1e-8, 0.0):
        early = planner.plan(6, tolerance=tolerance)
        assert early.gap <= tolerance + 1e-14  # what rounding leaves
        assert early.known == ("exact" if tolerance == 0 else "lower bound")
        assert (early.expected_discount <= dense.expected_discount * (1 + 1e-12)).all()
        assert (dense.expected_discount <= early.expected_discount + early.gap + 1e-12).all()


def test_small_worlds_are_planned_in_without_frs_if_asked():
    world = fo.four_rooms(noise=0.2)
    goal = world.state(1, 9)
    chained = Planner(world, discount=0.95)
    lucky = Planner(world, discount=0.95, dense_up_to=0)
    assert (chained.engine, lucky.engine) == (DENSE, "sparse")
    best = [each.plan(goal, refine=None).expected_discount for each in (chained, lucky)]
    assert np.allclose(*best)


@pytest.mark.parametrize("goals", [[6, 2], {6, 2}, np.array([2, 6])], ids=["list", "set", "array"])
def test_any_of_several_goals_will_do(goals):
    for world in (CALM, WINDY):
        found = plan(world, goals, discount=DISCOUNT)
        alone = [plan(world, goal, discount=DISCOUNT).expected_discount for goal in (2, 6)]
        assert found.goals.tolist() == [2, 6]
        assert (found.expected_discount >= np.max(alone, axis=0) * (1 - 1e-9)).all()
        assert found.expected_discount[2] == found.expected_discount[6] == 1


def test_states_to_avoid_are_never_entered():
    found = plan(CALM, 7, discount=DISCOUNT, avoid=[4])
    policy, here, passed = np.asarray(found.policy), 0, [0]
    while here != 7:
        here = int(CALM.next_states[policy[here], here])
        passed.append(here)
    assert 4 not in passed
    windy = plan(WINDY, 7, discount=DISCOUNT, avoid=[4], refine=None)
    rows = np.array(fo.chain(WINDY, fo.constant_policies(WINDY)))
    rows[:, 4] = np.eye(8)[4]
    np.testing.assert_allclose(
        windy.expected_discount, followed_by_linear_solve(windy, rows), rtol=1e-9
    )


MISTAKES = {
    "no goal": (
        lambda: plan(CALM, [], discount=0.9),
        "plan: goal must be a state or several states, got none",
    ),
    "a goal to avoid": (
        lambda: plan(CALM, 3, discount=0.9, avoid=[3]),
        "plan: goal must not be a state to avoid, got 3",
    ),
    "a state to avoid": (
        lambda: plan(CALM, 3, discount=0.9, avoid=[8]),
        "plan: a state to avoid must be in 0..7, got 8",
    ),
    "rounds": (
        lambda: plan(CALM, 3, discount=0.9, refine=-1),
        "plan: refine must be at least 0, got -1",
    ),
    "tolerance": (
        lambda: plan(CALM, 3, discount=0.9, tolerance=-1.0),
        "plan: tolerance must be at least 0, got -1.0",
    ),
    "no world": (
        lambda: plan(np.eye(3), 0, discount=0.9),
        "plan: world must be a maze, an MDP or another World, got ndarray",
    ),
    "discount": (
        lambda: plan(CALM, 0, discount=1.5),
        "plan: discount must be at least 0 and at most 1, got 1.5",
    ),
    "another discount": (
        lambda: plan(CALM, 0, policies=fo.Occupancies(np.eye(8)[None], discount=0.5), discount=0.9),
        "plan: discount must be that of the FRs, 0.5, got 0.9",
    ),
    "other states": (
        lambda: plan(CALM, 0, policies=fo.Occupancies(np.eye(3)[None], discount=0.9), discount=0.9),
        "plan: FRs must be over the world's 8 states, got 3",
    ),
    "SRs": (
        lambda: plan(
            CALM,
            0,
            policies=fo.Occupancies(np.eye(8)[None], discount=0.9, representation=fo.successor),
            discount=0.9,
        ),
        "best_legs: frs must be first-occupancy, got successor",
    ),
    "goal": (lambda: plan(CALM, 8, discount=0.9), "plan: goal must be in 0..7, got 8"),
    "a goal without a name": (
        lambda: plan(fo.river_swim(), "shore", discount=0.9),
        "plan: goal must be a number, since states have no names, got 'shore'",
    ),
    "a cell of an MDP": (
        lambda: plan(CALM.mdp, (2, 2), discount=0.9),
        "plan: goal must be one state, a number or a name, got (2, 2)",
    ),
    "a wall": (
        lambda: plan(CALM, (1, 1), discount=0.9),
        "plan: goal must be free, but (1, 1) is a wall",
    ),
    "an action too many": (
        lambda: plan(CALM, 0, policies=np.full((1, 8), 4), discount=0.9),
        "plan: policies must be in 0..3, got 4 at position 0",
    ),
    "shape": (
        lambda: plan(CALM, 0, policies=np.zeros((2, 3)), discount=0.9),
        "plan: policies must be actions [N S] or probabilities [N S A] with S = 8 and A = 4, "
        "got shape [2, 3]",
    ),
    "no probabilities": (
        lambda: plan(CALM, 0, policies=np.zeros((1, 8, 4)), discount=0.9),
        "plan: policies at policy 0, state 0 does not sum to one (sums to 0)",
    ),
    "policies where a world has its own": (
        lambda: plan(as_log(CALM), 0, policies=np.zeros((1, 8), int), discount=0.9),
        "plan: policies must be None in a world that has only its own policies",
    ),
    "switches": (
        lambda: plan(CALM, 0, discount=0.9, max_switches=-1),
        "plan: max_switches must be at least 0, got -1",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message
