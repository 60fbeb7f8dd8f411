"""Arguments are what type hints say, and messages say what was wanted."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, ArrayLike, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.arguments import Limits, check_arguments
from first_occupancy.core.errors import InputError

Matrix = Float[ArrayLike, "S S"]


@check_arguments
def settle(
    number: float = 1.0,
    count: Annotated[int, Limits(least=1)] | None = None,
    flag: bool = False,
) -> str:
    return "settled"


@check_arguments
def fail(
    matrix: Matrix | None = None,
    stack: Float[Array, "*N S A"] | Int[Array, "*N S"] | None = None,
    one: Float[ArrayLike, ""] = 0.0,
    listed: Sequence[Any] | Float[ArrayLike, " S"] = (),
    texts: Sequence[str] = (),
    function: Callable[[Any], Any] = len,
    record: csr_array | None = None,
    *,
    anything: Any = None,
    **options: int,
) -> None:
    raise KeyError("raw")


FINE = [
    {"number": 2, "count": 3, "flag": True},
    {"number": np.float32(0.5), "count": np.int8(1), "flag": np.bool_(False)},
    {"number": jnp.array(0.5), "count": jnp.array(2)},
    {"count": None},
]


@pytest.mark.parametrize("given", FINE)
def test_plain_values_pass(given):
    assert settle(**given) == "settled"


def test_traced_values_have_no_limits():
    jax.jit(lambda count: settle(count=count) and count)(0)


PLAIN = [
    ({"number": "x"}, "settle: number must be a finite number, got 'x'"),
    ({"number": np.nan}, "settle: number must be a finite number, got nan"),
    ({"number": 10**400}, "settle: number must be a finite number, got int"),
    ({"number": True}, "settle: number must be a finite number, got True"),
    ({"count": 1.0}, "settle: count must be a whole number at least 1 or None, got 1.0"),
    ({"count": 0}, "settle: count must be at least 1, got 0"),
    ({"flag": 1}, "settle: flag must be True or False, got 1"),
]


@pytest.mark.parametrize(("given", "message"), PLAIN)
def test_plain_values_are_checked_before_the_call(given, message):
    with pytest.raises(InputError) as caught:
        settle(**given)
    assert str(caught.value) == message


OTHER = [
    ({"matrix": np.ones((2, 3))}, "matrix must be numbers [S S] or None, got an array"),
    ({"matrix": [[1, 2], [3]]}, "matrix must be numbers [S S] or None, got [[1, 2], [3]]"),
    ({"matrix": csr_array(np.eye(2))}, "matrix must be numbers [S S] or None, got an array"),
    ({"stack": np.ones(2)}, "stack must be numbers [*N S A] or whole numbers [*N S] or None"),
    ({"one": [1.0]}, "one must be a number, got [1.0]"),
    ({"listed": ["a"]}, "listed must be numbers [S], got ['a']"),
    ({"texts": [1]}, "texts must be a list of texts, got [1]"),
    ({"texts": "ab"}, "texts must be a list of texts, got 'ab'"),
    ({"function": 3}, "function must be a function, got 3"),
    ({"record": object()}, "record must be a csr_array or None, got object"),
]


@pytest.mark.parametrize(("given", "message"), OTHER)
def test_what_was_wrong_is_said_once_the_function_has_failed(given, message):
    with pytest.raises(InputError) as caught:
        fail(**given)
    assert str(caught.value).startswith(f"fail: {message}")


RIGHT = [
    {},
    {"matrix": [[1, 2], [3, 4]], "one": jnp.array(1)},
    {"stack": np.ones((5, 4, 3, 2)), "listed": [1, 2], "texts": ("a", "b")},
    {"stack": np.ones(3, int), "record": csr_array(np.eye(2)), "anything": object(), "more": "x"},
]


@pytest.mark.parametrize("given", RIGHT)
def test_a_failure_without_a_wrong_argument_stays_as_it_is(given):
    with pytest.raises(KeyError, match="raw"):
        fail(**given)


def test_wrong_signatures_are_left_to_python():
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        settle(nothing=1)
