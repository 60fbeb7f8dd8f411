import itertools

import numpy as np
import pytest

import tour_oracle
from first_occupancy.core import InputError
from first_occupancy.planning import tours


def random_logs(seed, size, *, blocked=0.0):
    """Return asymmetric log discounts between states, some of them minus infinity."""
    rng = np.random.default_rng(seed)
    logs = np.where(
        rng.random((size, size)) < blocked, -np.inf, -rng.exponential(size=(size, size))
    )
    np.fill_diagonal(logs, 0)
    return logs


def length_of(order, start, logs):
    return sum(logs[leg] for leg in itertools.pairwise((start, *order)))


@pytest.mark.parametrize("count", range(1, 8))
@pytest.mark.parametrize("blocked", [0.0, 0.4])
def test_held_karp_finds_the_best_of_all_orders(count, blocked):
    for seed in range(5):
        logs = random_logs(seed, 9, blocked=blocked)
        goals = np.random.default_rng(seed).permutation(8)[:count] + 1
        best = max(length_of(order, 0, logs) for order in itertools.permutations(goals))
        if best == -np.inf:
            with pytest.raises(InputError, match="every order has a leg that no plan can make"):
                tours.best_order(0, goals, logs[:, goals])
            continue
        tour = tours.best_order(0, goals, logs[:, goals])
        assert sorted(tour.order) == sorted(goals)
        assert tour.proven_optimal
        np.testing.assert_allclose(tour.log_discount, best, rtol=1e-12)
        np.testing.assert_allclose(length_of(tour.order, 0, logs), best, rtol=1e-12)
        np.testing.assert_allclose(tour.discount, np.exp(best), rtol=1e-12)


def test_two_goals_that_cannot_reach_each_other_have_no_tour():
    logs = np.array([[-1, -1], [0, -np.inf], [-np.inf, 0]])
    with pytest.raises(InputError, match="every order has a leg that no plan can make"):
        tours.best_order(0, np.array([1, 2]), logs)


def test_sixteen_goals_along_a_corridor_are_visited_in_order():
    states = np.arange(17)
    logs = -np.abs(states[:, None] - states[None, :]).astype(float)
    goals = np.random.default_rng(0).permutation(16) + 1
    tour = tours.best_order(0, goals, logs[:, goals])
    assert tour == tours.Order(tuple(range(1, 17)), -16.0, proven_optimal=True, bound=-16.0)
    assert tour.gap == 0


def nearest_first(start, goals, logs):
    order, left = [], list(goals)
    while left:
        here = order[-1] if order else start
        order.append(max(left, key=lambda goal: logs[here, goal]))
        left.remove(order[-1])
    return order


@pytest.mark.parametrize("kind", ["any", "some legs blocked", "distances on a grid"])
def test_beyond_sixteen_goals_the_order_is_good_and_its_quality_is_stated(kind, monkeypatch):
    monkeypatch.setattr(tours, "installed_solver", lambda: None)
    if kind == "distances on a grid":
        cells = np.random.default_rng(0).integers(30, size=(18, 2))
        logs = -0.05 * np.abs(cells[:, None] - cells[None, :]).sum(axis=2)
    else:
        logs = random_logs(1, 18, blocked=0.0 if kind == "any" else 0.2)
    goals = np.arange(1, 18)
    tour = tours.best_order(0, goals, logs[:, goals])
    assert tour.solver == "scipy"
    assert sorted(tour.order) == sorted(goals)
    np.testing.assert_allclose(tour.log_discount, length_of(tour.order, 0, logs), rtol=1e-12)
    assert tour.log_discount >= length_of(nearest_first(0, goals, logs), 0, logs) - 1e-12

    monkeypatch.setattr(tours, "EXACT_TOUR_UP_TO", 17)
    exact = tours.best_order(0, goals, logs[:, goals])
    assert exact.proven_optimal
    assert tour.log_discount <= exact.log_discount + 1e-12
    assert exact.log_discount <= tour.bound + 1e-12
    assert tour.gap >= 1 - exact.log_discount / tour.log_discount - 1e-12
    assert not tour.proven_optimal or tour.log_discount >= exact.log_discount - 1e-9
    if kind == "distances on a grid":
        assert tour.log_discount >= 1.25 * exact.log_discount


