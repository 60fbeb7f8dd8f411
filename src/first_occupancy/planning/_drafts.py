"""What engines are asked, and what they return: plans as arrays on the host."""

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._on_demand import HostNumbers
from first_occupancy.planning._sparse.refinement import Refined

EXACT, LOWER_BOUND, ESTIMATE = "exact", "lower bound", "estimate"
"""How a plan's expected discount is known."""


class Request(NamedTuple):
    """What an engine is asked to plan.

    Attributes:
        goals: states of which any is to be reached.
        max_switches: upper bound on policy switches; None for no bound.
        rounds: rounds of policy improvement; None for as many as improve something.
        tolerance: gap to the best choice of base policies at which to stop; None for none.
    """

    goals: Int[np.ndarray, " G"]
    max_switches: int | None = None
    rounds: int | None = None
    tolerance: float | None = None


@runtime_checkable
class Engine(Protocol):
    """One way to plan in a prepared world."""

    @property
    def name(self) -> str:
        """What plans call it."""
        ...

    def plan(self, request: Request) -> "Draft":
        """Return the plan that is asked for."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Draft:
    """A plan as arrays on the host.

    Attributes:
        policy: base policy to follow from each state; -1 for none.
        subgoal: state at which to switch; -1 for none.
        log_promised: log of the expected discount that the legs promise.
        achieved: expected discount of following the plan, re-choosing in every state; None if the
            world's dynamics are unknown.
        time: expected time to the goal, given that it is reached; None if it was not computed.
        gap: upper bound on what another choice of base policies could gain; None if unknown.
        known: how the expected discount is known.
    """

    policy: Int[HostNumbers, " S"]
    subgoal: Int[HostNumbers, " S"]
    log_promised: Float[HostNumbers, " S"]
    achieved: Float[HostNumbers, " S"] | None = None
    time: Float[HostNumbers, " S"] | None = None
    gap: float | None = None
    known: str = ESTIMATE

    def refined(
        self, better: Refined, subgoal: Int[np.ndarray, " S"], known: str = EXACT
    ) -> "Draft":
        """Return the plan with a better choice of policies; the promise stays the old one."""
        # Following a policy has a value even in states for which FRP promised nothing. Values may
        # underflow, promises do not.
        arriving = (better.values > 0) | (better.choice >= 0)
        return replace(
            self,
            policy=better.choice,
            subgoal=subgoal,
            log_promised=np.where(arriving, self.log_promised, -np.inf),
            achieved=better.values,
            time=None if better.times is None else time_given_arrival(better.values, better.times),
            gap=better.gap,
            known=known,
        )


def time_given_arrival(
    values: Float[np.ndarray, " S"], times: Float[np.ndarray, " S"]
) -> Float[np.ndarray, " S"]:
    """Return the expected time until arrival, given arrival; infinite where there is none.

    Args:
        times: expected time until arrival, counting arrivals only.
    """
    return np.divide(times, values, out=np.full(len(values), np.inf), where=values > 0)
