import numpy as np
from jaxtyping import Float

from first_occupancy.core.compiled import compiled


@compiled
def _running_sum(numbers: Float[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
    sums = np.empty_like(numbers)
    total = 0.0
    for place in range(len(numbers)):
        total += numbers[place]
        sums[place] = total
    return sums


def test_a_compiled_function_returns_what_the_plain_one_returns():
    numbers = np.random.default_rng(0).standard_normal(100)
    np.testing.assert_array_equal(_running_sum(numbers), np.cumsum(numbers))
    np.testing.assert_array_equal(_running_sum.py_func(numbers), np.cumsum(numbers))


def test_functions_are_compiled_although_the_tests_check_their_shapes():
    _running_sum(np.zeros(3))
    assert _running_sum.signatures
