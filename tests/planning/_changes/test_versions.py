"""Versions against copies of the arrays."""

import numpy as np
import pytest

from first_occupancy.planning._changes import versions
from first_occupancy.planning._changes.repairs import Known
from first_occupancy.planning._changes.versions import Version


@pytest.mark.parametrize("most_steps", [2, 1000])
def test_every_version_stays_what_it_was(most_steps, monkeypatch):
    monkeypatch.setattr(versions, "MOST_STEPS", most_steps)
    rng = np.random.default_rng(0)
    size = 20
    known = Known(rng.random(size), rng.integers(0, 99, size), np.zeros((size, 1), int))
    version = Version(known.cost, known.best)
    history = [(version, known.cost.copy(), known.best.copy())]
    for _ in range(40):
        states = rng.permutation(size)[: int(rng.integers(0, 6))].astype(np.int32)
        old = states, known.cost[states], known.best[states]
        known.cost[states], known.best[states] = rng.random(len(states)), 7
        version = version.outdated(old)
        history.append((version, known.cost.copy(), known.best.copy()))
        for some, cost, best in history[:: int(rng.integers(1, 9))]:
            for state in rng.integers(0, size, 4).tolist():
                assert some.at(state) == (cost[state], best[state])
    for some, cost, best in history:
        costs, keys = some.at(None)
        assert (costs == cost).all()
        assert (keys == best).all()
    known.cost[:] = -1
    assert history[3][0].at(5)[0] == history[3][1][5]
