r"""Orders of many rewards: a search that moves and turns parts of an order.

The return of a part of an order is a linear function of what follows, $v \mapsto a + b v$, with $a$
what is collected in it and $b$ its discount. So a part that is moved or turned is compared without
going through the order again: a round over all parts takes some $n^2$ steps.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.compiled import compiled
from first_occupancy.planning.limits import LONGEST_MOVED, ORDER_GAIN


class Problem(NamedTuple):
    """What the returns of orders depend on; the start is the last place.

    Attributes:
        links: expected discount from each place to each reward.
        rewards: what each reward is worth.
        endings: return of going straight to the last goal from each place; 0 from the start.
    """

    links: Float[np.ndarray, "N K"]
    rewards: Float[np.ndarray, " K"]
    endings: Float[np.ndarray, " N"]


@compiled
def tails(problem: Problem, order: Int[np.ndarray, " L"]) -> Float[np.ndarray, " L"]:
    """Return what each place of an order and all after it collect, seen from that place."""
    values = np.empty(len(order))
    for place in range(len(order) - 1, -1, -1):
        onward = _onward(problem, order, values, order[place], place + 1)
        values[place] = problem.rewards[order[place]] + onward
    return values


@compiled
def _onward(problem, order, after, here, place):
    """Return what is collected after `here` if the order goes on at a place."""
    if place < len(order):
        return problem.links[here, order[place]] * after[place]
    return problem.endings[here]


@compiled
def _best_turn(problem, order, after, i):
    """Return the best relative gain of turning a part that begins at i, and where it ends."""
    links, rewards, _ = problem
    before = order[i - 1] if i else len(links) - 1
    now = _onward(problem, order, after, before, i)
    highest, end = ORDER_GAIN, -1
    collected, discount = rewards[order[i]], 1.0
    for j in range(i + 1, len(order)):
        link = links[order[j], order[j - 1]]
        collected, discount = rewards[order[j]] + link * collected, discount * link
        onward = _onward(problem, order, after, order[i], j + 1)
        gain = links[before, order[j]] * (collected + discount * onward) - now
        if gain > highest * now:
            highest, end = gain / now if now > 0 else np.inf, j
    return highest, end


@compiled
def _best_place(problem, order, after, i, j):
    """Return the best relative gain of moving the part from i to j, and before which place."""
    (links, rewards, _), start = problem, len(problem.links) - 1
    first, end, held, share = order[i], order[j], rewards[order[i]], 1.0
    for place in range(i, j):
        share *= links[order[place], order[place + 1]]
        held += share * rewards[order[place + 1]]
    highest, best = ORDER_GAIN, -1
    # Later: the rewards after the part come first.
    before = order[i - 1] if i else start
    now = _onward(problem, order, after, before, i)
    collected, discount = 0.0, 1.0
    for k in range(j + 1, len(order)):
        discount *= links[before if k == j + 1 else order[k - 1], order[k]]
        collected += discount * rewards[order[k]]
        onward = held + share * _onward(problem, order, after, end, k + 1)
        gain = collected + discount * links[order[k], first] * onward - now
        if gain > highest * now:
            highest, best = gain / now if now > 0 else np.inf, k + 1
    # Earlier: the rewards before the part come after it.
    collected, discount = 0.0, 1.0
    for k in range(i - 1, -1, -1):
        link = links[order[k], order[k + 1]] if k < i - 1 else 1.0
        collected, discount = rewards[order[k]] + link * collected, discount * link
        before = order[k - 1] if k else start
        now = _onward(problem, order, after, before, k)
        onward = collected + discount * _onward(problem, order, after, order[i - 1], j + 1)
        gain = links[before, first] * (held + share * links[end, order[k]] * onward) - now
        if gain > highest * now:
            highest, best = gain / now if now > 0 else np.inf, k
    return highest, best


@compiled
def improved(problem: Problem, order: Int[np.ndarray, " L"]) -> Int[np.ndarray, " L"]:
    """Return an order that no moved or turned part improves."""
    order, count, quiet, i = order.copy(), len(order), 0, 0
    while quiet < count:
        after = tails(problem, order)
        best, place = _best_turn(problem, order, after, i)
        moved = 0
        for length in range(1, min(LONGEST_MOVED, count - i) + 1):
            gain, where = _best_place(problem, order, after, i, i + length - 1)
            if gain > best:
                best, moved, place = gain, length, where
        if place < 0:
            quiet, i = quiet + 1, (i + 1) % count
            continue
        quiet, end = 0, i + moved
        if moved == 0:
            order[i : place + 1] = order[i : place + 1][::-1].copy()
        elif place >= end:
            order[i:place] = np.concatenate((order[end:place], order[i:end]))
        else:
            order[place:end] = np.concatenate((order[i:end], order[place:i]))
    return order


@compiled
def fronts(problem: Problem, order: Int[np.ndarray, " L"]) -> Float[np.ndarray, " L"]:
    """Return the return from the start if each place of the order comes first."""
    values = np.empty(len(order))
    for place in range(len(order)):
        rest = np.concatenate((order[:place], order[place + 1 :]))
        first = order[place]
        onward = _onward(problem, rest, tails(problem, rest), first, 0)
        values[place] = problem.links[-1, first] * (problem.rewards[first] + onward)
    return values
