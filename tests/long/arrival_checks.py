"""When one arrives: first passage, times of arrival and deadlines, against long doubles and loops.

The oracles enumerate: they multiply by matrices, one unit of time after the other.
"""

import jax.numpy as jnp
import numpy as np
from scipy.sparse import csr_array

import first_occupancy as fo
import regimes

KINDS = (*regimes.KINDS, "rarely_left", "nearly_absorbing")
SIZES = (2, 3, 5, 8, 16, 33, 64, 100)
COUNT = 60
"""Times of which the probability of arriving is compared."""

DISCOUNTS = (0.5, 0.9, 0.99, 0.999)
TINY = 1e-290


def passages(rng):
    """The error that `fo.hitting` states, held against long doubles, for moments too."""
    size = int(rng.choice(SIZES))
    chain = regimes.draw_chain(rng, rng.choice(KINDS), size, "f8")
    target = int(rng.integers(size))
    found = fo.hitting(csr_array(chain), target)
    probability, mean, std, certain = _moments(chain, target)
    assert ((found.probability == 0) == (probability == 0)).all()
    assert (found.probability[certain] == 1).all()
    some = probability > TINY
    gaps = [found.probability[some] / probability[some] - 1]
    others = some & (np.arange(size) != target)
    gaps.append(found.mean[others] / mean[others] - 1)
    assert np.isinf(found.mean[probability == 0]).all()
    assert np.isnan(found.std[probability == 0]).all()
    # Beyond, differences of means that add up to the variance lack digits in long doubles too.
    varied = others & (std > 1e-6 * mean) & (mean < 1e12)
    spread = np.abs(found.std[varied] / std[varied] - 1).max(initial=0)
    assert spread <= 1e-8
    return max(float(np.abs(gap).max(initial=0)) for gap in gaps) / found.error


def arrival_times(rng):
    """Distributions against enumeration; their generating function against the FR."""
    size, actions = int(rng.choice(SIZES[:4])), int(rng.integers(1, 4))
    chains = _sparse_chains(rng, size, actions)
    times = rng.choice([1.0, 2.0, 5.0], (size, actions)) if rng.random() < 0.5 else None
    goal, policy = int(rng.integers(size)), rng.integers(actions, size=size)
    world = fo.SparseMDP(list(chains), durations=times)
    start = int(rng.integers(size))
    states = np.arange(size)
    spent = np.ones(size, int) if times is None else times[states, policy].astype(int)
    exact = _enumerated(chains[policy, states], spent, goal)
    found = fo.hitting(world, goal, policy=policy)
    arrival = found.arrival(start)
    unit = int(arrival.unit)
    shares = arrival.distribution(len(range(0, COUNT, unit)))
    assert (np.delete(exact[:, start], range(0, COUNT, unit)) == 0).all()
    error = _relative(shares, exact[::unit, start])
    late = int(rng.integers(COUNT))
    error = max(error, _relative(found.by(late), exact[: late + 1].sum(axis=0)))
    planned = _plan_in(world, goal)
    if planned is not None:
        choice = np.where(np.asarray(planned.policy) >= 0, planned.policy, 0)
        spent = np.ones(size, int) if times is None else times[states, choice].astype(int)
        of_plan = _enumerated(chains[choice, states], spent, goal)[:, start]
        by = planned.arrival(start).by(np.arange(COUNT))
        error = max(error, _relative(by, of_plan.cumsum()))
    if times is None:
        error = max(error, _generated(chains[policy, states], goal, arrival, start) / 10)
    return error / 1e-12


