"""A search meets each state once, and keeps some of those that share a key."""

import numpy as np

from first_occupancy.interop.enumeration._jax_search import OTHERS, Search
from functional_worlds import corridor, plain_worlds, stepper


def test_every_state_is_expanded_once_and_progress_is_reported():
    told = []
    steps = stepper(corridor())
    found = Search(steps, limit=100, report=lambda *numbers: told.append(numbers)).run(1)
    queue, _ = plain_worlds()
    assert len(found.ended) == len(queue)
    assert told[0] == (1, 1)
    assert told[-1] == (len(queue), 0)
    pairs = list(zip(*found.edges[:2].tolist(), strict=True))
    assert len(pairs) == len(set(pairs)) == 3 * (len(queue) - 1)
    numbers, others = found.alike
    assert max(np.bincount(numbers)) <= OTHERS
    # Only the clock is not part of the key.
    cells = np.asarray(found.states.cell)[numbers]
    np.testing.assert_array_equal(np.asarray(others.cell), cells)
    assert (np.asarray(others.time) != np.asarray(found.states.time)[numbers]).all()
