"""Independent answers to compare the library with: none of its formulas are used here."""

import itertools
from fractions import Fraction
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from first_occupancy.core import MDP, rollouts


def exact_fr_column(chain: list[list[Fraction]], discount: Fraction, goal: int) -> list[Fraction]:
    """Return F(., goal) in rationals, from F(g) = 1 and F(s) = discount * sum_t P(s, t) F(t)."""
    size = len(chain)
    rows = [
        [Fraction(int(s == t)) - (discount * chain[s][t] if s != goal else 0) for t in range(size)]
        + [Fraction(int(s == goal))]
        for s in range(size)
    ]
    for pivot in range(size):
        swap = next(r for r in range(pivot, size) if rows[r][pivot] != 0)
        rows[pivot], rows[swap] = rows[swap], rows[pivot]
        rows[pivot] = [entry / rows[pivot][pivot] for entry in rows[pivot]]
        for other in range(size):
            factor = rows[other][pivot]
            if other != pivot and factor != 0:
                rows[other] = [
                    a - factor * b for a, b in zip(rows[other], rows[pivot], strict=True)
                ]
    return [row[-1] for row in rows]


def fr_by_linear_solves(chain, discount):
    """Return the FR by one linear system per goal, in which the goal is absorbing."""
    chain = np.asarray(chain)
    columns = []
    for goal, at_goal in enumerate(np.eye(len(chain))):
        ahead = np.where(np.arange(len(chain))[:, None] == goal, 0, discount * chain)
        columns.append(np.linalg.solve(np.eye(len(chain)) - ahead, at_goal))
    return np.stack(columns, axis=1)


def walks(chain, *, num_walks, num_steps, seed):
    """Return walks [S B T+1] of a chain, `num_walks` from each state."""
    chain = jnp.asarray(chain)
    size = len(chain)
    starts = jnp.repeat(jnp.arange(size), num_walks)
    world, policy = MDP(chain[:, None, :]), jnp.ones((size, 1))
    states = rollouts(world, jax.random.key(seed), policy, starts, num_steps=num_steps).states
    return np.asarray(states).reshape(size, num_walks, num_steps + 1)


def visit_worths(states, size, discount, decay):
    """Return, per walk and state, the sum over visits of decay^(visits before) * discount^time."""
    here = states[..., None] == np.arange(size)
    before = np.cumsum(here, axis=-2) - here
    times = np.arange(states.shape[-1])[:, None]
    return (here * np.float64(decay) ** before * np.float64(discount) ** times).sum(axis=-2)


def assert_mean_is(samples, expected, *, axis, slack=1e-6):
    """Fail if the samples' mean is five standard errors or more from what is expected."""
    error = samples.std(axis=axis) / np.sqrt(samples.shape[axis])
    np.testing.assert_array_less(
        np.abs(samples.mean(axis=axis) - np.asarray(expected)), 5 * error + slack
    )


def assert_frequencies_are(draws, probabilities):
    """Fail if some outcome's frequency is five standard errors or more from its probability."""
    probabilities = np.asarray(probabilities)
    shares = np.bincount(draws, minlength=len(probabilities)) / len(draws)
    error = np.sqrt(probabilities * (1 - probabilities) / len(draws))
    np.testing.assert_array_less(np.abs(shares - probabilities), 5 * error + 1e-6)


def steps_between(successors):
    """Return the fewest steps [S S] with the edges s -> successors[n, s] of all policies n."""
    count, size = successors.shape
    tails = np.tile(np.arange(size), count)
    edges = csr_array((np.ones(count * size), (tails, successors.ravel())), shape=(size, size))
    edges.data[:] = 1
    return shortest_path(edges, unweighted=True)


def optimal_discount(transition, goal, discount):
    """Return the best expected discount to the goal, by iterating in which the goal is worth 1."""
    worth = np.zeros(len(transition))
    for _ in range(5000):
        new = discount * (np.asarray(transition) @ worth).max(axis=1)
        new[goal] = 1
        if np.array_equal(new, worth):
            break
        worth = new
    return worth


