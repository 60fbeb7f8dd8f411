"""All engines of `fo.plan` on random worlds in the regimes where faults were found.

Rarely left states, rounded rows, near-certain moves; durations by action, or by the state that is
entered; policies that draw actions; states to avoid; one goal or several; discounts from 0 to 1.
"""

import itertools
import warnings
from dataclasses import replace

import numpy as np

import first_occupancy as fo
from plan_oracle import PlainWorld

ALLOWED = 1e-9
"""Relative error of what following a plan achieves."""

DISCOUNTS = (0.0, 0.5, 0.9, 0.999, 0.9999, 1 - 1e-7, 1.0, 1.0)
TOO_SMALL = 1e-290


def engines(rng):
    """Plans by every engine, against 60 digits."""
    world, plain, given = draw_world(rng)
    size = world.num_states
    states = rng.permutation(size)
    goals = np.sort(states[: rng.choice((1, 1, 2))])
    avoid = tuple(int(s) for s in states[2 : 2 + rng.choice((0, 0, 1, 2))] if s not in goals)
    plain.avoid = avoid
    options = {"policies": given, "discount": plain.discount, "avoid": avoid}
    worst = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for dense_up_to in (0, 2000):
            planner = fo.Planner(world, **options, dense_up_to=dense_up_to)
            best = planner.plan(goals)
            for arguments in _arguments(rng, planner.engine):
                plan = planner.plan(goals, **arguments)
                worst = max(worst, _error(plan, plain, goals, arguments))
                _check_gap(plan, best)
    return worst


def _check_gap(plan, best):
    """Raise if the best choice of policies gains more than the gap allows."""
    if plan.gap is not None:
        left = np.asarray(best.expected_discount) - np.asarray(plan.expected_discount)
        assert left.max() <= plan.gap * (1 + ALLOWED) + 1e-14


def _arguments(rng, engine):
    switches = [] if engine == "sparse" else [{"max_switches": int(rng.integers(3))}]
    return [{"refine": 0}, {}, {"tolerance": 1e-3}, *switches]


def _error(plan, plain, goals, arguments):
    """Return the largest error of a plan as a part of what is allowed."""
    choice = np.array(plan.policy)
    choice[goals] = -1
    values, times = plain.arrivals_and_times(choice, goals)
    achieved = np.asarray(plan.expected_discount)
    worst = _error_of_arrival(plan, plain, goals, choice)
    for state, (value, found) in enumerate(zip(values, achieved, strict=True)):
        assert (value == 0) == (found == 0) or value < TOO_SMALL
        assert value > 0 or choice[state] == -1
        off = float(found / value - 1) if value > TOO_SMALL else 0.0
        worst = max(worst, off if plan.known == "lower bound" else abs(off))
    promised = np.exp(np.asarray(plan.log_promised))
    assert (promised <= achieved * (1 + ALLOWED) + TOO_SMALL).all() or "tolerance" in arguments
    if plan.engine == "dense" and ("max_switches" in arguments or arguments == {"refine": 0}):
        for exact, found in zip(
            plain.promises(tuple(goals), arguments.get("max_switches")), promised, strict=True
        ):
            if exact > TOO_SMALL:
                worst = max(worst, abs(float(found / exact - 1)))
    if not arguments:
        worst = max(worst, max(plain.gains(values, goals), default=0.0))
        if plain.discount == 1:
            worst = max(worst, _later_than_best(plan, plain, goals, values, times))
    return worst / ALLOWED


def _error_of_arrival(plan, plain, goals, choice):
    """Return the largest relative error of the probability and the time of arriving."""
    sure, spent = replace(plain, discount=1.0, rows={}).arrivals_and_times(choice, goals)
    worst = 0.0
    for state, chance in enumerate(sure):
        time = spent[state] / chance if chance else float("inf")
        found = float(plan.probability[state]), float(plan.expected_time[state])
        for exact, number in zip((chance, time), found, strict=True):
            worst = max(worst, 0 if number == exact else abs(float(number / exact - 1)))
    return worst


