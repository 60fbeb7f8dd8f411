"""The engine of stochastic policies in large worlds: the luckiest path, improved upon."""

from first_occupancy.core.errors import InputError
from first_occupancy.planning._drafts import EXACT, LOWER_BOUND, Draft, Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._sparse.modified_policy_iteration import sweep


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
        lucky = dynamics.moves.lucky_paths(goals)
        draft = Draft(policy=lucky.choice, subgoal=lucky.choice, log_promised=lucky.logs)
        if request.rounds is not None or dynamics.discount == 1:
            return dynamics.refined(draft, request)
        better, enough = sweep(dynamics.moves, goals, lucky, tolerance=tolerance)
        if not enough:
            return dynamics.refined(draft, request, better)
        legs = dynamics.moves.likely_legs(better.choice, goals)
        return draft.refined(better, legs, known=EXACT if tolerance is None else LOWER_BOUND)
