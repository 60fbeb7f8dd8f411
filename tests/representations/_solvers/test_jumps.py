"""Jump chains: what leaves a state, what is lost, and how long that takes."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from first_occupancy.representations._solvers.jumps import jump_chain


@pytest.mark.parametrize("rare", [1e-12, 1e-100, 1e-300])
def test_where_a_state_leads_does_not_depend_on_how_rarely_it_is_left(rare):
    jumps = jump_chain(csr_array(np.array([[1, rare, 3 * rare], [0, 1, 0], [0, 0, 1]])))
    np.testing.assert_allclose(jumps.moves.toarray()[0], [0, 0.25, 0.75], rtol=1e-15)
    assert jumps.losses.tolist() == [0, 1, 1]


def test_the_diagonal_is_not_read_and_entries_may_be_given_in_parts():
    parts = ([0.1, 0.1, 0.3, 9.0], ([0, 0, 0, 0], [1, 1, 2, 0]))
    jumps = jump_chain(csr_array(parts, (3, 3)), 0.5)
    np.testing.assert_allclose(jumps.moves.toarray()[0], [0, 0.2, 0.3])
    np.testing.assert_allclose(jumps.losses, [0.5, 1, 1])


def test_the_time_to_leave_is_that_of_waiting_and_moving():
    # Staying takes 2, with probability 3/4; moving on takes 5. So (3/4 / 1/4) * 2 + 5 = 11.
    kernel = csr_array(np.array([[0.75, 0.25], [0, 1]]))
    elapsed = csr_array(np.array([[0, 0.25 * 5], [0, 0]]))
    jumps = jump_chain(kernel, elapsed=elapsed, waiting=np.array([0.75 * 2, 1]))
    np.testing.assert_allclose(jumps.times.toarray(), [[0, 11], [0, 0]])


def test_what_leaves_with_a_subnormal_probability_never_does():
    jumps = jump_chain(csr_array(np.array([[1, 5e-324], [0, 1]])))
    assert jumps.moves.toarray().tolist() == [[0, 0], [0, 0]]
