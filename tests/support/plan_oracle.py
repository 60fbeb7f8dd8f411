"""What a plan achieves, with 60 digits and by definition: an oracle that shares no code with ours.

A policy draws an action, the action a next state and a time. The truth has the entries off the
diagonal exactly as given; what they lack of 1 stays. Entering a state to avoid loses everything.
"""

from dataclasses import dataclass, field

import mpmath
import numpy as np

DIGITS = 60


@dataclass
class PlainWorld:
    """A small world, and policies in it.

    Attributes:
        transitions: probabilities [A S S].
        times: how long a move takes, [A S S]: by action, by state that is left or entered.
        policies: probabilities of actions [N S A].
        discount: discount per unit of time.
        avoid: states that must not be entered.
    """

    transitions: np.ndarray
    times: np.ndarray
    policies: np.ndarray
    discount: float
    avoid: tuple = ()
    rows: dict = field(default_factory=dict)

    def row(self, policy, state):
        """Return the discounted moves of a policy, and its expected times, as two dictionaries."""
        key = policy, state
        if key not in self.rows:
            self.rows[key] = self._row(policy, state)
        return self.rows[key]

    def _row(self, policy, state):
        moves, spent = {}, {}
        for action, chance in enumerate(self.policies[policy, state]):
            row = self.transitions[action, state]
            ends = [end for end in np.flatnonzero(row) if end != state]
            exact = {int(end): mpmath.mpf(float(row[end])) for end in ends}
            exact[state] = 1 - mpmath.fsum(exact.values())
            for end, probability in exact.items():
                if end in self.avoid or not chance:
                    continue
                time = mpmath.mpf(float(self.times[action, state, end]))
                part = mpmath.mpf(float(chance)) * probability
                worth = mpmath.mpf(self.discount) ** time
                moves[end] = moves.get(end, 0) + part * worth
                spent[end] = spent.get(end, 0) + part * worth * time
        return moves, spent

    def arrivals(self, choice, goals):
        """Return the expected discount at the first arrival of a choice of policies (-1: none)."""
        with mpmath.workdps(DIGITS):
            return self._solved(choice, goals)[0]

    def arrivals_and_times(self, choice, goals):
        """Return that, and the expected discounted time until arrival."""
        with mpmath.workdps(DIGITS):
            values, inner, system = self._solved(choice, goals)
            times = [mpmath.mpf(0)] * len(values)
            if inner:
                spent = [
                    mpmath.fsum(w * values[e] for e, w in self.row(choice[s], s)[1].items())
                    for s in inner
                ]
                for state, time in zip(inner, mpmath.lu_solve(system, spent), strict=True):
                    times[state] = time
            return values, times

    def _solved(self, choice, goals):
        size = self.transitions.shape[1]
        goals, grew = {int(goal) for goal in goals}, True
        moving = [s for s in range(size) if s not in goals | set(self.avoid) and choice[s] >= 0]
        reach = set(goals)
        while grew:
            more = {s for s in moving if any(w and e in reach for e, w in self._ends(choice, s))}
            grew, reach = not more <= reach, reach | more
        inner = sorted(reach - goals)
        values = [mpmath.mpf(int(state in goals)) for state in range(size)]
        system = mpmath.eye(max(len(inner), 1))
        entering = []
        for number, state in enumerate(inner):
            for end, weight in self._ends(choice, state):
                if end in reach - goals:
                    system[number, inner.index(end)] -= weight
            entering.append(mpmath.fsum(w for e, w in self._ends(choice, state) if e in goals))
        if inner:
            for state, value in zip(inner, mpmath.lu_solve(system, entering), strict=True):
                values[state] = value
        return values, inner, system

    def _ends(self, choice, state):
        return self.row(choice[state], state)[0].items()

    def gains(self, values, goals):
        """Return by how much, relatively, one move of the best policy exceeds each value."""
        found = []
        with mpmath.workdps(DIGITS):
            for state, value in enumerate(values):
                if state in goals or state in self.avoid:
                    continue
                for policy in range(len(self.policies)):
                    moves, _ = self.row(policy, state)
                    leaving = 1 - moves.get(state, 0)
                    ahead = mpmath.fsum(w * values[e] for e, w in moves.items() if e != state)
                    if leaving > 0 and ahead > 0:
                        found.append(float(ahead / leaving / value - 1) if value else float("inf"))
        return found

    def promises(self, goals, max_switches=None):
        """Return FRP's fixed point, or that of few switches: chained FRs (Alg. 1)."""
        size, several = self.transitions.shape[1], len(goals) > 1
        ends = [s for s in range(size) if not several or s not in goals]
        targets = [(end,) for end in ends] + ([tuple(goals)] if several else [])
        legs = {}
        for target in targets:
            stopped = set(goals) if several else set()
            for policy in range(len(self.policies)):
                choice = [-1 if s in stopped else policy for s in range(size)]
                found = self.arrivals(choice, target)
                best = legs.setdefault(target, [mpmath.mpf(0)] * size)
                legs[target] = [max(pair) for pair in zip(best, found, strict=True)]
        best = [mpmath.mpf(int(state in goals)) for state in range(size)]
        for _ in range(size if max_switches is None else max_switches + 1):
            before = best
            best = [
                max([before[s], *(legs[x][s] * before[x[0]] for x in targets if s not in x)])
                for s in range(size)
            ]
        return best
