"""Tours by the real PyVRP."""

import numpy as np
import pytest

from first_occupancy import planning
from first_occupancy.planning import tours


@pytest.mark.parametrize("returning", [False, True])
def test_pyvrp_finds_the_best_order_of_few_goals(returning, monkeypatch):
    pytest.importorskip("pyvrp")
    for seed in range(3):
        logs = -np.random.default_rng(seed).exponential(size=(13, 13))
        goals = np.arange(1, 13)
        options = {"returning": logs[:, 0] if returning else None, "last": 7}
        with monkeypatch.context() as patched:
            patched.setattr(tours, "EXACT_TOUR_UP_TO", 16)
            exact = planning.best_order(0, goals, logs[:, 1:], **options)
        monkeypatch.setattr(tours, "EXACT_TOUR_UP_TO", 5)
        found = planning.best_order(0, goals, logs[:, 1:], **options)
        assert (found.solver, found.order[-1]) == ("pyvrp", 7)
        np.testing.assert_allclose(found.log_discount, exact.log_discount, rtol=1e-6)
        assert found.bound >= exact.log_discount - 1e-9
        again = planning.best_order(0, goals, logs[:, 1:], **options)
        assert again == found
