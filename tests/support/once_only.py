"""Once-only rewards solved the plain way: value iteration on states and rewards that are left."""

from itertools import permutations

import numpy as np

import first_occupancy as fo


def kernels(world, discount, policies=None):
    """Return the discounted moves of each action (or base policy) as dense matrices."""
    durations = getattr(world, "durations", None)
    options = {} if durations is None else {"weights": discount ** np.asarray(durations)}
    chains = world.policy_chains(policies, **options)
    dense = [each.toarray() if hasattr(each, "toarray") else np.asarray(each) for each in chains]
    return np.array(dense, np.float64) * (discount if durations is None else 1.0)


def optimum(moves, rewards, last=None, sweeps=100_000):
    """Return the best return from every state, with the rewards there taken at once.

    Args:
        moves: discounted moves [N S S].
        rewards: what states are worth, by number.
        last: state where the trip may end, and its own reward is taken.
    """
    size, states = moves.shape[1], [state for state in rewards if state != last]
    floor = np.zeros(size)
    if last is not None:
        floor[last] = rewards.get(last, 0.0)
    values = np.zeros((1 << len(states), size))
    for mask in range(1 << len(states)):
        held, fixed = np.zeros(size, bool), np.zeros(size)
        for number, state in enumerate(states):
            if (mask >> number) & 1:
                held[state] = True
                fixed[state] = rewards[state] + values[mask ^ (1 << number), state]
        new = np.where(held, fixed, floor)
        for _ in range(sweeps):
            old = new
            new = np.where(held, fixed, np.maximum((moves @ old).max(axis=0), floor))
            if np.abs(new - old).max() <= 1e-14 * max(np.abs(new).max(), 1e-300):
                break
        values[mask] = new
    return values[-1]


def best_by_trying(distances, rewards, start, discount):
    """Return the best return of all orders, given the times between states."""
    best = 0.0
    for order in permutations(rewards):
        here, time, value = start, 0.0, 0.0
        for there in order:
            time += distances[here, there]
            value += rewards[there] * discount**time if np.isfinite(time) else 0.0
            here = there
        best = max(best, value)
    return best


def random_graph(rng, size, *, actions=3, noise=0.0, durations=False, ties=True):
    """Return a random world, deterministic or with a share of noise."""
    ahead = rng.integers(size, size=(actions, size))
    eye = np.eye(size)
    sure = [eye[row] for row in ahead]
    mean = sum(sure) / actions
    times = None
    if durations:
        times = (
            rng.integers(1, 4, (size, actions)) if ties else rng.uniform(0.5, 3, (size, actions))
        )
    mixed = [(1 - noise) * each + noise * mean for each in sure]
    return fo.SparseMDP(mixed, durations=None if times is None else times.astype(float))


def random_map(rng, rows, columns, *, noise=0.0, share=0.25):
    """Return a map with obstacles, and its free cells."""
    free = rng.random((rows, columns)) >= share
    free[0, 0] = True
    return fo.maze(["".join("." if cell else "#" for cell in row) for row in free], noise=noise)


def random_rewards(rng, size, count, ties=False):
    """Return once-only rewards in random states."""
    states = rng.choice(size, count, replace=False)
    worth = rng.integers(1, 4, count) if ties else rng.uniform(0.1, 1, count)
    return {int(state): float(each) for state, each in zip(states, worth, strict=True)}