@pytest.mark.parametrize("solver", ["scipy", "pyvrp"])
def test_quality_does_not_depend_on_the_scale_of_lengths(solver, monkeypatch):
    """Discounts near 1 have tiny logs."""
    if solver == "scipy":
        monkeypatch.setattr(tours, "installed_solver", lambda: None)
    elif tours.installed_solver() is None:
        pytest.skip("the extra 'tours' is not installed")
    logs = -10 * np.random.default_rng(0).random((18, 18))
    np.fill_diagonal(logs, 0)
    best = tour_oracle.shortest_length(np.column_stack([np.zeros(18), -logs[:, 1:]]))
    for exponent in (0, -27, -40, -900, 20, 900):
        found = tours.best_order(0, np.arange(1, 18), np.ldexp(logs[:, 1:], exponent))
        length, bound = np.ldexp([-found.log_discount, -found.bound], -exponent)
        assert 0.9 * best < bound <= best * (1 + 1e-15) <= length * (1 + 2e-15)
        assert found.proven_optimal == (length <= best * (1 + 1e-12)) == (found.gap == 0)
        if solver == "pyvrp":
            assert length == pytest.approx(best)


def test_legs_of_very_different_lengths_are_told_apart(monkeypatch):
    """The nearest first goal leads on to a leg of 100, next to which 1 and 1e-6 look alike."""
    rng, count = np.random.default_rng(0), 19
    lengths = rng.choice([1.0, 100.0], (count, count))
    lengths[np.arange(count - 1), np.arange(1, count)] = 1e-6
    lengths[0, count - 1], lengths[count - 1, 1:] = 1e-7, 100.0
    lengths[rng.random((count, count)) < 0.2] = 1e12
    lengths[np.arange(count - 1), np.arange(1, count)] = 1e-6
    for solver in (tours.installed_solver(), None):
        monkeypatch.setattr(tours, "installed_solver", lambda solver=solver: solver)
        found = tours.best_order(0, np.arange(1, count), -lengths[:, 1:])
        assert -found.bound <= (count - 1) * 1e-6 * (1 + 1e-15)
        if solver is not None:
            assert found.order == tuple(range(1, count))
            assert found.proven_optimal


def test_a_start_that_is_itself_a_goal_costs_no_leg():
    for count in (4, 18):
        logs, goals = random_logs(2, count), np.arange(count)
        tour = tours.best_order(0, goals, logs)
        assert sorted(tour.order) == list(goals)
        np.testing.assert_allclose(tour.log_discount, length_of(tour.order, 0, logs), rtol=1e-12)


def closed(order, start, logs, *, returning):
    return length_of([*order, start] if returning else order, start, logs)


@pytest.mark.parametrize("returning", [False, True])
@pytest.mark.parametrize("last", [None, 3])
@pytest.mark.parametrize("exact", [True, False])
def test_a_tour_may_return_to_the_start_and_end_at_a_goal(returning, last, exact, monkeypatch):
    """All orders are the oracle; the search beyond `EXACT_TOUR_UP_TO` keeps the rules, too."""
    monkeypatch.setattr(tours, "installed_solver", lambda: None)
    monkeypatch.setattr(tours, "EXACT_TOUR_UP_TO", 16 if exact else 3)
    goals = [2, 5, 3, 6, 1]
    for seed in range(4):
        logs = random_logs(seed, 7)
        options = {"last": last, "returning": logs[:, 0] if returning else None}
        found = tours.best_order(0, goals, logs[:, goals], **options)
        orders = [
            order for order in itertools.permutations(goals) if last is None or order[-1] == last
        ]
        best = max(closed(order, 0, logs, returning=returning) for order in orders)
        brings = closed(found.order, 0, logs, returning=returning)
        assert found.order in orders
        np.testing.assert_allclose(found.log_discount, brings, rtol=1e-12)
        assert brings <= best + 1e-12 <= found.bound + 1e-9
        assert not exact or brings == pytest.approx(best)


@pytest.mark.usefixtures("as_users_run_it")
def test_last_and_returning_are_checked():
    logs = random_logs(0, 4)
    for options, message in (
        ({"last": 0}, "best_order: last must be one of the goals, got 0"),
        ({"returning": [0.0]}, "best_order: returning must have shape [S] with S = 4, got [1]"),
        (
            {"returning": np.ones(4)},
            "best_order: returning must be logs of discounts, at most 0, got up to 1",
        ),
    ):
        with pytest.raises(InputError) as caught:
            tours.best_order(0, [1, 2], logs[:, [1, 2]], **options)
        assert str(caught.value) == message
