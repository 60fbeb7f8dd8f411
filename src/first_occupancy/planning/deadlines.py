r"""Plans for a deadline: the policy that most probably arrives in the time that is left.

    plan = fo.plan(world, goal, deadline=70)

What to follow depends on the time left (backward induction; `clocked`). A choice is kept, as more
time is left, until another one is surer; only changes are stored.
"""

from typing import Any

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.arguments import NonNegativeInt, check_arguments
from first_occupancy.core.display import Displayed, count, span
from first_occupancy.core.errors import InputError, shown
from first_occupancy.core.memory import check_fits_on_host, smallest
from first_occupancy.core.names import Names
from first_occupancy.core.world import number_in
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning.agents import Agent, interface_of
from first_occupancy.planning.legs import Leg, named_leg
from first_occupancy.planning.limits import NOTHING
from first_occupancy.planning.plans import Origin
from first_occupancy.representations._solvers.induction import Induction
from first_occupancy.representations._solvers.lattices import lattice
from first_occupancy.representations.arrival import Arrival, Forward, in_units


class DeadlinePlan(Displayed):
    """What to follow in every state, with every time left until the deadline.

    Attributes:
        goal: state to reach; `goals` are all of them, if any of several is to be reached.
        deadline: time until which to arrive.
        probability: the probability of arriving by the deadline from each state. It is a lower
            bound if `rounding` is above 0.
        policy: base policy to follow from each state when all of the time is left; -1 for none.
        unit: what times are counted in; where durations have none in common, they are rounded up.
        rounding: by which part of itself a duration is rounded up, at most; 0 where none is.
        state_names: names of the states.
        policy_names: names of the base policies.
        origin: the world and the base policies that it was made with.
    """

    def __init__(
        self,
        dynamics: Dynamics,
        goals: Int[np.ndarray, " G"],
        deadline: float,
        names: tuple[Names | None, Names | None] = (None, None),
    ) -> None:
        self.goal, self.goals, self.deadline = goals[0], goals, float(deadline)
        self.state_names, self.policy_names = names
        self.origin = Origin(None, dynamics.world, dynamics.policies)
        self._avoided, self._moves = dynamics.avoided, dynamics.timed
        self._lattice = lattice(self._moves.times, self._moves.chain.nnz, up=True)
        self.unit, self.rounding = self._lattice.unit, self._lattice.rounding
        self._size = self._moves.chain.shape[1]
        if self._moves.times is None and deadline != int(deadline):
            raise InputError(
                "plan: deadline must be a whole number where time is counted in steps, "
                f"got {deadline}"
            )
        self._units = int(in_units("plan: deadline", deadline, self._lattice.unit))
        induction = self._induction()
        self.probability = induction.until(self._units).copy()
        states, choices, times = map(np.concatenate, zip(*induction.changes, strict=True))
        order = np.argsort(states, kind="stable")
        self._choices = smallest(choices[order])
        self._keys = states[order].astype(np.int64) * (self._units + 1) + times[order]
        self.policy = self.policy_with(deadline)

    def followed(self, state: int, left: float | int) -> int:
        """Return the base policy to follow in one state with some time left; -1 for none."""
        if not 0 <= state < self._size or left <= 0:
            return NOTHING
        return int(self._chosen(np.array([state]), self._left(left))[0])

    @property
    def num_changes(self) -> int:
        """How many choices are stored: one for each time left at which a state's changes."""
        return len(self._keys)

    @check_arguments
    def policy_with(self, left: float | int) -> Int[np.ndarray, " S"]:
        """Return the base policy to follow from each state with some time left; -1 for none."""
        return self._chosen(np.arange(self._size), self._left(left))

    @check_arguments
    def probability_with(self, left: float | int) -> Float[np.ndarray, " S"]:
        """Return the probability of arriving in some time left, computed again."""
        return self._induction().until(self._left(left)).copy()

    @check_arguments
    def legs(self, start: Any, left: float | int | None = None) -> list[Leg]:
        """Return what to follow, and until where, if every move is the most likely one.

        All of the time is left unless `left` is given.
        """
        state, units = self._begin("legs", start), self._left(left)
        legs: list[Leg] = []
        while state not in self.goals:
            policy = int(self._chosen(np.array([state]), units)[0])
            if policy == NOTHING or units <= 0:
                raise InputError(
                    f"legs: the likeliest moves must lead from {shown(start, None)} to the goal in "
                    f"time, but do not; an agent follows the plan wherever chance leads"
                )
            ends, chances, delays = self._moves_of(policy, state)
            state, units = int(ends[chances.argmax()]), units - int(delays[chances.argmax()])
            if legs and legs[-1].policy == policy:
                legs.pop()
            legs.append(named_leg(self, policy, state))
        return legs

    def agent(
        self,
        environment: Any = None,
        *,
        observe: Any = None,
        policies: Any = None,
        seed: NonNegativeInt = 0,
    ) -> "ClockedAgent":
        """Return an agent that keeps the clock, as `Plan.agent`; `reset` starts it again."""
        plan: Any = self
        interface = interface_of("agent", plan, environment, observe, policies)
        return ClockedAgent(self, interface, seed=seed)

    def arrival(self, start: Any) -> Arrival:
        """Return when the plan arrives from a start, up to the deadline: the whole distribution."""
        state, size = self._begin("arrival", start), self._size
        check_fits_on_host("arrival", 5 * self._units * size, instead="an earlier deadline")
        rows = np.full((self._units + 1, size), NOTHING, np.int32)
        states = np.arange(size)
        for time in range(self._units):
            choice = self._chosen(states, self._units - time)
            rows[time] = np.where(choice >= 0, choice * size + states, NOTHING)
        forward = Forward(self._moves.chain, self._lattice, rows, self.goals, state)
        shares = forward.until(self._units + 1)
        total, times = shares.sum(), np.arange(self._units + 1) * self.unit
        mean, std = np.inf, np.nan
        if total > 0:
            mean = float(shares @ times / total)
            std = float(np.sqrt(shares @ (times - mean) ** 2 / total))
        words, in_steps = shown(state, self.state_names), self._moves.times is None
        return Arrival(float(total), mean, std, words, lambda: forward, in_steps)

    def duration(self, policy: int, begin: int, end: int) -> float:
        """Return how long a move of a policy took, by the states where it began and ended."""
        ends, _, delays = self._moves_of(policy, begin, self._moves.times)
        return float(delays[ends == end][0] if (ends == end).any() else delays.mean())

    def _begin(self, caller: str, start: Any) -> int:
        world: Any = self.origin.world
        return number_in(world, start, caller=caller, what="start")

    def _left(self, left: float | int | None) -> int:
        units = self._units if left is None else int(in_units("deadline: left", left, self.unit))
        return min(units, self._units)

    def _chosen(self, states: Int[np.ndarray, " K"], units: int) -> Int[np.ndarray, " K"]:
        base = states.astype(np.int64) * (self._units + 1)
        places = np.searchsorted(self._keys, base + max(units, 0), "right") - 1
        if not len(self._keys):
            return np.full(len(states), NOTHING)
        known = (places >= 0) & (self._keys[places] >= base)
        return np.where(known, self._choices[places].astype(np.int64), NOTHING)

    def _moves_of(self, policy: int, state: int, times: Any = None) -> tuple[np.ndarray, ...]:
        """Return where a policy leads, with which chances, and in which times; None for units."""
        chain, row = self._moves.chain, policy * self._size + state
        part = slice(chain.indptr[row], chain.indptr[row + 1])
        times = self._lattice.delays if times is None else times
        return chain.indices[part], chain.data[part], times[part]

    def _induction(self) -> Induction:
        return Induction(self._moves.chain, self._lattice.delays, self.goals, self._avoided)

    def _summary(self) -> str:
        others = self.probability[~np.isin(np.arange(self._size), self.goals)]
        name = shown(int(self.goal), self.state_names)
        return (
            f"Plan to {name} by {self.deadline:g}\n"
            f"  in time from {(others > 0).sum():,} of {count(len(others), 'other state')}, with "
            f"probability {span(others[others > 0])}\n"
            f"  {count(self.num_changes, 'choice')} stored"
        )


class ClockedAgent(Agent):
    """Follows a plan for a deadline: looks up what to follow with the time that is left.

    Where durations differ, the clock is set by the moves that were seen; `left`, the time left, can
    be set too. Where it is too late to arrive, the agent acts at random, in one unit per action.
    """

    def follow(self, plan: Any) -> None:
        """Follow another plan for a deadline from now on."""
        if not isinstance(plan, DeadlinePlan):
            raise InputError(f"agent: plan must be for a deadline, got {type(plan).__name__}")
        self.plan: Any = plan
        self.reset()

    def reset(self) -> None:
        """Begin a new episode, with all of the time left."""
        self.left, self._last = self.plan.deadline, None

    def _policy_in(self, here: int) -> int:
        if self._last is not None:
            is_known = self._last[0] != NOTHING and here >= 0
            self.left -= self.plan.duration(*self._last, here) if is_known else self.plan.unit
        policy = self.plan.followed(here, self.left)
        self._last = policy, here
        return policy
