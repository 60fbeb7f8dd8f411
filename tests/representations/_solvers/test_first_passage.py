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


def closed_and_open(rng, sizes, leaving):
    """A chain of closed classes of some sizes, one after the other, after 60 states that leave."""
    size = 60 + sum(sizes)
    chain, begin = np.zeros((size, size)), 60
    chain[:60] = rng.random((60, size)) * (rng.random((60, size)) < 0.1)
    chain[:60, 60:] *= leaving
    for count in sizes:
        inner = slice(begin, begin + count)
        chain[inner, inner] = rng.random((count, count)) * (rng.random((count, count)) < 0.3)
        chain[np.arange(begin, begin + count), begin + (np.arange(count) + 1) % count] += 0.1
        begin += count
    chain[:, -1] += chain.sum(axis=1) == 0
    return chain / chain.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("sizes", "leaving"), [((90,), 1), ((70, 2, 55), 1), ((50, 30), 1e-6)])
def test_closed_classes_are_entered_and_crossed_as_linear_equations_say(sizes, leaving):
    chain = closed_and_open(np.random.default_rng(7), sizes, leaving)
    sure, times = passages(chain, timed=True)
    for goal in (0, 59, 60, 100, len(chain) - 1):
        jumps = np.where(np.arange(len(chain))[:, None] == goal, 0, chain)
        can = np.flatnonzero((sure[:, goal] > 0) & (np.arange(len(chain)) != goal))
        system = np.eye(len(can)) - jumps[np.ix_(can, can)]
        values = np.linalg.solve(system, chain[can, goal])
        np.testing.assert_allclose(sure[can, goal], values, rtol=1e-8)
        np.testing.assert_allclose(times[can, goal], np.linalg.solve(system, values), rtol=1e-7)
    inside = sure[60 : 60 + sizes[0], 60 : 60 + sizes[0]]
    assert (inside == 1).all()
    assert (sure[60:, :60] == 0).all()
    if len(sizes) == 1:
        assert (sure[:60, 60:] == 1).all()


def test_a_closed_class_whose_paths_underflow_is_solved_like_any_other():
    """From 0 to 2 only by two moves of 1e-200, so that the time until arrival has no number."""
    chain = np.array([[0, 1e-200, 0, 1], [1, 0, 1e-200, 0], [1, 0, 0, 0], [1, 0, 0, 0]])
    sure, times = passages(chain, timed=True)
    assert np.isfinite(times).all()
    np.testing.assert_array_equal(sure[:, [0, 1, 3]][[0, 2, 3]], 1)
    assert sure[0, 2] < 1
