"""First passages between all states, against rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from first_occupancy.representations._solvers.first_passage import Rows, first_passage
from first_occupancy.representations._solvers.jumps import jump_chain
from rational_chains import arrival, as_floats, random_chain


def passages(chain, losses=0.0, *, timed=False):
    rows = csr_array(chain)
    staying = 1 - csr_array(chain - np.diag(chain.diagonal())).sum(axis=1)
    jumps = jump_chain(rows, losses, **({"elapsed": rows, "waiting": staying} if timed else {}))
    times = jumps.times.toarray() if timed else None
    return first_passage(Rows(jumps.moves.toarray(), jumps.losses, times))


@pytest.mark.parametrize("factor", [Fraction(1), Fraction(9, 10)])
def test_every_entry_is_that_of_rational_arithmetic_zeros_and_ones_included(factor):
    rng = np.random.default_rng(3)
    for _ in range(60):
        size = int(rng.integers(1, 8))
        rows = random_chain(rng, size)
        found, _ = passages(as_floats(rows, factor), float(1 - factor))
        for goal in range(size):
            exact = arrival(rows, [goal], factor)
            for number, truth in zip(found[:, goal], exact, strict=True):
                assert (number == 0) == (truth == 0)
                assert (number == 1) == (truth == 1)
                np.testing.assert_allclose(number, float(truth), rtol=1e-12)


def test_times_are_derivatives_by_the_discount():
    """E[T; arrival] is the derivative of E[γ^T] at 1, here by rational differences."""
    rng, near = np.random.default_rng(4), Fraction(10**9 - 1, 10**9)
    for _ in range(30):
        size = int(rng.integers(1, 6))
        rows = random_chain(rng, size)
        sure, times = passages(as_floats(rows), timed=True)
        for goal in range(size):
            slightly = arrival(rows, [goal], near)
            exact = [(a - b) * 10**9 for a, b in zip(arrival(rows, [goal]), slightly, strict=True)]
            np.testing.assert_allclose(times[:, goal], np.array(exact, float), rtol=1e-5)
            assert ((times[:, goal] > 0) == ((sure[:, goal] > 0) & (np.arange(size) != goal))).all()


@pytest.mark.parametrize("rare", [1e-9, 1e-16, 1e-150, 1e-300])
def test_states_that_are_hardly_ever_left_keep_their_digits(rare):
    # Two nearly uncoupled halves: 0 and 1 lead to each other, and rarely to 2 or 3, which end.
    chain = np.array([[0, 1, rare, 2 * rare], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    found, _ = passages(chain)
    np.testing.assert_allclose(found[0], [1, 1 / (1 + 3 * rare), 1 / 3, 2 / 3], rtol=1e-13)
    np.testing.assert_allclose(found[1], [1, 1, 1 / 3, 2 / 3], rtol=1e-13)


def test_what_is_lost_never_arrives():
    found, _ = first_passage(Rows(np.array([[0.0, 0.5], [0.5, 0.0]]), np.array([0.5, 0.5])))
    np.testing.assert_allclose(found, [[1, 0.5], [0.5, 1]])
