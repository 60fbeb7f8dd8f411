r"""The engine of noisy mazes that change: values are updated near the change first.

With $(T v)(s) = \max_n \sum_t J_n(s, t)\, v(t)$, J the jump chain of move n and goals held at 1,
the states around a change are updated, $v(s) \leftarrow (T v)(s)$, then those behind states whose
value has changed by more than a small part of it, and so on. Old values may be too high after a
cell has closed, so v is no bound by itself. One is made of it at the end.

**Below.** Let c be the choice, $v \le (1 + \epsilon)\, J_c v$, and let each jump lose
$\ell > \epsilon$ or more. With $L = -\log v \ge 0$ and
$a = \epsilon / ((1 - \epsilon)(\ell - \epsilon))$,

$$u = \max(v\, (1 - a L), 0) \quad\text{satisfies}\quad u \le J_c u ,$$

so u is at most what following c achieves. For $w(t) = J_c(s, t)\, v(t) / (J_c v)(s)$ is a
distribution, and by Jensen's inequality
$E_w[L(t)] \le L(s) + \log \sum_t J_c(s, t) - \log\, ((J_c v)(s) / v(s))$, which is at most
$L(s) - \ell + \epsilon$:
going on makes L smaller by $\ell - \epsilon$, which outweighs $\epsilon$.

**Above.** As in `_sparse.sweeps`, no choice achieves more than $u + \max (T u - u) / \ell$.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.core.compiled import compiled
from first_occupancy.planning._changes.repairs import linked, redirect
from first_occupancy.planning._drafts import LOWER_BOUND, Draft, Request
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._on_demand import OnDemand
from first_occupancy.planning._sparse.engine import SparseEngine
from first_occupancy.planning.limits import NOISE, NOTHING

FINER = (0.1, 0.01, 0.001)
"""Changes of values that are passed on, relative to what the tolerance allows: one after the other
until the bounds are as near as asked for."""

MOST_UPDATES = 50
"""Updates per state after which to plan afresh, as when cells have been cut off."""


class ChangingValues:
    """A noisy maze that changes, and the values of the goal last planned to.

    Args:
        dynamics: the maze as it is now.
        noise: probability that a random move is made in place of the chosen one.
        ends: where each move leads from each cell, if it does not go astray.
    """

    name = "sparse"

    def __init__(self, dynamics: Dynamics, noise: float, ends: Int[np.ndarray, "S A"]) -> None:
        self.dynamics, self.touched = dynamics, None
        self._edges = linked(np.array(ends, np.int32, order="C"), np.ones(1))
        self._least = 1 - dynamics.discount
        self._chances = _chances(dynamics.discount, noise, ends.shape[1])
        self._goals: tuple[int, ...] = ()
        self._values, self._choice = np.zeros(0), np.zeros(0, np.int32)
        self._pending: list[Int[np.ndarray, " K"]] = []

    def change(self, states: Int[np.ndarray, " K"], ends: Int[np.ndarray, "K A"]) -> None:
        """Let moves lead elsewhere from some cells."""
        redirect(self._edges, states, ends.astype(np.int32))
        self._pending.append(states)

    def plan(self, request: Request) -> Draft:
        """Return the plan that is asked for; without a tolerance it is made afresh."""
        self.touched, goals, updated = None, tuple(request.goals.tolist()), None
        if request.tolerance is None or request.rounds is not None or request.max_switches:
            return SparseEngine(self.dynamics).plan(request)
        if goals == self._goals:
            updated = self._updated(request, request.tolerance)
        if updated is not None:
            return updated
        draft = SparseEngine(self.dynamics).plan(request)
        self._values, self._choice = np.array(draft.achieved), np.array(draft.policy, np.int32)
        self._goals, self._pending = goals, []
        return draft

    def _updated(self, request: Request, tolerance: float) -> Draft | None:
        """Return a plan made of the old values; None if that takes too long."""
        held = np.zeros(len(self._values), bool)
        held[request.goals] = True
        given = self._edges, self._chances, self._choice, held, self._values
        seeds = np.unique(np.concatenate([np.zeros(0, int), *self._pending]))
        touched = 0
        for share in FINER:
            done = update(*given, seeds, share * tolerance * self._least, MOST_UPDATES)
            if done < 0:
                return None
            touched += done
            lower, gap = self._bounds(held)
            if gap <= tolerance:
                self._pending, self.touched = [], touched
                return self._draft(request, lower, gap)
            seeds = np.argsort(-self._values)  # nearest first
        return None

    def _bounds(self, held: Bool[np.ndarray, " S"]) -> tuple[Float[np.ndarray, " S"], float]:
        """Return lower bounds of what the choice achieves, and what others may gain over them."""
        given, loss = (self._edges.ends, self._chances, self._choice, held), self._least
        fall = residuals(*given, self._values)[0] + NOISE * self._edges.ends.shape[1]
        if fall >= loss:
            return self._values, np.inf
        part = fall / ((1 - fall) * (loss - fall))
        with np.errstate(divide="ignore", invalid="ignore"):
            lower = np.nan_to_num(self._values * (1 + part * np.log(self._values)))
        lower = np.maximum(lower, 0.0)
        return lower, (residuals(*given, lower)[1] + NOISE) / loss

    def _draft(self, request: Request, lower: Float[np.ndarray, " S"], gap: float) -> Draft:
        dynamics, goals, choice = self.dynamics, request.goals, self._choice.copy()

        @cache
        def legs() -> Int[np.ndarray, " S"]:
            return dynamics.moves.likely_legs(choice, goals)

        @cache
        def logs() -> Float[np.ndarray, " S"]:
            promised = dynamics.moves.lucky_paths(goals).logs
            return np.where((lower > 0) | (choice >= 0), promised, -np.inf)

        def read(dtype: Any, get: Callable[[], np.ndarray]) -> Any:
            return OnDemand(
                len(choice), dtype, lambda state: get() if state is None else get()[state]
            )

        reals = jnp.result_type(float)
        return Draft(
            policy=read(np.int32, lambda: choice),
            subgoal=read(np.int32, legs),
            log_promised=read(reals, logs),
            achieved=read(reals, lambda: lower),
            gap=gap,
            known=LOWER_BOUND,
        )


@compiled
def update(edges, chances, choice, held, values, seeds, part, most):
    """Update the values and the choice of some states, and of those behind them, in place.

    Args:
        edges: where moves lead, and from where.
        chances: as from `_chances`.
        held: states that keep their values.
        part: relative change of a value that is passed on.
        most: updates per state after which to give up.

    Returns:
        The number of states that were updated; -1 for giving up.
    """
    size, count = edges.ends.shape
    waiting, seen = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    line, at, touched = [np.int64(0) for _ in range(0)], 0, 0
    for state in seeds:
        if not held[state] and not waiting[state]:
            waiting[state] = True
            line.append(np.int64(state))
    while at < len(line):
        if at > most * size:
            return -1
        state = line[at]
        at += 1
        waiting[state] = False
        touched += not seen[state]
        seen[state] = True
        best, value, own = best_of(edges.ends, chances, choice, values, state)
        # What seems better by rounding alone may lead round in a circle.
        if value > (1 + 1e-14) * own:
            choice[state], own = best, value
        if own == 0:
            choice[state] = NOTHING
        changed = abs(own - values[state]) > part * own
        values[state] = own
        if not changed:
            continue
        edge = edges.head[state]
        while edge >= 0:
            origin = np.int64(edge // count)
            if not waiting[origin] and not held[origin]:
                waiting[origin] = True
                line.append(origin)
            edge = edges.after[edge]
    return touched


def _chances(
    discount: float, noise: float, count: int
) -> tuple[float, float, Float[np.ndarray, "A1 2"]]:
    """Return the probability of going astray to each end, and of not going astray; and the factors.

    A move is discounted by what it loses until it leaves the cell, as in `jump_chain`: by
    `factors[k, b]` if k of all moves leave it, and b says whether the move itself does.
    """
    leaving = noise / count * np.arange(count + 1)[:, None] + (1 - noise) * np.arange(2)
    return noise / count, 1 - noise, discount / (1 - discount + discount * leaving)


@compiled
def best_of(ends, chances, choice, values, state):
    """Return the best move, what it leads to, and what the chosen move leads to."""
    astray, straight, factors = chances
    total, leaving = 0.0, 0
    for move in range(ends.shape[1]):
        moving = ends[state, move] != state
        total += moving * astray * values[ends[state, move]]
        leaving += moving
    best, most, own = 0, -1.0, 0.0
    for move in range(ends.shape[1]):
        moving = int(ends[state, move] != state)
        gained = total + moving * straight * values[ends[state, move]]
        value = factors[leaving, moving] * gained
        if value > most:
            best, most = move, value
        if move == choice[state]:
            own = value
    return best, most, own


@compiled
def residuals(ends, chances, choice, held, values):
    """Return how far a value falls with its choice, relatively, and the largest gain."""
    fall, gain = 0.0, 0.0
    for state in range(len(values)):
        if held[state]:
            continue
        _, most, own = best_of(ends, chances, choice, values, state)
        gain = max(gain, most - values[state])
        if values[state] > (1 + fall) * own:
            fall = values[state] / own - 1 if own > 0 else np.inf
    return fall, gain
