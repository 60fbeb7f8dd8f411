"""The engine of deterministic policies in a world that changes: plans are repaired on demand."""

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.errors import InputError
from first_occupancy.planning._changes.repairs import (
    NEVER,
    Keys,
    Known,
    linked,
    packing,
    redirect,
    repair,
)
from first_occupancy.planning._changes.versions import Version
from first_occupancy.planning._drafts import EXACT, Draft, Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._on_demand import OnDemand
from first_occupancy.planning._paths.engine import PathEngine, log_discounts, step_times
from first_occupancy.planning.limits import KEPT_GOALS, NOTHING


@dataclass
class _Kept:
    """What is known for some goals, and the states whose moves have changed since."""

    known: Known
    version: Version
    pending: list[Int[np.ndarray, " K"]] = field(default_factory=list)


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
        self._discount, self._kept = dynamics.discount, OrderedDict[tuple[int, ...], _Kept]()
        times = step_times(dynamics)
        ends = np.array(steps.T, np.int32, order="C")
        is_unit = times is None or (times == 1).all()
        flat = np.ones(1) if is_unit else np.array(times.T, np.float64, order="C").ravel()
        self._edges = linked(ends, flat)
        self._keys = packing(*ends.shape)

    @property
    def steps(self) -> Int[np.ndarray, "N S"]:
        """The next state of each policy from each state."""
        return self._edges.ends.T.copy()

    def change(
        self,
        states: Int[np.ndarray, " K"],
        ends: Int[np.ndarray, "K N"],
        times: Float[np.ndarray, "K N"] | None,
    ) -> bool:
        """Let the policies lead elsewhere; return whether there are as many policies as before."""
        shape = self._edges.ends.shape
        if ends.shape[1] != shape[1]:
            return False
        if times is not None and len(self._edges.times) == 1 and (times != 1).any():
            self._edges = self._edges._replace(times=np.ones(shape[0] * shape[1]))
        if times is not None and len(self._edges.times) > 1:
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
        version = self._version(tuple(request.goals.tolist()))
        reading = _Reading(version, self._keys, self._discount)
        size, reals = len(self._edges.ends), jnp.result_type(float)
        numbers: Any = partial(OnDemand, size)
        return Draft(
            policy=numbers(np.int32, reading.policy),
            subgoal=numbers(np.int32, reading.subgoal),
            log_promised=numbers(reals, reading.log),
            achieved=numbers(reals, reading.discount),
            time=numbers(np.float64, reading.time),
            gap=0.0,
            known=EXACT,
        )

    def _version(self, goals: tuple[int, ...]) -> Version:
        """Return what is known for some goals, up to date."""
        kept = self._kept.pop(goals, None)
        if kept is None:
            kept, seeds = self._unknown(goals), np.array(goals)
        else:
            seeds = np.unique(np.concatenate([np.zeros(0, int), *kept.pending]))
        bits = self._keys.policy_bits, self._keys.policy_bits + self._keys.state_bits
        changed = repair(self._edges, kept.known, seeds, bits)
        states = changed[0]
        self.touched = len(states)
        if (np.isfinite(kept.known.cost[states]) & (kept.known.best[states] == NEVER)).any():
            raise InputError("plan: durations must not differ by more than a factor of 10^15")
        if len(states):
            version = Version(kept.known)
            kept.version.outdate(changed, version)
            kept.version = version
        kept.pending = []
        self._kept[goals] = kept
        while len(self._kept) > KEPT_GOALS:
            self._kept.popitem(last=False)
        return kept.version

    def _unknown(self, goals: tuple[int, ...]) -> _Kept:
        """Return what is known before the first plan: the goals."""
        size, count = self._edges.ends.shape
        known = Known(np.full(size, np.inf), np.full(size, NEVER), np.full((size, count), NEVER))
        places = np.array(goals)
        known.cost[places], known.best[places] = 0, places << self._keys.policy_bits
        return _Kept(known, Version(known))


class _Reading:
    """What a version says of one state, or of all for None, in the terms of plans."""

    def __init__(self, version: Version, keys: Keys, discount: float) -> None:
        self._version, self._keys, self._discount = version, keys, discount
        # Without any discount left, only a goal itself is worth a plan.
        self._beyond = np.inf if discount > 0 else np.finfo(float).tiny

    def policy(self, state: int | None) -> int | Int[np.ndarray, " S"]:
        """Return the policy to follow."""
        mask = (1 << self._keys.policy_bits) - 1
        if state is not None:  # plain numbers: legs read hundreds of states
            cost, key = self._version.at(state)
            return key & mask if 0 < cost < self._beyond else NOTHING
        cost, key = self._version.all()
        return np.where((cost > 0) & (cost < self._beyond), key & mask, NOTHING)

    def subgoal(self, state: int | None) -> int | Int[np.ndarray, " S"]:
        """Return the state at which to switch."""
        shift, mask = self._keys.policy_bits, (1 << self._keys.state_bits) - 1
        if state is not None:
            cost, key = self._version.at(state)
            return (key >> shift) & mask if cost < self._beyond else NOTHING
        cost, key = self._version.all()
        return np.where(cost < self._beyond, (key >> shift) & mask, NOTHING)

    def log(self, state: int | None) -> float | Float[np.ndarray, "*S"]:
        """Return the log of the expected discount."""
        return log_discounts(self.time(state), self._discount)

    def discount(self, state: int | None) -> float | Float[np.ndarray, "*S"]:
        """Return the expected discount."""
        return np.exp(self.log(state))

    def time(self, state: int | None) -> Float[np.ndarray, "*S"]:
        """Return the time to the goals."""
        cost = self._version.all().cost if state is None else self._version.at(state)[0]
        return np.where(cost < self._beyond, cost, np.inf)
