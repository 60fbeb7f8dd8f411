"""Plans as policies that act on single observations and on batches."""

from dataclasses import replace
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.interop import plan_policies
from first_occupancy.interop.base_policies import tabulate
from first_occupancy.interop.plan_policies import LegPolicy, PlanPolicy
from first_occupancy.interop.states import DiscreteStates, KeyedStates
from first_occupancy.planning.plans import Plan
from oracles import fr_by_linear_solves

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


DISCOUNT = 0.9
MOVES = gymnasium.spaces.Discrete(4)


def test_chance_goes_on_when_the_plan_changes():
    policies = [PlanPolicy(one_step, [np.full((2, 4), 0.25)], two, MOVES) for _ in range(2)]
    drawn = [policies[0].predict(0)[0] for _ in range(20)]
    again = [policies[1].predict(0)[0] for _ in range(10)]
    changed = policies[1].with_plan(one_step)
    assert again + [changed.predict(0)[0] for _ in range(10)] == drawn


def test_a_batch_is_predicted_as_its_observations_are(rooms):
    _, skills = rooms
    policy = skills.policy_to(9)
    batch, state = policy.predict(np.arange(9), state="passed on")
    assert batch.tolist() == [policy.predict(seen)[0] for seen in range(9)]
    assert state == "passed on"


def test_a_batch_of_none_has_the_type_and_axes_of_one_of_many(rooms):
    environment, skills = rooms
    parts = (skills.plan_to(0), skills.policies, skills.states)
    none, leg = np.zeros(0, int), LegPolicy(*parts, environment.action_space)
    actions, legs = leg.predict(none, state=leg.predict(none)[1])
    assert (actions.shape, actions.dtype, legs.shape, legs.dtype) == ((0,), int, (0, 2), int)
    box = gymnasium.spaces.Box(-1, 1, (3,))
    actions, _ = PlanPolicy(*parts, box).predict(none)
    assert (actions.shape, actions.dtype) == ((0, 3), np.float32)


def test_batches_of_dictionaries_and_rows_are_told_from_single_ones():
    states = KeyedStates(lambda seen: tuple(seen["cell"]))
    cells = np.array([[0, 0], [0, 1]])
    for cell in cells:
        states.add({"cell": cell})
    policy = PlanPolicy(one_step, [np.array([3, 2])], states, MOVES)
    assert policy.predict({"cell": cells[0]})[0] == 3
    assert policy.predict({"cell": cells[:1]})[0].tolist() == [3]


@pytest.mark.parametrize("inner", [lambda row: row[0], lambda row: row, lambda row: tuple(row)])
def test_batches_of_tuples_are_told_from_single_ones(inner):
    cells = np.array([[0, 0], [0, 1]])
    singles = [(inner(cell), number) for number, cell in enumerate(cells)]
    states = KeyedStates(lambda seen: int(seen[1]))
    assert [states.add(single) for single in singles] == [0, 1]
    policy = PlanPolicy(one_step, [np.array([3, 2])], states, MOVES)
    assert policy.predict(singles[0])[0] == 3
    assert policy.predict(singles)[0].shape == (2,)
    first = singles[0][0]
    parts = (*cells.T,) if isinstance(first, tuple) else np.array([each for each, _ in singles])
    stacked = parts, np.arange(2)
    assert policy.predict(stacked)[0].shape == (2,)
    assert policy.predict(stacked)[0][0] == 3
    # A model is asked for all states at once, and answers for each.
    model = SimpleNamespace(predict=lambda seen, deterministic=True: (seen[1], None))
    assert tabulate([model], states, 2)[0].tolist() == [[1, 0], [0, 1]]


def test_legs_are_followed_to_their_subgoals_in_each_row_of_a_batch(rooms):
    environment, skills = rooms
    goal = environment.world.state(1, 9)
    plan = skills.plan_to(goal)
    policy = LegPolicy(plan, skills.policies, skills.states, MOVES)
    starts = [environment.world.start, environment.world.state(1, 1)]
    leg, observations, passed = None, np.array(starts), [[], []]
    for _ in range(40):
        actions, leg = policy.predict(observations, leg, np.zeros(2, bool))
        for row in range(2):
            passed[row].append(tuple(leg[row]))
        going = observations != goal
        ahead = environment.world.next_states[actions, observations]
        observations = np.where(going, ahead, observations)
    assert (observations == goal).all()
    for row, start in enumerate(starts):
        legs = dict.fromkeys(leg for leg in passed[row] if leg[0] >= 0)
        assert list(legs) == [tuple(leg) for leg in plan.legs(start)]
    # A new episode begins a new leg, whatever one was in.
    _, begun = policy.predict(np.array(starts), np.array([[3, 5], [3, 5]]), np.array([True, False]))
    assert begun.tolist() == [list(plan.legs(starts[0])[0]), [3, 5]]
    action, single = policy.predict(starts[0])
    assert (action, tuple(single)) == (plan.legs(starts[0])[0].policy, tuple(begun[0]))


def test_what_the_policy_does_under_noise_is_the_fr_of_the_chain_it_makes(noisy):
    environment, skills = noisy
    world = environment.world
    policy = skills.policy_to(world.goals[0])
    followed = np.asarray(environment.mdp.transition)[np.arange(8), policy.plan.policy]
    expected = fr_by_linear_solves(followed, DISCOUNT)[world.start, world.goals[0]]
    worths = []
    environment.reset(seed=0)
    for _ in range(200):
        observation, _ = environment.reset()
        steps, terminated = 0, False
        while not terminated:
            observation, _, terminated, _, _ = environment.step(policy.predict(observation)[0])
            steps += 1
        worths.append(DISCOUNT**steps)
    error = np.std(worths) / np.sqrt(len(worths))
    assert abs(np.mean(worths) - expected) < 3 * error


one_step = Plan(
    goal=jnp.array(1),
    policy=jnp.array([0, -1]),
    subgoal=jnp.array([1, 1]),
    log_promised=jnp.array([-1.0, 0.0]),
)
stays = np.zeros(2, int)
two = DiscreteStates(2)
MISTAKES = {
    "many goals": (
        lambda: PlanPolicy(replace(one_step, goal=jnp.array([0, 1])), [stays], two, MOVES),
        "PlanPolicy: plan must be the plan to one goal, got many; take plans.to(goal)",
    ),
    "other policies": (
        lambda: PlanPolicy(replace(one_step, policy=jnp.array([1, -1])), [stays], two, MOVES),
        "PlanPolicy: policies must be those of the plan, which follows policy 1, got 1",
    ),
    "action": (
        lambda: PlanPolicy(one_step, [lambda seen: 9], two, MOVES).predict(0),
        "PlanPolicy: policy 0 must return actions in 0..3, got 9 in state 0",
    ),
    "unplanned state": (
        lambda: PlanPolicy(one_step, [stays], DiscreteStates(3), MOVES).predict(2),
        "PlanPolicy: state must be one of the plan's 2, got 2; plan again",
    ),
    "unseen state": (
        lambda: PlanPolicy(one_step, [stays], KeyedStates(), MOVES).predict(2),
        "PlanPolicy: states must have at least one state, got none",
    ),
    "rows missing": (
        lambda: PlanPolicy(one_step, [np.zeros(0, int)], two, MOVES).predict(0),
        "PlanPolicy: policy 0 must have a row for each state, got 0 rows and state 0",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_sentence(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_without_gymnasium_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(plan_policies, "gymnasium", None)
    with pytest.raises(InputError, match=r"PlanPolicy: needs Gymnasium: .*\[interop\]"):
        PlanPolicy(one_step, [], two, MOVES)