def plan_by_plain_sweeps(frs, goal, max_switches=None):
    """Return policy, subgoal and log discount as the first, simple version of FRP found them."""
    frs = jnp.asarray(frs)
    best = jnp.minimum(frs.max(axis=0), 1)
    best = jnp.log(jnp.where(best < jnp.finfo(best.dtype).tiny, 0, best))
    best = np.array(jnp.fill_diagonal(best, -jnp.inf, inplace=False))
    leader = np.asarray(frs.argmax(axis=0))
    states = np.arange(len(best))
    log = np.where(states == goal, best.dtype.type(0), best[:, goal])
    policy = np.where(np.isfinite(log) & (states != goal), leader[:, goal], -1)
    subgoal = np.where(np.isfinite(log), goal, -1)
    for _ in range(len(best) if max_switches is None else max_switches):
        through = best + log[None, :]
        gained, choice = through.max(axis=1), through.argmax(axis=1)
        size = np.where(np.isfinite(gained), np.maximum(1, -gained), 1)
        tolerance = best.dtype.type(64 * np.finfo(best.dtype).eps)
        better = gained > log + tolerance * size.astype(best.dtype)
        if not better.any():
            break
        policy = np.where(better, leader[states, choice], policy)
        subgoal = np.where(better, choice, subgoal)
        log = np.where(better, gained, log)
    return policy, subgoal, log


def policy_values(world, actions, discount):
    """Return the values of a deterministic policy from a linear system."""
    states = np.arange(world.num_states)
    chain = np.asarray(world.transition)[states, actions]
    paid = (chain * np.asarray(world.reward)[states, actions]).sum(axis=1)
    return np.linalg.solve(np.eye(len(chain)) - discount * chain, paid)


def best_values(world, discount):
    """Return the largest value of each state over all deterministic policies."""
    policies = itertools.product(range(world.num_actions), repeat=world.num_states)
    return np.max([policy_values(world, list(p), discount) for p in policies], axis=0)


def cuts_by_plain_sweeps(next_states, goal, max_switches=None):
    """Return policy, subgoal and steps of Alg. 1 for deterministic policies, in whole numbers.

    Sweep k gives a state the leg to the state from which the goal takes the fewest steps with
    k - 1 switches, if that saves steps; of equally good ones the first subgoal's, then the first
    policy's.
    """
    count, size = next_states.shape
    policy, subgoal, steps = [-1] * size, [-1] * size, [np.inf] * size
    subgoal[goal], steps[goal] = goal, 0
    for _ in range(size if max_switches is None else max_switches + 1):
        ways = [
            min(
                (taken + steps[there], there, n)
                for n in range(count)
                for there, taken in _first_visits(next_states[n], start)
            )
            for start in range(size)
        ]
        better = [start for start, way in enumerate(ways) if way[0] < steps[start]]
        if not better:
            break
        for start in better:
            steps[start], subgoal[start], policy[start] = ways[start]
    return policy, subgoal, [-1 if fewest == np.inf else fewest for fewest in steps]


def _first_visits(ahead, start):
    """Yield the states on the walk from `start`, in order, and the step of their first visit."""
    seen, state = {start: 0}, int(ahead[start])
    while state not in seen:
        seen[state] = len(seen)
        state = int(ahead[state])
    yield from seen.items()


def exact_optimal_discount(transition, goal, discount):
    """Return the largest F(., goal) over all deterministic policies, in rationals."""
    rows = [[[Fraction(float(p)) for p in row] for row in rows] for rows in np.asarray(transition)]
    others = [range(len(actions)) if s != goal else [0] for s, actions in enumerate(rows)]
    columns = [
        exact_fr_column([rows[s][a] for s, a in enumerate(policy)], Fraction(discount), goal)
        for policy in product(*others)
    ]
    return [max(values) for values in zip(*columns, strict=True)]