def deadlines(rng):
    """Values for every time left against plain backward induction."""
    size, actions = int(rng.choice(SIZES[:5])), int(rng.integers(1, 5))
    chains, goal = _sparse_chains(rng, size, actions), int(rng.integers(size))
    times = rng.choice([1.0, 2.0, 5.0], (size, actions)) if rng.random() < 0.5 else None
    units, avoid = int(rng.integers(COUNT)), int(rng.integers(size))
    avoided = [avoid] if avoid != goal and rng.random() < 0.3 else []
    world = fo.SparseMDP(list(chains), durations=times)
    plan = fo.plan(world, goal, deadline=float(units), avoid=avoided)
    exact = np.zeros((units + 1, size))
    exact[:, goal] = 1
    for left in range(1, units + 1):
        for state in (s for s in range(size) if s != goal and s not in avoided):
            for action in range(actions):
                spent = 1 if times is None else int(times[state, action])
                if spent <= left:
                    worth = chains[action, state] @ exact[left - spent]
                    exact[left, state] = max(exact[left, state], worth)
    error = _relative(plan.probability, exact[-1])
    left = int(rng.integers(units + 1))
    error = max(error, _relative(plan.probability_with(left), exact[left]))
    achieved = [plan.arrival(start).probability for start in range(size)]
    return max(error / 1e-12, _relative(np.array(achieved), exact[-1]) / 1e-11)


def _moments(chain, target):
    """Return the probability, and mean and standard deviation of the time, in long doubles."""
    states = np.arange(len(chain))
    moves = chain.astype(np.longdouble)
    np.fill_diagonal(moves, 0)
    arriving = _leading_to(moves > 0, states == target)
    inner = np.flatnonzero(arriving & (states != target))
    within = moves[np.ix_(inner, inner)]
    exits = np.where(arriving & (states != target), 0, moves)[inner].sum(axis=1)
    probability = (states == target).astype(np.longdouble)
    found = regimes.sums(within, exits, moves[inner, target])
    certain = ~_leading_to(np.where(states[:, None] == target, 0, moves) > 0, ~arriving)
    probability[inner] = np.where(certain[inner], 1, found)
    mean, std = (
        np.where(states == target, 0, np.full(len(chain), each)) for each in (np.inf, np.nan)
    )
    mean, std = mean.astype(np.longdouble), std.astype(np.longdouble)
    # The rest stays: what is left of 1.
    moves[states, states] = np.maximum(1 - moves.sum(axis=1), 0)
    mean[inner] = regimes.sums(within, exits, probability[inner]) / probability[inner]
    finite = np.where(arriving, mean, 0)
    squares = (1 + finite[None] - finite[:, None]) ** 2
    spread = (moves * probability * squares)[inner].sum(axis=1)
    std[inner] = np.sqrt(regimes.sums(within, exits, spread) / probability[inner])
    return probability, mean, std, certain


def _leading_to(links, targets):
    found, before = targets, None
    while before is None or (found != before).any():
        found, before = found | (links & found).any(axis=1), found
    return found


def _sparse_chains(rng, size, actions):
    """Return random chains with up to three successors, exact ones and traps among them."""
    chains = np.zeros((actions, size, size))
    for row in chains.reshape(-1, size):
        ends = rng.choice(size, int(rng.integers(1, min(3, size) + 1)), replace=False)
        row[ends] = rng.dirichlet(np.ones(len(ends)))
    return chains


def _enumerated(rows, spent, goal):
    """Return the probability of arriving at each time, from each state (column)."""
    at = np.zeros((COUNT, len(rows)))
    at[0, goal] = 1
    for time in range(1, COUNT):
        for state in range(len(rows)):
            if state != goal and spent[state] <= time:
                at[time, state] = rows[state] @ at[time - spent[state]]
    return at


def _generated(rows, goal, arrival, start):
    r"""Return the relative error of $\sum_t \gamma^t P(T = t)$ as the FR, at all discounts."""
    shares, errors = arrival.distribution(60_000), []
    for discount in DISCOUNTS:
        fr = np.asarray(fo.first_occupancy.solve(jnp.asarray(rows), discount=discount))
        total = shares @ discount ** np.arange(60_000.0)
        errors.append(_relative(np.array([total]), fr[start, [goal]]))
    return max(errors)


def _plan_in(world, goal):
    return fo.plan(world, goal, discount=0.9) if world.num_states > 1 else None


def _relative(ours, exact):
    ours, exact = np.asarray(ours), np.asarray(exact)
    some = exact > TINY
    assert (ours[exact == 0] == 0).all()
    return float(np.abs(ours[some] / exact[some] - 1).max(initial=0))
