"""Plans at the edges: scales, chance, time and mass. Each case was wrong once, without a word."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core.errors import PrecisionWarning


@pytest.fixture(autouse=True)
def _double():
    with jax.enable_x64(True):
        yield


def first(plan):
    """Return what the plan promises and achieves from state 0."""
    return float(plan.promised[0]), float(plan.expected_discount[0])


def test_a_drawn_duration_is_worth_its_expected_discount_not_that_of_its_mean():
    world = fo.SparseMDP([np.array([[0, 1.0], [0, 1]])] * 2, durations=[1.0, 10.0])
    plan = fo.plan(world, 1, policies=np.full((1, 2, 2), 0.5), discount=0.5)
    assert first(plan) == pytest.approx([0.5 * 0.5 + 0.5 * 0.5**10] * 2, rel=1e-14)
    # Undiscounted, its mean is what counts.
    sure = fo.plan(world, 1, policies=np.full((1, 2, 2), 0.5), discount=1.0)
    assert float(sure.expected_time[0]) == 5.5


@pytest.mark.parametrize("rare", [1e-3, 1e-9, 1e-16, 1e-17, 1e-100])
def test_undiscounted_a_state_may_be_left_as_rarely_as_it_likes(rare):
    chain = np.array([[1 - 2 * rare, rare, rare], [0, 1, 0], [0, 0, 1]])
    plan = fo.plan(fo.SparseMDP([chain]), 1, discount=1.0)
    assert first(plan) == pytest.approx([0.5, 0.5], rel=1e-14)
    assert float(plan.expected_time[0]) == pytest.approx(0.5 / rare, rel=1e-12)
    assert float(fo.first_occupancy.solve(jnp.asarray(chain), discount=1.0)[0, 1]) == pytest.approx(
        0.5
    )
    column = fo.first_occupancy.solve_columns(chain, np.array([1]), discount=1.0)
    assert float(column[0, 0]) == pytest.approx(0.5)


@pytest.mark.parametrize("discount", [0.9, 0.9999, 1.0])
def test_mass_that_rounded_rows_lack_stays_in_every_function(discount):
    chain = np.array([[0.333333, 0.333333, 0.333333], [0, 1, 0], [0, 0, 1]])
    truth = discount * 0.333333 / (1 - discount + discount * 0.666666)
    world = fo.SparseMDP([chain])
    plan = fo.plan(world, 1, discount=discount)
    sparse = fo.Planner(world, discount=discount, dense_up_to=0).plan(1, refine=None)
    achieved = fo.evaluate(plan, world, discount=discount)
    found = [*first(plan), float(sparse.expected_discount[0]), float(achieved.expected_discount[0])]
    found += [float(achieved.leg_by_leg[0]), float(achieved.optimal[0])]
    found.append(float(fo.first_occupancy.solve(jnp.asarray(chain), discount=discount)[0, 1]))
    column = fo.first_occupancy.solve_columns(chain, np.array([1]), discount=discount)
    found.append(float(column[0, 0]))
    np.testing.assert_allclose(found, truth, rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_corridor_of_rounded_rows_is_crossed_for_certain(dtype):
    size = 300
    chain = np.zeros((size, size), dtype)
    for state in range(size - 1):
        for step, chance in ((1, 0.7), (-1, 0.1), (0, 0.2)):
            chain[state, max(state + step, 0)] += dtype(chance)
    chain[-1, -1] = 1
    plan = fo.plan(fo.MDP(chain[:, None]), size - 1, discount=1.0)
    assert (np.asarray(plan.promised) == 1).all()
    assert (np.asarray(plan.expected_discount) == 1).all()
    sparse = fo.Planner(fo.SparseMDP([chain]), discount=1.0, dense_up_to=0).plan(size - 1)
    assert (np.asarray(sparse.expected_discount) == 1).all()


def test_discounts_too_near_to_one_count_and_are_warned_of_as_by_solve():
    chain = np.array([[1 - 1e-12, 1e-12], [0, 1.0]])
    with pytest.warns(PrecisionWarning, match="plan: results"):
        plan = fo.plan(fo.SparseMDP([chain]), 1, discount=1 - 1e-12)
    assert first(plan) == pytest.approx([0.5, 0.5], rel=1e-3)
    assert np.isfinite(plan.gap or 0)


@pytest.mark.parametrize("unit", [1e-13, 1e-6, 1.0])
def test_durations_may_be_as_short_as_the_chance_to_leave(unit):
    chain = np.array([[1 - unit / 2, unit / 2], [0, 1.0]])
    plan = fo.plan(fo.SparseMDP([chain], durations=unit), 1, discount=0.5)
    worth = 0.5**unit * unit / 2
    assert float(plan.expected_discount[0]) == pytest.approx(
        worth / (worth - np.expm1(np.log(0.5) * unit))
    )


CORRIDOR = [np.eye(4)[[1, 2, 2, 3]], np.eye(4)[[3, 3, 2, 3]]]


def test_avoided_states_have_no_durations_of_their_own():
    world = fo.SparseMDP(CORRIDOR, durations=[5.0, 2.0])
    plan = fo.plan(world, 2, discount=0.9, avoid=[3], max_switches=0, refine=None)
    assert plan.expected_time is None or float(plan.expected_time[0]) == 10
    assert float(plan.expected_discount[0]) == pytest.approx(0.9**10)


def test_what_enters_an_avoided_state_is_lost_under_noise_and_durations():
    noisy = [each.copy() for each in CORRIDOR]
    noisy[0][0] = [0, 0.5, 0.5, 0]
    world = fo.SparseMDP(noisy, durations=[5.0, 2.0])
    for dense_up_to in (0, 2000):
        plan = fo.Planner(world, discount=0.9, avoid=[3], dense_up_to=dense_up_to).plan(2)
        assert float(plan.expected_discount[0]) == pytest.approx(0.5 * 0.9**5 + 0.5 * 0.9**10)
        assert float(plan.expected_discount[3]) == 0
    maze = fo.maze(["..13"], noise=0.5)
    plan = fo.plan(maze, 1, discount=0.99, avoid=[3])
    assert 0 < float(plan.expected_discount[0]) < 1


@pytest.mark.parametrize("refine", [0, None])
def test_of_equally_sure_plans_the_soonest_also_if_both_take_a_million_steps(refine):
    count, slow, goal = 20, 21, 22
    rows = np.zeros((2, 23, 23))
    for state in range(count):
        rows[:, state, state] = 1 - 2e-5
        rows[:, state, goal if state == count - 1 else state + 1] = 2e-5
    rows[:, goal, goal] = 1
    rows[:, slow, slow], rows[:, slow, goal] = 1 - 1 / 2.4e6, 1 / 2.4e6
    rows[0, count, 0] = 1
    rows[1, count, goal] = rows[1, count, slow] = 0.5
    plan = fo.plan(fo.SparseMDP(list(rows)), goal, discount=1.0, refine=refine)
    assert float(plan.expected_time[count]) == pytest.approx(1_000_001)


def test_with_a_discount_of_nothing_only_the_goal_has_a_cost():
    for chain in ([[0, 1.0], [0, 1]], [[0.5, 0.5], [0, 1]]):
        plan = fo.plan(fo.SparseMDP([np.array(chain)]), 1, discount=0.0)
        assert np.asarray(plan.policy).tolist() == [-1, -1]
        assert plan.expected_time is None or np.asarray(plan.expected_time).tolist() == [np.inf, 0]


def test_moves_of_which_no_discount_is_left_are_warned_of():
    world = fo.SparseMDP([np.array([[0.5, 0.5], [0, 1.0]])], durations=8000.0)
    with pytest.warns(PrecisionWarning, match="choose a discount nearer to 1"):
        plan = fo.plan(world, 1, discount=0.9)
    assert not plan.reachable[0]


def test_sweeps_do_not_take_rounding_for_a_gain_where_moves_lose_almost_nothing():
    rare, third = 1.11718666e-05, 0.333333
    first = [[0, 0, 1, 0, 0], [1 - rare, 0, 0, rare, 0], [0.5, 0.5, 0, 0, 0], [1, 0, 0, 0, 0]]
    second = [[0, 1, 0, 0, 0], [0, 0, 0, 0, 1], [third, 0, third, third, 0]]
    second += [[0, third, third, third, 0], [0, 0, 0, 1, 0]]
    durations = np.array([[2, 0.5], [0.5, 30], [1, 2], [0.5, 2], [1, 1]]) * 1e-12
    rows = [np.array([*first, [0, 0, 0, 0, 1]], float), np.array(second, float)]
    world = fo.SparseMDP(rows, durations=durations)
    plan = fo.Planner(world, discount=0.9999, dense_up_to=0).plan(4, tolerance=1e-3)
    # Only the second action leads from state 1 to the goal; the first leads round in a circle.
    assert int(plan.policy[1]) == 1


def test_options_of_the_wrong_kind_are_told_in_one_sentence(error_of):
    rooms = fo.four_rooms()
    for tolerance in ("x", np.nan, np.inf):
        said = error_of(lambda value=tolerance: fo.plan(rooms, 3, discount=0.9, tolerance=value))
        must = "plan: tolerance must be a finite number at least 0 or None"
        assert said == f"{must}, got {tolerance!r}"
    for avoid in (5, "5"):
        said = error_of(lambda value=avoid: fo.plan(rooms, 3, discount=0.9, avoid=value))
        assert said == f"plan: avoid must be a list of states, got {avoid!r}"
