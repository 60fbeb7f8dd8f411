"""The engine of stochastic policies in large worlds: the luckiest path, improved upon."""

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.errors import InputError
from first_occupancy.planning._drafts import LOWER_BOUND, Draft, Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._sparse.lucky_paths import lucky_choice
from first_occupancy.planning._sparse.sweeps import sweep
from first_occupancy.planning.limits import SETTLED


class SparseEngine:
    """Base policies as sparse chains, prepared once for planning to many goals."""

    name = "sparse"

    def __init__(self, dynamics: Dynamics) -> None:
        self._dynamics = dynamics

    def plan(self, request: Request) -> Draft:
        """Return the plan that is asked for; what it promises is the discount of one path."""
        if request.max_switches is not None:
            raise InputError(
                "plan: max_switches must be None in stochastic worlds of more states than "
                f"dense_up_to, got {request.max_switches}"
            )
        dynamics, goals, tolerance = self._dynamics, request.goals, request.tolerance
        choice, logs = self._first_path(goals, in_haste=tolerance is not None)
        draft = Draft(policy=choice, subgoal=choice, log_promised=logs)
        if request.rounds is None and dynamics.discount < 1:
            enough = SETTLED if tolerance is None else tolerance
            better = sweep(dynamics.moves, goals, choice, np.exp(logs), tolerance=enough)
            if tolerance is not None and better.gap <= tolerance:
                legs = dynamics.likely.legs(better.choice, goals)
                return draft.refined(better, legs, known=LOWER_BOUND)
            choice = better.choice
        return dynamics.refined(draft, request, choice)

    def _first_path(
        self, goals: Int[np.ndarray, " G"], *, in_haste: bool
    ) -> tuple[Int[np.ndarray, " S"], Float[np.ndarray, " S"]]:
        """Return a path to begin with, and the log of what it promises."""
        if in_haste and len(goals) == 1 and self._dynamics.durations is None:
            path = self._dynamics.likely.shortest(int(goals[0]))
            if path is not None:
                return path
        return lucky_choice(self._dynamics.jumps, goals)
