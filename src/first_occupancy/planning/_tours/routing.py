"""Tours by PyVRP (the extra `tours`), which solves routing problems: a route is a tour."""

from importlib import import_module
from typing import Any

import numpy as np
from jaxtyping import Float

from first_occupancy.planning.limits import TOUR_ROUNDS_PER_NODE

RESOLUTION = 10**9
"""Whole-number length of a leg of length 1; shorter ones are rounded on this scale."""


def installed_solver() -> Any:
    """Return the package, or None if it is not installed."""
    try:
        return import_module("pyvrp")
    except ImportError:
        return None


def routed_tour(solver: Any, lengths: Float[np.ndarray, "M M"], seconds: float | None) -> list[int]:
    """Return the nodes of a good tour in order, without node 0.

    Args:
        lengths: length of the leg from each node to each other, from 0 to 1.
        seconds: time limit; None for a number of rounds that grows with the nodes.
    """
    whole = np.rint(lengths * RESOLUTION).astype(np.int64)
    count = len(lengths)
    data = solver.ProblemData(
        locations=[solver.Location(0, 0) for _ in range(count)],
        clients=[solver.Client(node) for node in range(1, count)],
        depots=[solver.Depot(0)],
        vehicle_types=[solver.VehicleType(1)],
        distance_matrices=[whole],
        duration_matrices=[np.zeros_like(whole)],
    )
    stop = import_module("pyvrp.stop")
    ends = (
        stop.MaxIterations(TOUR_ROUNDS_PER_NODE * count)
        if seconds is None
        else stop.MaxRuntime(seconds)
    )
    found = solver.solve(data, ends, seed=0, collect_stats=False, display=False)
    route = found.best.routes()[0]
    return [visit.idx + 1 for visit in route if visit.is_client()]
