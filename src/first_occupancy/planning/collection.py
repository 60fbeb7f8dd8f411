"""Trips to once-only rewards: the record that `fo.collect` returns."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from first_occupancy.core.arguments import NonNegativeInt, PositiveInt, check_arguments
from first_occupancy.core.display import Displayed, count
from first_occupancy.core.errors import InputError
from first_occupancy.core.world import World
from first_occupancy.planning._collect.agent import Collector, simulated_returns
from first_occupancy.planning._collect.given import Rewards, read_rewards, read_start
from first_occupancy.planning._collect.plans_to_rewards import discounts
from first_occupancy.planning._collect.strategy import Strategy
from first_occupancy.planning._drafts import ESTIMATE, EXACT, LOWER_BOUND
from first_occupancy.planning._ways import Way, or_null, place_of, shown_state
from first_occupancy.planning.agents import interface_of
from first_occupancy.planning.limits import PRODUCT_UP_TO

FORMAT = 1
"""Version of the JSON, which changes when a field changes its meaning or goes away."""

SHOWN_UP_TO = 2**16
"""States times sets of rewards up to which showing a trip works out what its agent achieves."""

MOST_LISTED = 12
"""Stops that are shown."""


class Stop(NamedTuple):
    """A reward on the way, and when it is taken.

    Attributes:
        state: where it is.
        reward: what it is worth.
        discount: expected discount when it is taken, if the order is followed.
        time: expected time until it is taken, given that it is; NaN if unknown.
        way: the way to it; None where the trip begins on it.
    """

    state: int
    reward: float
    discount: float
    time: float
    way: Way | None


class Simulated(NamedTuple):
    """Returns of the agent in simulated episodes.

    Attributes:
        mean: their mean.
        standard_error: of the mean.
    """

    mean: float
    standard_error: float


@dataclass(frozen=True, eq=False, repr=False)
class Collection(Displayed):
    """An order in which to take rewards, and what following it achieves.

    Attributes:
        strategy: plans to the rewards, and where to go next whatever is left.
        starts: probability to begin in each state.
        unreachable: rewards that no plan leads to from the start; they are not counted.
    """

    strategy: Strategy
    starts: dict[int, float]
    unreachable: tuple[int, ...]

    @property
    def world(self) -> World:
        """The world."""
        return self.strategy.planner.world

    @property
    def discount(self) -> float:
        """The discount factor per unit of time."""
        return self.strategy.planner.discount

    @property
    def start(self) -> int:
        """Where the trip begins; of several states, the likeliest."""
        return self.strategy.start

    @property
    def rewards(self) -> dict[int, float]:
        """What each state that can be reached is worth at its first visit."""
        return self.strategy.rewards

    @property
    def order(self) -> tuple[int, ...]:
        """The states of the rewards in the order of the visits, and the last goal, if any."""
        return tuple(stop.state for stop in self.stops)

    @cached_property
    def stops(self) -> tuple[Stop, ...]:
        """The rewards in the order of the visits, and when each is taken."""
        stops: list[Stop] = []
        here, discount, time = self.start, 1.0, 0.0
        for there in self.strategy.visits(here):
            plan, draft = self.strategy.drafted[there]
            way = None if here == there else Way(here, plan, self.strategy.planner.steps)
            if way is not None:
                time += way.number("expected_time")
                discount *= float(discounts(draft)[here])
            stops.append(Stop(there, self.rewards.get(there, 0.0), discount, time, way))
            here = there
        return tuple(stops)

    @property
    def ways(self) -> list[Way]:
        """The ways between the stops, as those of a tour."""
        return [stop.way for stop in self.stops if stop.way is not None]

    @cached_property
    def promised(self) -> float:
        """What following the order achieves at least: the sum of rewards times discounts.

        Rewards found by chance on the way to others count only at their turn.
        """
        return self._mean(self.strategy.value)

    @cached_property
    def expected_return(self) -> float:
        """What the agent achieves, which chooses the next reward again in every state.

        `known` says whether it is exact. Under noise it takes a value for each state and set of
        rewards, and is worked out when it is first asked for. Where these are too many, it is the
        lower bound `promised`, and `simulate` tells more.
        """
        if self._certain or self.known != EXACT:
            return self.promised
        from first_occupancy.planning._collect.product import values_of_agent

        values = values_of_agent(self.strategy, self.strategy.moves)[-1]
        return self._mean(lambda state: values[state])

    @property
    def known(self) -> str:
        """How the expected return is known: "exact", a "lower bound" or an "estimate" from FRs."""
        if self.strategy.planner._dynamics is None:
            return ESTIMATE
        return EXACT if self._certain or self._product <= PRODUCT_UP_TO else LOWER_BOUND

    @cached_property
    def upper_bound(self) -> float:
        """What no strategy can exceed, worked out when it is first asked for.

        The best order itself in deterministic worlds, up to 20 rewards; beyond, the best order of
        a problem that forgets some visits. Under noise the best strategy where it can be computed,
        else the sum of the best strategies for parts of the rewards.
        """
        strategy = self.strategy
        if strategy.planner._dynamics is None or not self.rewards:
            return float(sum(self.rewards.values()))
        if self._certain and strategy.orders.solver == "exact":
            return self.promised
        if self._certain:
            return self._mean(self._relaxed)
        from first_occupancy.planning._collect.product import best_returns_of_parts

        bounds = best_returns_of_parts(strategy, strategy.moves, [*self.starts], PRODUCT_UP_TO)
        return self._mean(dict(zip(self.starts, bounds, strict=True)).__getitem__)

    def _relaxed(self, start: int) -> float:
        """Return a bound on what any order collects from a start, in a deterministic world."""
        from first_occupancy.planning._collect.relaxed import relaxed_return

        strategy, targets = self.strategy, self.strategy.targets
        taken = self.rewards[start] if start in strategy.numbers else 0.0
        rest = targets.some(np.flatnonzero(targets.states != start))
        numbers = {int(state): number for number, state in enumerate(rest.states)}
        order = [numbers[state] for state in strategy.visits(start) if state in numbers]
        return taken + relaxed_return(rest, start, np.array(order), discount=self.discount)

    @property
    def gap(self) -> float:
        """How much of the upper bound may be missing, as a share of it."""
        bound = self.upper_bound
        return max(1 - self.expected_return / bound, 0.0) if bound > 0 else 0.0

    def agent(
        self,
        environment: Any = None,
        *,
        observe: Any = None,
        policies: Any = None,
        seed: NonNegativeInt = 0,
    ) -> Collector:
        """Return an agent that remembers what is left and chooses again in every state.

        It has `predict`, as agents of plans have. `taken`, `left` and `target` say what it has,
        what is left and where it goes; `target` is None once nothing is left to do. `reset()`
        begins again, and `change(rewards)` goes on with rewards that appear, vanish (0) or move.

        Args:
            environment: as for `Plan.agent`.
            observe: as for `Plan.agent`.
            policies: as for `Plan.agent`.
            seed: seed of random actions.
        """
        plan = next(iter(self.strategy.drafted.values()))[0]
        interface = interface_of("agent", plan, environment, observe, policies)
        return Collector(self.strategy, interface, seed)

    @check_arguments
    def simulate(self, episodes: PositiveInt = 1000, *, seed: int = 0) -> Simulated:
        """Return the mean return of the agent in simulated episodes, and its standard error.

        Args:
            episodes: how many to simulate.
            seed: of chance.

        Raises:
            InputError: if only FRs are known, which cannot be simulated.
        """
        if self.strategy.planner._dynamics is None:
            raise InputError("simulate: needs the world's dynamics, but only FRs are known")
        agent, moves = self.agent(), self.strategy.moves
        returns = simulated_returns(agent, moves, self.starts, episodes, seed)
        spread = float(returns.std(ddof=1)) if episodes > 1 else float("inf")
        return Simulated(float(returns.mean()), spread / episodes**0.5)

    def changed(self, rewards: Rewards, *, start: Any = None) -> "Collection":
        """Return the trip with other rewards; plans that are still needed are kept.

        Args:
            rewards: what states are worth now, 0 where they have vanished; the others stay.
            start: where the trip begins now; None for the same start.
        """
        starts = self.starts if start is None else read_start("changed", self.world, start)
        now = read_rewards("change", self.world, rewards)
        return collection(self.strategy, self.rewards | now, starts)

    @property
    def _certain(self) -> bool:
        """Whether nothing is left to chance."""
        return self.strategy.planner.steps is not None

    @property
    def _product(self) -> int:
        """States times sets of rewards."""
        return self.world.num_states << len(self.strategy.numbers)

    def _mean(self, value: Callable[[int], float]) -> float:
        """Return the mean over the states where the trip may begin."""
        return float(sum(share * value(state) for state, share in self.starts.items()))

    def to_json(self, **more: Any) -> str:
        """Return everything about the trip, for programs.

        States are [row, column] in mazes, else names or numbers. The way to each reward is as in
        the JSON of a tour. `more` are further fields.
        """
        content = {
            "format": FORMAT,
            "start": place_of(self.world, self.start),
            "discount": self.discount,
            "order": [place_of(self.world, state) for state in self.order],
            "expected_return": self.expected_return,
            "known": self.known,
            "promised": self.promised,
            "upper_bound": self.upper_bound,
            "gap": self.gap,
            "solver": self.strategy.orders.solver,
            "unreachable": [place_of(self.world, state) for state in self.unreachable],
            "stops": [self._stop_as_json(stop) for stop in self.stops],
        }
        return json.dumps(content | more, allow_nan=False, indent=1)

    def _stop_as_json(self, stop: Stop) -> dict[str, Any]:
        return {
            "state": place_of(self.world, stop.state),
            "reward": stop.reward,
            "expected_discount": stop.discount,
            "expected_time": or_null(stop.time),
            "way": None if stop.way is None else stop.way.as_json(self.world),
        }

    def _summary(self) -> str:
        bound = "" if self.known == EXACT else f" ({self.known})"
        rewards = sum(stop.reward > 0 for stop in self.stops)
        lines = [f"Trip to {count(rewards, 'reward')} from {self._shown(self.start)}"]
        if self._certain or self._product <= SHOWN_UP_TO or self.known != EXACT:
            lines.append(f"expected return {self.expected_return:.4g}{bound}")
        if not self._certain:
            lines.append(f"promised by the order {self.promised:.4g}")
        lines += [self._line(stop) for stop in self.stops[:MOST_LISTED]]
        if len(self.stops) > MOST_LISTED:
            lines.append(f"and {len(self.stops) - MOST_LISTED} more")
        if self.unreachable:
            some = ", ".join(self._shown(state) for state in self.unreachable[:MOST_LISTED])
            lines.append(f"out of reach and not counted: {some}")
        return "\n  ".join(lines)

    def _line(self, stop: Stop) -> str:
        when = "at once" if stop.way is None else f"after {stop.time:.4g}"
        what = f"{stop.reward:.4g}" if stop.reward else "ends"
        return f"{self._shown(stop.state)}: {what} {when}, discount {stop.discount:.3g}"

    def _shown(self, state: int) -> str:
        return shown_state(self.world, state)


def collection(
    strategy: Strategy,
    rewards: dict[int, float],
    starts: dict[int, float],
    progress: Callable[[int, int], None] | None = None,
) -> Collection:
    """Return the trip to the rewards that can be reached, by the plans of a strategy."""
    begin = max(starts, key=lambda state: starts[state])
    some = {state: reward for state, reward in rewards.items() if reward > 0}
    wanted = replace(strategy, rewards=some, start=begin)
    wanted.prepare(progress)
    logs = {state: wanted.drafted[state][1].log_promised[[*starts]] for state in some}
    kept = {state: some[state] for state in some if np.isfinite(logs[state]).any()}
    lost = tuple(sorted(some.keys() - kept))
    return Collection(replace(wanted, rewards=kept), starts, lost)
