"""Arrivals in a set of states, against rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from first_occupancy.representations._solvers import arrivals as module
from first_occupancy.representations._solvers.arrivals import arrivals
from first_occupancy.representations._solvers.jumps import jump_chain
from rational_chains import arrival, as_floats, random_chain


@pytest.mark.parametrize("factor", [Fraction(1), Fraction(9, 10), Fraction(999, 1000)])
def test_arrivals_are_those_of_rational_arithmetic_zeros_and_ones_included(factor):
    rng = np.random.default_rng(1)
    for _ in range(150):
        size = int(rng.integers(1, 9))
        rows = random_chain(rng, size)
        goals = rng.choice(size, int(rng.integers(1, min(3, size) + 1)), replace=False)
        exact = arrival(rows, goals, factor)
        jumps = jump_chain(csr_array(as_floats(rows, factor)), float(1 - factor))
        found = arrivals(jumps, goals).values
        for number, truth in zip(found, exact, strict=True):
            assert (number == 0) == (truth == 0)
            assert (number == 1) == (truth == 1)
            np.testing.assert_allclose(number, float(truth), rtol=1e-12)


def timed(chain):
    """Return the jump chain of undiscounted steps."""
    return jump_chain(csr_array(chain), elapsed=csr_array(chain), waiting=chain.diagonal())


def test_times_are_mean_steps_of_the_walks_that_arrive():
    # From 0: to the goal 2 with probability 1/2, to the trap 3 with 1/4, stay with 1/4.
    jumps = timed(np.array([[0.25, 0, 0.5, 0.25], [0.5, 0, 0.5, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
    found = arrivals(jumps, np.array([2]))
    np.testing.assert_allclose(found.values, [2 / 3, 5 / 6, 1, 0])
    # E[T; arrival] from 0: sum of k (1/4)^(k-1) / 2 = 8 / 9.
    np.testing.assert_allclose(found.times(jumps.times), [8 / 9, 1 / 2 + (8 / 9 + 2 / 3) / 2, 0, 0])


def test_times_agree_with_simulated_walks():
    rng = np.random.default_rng(2)
    chain = as_floats(random_chain(rng, 6))
    jumps = timed(chain)
    found = arrivals(jumps, np.array([5]))
    ends = []
    for _ in range(4000):
        state, steps = 0, 0
        while state != 5 and steps < 400:
            state, steps = rng.choice(6, p=chain[state] / chain[state].sum()), steps + 1
        ends.append(steps if state == 5 else 0)
    error = np.std(ends) / np.sqrt(len(ends))
    assert abs(np.mean(ends) - found.times(jumps.times)[0]) < 4 * error + 1e-12


@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_systems_that_are_renumbered_have_the_same_solutions(monkeypatch, discount):
    rng = np.random.default_rng(6)
    chain = csr_array(as_floats(random_chain(rng, 60)))
    jumps, goals = jump_chain(chain * discount, 1 - discount), np.array([7, 3])
    plain = arrivals(jumps, goals)
    gained = plain.gathered(np.arange(60.0))
    monkeypatch.setattr(module, "SCATTERED", 1)
    renumbered = arrivals(jumps, goals)
    np.testing.assert_allclose(renumbered.values, plain.values, rtol=1e-13)
    np.testing.assert_allclose(renumbered.gathered(np.arange(60.0)), gained, rtol=1e-13)
    guessed = arrivals(jumps, goals, start=plain.values * (1 - 1e-3))
    np.testing.assert_allclose(guessed.values, plain.values, rtol=1e-11)
    assert renumbered.equations._converges
