"""Goals are checked before planners start."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.planning._goals import check_goal, check_goals

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
    "none": (
        lambda: check_goals("plan", [], 3),
        "plan: goals must be a list of states, got shape (0,)",
    ),
    "one": (
        lambda: check_goals("plan", 2, 3),
        "plan: goals must be a list of states, got shape ()",
    ),
    "one of some beyond the last": (
        lambda: check_goals("plan", [2, 3], 3),
        "plan: goals must be in 0..2, got 3 at position 1",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake, error_of):
    call, message = MISTAKES[mistake]
    assert error_of(call) == message


def test_states_pass_and_so_do_traced_numbers():
    check_goal("plan", np.uint8(2), 3, several="plan_many")
    check_goals("plan", (2, 0, 2), 3)

    def checked(goals):
        check_goal("plan", goals[0], 3, several="plan_many")
        check_goals("plan", goals, 3)
        return goals

    assert jax.jit(checked)(jnp.array([7, 8])).tolist() == [7, 8]
