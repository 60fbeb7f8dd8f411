"""A goal is checked before planners start."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.planning._goals import check_goal

MISTAKES = {
    "several": (
        lambda: check_goal("plan", np.array([0, 1]), 3, several="plan_many"),
        "plan: goal must be one whole number (plan_many takes several; a maze's state(row, column) "
        "is the number of a cell), got [0 1]",
    ),
    "beyond the last": (
        lambda: check_goal("plan", 3, 3, several="plan_many"),
        "plan: goal must be in 0..2, got 3",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_a_state_passes_and_so_does_a_traced_number():
    check_goal("plan", np.uint8(2), 3, several="plan_many")

    def checked(goal):
        check_goal("plan", goal, 3, several="plan_many")
        return goal

    assert jax.jit(checked)(jnp.array(7)) == 7
