"""Numbers on demand against the array they stand for."""

import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.planning._on_demand import OnDemand, on_host

ALL = np.array([0.5, 0.25, 1.0])


@pytest.fixture
def read():
    return []


@pytest.fixture
def numbers(read):
    def of(state):
        read.append(state)
        return ALL if state is None else ALL[state]

    return OnDemand(3, np.float32, of)


def test_one_state_is_read_without_the_others(numbers, read):
    assert [numbers[1], numbers[np.int32(2)], numbers[-3]] == [0.25, 1.0, 0.5]
    assert read == [1, 2, 0]
    assert numbers[1].dtype == np.float32
    assert on_host(numbers) is numbers
    assert (len(numbers), numbers.shape, numbers.ndim, numbers.size) == (3, (3,), 1, 3)


def test_anything_else_reads_all_of_them_once(numbers, read):
    assert np.asarray(numbers).tolist() == ALL.tolist()
    assert numbers[1:].tolist() == [0.25, 1.0]
    assert (numbers > 0.3).tolist() == [True, False, True]
    assert (1 - numbers).tolist() == (1 - ALL).tolist()
    assert np.log2(numbers).tolist() == [-1, -2, 0]
    assert jnp.sum(numbers) == numbers.sum() == 1.75
    assert (jnp.ones(3) + numbers).tolist() == (1 + ALL).tolist()
    assert [float(each) for each in numbers] == ALL.tolist()
    assert read == [None]


def test_compiled_functions_and_copies_get_the_array(numbers):
    assert jax.jit(lambda array: array * 2)(numbers).tolist() == [1.0, 0.5, 2.0]
    for copied in (copy.deepcopy(numbers), pickle.loads(pickle.dumps(numbers))):
        assert isinstance(copied, jax.Array)
        assert copied.tolist() == ALL.tolist()
    with pytest.raises(AttributeError, match="_nothing"):
        _ = numbers._nothing
