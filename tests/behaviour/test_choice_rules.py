"""Choice rules are distributions over the available actions."""

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.behaviour.choice_rules import Softmax
from first_occupancy.behaviour.subjects import NO_ACTION, grid_layouts

LAYOUTS = grid_layouts(np.ones((1, 3, 3), bool), goal=0)
OPTIONS = jnp.array([1.0, 0.5, 0.0, 2.0])
ALLOWED = jnp.array([True, True, True, False])
VALUES = {"inverse_temperature": 2.0, "lapse": 0.3, "perseverance": 1.0}
VALUES |= {"turn_1": -1.0, "turn_2": -2.0, "turn_3": 0.5}


@pytest.mark.parametrize("previous", [NO_ACTION, 1])
@pytest.mark.parametrize("rule", [Softmax(), Softmax(None, True, True, 4), Softmax(3.0, True)])
def test_chances_sum_to_one_over_the_available_actions(rule, previous):
    logs = rule.log_probabilities(VALUES, OPTIONS, ALLOWED, previous, LAYOUTS)
    assert logs[3] == -jnp.inf
    np.testing.assert_allclose(jnp.exp(logs).sum(), 1)


def test_a_lapse_of_one_is_a_random_choice_and_large_values_do_not_overflow():
    rule = Softmax(lapse=True)
    values = {"inverse_temperature": 1e6, "lapse": 1.0}
    logs = rule.log_probabilities(values, OPTIONS, ALLOWED, NO_ACTION, LAYOUTS)
    np.testing.assert_allclose(jnp.exp(logs), [1 / 3, 1 / 3, 1 / 3, 0])
    greedy = Softmax().log_probabilities(values, OPTIONS, ALLOWED, NO_ACTION, LAYOUTS)
    np.testing.assert_allclose(jnp.exp(greedy), [1, 0, 0, 0])


def test_the_first_kind_of_turn_needs_no_bias():
    names = [each.name for each in Softmax(turns=4).parameters]
    assert names == ["inverse_temperature", "turn_1", "turn_2", "turn_3"]
    assert [each.name for each in Softmax(1.0).parameters] == []
