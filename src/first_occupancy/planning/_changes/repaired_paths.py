"""The engine of deterministic policies in a world that changes: plans are repaired on demand."""

from collections import OrderedDict
from functools import partial
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.errors import InputError
from first_occupancy.planning._changes.repairs import NEVER, Known, linked, redirect, repair
from first_occupancy.planning._changes.versions import Version
from first_occupancy.planning._drafts import EXACT, Draft, Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._on_demand import OnDemand
from first_occupancy.planning._paths.engine import PathEngine, log_discounts, step_times
from first_occupancy.planning.limits import KEPT_GOALS, NOTHING


class _Kept(NamedTuple):
    """What is known for some goals, and the states whose moves have changed since."""

    known: Known
    version: Version
    pending: list[Int[np.ndarray, " K"]]


class ChangingPaths:
    """Deterministic policies whose moves change, and what is known for the goals last planned to.

    Attributes:
        dynamics: the world as it is now.
        touched: number of states that the last plan changed; None if it was planned afresh.
    """

    name = "paths"

    def __init__(self, dynamics: Dynamics, steps: Int[np.ndarray, "N S"]) -> None:
        self.dynamics = dynamics
        self.touched: int | None = None
        self._kept = OrderedDict[tuple[int, ...], _Kept]()
        times, (count, size) = step_times(dynamics), steps.shape
        is_unit = times is None or (times == 1).all()
        flat = np.ones(1) if is_unit else np.array(times.T, np.float64, order="C").ravel()
        self._edges = linked(np.array(steps.T, np.int32, order="C"), flat)
        self._bits = (count - 1).bit_length(), (count - 1).bit_length() + (size - 1).bit_length()

    @property
    def steps(self) -> Int[np.ndarray, "N S"]:
        """The next state of each policy from each state."""
        return self._edges.ends.T.copy()

    def change(
        self,
        states: Int[np.ndarray, " K"],
        ends: Int[np.ndarray, "K N"],
        times: Float[np.ndarray, "K N"],
    ) -> bool:
        """Let the policies lead elsewhere; return whether there are as many policies as before."""
        shape = self._edges.ends.shape
        if ends.shape[1] != shape[1]:
            return False
        if len(self._edges.times) == 1 and (times != 1).any():
            self._edges = self._edges._replace(times=np.ones(shape[0] * shape[1]))
        if len(self._edges.times) > 1:
            self._edges.times.reshape(shape)[states] = times
        redirect(self._edges, states, ends.astype(np.int32))
        for kept in self._kept.values():
            kept.pending.append(states)
        return True

    def plan(self, request: Request) -> Draft:
        """Return the plan that is asked for; plans of few switches are made afresh."""
        if request.max_switches is not None:
            self.touched = None
            return PathEngine(self.dynamics, self.steps).plan(request)
        version, discount = self._version(tuple(request.goals.tolist())), self.dynamics.discount
        # Without any discount left, only a goal itself is worth a plan.
        beyond = np.inf if discount > 0 else np.finfo(float).tiny
        shift, bits = self._bits
        policies, numbers = (1 << shift) - 1, (1 << bits) - 1

        def policy(state: int | None) -> Any:
            cost, key = version.at(state)
            return _where((cost > 0) & (cost < beyond), key & policies, NOTHING)

        def subgoal(state: int | None) -> Any:
            cost, key = version.at(state)
            return _where(cost < beyond, (key & numbers) >> shift, NOTHING)

        def time(state: int | None) -> Any:
            cost, _ = version.at(state)
            return _where(cost < beyond, cost, np.inf)

        def log(state: int | None) -> Any:
            logs = log_discounts(np.atleast_1d(time(state)), discount)
            return logs if state is None else logs[0]

        reals = jnp.result_type(float)
        given: Any = partial(OnDemand, len(self._edges.ends))
        return Draft(
            policy=given(np.int32, policy),
            subgoal=given(np.int32, subgoal),
            log_promised=given(reals, log),
            achieved=given(reals, lambda state: np.exp(log(state))),
            time=given(np.float64, time),
            gap=0.0,
            known=EXACT,
        )

    def _version(self, goals: tuple[int, ...]) -> Version:
        """Return what is known for some goals, up to date."""
        kept, self.touched, states = self._kept.pop(goals, None), None, slice(None)
        if kept is None:
            known = self._searched(np.array(goals))
            version = Version(known.cost, known.best)
        else:
            known, version = kept.known, kept.version
            seeds = np.unique(np.concatenate([np.zeros(0, int), *kept.pending]))
            changed = repair(self._edges, known, seeds, self._bits)
            states, self.touched = changed[0], len(changed[0])
            version = version.outdated(changed) if self.touched else version
        if (np.isfinite(known.cost[states]) & (known.best[states] == NEVER)).any():
            raise InputError("plan: durations must not differ by more than a factor of 10^15")
        self._kept[goals] = _Kept(known, version, [])
        while len(self._kept) > KEPT_GOALS:
            self._kept.popitem(last=False)
        return version

    def _searched(self, goals: Int[np.ndarray, " G"]) -> Known:
        """Return what a new search finds: the repair of a plan that only knows its goals."""
        size, count = self._edges.ends.shape
        known = Known(np.full(size, np.inf), np.full(size, NEVER), np.full((size, count), NEVER))
        known.cost[goals], known.best[goals] = 0, goals << self._bits[0]
        repair(self._edges, known, goals, self._bits, False)
        return known


def _where(good: Any, value: Any, other: Any) -> Any:
    """Return `np.where`, which takes long for plain numbers; legs read hundreds of them."""
    return (
        np.where(good, value, other) if isinstance(good, np.ndarray) else value if good else other
    )
