"""Tours from mazes; `test_plan.py` shows them as commands print them."""

import itertools

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.cli.plan_answer import Question, answer


def asked(drawing, noise=0.0, **options):
    world = fo.maze(drawing, noise=noise)
    return answer(Question(world, world.start, list(world.goals), 0.9, **options))


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_legs_multiply_to_the_way_and_ways_to_the_tour(noise):
    found = asked(["S.#G", "..2.", "G#.."], noise=noise, returns=True)
    assert [way.goal for way in found.ways] == [*found.tour.order, 0]
    for way in found.ways:
        np.testing.assert_allclose(sum(way.leg_log_discounts()), way.log_discount)
    np.testing.assert_allclose(found.log_discount, found.tour.log_discount)
    assert (found.evaluation is not None) == bool(noise)
    assert len(found.plans) == 3


def test_a_way_goes_through_neighbouring_cells_without_noise():
    found = asked(["S.#G", "..>.", "G#.."])
    for way in found.ways:
        states = [way.begin, *(state for path in way.paths for state in path[1:])]
        for before, after in itertools.pairwise(states):
            assert after in found.question.world.next_states[:, before]
        assert states[-1] == way.goal
        assert way.expected_discount == pytest.approx(np.exp(way.log_discount))