def _later_than_best(plan, plain, goals, values, times):
    """Return by how much the plan takes longer than the soonest of equally sure choices."""
    size, count = len(values), len(plain.policies)
    if count**size > 64:
        return 0.0
    # In a group of states that is left with probability e, gains of 16 roundings add up to 16 / e.
    away = plain.transitions[:, ~np.eye(size, dtype=bool)]
    slack, worst = ALLOWED + 1e-14 / away[away > 0].min(initial=1), 0.0
    for choice in itertools.product(range(count), repeat=size):
        sure, spent = plain.arrivals_and_times(choice, goals)
        for state in range(size):
            assert sure[state] <= values[state] * (1 + slack)
            if values[state] and sure[state] >= values[state] * (1 - 1e-15) and spent[state]:
                worst = max(worst, float(times[state] / spent[state] - 1))
    return worst * ALLOWED / slack


def draw_world(rng):
    """Return a world, the same for the oracle, and the base policies as they are passed."""
    size, count = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    transitions = np.stack(
        [[_row(rng, size, state) for state in range(size)] for _ in range(count)]
    )
    discount = float(rng.choice(DISCOUNTS))
    kind = rng.choice(("steps", "durations", "durations", "entering"))
    times = np.ones((count, size, size))
    if kind == "durations":
        unit = 10.0 ** rng.choice((-12, -3, 0, 0, 0))
        durations = unit * rng.choice((0.5, 1, 2, 30), (size, count))
        times = np.broadcast_to(durations.T[:, :, None], times.shape)
        world = fo.SparseMDP(list(transitions), durations=durations)
    elif kind == "entering":
        entering = rng.choice((1.0, 1.0, 3.0, 9.0), size)
        times = np.broadcast_to(entering, times.shape)
        world = Entering(list(transitions), entering)
    else:
        world = fo.SparseMDP(list(transitions))
    given, policies = _policies(rng, size, count)
    return world, PlainWorld(transitions, times, policies, discount), given


class Entering(fo.SparseMDP):
    """A world in which a move takes the time of the state that it enters, as in drawn mazes."""

    def __init__(self, transitions, entering):
        super().__init__(transitions)
        means = np.stack([chain @ entering for chain in self.action_chains], axis=1)
        object.__setattr__(self, "durations", means)
        object.__setattr__(self, "entry_times", entering)


def _policies(rng, size, count):
    """Return base policies as they are passed, and as probabilities [N S A]."""
    kind = rng.choice(("none", "none", "actions", "drawn"))
    eye = np.eye(count)
    if kind == "none":
        return None, np.broadcast_to(eye[:, None], (count, size, count))
    if kind == "actions" and (size, count) != (2, 2):  # There they may be probabilities.
        actions = rng.integers(count, size=(2, size))
        return actions, eye[actions]
    first, second = rng.integers(count, size=(2, 2, size))
    mixed = 0.25 * eye[first] + 0.75 * eye[second]
    return mixed, mixed


def _row(rng, size, state):
    """Return one distribution over next states."""
    kind = rng.choice(("certain", "certain", "some", "thirds", "rarely left", "nearly certain"))
    row = np.zeros(size)
    ends = rng.permutation(size)[: rng.integers(1, 4)]
    if kind == "certain":
        row[ends[0]] = 1
        return row
    row[ends] = rng.dirichlet(np.ones(len(ends)))
    if kind == "thirds":
        row[ends] = np.round(1 / len(ends), 6)
    elif kind == "rarely left":
        row *= 10.0 ** -rng.uniform(3, 15)
        row[state] = 0
        row[state] = 1 - row.sum()
    elif kind == "nearly certain":
        row[ends] = 10.0 ** -rng.uniform(3, 15)
        row[ends[0]] = 0
        row[ends[0]] = 1 - row.sum()
    return row
