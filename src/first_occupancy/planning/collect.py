r"""Plan for rewards that can be taken once: foraging, errands, all that a visit uses up.

    trip = fo.collect(world, {(1, 9): 1.0, (9, 9): 0.4}, start=(9, 1), discount=0.95)

The exact problem has $S\, 2^n$ states. But expected discounts to first arrivals multiply along an
order of visits,

$$V(x_1, \dots, x_n) = \sum_i r_i \prod_{j \le i} \Gamma(x_{j-1}, x_j),$$

so one plan to each reward, and a search for the best order, do instead: exactly in deterministic
worlds, as a lower bound of what the agent achieves under noise (docs/theory.md has the proofs).
"""

from collections.abc import Callable
from typing import Any

from first_occupancy.core.arguments import NonNegativeFloat, NonNegativeInt, Share, check_arguments
from first_occupancy.core.errors import InputError
from first_occupancy.core.world import Policies, World, number_in
from first_occupancy.planning._collect.given import read_rewards, read_start
from first_occupancy.planning._collect.strategy import Strategy
from first_occupancy.planning._ways import given_start
from first_occupancy.planning.collection import Collection, collection
from first_occupancy.planning.plan import Planner
from first_occupancy.representations import Occupancies


@check_arguments
def collect(
    world: World,
    rewards: Any,
    *,
    start: Any = None,
    discount: Share,
    policies: Policies | Occupancies = None,
    last: Any = None,
    avoid: Any = (),
    refine: NonNegativeInt | None = None,
    tolerance: NonNegativeFloat | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Collection:
    """Return the best order in which to take rewards that can be taken once.

    >>> from first_occupancy.environments import maze
    >>> trip = collect(maze(["S....", "....."]), {(0, 4): 1, (1, 0): 0.5}, discount=0.9)
    >>> trip.order, round(trip.expected_return, 3)
    ((5, 4), 0.981)

    Args:
        world: as for `plan`.
        rewards: what states are worth at their first visit, at least 0: a mapping from states, in
            any form that the world takes, or one number for each state. At most 500; the order of
            up to 20 is the best there is.
        start: where the trip begins: a state, or the probability of beginning in each (an array, or
            a mapping from states). None for the start of the world, if it has one. A reward at the
            start is taken at once.
        discount: as for `plan`.
        policies: as for `plan`. With FRs in place of policies, all numbers are estimates.
        last: where the trip ends; None for anywhere. Its own reward, if it has one, counts when the
            trip ends there, and what is left then is given up.
        avoid: as for `plan`.
        refine: as for `plan`.
        tolerance: as for `plan`; under noise it makes large worlds several times as fast.
        progress: called after each plan with the number of plans made, and of all.

    Returns:
        The trip: its `order`, the `stops` on the way, its `expected_return`, an `upper_bound` on
        what any strategy can collect, and an `agent()`.

    Raises:
        InputError: a reward cannot be used, or another argument; the message says which and why.
    """
    planner = Planner(world, policies=policies, discount=discount, avoid=avoid)
    given = read_rewards("collect", world, rewards)
    if not any(given.values()):
        raise InputError("collect: rewards must have at least one above 0, got none")
    starts = read_start("collect", world, given_start("collect", world, start))
    end = None if last is None else number_in(world, last, caller="collect", what="last")
    options = {"refine": refine, "tolerance": tolerance}
    strategy = Strategy(planner, given, end, options, {}, next(iter(starts)))
    return collection(strategy, given, starts, progress)
