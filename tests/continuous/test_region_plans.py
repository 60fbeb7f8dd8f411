"""Plans to regions: values of a corridor, regions smaller than the spacing."""

import numpy as np
import pytest

from corridors import LENGTH, STEP, corridor_log, jumping_log, pushed
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.continuous.region_plans import plan_to_region


@pytest.fixture(scope="module")
def corridor():
    return landmark_world(corridor_log(), num_actions=3, stride=4.0)


def beyond(seen):
    return seen[:, 0] > 8


@pytest.mark.parametrize("discount", [1.0, 0.99])
def test_the_agent_goes_straight_to_the_region(corridor, discount):
    plan = plan_to_region(corridor, beyond, discount=discount)
    agent, place, steps = plan.agent(), 1.0, 0
    while not plan.arrived(np.array([place])) and steps < 200:
        action, _ = agent.predict(np.array([place]))
        place, steps = float(pushed(place, action[0])), steps + 1
    assert steps == pytest.approx((8 - 1) / STEP, abs=5)


def test_expected_discounts_are_those_of_walking_there(corridor):
    plan = plan_to_region(corridor, beyond, discount=0.99)
    assert plan.expected(np.array([1.0])) == pytest.approx(0.99 ** (7 / STEP), rel=0.15)
    assert plan.expected(np.array([9.0])) == 1
    assert plan_to_region(corridor, beyond).expected(np.array([1.0])) == pytest.approx(1)


def test_regions_may_be_smaller_than_the_spacing_of_landmarks(corridor):
    between = np.sort(corridor.landmarks[:, 0])[10:12].mean()
    width = corridor.spacing * corridor.model.scale[0]
    assert width > 0.3

    def thin(seen):
        return np.abs(seen[:, 0] - between) < 0.06

    assert not thin(corridor.landmarks).any()
    agent = plan_to_region(corridor, thin, discount=0.99).agent()
    place = 1.0
    for _ in range(120):
        if thin(np.array([[place]]))[0]:
            break
        place = float(pushed(place, agent.predict(np.array([place]))[0][0]))
    assert thin(np.array([[place]]))[0]


def test_looking_ahead_tries_every_sequence_of_moves(corridor):
    """The choice is the first move of the best of all sequences, walked one by one."""
    plan = plan_to_region(corridor, beyond, discount=0.99, lookahead=3)

    def best(place, moves):
        (ways,), (times,) = corridor.ways(np.array([[place]]))
        doubts = corridor.doubt[corridor.regions(np.array([[place]]))[0]]
        staying = float((corridor.shared(np.array([[place]])) @ plan.values)[0])
        found = []
        for way, time, doubt in zip(ways, times, doubts, strict=True):
            hits = np.flatnonzero(beyond(way[1:] * corridor.model.scale))
            if len(hits):
                ahead, time = 1.0, hits[0] + 1.0
            elif moves == 1:
                ahead = float((corridor.shared(way[-1:]) @ plan.values)[0])
            else:
                ahead = max(best(way[-1, 0], moves - 1))
            found.append(0.99**time * ((1 - doubt) * ahead + doubt * staying))
        return found

    for seen in (0.3, 4.0, 7.1, 7.9):
        place = seen / corridor.model.scale[0]
        assert plan._ahead(np.array([[place]]), 3)[0] == pytest.approx(best(place, 3))
        assert plan.choose(np.array([[seen]]))[0] == np.argmax(best(place, 3))


def test_looking_ahead_leaves_jumps_to_the_landmarks():
    """A corridor whose end beyond 9 leads back to 1 or 5, which the local model does not know."""
    world = landmark_world(jumping_log(), num_actions=3, stride=4.0)
    plan = plan_to_region(world, lambda seen: seen[:, 0] < 0.5, discount=0.99, lookahead=3)
    place = np.array([[8.9]]) / world.model.scale
    (ways,), (times,) = world.ways(place)
    ends = ways[:, -1]
    jumps = world.model.jumps(ends)
    assert jumps.any()
    doubts = world.doubt[world.regions(place)[0]]
    staying = (world.shared(place) @ plan.values)[0]
    by_landmarks = (1 - doubts) * (world.shared(ends) @ plan.values) + doubts * staying
    expected = 0.99**times * by_landmarks
    assert plan._ahead(place, 3)[0][jumps] == pytest.approx(expected[jumps])


def test_an_agent_looks_ahead_by_one_move_or_more(error_of, corridor):
    message = "plan: lookahead must be at least 1, got 0"
    assert error_of(lambda: plan_to_region(corridor, beyond, lookahead=0)) == message


def test_regions_that_no_move_enters_are_refused(error_of, corridor):
    message = (
        f"plan: no data lead to the region: no move from {corridor.num_states} landmarks enters it"
    )
    assert (
        error_of(lambda: plan_to_region(corridor, lambda seen: seen[:, 0] > LENGTH + 3)) == message
    )


def test_functions_that_are_no_regions_are_refused(error_of, corridor):
    message = "plan: goal must be a function, got int"
    assert error_of(lambda: plan_to_region(corridor, 3)) == message
    size = corridor.landmarks.shape[0] * 3 * 4
    message = (
        f"plan: goal must return True or False for each of {size} observations, got "
        f"float64 of shape [{size}, 1]"
    )
    assert error_of(lambda: plan_to_region(corridor, lambda seen: seen)) == message


def test_it_says_what_it_plans(corridor):
    plan = plan_to_region(corridor, beyond, discount=0.99)
    assert repr(plan) == (
        f"RegionPlan: the soonest (discount 0.99) plan to a region from {corridor.num_states} "
        "landmarks (sparse)"
    )
