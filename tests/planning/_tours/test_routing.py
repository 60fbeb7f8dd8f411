"""What is asked of PyVRP, and how its answer is read; tests/peers asks the real one."""

import sys
from types import SimpleNamespace

import numpy as np

from first_occupancy.planning._tours import routing


def test_without_the_package_there_is_no_solver(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyvrp", None)
    assert routing.installed_solver() is None


def test_lengths_are_asked_as_whole_numbers_and_visits_read_as_nodes(monkeypatch):
    asked = {}

    def solve(data, stop, **options):
        asked.update(data, stop=stop)
        visits = [(False, 0), (True, 1), (True, 0), (False, 0)]
        route = [SimpleNamespace(is_client=lambda c=c: c, idx=idx) for c, idx in visits]
        return SimpleNamespace(best=SimpleNamespace(routes=lambda: [route]))

    solver = SimpleNamespace(
        ProblemData=lambda **parts: parts,
        Location=lambda x, y: (x, y),
        Client=lambda node: node,
        Depot=lambda node: node,
        VehicleType=lambda count: count,
        solve=solve,
    )
    stop = SimpleNamespace(MaxIterations=lambda n: ("rounds", n), MaxRuntime=lambda s: ("time", s))
    monkeypatch.setattr(routing, "import_module", lambda name: stop)
    lengths = np.array([[0, 0.5, 1.0], [0.25, 0, 1.0], [0, 1.0, 0]])
    assert routing.routed_tour(solver, lengths, None) == [2, 1]
    assert asked["distance_matrices"][0].tolist()[0] == [0, 500_000_000, 1_000_000_000]
    assert asked["stop"] == ("rounds", 3 * routing.TOUR_ROUNDS_PER_NODE)
    routing.routed_tour(solver, lengths, 2.5)
    assert asked["stop"] == ("time", 2.5)
