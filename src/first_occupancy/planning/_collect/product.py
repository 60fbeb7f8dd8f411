r"""Exact values over states and sets of rewards that are left: of an agent, or the best there are.

With $m$ the rewards that are left and J the jump chains of the base policies,

$$V(m, s) = \max_\pi \sum_{s'} J_\pi(s, s')\, W(m, s'), \qquad
  W(m, x_i) = r_i + V(m \setminus i, x_i) \;(i \in m), \quad
  W(m, s') = V(m, s') \text{ elsewhere},$$

and for an agent the policy that it follows in place of the maximum. Sets are solved in the order of
their masks, each after all sets within it. Values are swept from below, in both directions in turn.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.compiled import compiled
from first_occupancy.planning._collect.exact_orders import ExactOrders
from first_occupancy.planning._collect.plans_to_rewards import Targets
from first_occupancy.planning._collect.strategy import Strategy
from first_occupancy.planning._sparse.moves import Moves
from first_occupancy.planning.limits import NOTHING, PRODUCT_REST, PRODUCT_SWEEPS

BEST = -2
"""What to follow in a state to follow its best base policy; `NOTHING` keeps the value."""


@compiled
def settle(rows, follow, floor, values):
    """Sweep values until they are settled; return the largest gain that one more sweep has.

    Args:
        rows: where the entries of each base policy in each state begin, the states that they lead
            to, and the discounted probabilities.
        follow: base policy to follow in each state, `BEST` or `NOTHING`.
        floor: smallest value of each state.
        values: lower bounds, which are replaced.
    """
    (starts, ends, shares), size = rows, len(values)
    before, gain = np.inf, np.inf
    for sweep in range(PRODUCT_SWEEPS):
        gain, largest = 0.0, 0.0
        for number in range(size):
            state = number if sweep % 2 == 0 else size - 1 - number
            policy = follow[state]
            if policy != NOTHING:
                best = floor[state]
                every = policy == BEST
                for other in range(len(starts) // size) if every else range(policy, policy + 1):
                    row = other * size + state
                    ahead = 0.0
                    for entry in range(starts[row], starts[row + 1]):
                        ahead += shares[entry] * values[ends[entry]]
                    best = max(best, ahead)
                gain = max(gain, best - values[state])
                values[state] = max(best, values[state])
            largest = max(largest, values[state])
        rate = min(gain / before, 1.0 - 1e-9) if before < np.inf else 1.0 - 1e-9
        if gain <= 1e-300 or gain * rate / (1 - rate) <= PRODUCT_REST * largest:
            break
        before = gain
    return gain


def best_values(
    targets: Targets, moves: Moves, last: int | None
) -> tuple[Float[np.ndarray, "M S"], float]:
    """Return the best values W of every set of rewards and state, and what may be missing."""
    every = np.full(moves.num_states, BEST)
    return values_of_choice(targets, moves, last, lambda mask: every)


def values_of_agent(strategy: Strategy, moves: Moves) -> Float[np.ndarray, "M S"]:
    """Return what the agent achieves from every state, whatever is left."""
    orders, targets, last = strategy.orders, strategy.targets, strategy.last
    assert isinstance(orders, ExactOrders)
    states = np.arange(targets.discounts.shape[0])

    def follow(mask: int) -> Int[np.ndarray, " S"]:
        left = [number for number in orders.all if (mask >> number) & 1]
        return targets.policies[orders.choose_at(states, left)[0], states]

    return values_of_choice(targets, moves, last, follow)[0]


def values_of_choice(
    targets: Targets,
    moves: Moves,
    last: int | None,
    follow: Callable[[int], Int[np.ndarray, " S"]],
) -> tuple[Float[np.ndarray, "M S"], float]:
    """Return the values W of a choice of policies, and what may be missing.

    Args:
        follow: what to follow in each state, by the set of rewards that are left.
    """
    size, count, lost = moves.num_states, len(targets.states), float(moves.losses.min())
    rows = moves.rows.indptr, moves.rows.indices, moves.rows.data
    floor, values, missing = np.zeros(size), np.zeros((1 << count, size)), np.zeros(1 << count)
    if last is not None:
        floor[last] = targets.endings[last]
    for mask in range(1 << count):
        numbers = np.flatnonzero((mask >> np.arange(count)) & 1)
        within, here = mask ^ (1 << numbers), values[mask]
        held, chosen = targets.states[numbers], follow(mask).copy()
        here[:], chosen[held] = floor, NOTHING
        here[held] = targets.rewards[numbers] + values[within, held]
        gain = settle(rows, chosen, floor, here)
        more = gain / lost if lost > 0 else (np.inf if gain > 0 else 0.0)
        missing[mask] = more + missing[within].max(initial=0)
    return values, float(missing[-1])


def best_returns_of_parts(
    strategy: Strategy, moves: Moves, starts: list[int], most: int
) -> Float[np.ndarray, " B"]:
    r"""Return bounds on what any strategy collects from some starts.

    It collects from each part of the rewards at most what the best strategy for that part does.
    Parts follow the order of the visits, so rewards that are near to each other are in one part.

    Args:
        most: states times sets of rewards, of all parts together.
    """
    targets, last, begin = strategy.targets, strategy.last, strategy.start
    numbers = [strategy.numbers[state] for state in strategy.visits(begin) if state != last]
    numbers += [number for number in range(len(targets.states)) if number not in numbers]
    size, count = moves.num_states, max(len(numbers), 1)
    largest = max(k for k in range(1, count + 1) if k == 1 or -(-count // k) * (size << k) <= most)
    parts = np.array_split(np.array(numbers, np.int64), -(-count // largest))
    bounds = np.zeros(len(starts))
    for place, part in enumerate(parts):
        # The last goal, and its reward, belong to one part only.
        end = last if place == 0 else None
        some = targets.some(part)
        if end is None:
            some = some._replace(endings=np.zeros(size))
        values, missing = best_values(some, moves, end)
        bounds += values[-1, starts] + missing
    return bounds
