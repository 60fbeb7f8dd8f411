r"""What no order of many rewards can exceed, in deterministic worlds: a walk that forgets.

A walk may take rewards again once it has forgotten that it took them: it remembers what it took
among the few neighbours of where it is (ng-routes: Baldacci, Mingozzi and Roberti 2011). Every
order is such a walk, so the best walk bounds every order, also if each reward has a price, refunded
once. Dynamic programming over places, times and what is remembered finds the best walk; prices rise
where it takes a reward twice and fall where it takes none. docs/theory.md has the proof.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.compiled import compiled
from first_occupancy.planning._collect.plans_to_rewards import Targets
from first_occupancy.planning.limits import (
    LATE_REWARDS,
    PRICE_ROUNDS,
    PRICE_STEPS,
    REMEMBERED,
    WALK_ROUNDING,
    WALK_TIMES,
)


class Walks(NamedTuple):
    """The walks of one problem; the start is the last place.

    Attributes:
        times: units of time from each place to each reward.
        gains: what each reward is worth at each time.
        endings: what going to the last goal is worth at each time.
        place: place of each reward among the neighbours of each other; -1 if it is not there.
        after: what is remembered at j after i, by what was remembered there.
    """

    times: Int[np.ndarray, "N K"]
    gains: Float[np.ndarray, "T K"]
    endings: Float[np.ndarray, "T K"]
    place: Int[np.ndarray, "K K"]
    after: Int[np.ndarray, "K K R"]


@compiled
def best_walk(
    walks: Walks, prices: Float[np.ndarray, " K"], ahead: Float[np.ndarray, "T K R"]
) -> tuple[float, Int[np.ndarray, " K"]]:
    """Return what the best walk gains, and how often it takes each reward.

    Args:
        ahead: room for what each place, time and memory gains from there on.
    """
    times, gains, endings, place, after = walks
    horizon, count, kinds = ahead.shape
    caps, blank = np.zeros(horizon), np.empty((horizon, count))
    for time in range(horizon):
        for number in range(count):
            caps[time] += max(0.0, gains[time, number] - prices[number])
        caps[time] += endings[time].max()
    forgetting = np.empty((count, count), np.bool_)
    for here in range(count):
        for there in range(count):
            forgetting[here, there] = place[here, there] < 0 and after[here, there].max() == 0
    for time in range(horizon - 1, -1, -1):
        for here in range(count):
            row, highest = ahead[time, here], endings[time, here]
            row[:] = highest
            for there in range(count):
                then = time + times[here, there]
                if there == here or times[here, there] < 0:
                    continue
                if then >= horizon:
                    highest = max(highest, caps[horizon - 1])
                elif forgetting[here, there]:
                    highest = max(highest, blank[then, there])
                else:
                    gain, bit = gains[then, there] - prices[there], place[here, there]
                    onward, kept = ahead[then, there], after[here, there]
                    for known in range(kinds):
                        if bit < 0 or not (known >> bit) & 1:
                            row[known] = max(row[known], gain + onward[kept[known]])
            for known in range(kinds):
                row[known] = min(max(row[known], highest), caps[time])
            blank[time, here] = gains[time, here] - prices[here] + row[0]
    best, first = 0.0, -1
    for there in range(count):
        then = times[count, there]
        if then >= horizon:
            best = max(best, caps[horizon - 1])
        elif then >= 0 and blank[then, there] > best:
            best, first = blank[then, there], there
    return best, _taken(walks, prices, ahead, first)


@compiled
def _taken(walks, prices, ahead, first):
    """Return how often the best walk takes each reward, beginning with the first."""
    times, gains, endings, place, after = walks
    horizon, count, _ = ahead.shape
    taken = np.zeros(count, np.int64)
    here, known, time = first, 0, times[count, first] if first >= 0 else 0
    while here >= 0:
        taken[here] += 1
        highest, best_there = endings[time, here], -1
        for there in range(count):
            then, bit = time + times[here, there], place[here, there]
            if there == here or times[here, there] < 0 or then >= horizon:
                continue
            if bit < 0 or not (known >> bit) & 1:
                value = gains[then, there] - prices[there]
                value += ahead[then, there, after[here, there, known]]
                if value > highest:
                    highest, best_there = value, there
        if best_there >= 0:
            time += times[here, best_there]
            known = after[here, best_there, known]
        here = best_there
    return taken


def relaxed_return(
    targets: Targets, start: int, order: Int[np.ndarray, " L"], *, discount: float
) -> float:
    """Return an upper bound on what any order collects from a start.

    Args:
        order: numbers of the rewards in a good order, from which the bound is not far.
    """
    most = float(targets.discounts[start] @ targets.rewards) + max(targets.endings[start], 0.0)
    brought, known = _brought(targets, start, order)
    walks = _walks(targets, start, order, discount, known) if 0 < discount < 1 else None
    if walks is None:
        return most
    count, kinds = len(targets.states), walks.after.shape[2]
    steps = float(walks.gains.size) * (count + 15 * kinds)
    rounds = int(np.clip(PRICE_STEPS / steps, 5, PRICE_ROUNDS))
    # Prices differ by orders of magnitude: they change in parts of what each reward adds.
    best, scale = most, np.maximum(brought, 1e-9 * brought.max())
    prices = scale / 2
    ahead = np.zeros((*walks.gains.shape, kinds))
    pace, since = 1.0, 0
    for _ in range(rounds):
        gained, taken = best_walk(walks, prices, ahead)
        bound = (gained + prices.sum()) * (1 + WALK_ROUNDING)
        best, since = (bound, 0) if bound < best else (best, since + 1)
        excess = np.where((prices > 0) | (taken > 1), taken - 1.0, 0.0)
        if best <= known * (1 + 1e-6) or not excess.any():
            break
        if since >= 4:
            pace, since = pace / 2, 0
        step = pace * max(bound - known, 1e-6 * known) / float(scale @ excess**2)
        prices = np.maximum(prices + step * scale * excess, 0)
    return max(best, known)


def _brought(
    targets: Targets, start: int, order: Int[np.ndarray, " L"]
) -> tuple[Float[np.ndarray, " K"], float]:
    """Return what each reward adds to the return of an order, and the return."""
    brought, here, discount = np.zeros(len(targets.states)), start, 1.0
    for number in order:
        discount *= float(targets.discounts[here, number])
        brought[number] = discount * float(targets.rewards[number])
        here = int(targets.states[number])
    return brought, float(brought.sum()) + discount * max(float(targets.endings[here]), 0.0)


def _walks(
    targets: Targets, start: int, order: Int[np.ndarray, " L"], discount: float, known: float
) -> Walks | None:
    """Return the walks in whole units of time; None if there would be too many units."""
    count, rows = len(targets.states), np.append(targets.states, start)
    exact = np.asarray(targets.nearness[rows]) / np.log(discount)
    reached = np.isfinite(exact)
    apart = np.where(reached & ~np.eye(count + 1, count, dtype=bool), exact, np.inf)
    some = apart[np.isfinite(apart)]
    if len(order) < 2 or known <= 0 or some.min() <= 0:
        return None
    whole = np.abs(some - np.rint(some)).max() < 1e-6
    unit = 1.0 if whole else float(some.min()) / 8
    places = np.append(count, order)
    late = np.log(LATE_REWARDS * known / targets.rewards.sum()) / np.log(discount)
    length = min(1.25 * float(exact[places[:-1], places[1:]].sum()), late)
    horizon = int(length / unit) + 2
    if horizon > WALK_TIMES:
        return None
    worth = (discount ** (unit * np.arange(horizon)))[:, None]
    width = next(width for most, width in REMEMBERED if count <= most)
    near = np.argsort(apart[:-1] + apart[:-1].T, axis=1)[:, : min(width, count - 1)]
    place = np.full((count, count), -1)
    np.put_along_axis(place, near, np.arange(near.shape[1])[None], axis=1)
    units = np.rint(exact) if whole else np.floor(exact / unit * (1 - 1e-12))
    times = np.where(reached, units, -1).astype(np.int64)
    return Walks(
        times,
        worth * targets.rewards,
        worth * np.maximum(targets.endings[targets.states], 0),
        place,
        _after(near, place),
    )


def _after(
    neighbours: Int[np.ndarray, "K M"], place: Int[np.ndarray, "K K"]
) -> Int[np.ndarray, "K K R"]:
    """Return what is remembered at j after i: i itself, and what both have as neighbours."""
    count, width = neighbours.shape
    known, bits = np.arange(1 << width), np.where(place >= 0, 1 << np.maximum(place, 0), 0).T
    after = np.zeros((count, count, len(known)), np.int64)
    for here in range(count):
        after[here] = bits[here][:, None]
        for bit, other in enumerate(neighbours[here]):
            after[here] |= bits[other][:, None] * ((known >> bit) & 1)
    return after
