"""The checks themselves; the texts that users meet are in `test_error_texts`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import errors
from first_occupancy.core.errors import PrecisionWarning
from first_occupancy.representations import first_occupancy, successor
from first_occupancy.representations.updates import change_rows

TAKEN = {
    "discount": lambda: [errors.check_discount("f", d) for d in (0, 0.0, 0.5, np.float32(0.9))],
    "share": lambda: [errors.check_share("f", "noise", s) for s in (0, 1, 0.5, jnp.array(1.0))],
    "index": lambda: [errors.check_index("f", "goal", i, 3) for i in (0, 2, np.uint8(2))],
    "indices": lambda: errors.check_indices("f", "goals", np.array([0, 2, 1]), 3),
    "no indices": lambda: errors.check_indices("f", "goals", np.array([]), 3),
    "states": lambda: errors.check_states("f", "goals", (2, 0, 2), 3),
    "no states, where there may be none": lambda: errors.check_states("f", "starts", [], 3),
    "key": lambda: [errors.check_key("f", "key", jax.random.key(0))],
    "older key": lambda: [errors.check_key("f", "key", jax.random.PRNGKey(0))],
    "shape": lambda: errors.check_shape("f", "chain", np.eye(3), "S S"),
    "stack": lambda: errors.check_shape("f", "chain", np.ones((2, 4, 3, 3)), "*N S S"),
}


@pytest.mark.parametrize("what", TAKEN)
def test_what_can_be_used_passes(what):
    TAKEN[what]()


REFUSED = {
    "rounded to 1": (
        lambda: errors.check_discount("f", 1 - 2.0**-60),
        "f: discount must be at least 0 and below 1, got 1.0",
    ),
    "text": (
        lambda: errors.check_discount("f", "0.9"),
        "f: discount must be at least 0 and below 1, got '0.9'",
    ),
    "NaN": (
        lambda: errors.check_share("f", "noise", np.nan),
        "f: noise must be at least 0 and at most 1, got nan",
    ),
    "a float for an index": (
        lambda: errors.check_index("f", "goal", 1.0, 3),
        "f: goal must be in 0..2, got 1.0",
    ),
    "a list for an index": (
        lambda: errors.check_index("f", "goal", [1], 3),
        "f: goal must be in 0..2, got [1]",
    ),
    "float indices": (
        lambda: errors.check_indices("f", "goals", np.array([0.0]), 3),
        "f: goals must be whole numbers, got float64",
    ),
    "an index beyond": (
        lambda: errors.check_indices("f", "goals", np.array([0, -1]), 3),
        "f: goals must be in 0..2, got -1 at position 1",
    ),
    "no states": (
        lambda: errors.check_states("plan", "goals", [], 3, least=1),
        "plan: goals must be a list of states, got shape [0]",
    ),
    "one state": (
        lambda: errors.check_states("plan", "goals", 2, 3),
        "plan: goals must be a list of states, got shape []",
    ),
    "one of some states beyond the last": (
        lambda: errors.check_states("plan", "goals", [2, 3], 3),
        "plan: goals must be in 0..2, got 3 at position 1",
    ),
    "keys": (
        lambda: errors.check_key("f", "key", jax.random.split(jax.random.key(0))),
        "f: key must be jax.random.key(seed), got an array of shape [2]",
    ),
    "a seed": (
        lambda: errors.check_key("f", "key", 7),
        "f: key must be jax.random.key(seed), got 7",
    ),
    "NaN among many": (
        lambda: errors.check_range(
            "f", "frs", jnp.array([0.5, jnp.nan]), lowest=0.0, highest=1.0, are="shares"
        ),
        "f: frs must hold shares, got nan to nan",
    ),
    "other sizes": (
        lambda: errors.check_shape("f", "chain", np.ones((2, 3)), "S S"),
        "f: chain must have shape [S S], got [2 3]",
    ),
    "sizes that are known": (
        lambda: errors.check_shape("f", "frs", np.ones((2, 3)), "N S", like="names", N=2, S=4),
        "f: frs must have shape [N S] with N = 2, S = 4 as in names, got [2 3]",
    ),
    "nothing": (
        lambda: errors.check_shape("f", "chain", np.ones((0, 0)), "S S"),
        "f: chain must not be empty, got shape [0, 0]",
    ),
    "probabilities": (
        lambda: errors.check_probabilities(
            "f", "policy", np.array([[0.5, 0.5], [0.7, 0.7]]), ("state",), labels={"state": "ab"}
        ),
        "f: policy at state 1 'b' does not sum to one (sums to 1.4)",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_used_is_named(what, error_of):
    call, message = REFUSED[what]
    assert error_of(call) == message


def test_traced_numbers_pass_because_nobody_can_look_at_them():
    def checked(number):
        errors.check_discount("f", number)
        errors.check_index("f", "goal", number, 3)
        errors.check_indices("f", "goals", number[None], 3)
        errors.check_states("f", "goals", number[None], 3)
        errors.check_range("f", "frs", number, lowest=0.0, highest=1.0, are="shares")
        assert not errors.is_known({"a": [number]})
        return number

    assert jax.jit(checked)(jnp.array(7.0)) == 7
    assert errors.is_known({"a": [7.0, None]})


@pytest.mark.parametrize(
    ("precision", "discount", "text"),
    [
        (
            "float32",
            0.99999,
            "solve: results in float32 are only as accurate as documented for discounts up to "
            '1 - 0.0001, got 1 - 1e-05; jax.config.update("jax_enable_x64", True) allows up to '
            "1 - 1e-7",
        ),
        (
            "float64",
            1 - 1e-8,
            "solve: results in float64 are only as accurate as documented for discounts up to "
            "1 - 1e-07, got 1 - 1e-08",
        ),
    ],
)
def test_discounts_too_near_to_one_for_the_precision_are_warned_of(precision, discount, text):
    with pytest.warns(PrecisionWarning) as caught:
        first_occupancy.solve(jnp.eye(2, dtype=precision), discount=discount)
    assert str(caught[0].message) == text


def test_the_warning_points_to_the_users_code(as_users_run_it):
    for call in (first_occupancy.solve, successor.solve):
        with pytest.warns(PrecisionWarning) as caught:
            call(jnp.eye(2, dtype="float32"), discount=0.99999)
        assert caught[0].filename == __file__


@pytest.mark.parametrize(("precision", "discount"), [("float32", 0.9999), ("float64", 1 - 1e-7)])
def test_discounts_within_the_contract_are_not(precision, discount):
    first_occupancy.solve(jnp.eye(2, dtype=precision), discount=discount)
    sr = successor.solve(jnp.eye(2, dtype=precision), discount=discount)
    change_rows(sr, np.eye(2), np.array([0]), discount=discount)
    jax.jit(lambda factor: first_occupancy.solve(jnp.eye(2), discount=factor))(0.99999999)


def test_columns_and_changes_warn_too():
    with pytest.warns(PrecisionWarning, match=r"^solve_columns: results in float64 are"):
        first_occupancy.solve_columns(np.eye(2), np.array([0]), discount=1 - 1e-8)
    with pytest.warns(PrecisionWarning, match=r"^change_rows: results in float32 are"):
        change_rows(jnp.eye(2, dtype="float32"), np.eye(2), np.array([0]), discount=0.99999)
