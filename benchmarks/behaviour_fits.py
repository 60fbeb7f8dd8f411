"""How long do fits of all models to 27 subjects take, compared with a plain Python loop?

The subjects are simulated in mazes of 8 x 8 cells with about 3,000 choices each, as many as
recorded ones have. The plain loop evaluates each likelihood choice by choice, as scripts do;
its time is scaled from one subject to all, and from one evaluation to those of SciPy's Nelder-Mead
search from each start, which is a usual way to fit such models without derivatives. A search over
the map does not depend on parameters, so the loop for the planner searches once for each choice
and neighbour, and its later evaluations cost nothing.
"""

import math
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable

import jax
import numpy as np
from measuring import Row, compared, main
from scipy.optimize import minimize

from first_occupancy.behaviour.fitting import UndeterminedWarning, fit
from first_occupancy.behaviour.models import Model, planning_model, successor_model
from first_occupancy.behaviour.parameters import named
from first_occupancy.behaviour.simulation import Starts, simulate
from first_occupancy.behaviour.subjects import Subjects, grid_layouts

SIDE, GOAL, NUM_SUBJECTS, NUM_STARTS, TARGET = 8, 18, 27, 4, 50


def measure(quick: bool) -> Iterable[Row]:
    """Yield a row for each model, and one for both."""
    jax.config.update("jax_enable_x64", True)
    number = 4 if quick else NUM_SUBJECTS
    subjects = _subjects(number, 20 if quick else 240)
    size, sums = f"{number} subjects, {int(subjects.num_choices.sum()):,} choices", np.zeros(2)
    for name, model, value in (
        ("the SR", successor_model(), _PlainSuccessor),
        ("FRP, K = 9,", planning_model(9), _PlainPlanner),
    ):
        begin = time.perf_counter()
        with warnings.catch_warnings():  # planners' choices do not determine an SR
            warnings.simplefilter("ignore", UndeterminedWarning)
            found = fit(model, subjects, jax.random.key(0), num_starts=NUM_STARTS)
        jax.block_until_ready(found.numbers)
        ours = time.perf_counter() - begin
        begin = time.perf_counter()
        _plain_likelihood(value, {each: float(v[0]) for each, v in found.values.items()}, subjects)
        once = time.perf_counter() - begin
        evaluations = NUM_STARTS * _evaluations(model, subjects) if value.learns else 1
        plain = number * evaluations * once
        yield compared(
            f"fits of {name} from 4 starts",
            size,
            ours=("all at once, compiling included", ours),
            peer=(f"plain loop, one subject's {once:.3g} s x {number} x {evaluations}", plain),
            ratio=plain / ours,
            unit="x faster",
        )
        sums += ours, plain
    yield compared(
        "both",
        size,
        ours=("all at once, compiling included", sums[0]),
        peer=("plain loops, scaled from one subject", sums[1]),
        ratio=sums[1] / sums[0],
        unit="x faster",
        at_least=TARGET,
    )


def _subjects(number: int, num_trials: int) -> Subjects:
    free = np.ones((4, SIDE, SIDE), bool)
    free[1, 4, 1:7] = free[2, 1:7, 4] = free[3, 3, 0:4] = False
    layouts = grid_layouts(free, goal=GOAL)
    rng = np.random.default_rng(0)
    where = np.tile(np.arange(num_trials) * 4 // num_trials, (number, 1))
    cells = np.setdiff1d(np.flatnonzero(free.all(axis=0)), GOAL)
    starts = Starts(rng.choice(cells, where.shape), where)
    values = {"discount": 0.9, "inverse_temperature": 10.0}
    key = jax.random.key(0)
    return simulate(planning_model(3), values, layouts, starts, key, num_moves=45)


def _evaluations(model: Model, subjects: Subjects) -> int:
    """Return how often a search without derivatives evaluates the likelihood of one subject."""
    one = jax.tree.map(lambda each: each[:1], subjects.choices)
    first = Subjects(one, subjects.layouts, subjects.names[:1])
    prepared = model.valuation.prepare(first)
    alone = jax.tree.map(lambda each: each[0], (one, prepared))

    @jax.jit
    def minus(numbers: jax.Array) -> jax.Array:
        values = named(model.parameters, numbers)
        logs = model.log_probabilities_of_one(values, alone[0], subjects.layouts, alone[1])
        chosen = np.arange(logs.shape[0]), alone[0].actions
        return -(logs[chosen] * alone[0].counted).sum()

    begin = [each.middle for each in model.parameters]
    return minimize(lambda at: float(minus(np.asarray(at))), begin, method="Nelder-Mead").nfev


class _PlainSuccessor:
    """The SR of one goal, learned by TD at a rate that is fitted."""

    learns = True

    def __init__(self, values: dict[str, float], subjects: Subjects) -> None:
        self.rate, self.discount = values["step_size"], values["discount"]
        chain = np.asarray(subjects.layouts.random_walk)
        inverse = np.linalg.inv(np.eye(len(chain)) - self.discount * chain)
        self.column = inverse[:, GOAL].tolist()

    def look(self, cells: Iterable[int], free: list[bool]) -> None:
        pass

    def value(self, cell: int) -> float:
        return self.column[cell]

    def learn(self, state: int, ahead: int) -> None:
        error = self.discount * self.column[ahead] - self.column[state]
        self.column[state] += self.rate * error


class _PlainPlanner:
    """A search over cells and directions in the believed map, anew for each neighbour."""

    learns = False

    def __init__(self, values: dict[str, float], subjects: Subjects) -> None:
        self.discount = values["discount"]
        self.moves = np.asarray(subjects.layouts.next_states).tolist()
        self.walls: set[int] = set()

    def look(self, cells: Iterable[int], free: list[bool]) -> None:
        for cell in cells:
            (self.walls.discard if free[cell] else self.walls.add)(cell)

    def value(self, cell: int) -> float:
        waiting, seen = deque((cell, action, 0, 0) for action in range(4)), set()
        while waiting:
            here, action, switches, steps = waiting.popleft()
            if here == GOAL:
                return self.discount**steps
            ahead = self.moves[here][action]
            if ahead == here or ahead in self.walls or (here, action, switches) in seen:
                continue
            seen.add((here, action, switches))
            for other in range(4):
                if switches + (other != action) <= 9:
                    waiting.append((ahead, other, switches + (other != action), steps + 1))
        return 0.0

    def learn(self, state: int, ahead: int) -> None:
        pass


def _plain_likelihood(
    kind: Callable[[dict[str, float], Subjects], "_PlainSuccessor | _PlainPlanner"],
    values: dict[str, float],
    subjects: Subjects,
) -> float:
    """Return the log-likelihood of the first subject, choice by choice."""
    agent, scale, total = kind(values, subjects), values["inverse_temperature"], 0.0
    moves = np.asarray(subjects.layouts.next_states).tolist()
    free = np.asarray(subjects.layouts.free).tolist()
    own = jax.tree.map(lambda each: np.asarray(each[0]), subjects.choices)
    for time_ in np.flatnonzero(own.counted):
        state, ahead, walls = own.states[time_], own.next_states[time_], free[own.layouts[time_]]
        agent.look([state, *moves[state]], walls)
        ways = [to for to in moves[state] if to != state and walls[to]]
        found = {to: agent.value(to) for to in ways}
        top = max(found.values())
        weights = {to: math.exp(scale * (each - top)) for to, each in found.items()}
        total += math.log(max(weights[ahead] / sum(weights.values()), 1e-300))
        agent.learn(int(state), int(ahead))
    return total


if __name__ == "__main__":
    main(measure)
