"""What the FR is a special case of, what it evaluates, and why planning takes no SR.

* First-occupancy features with one-hot features and thresholds of 1 are the FR (section 4.2).
* r F(s) is the value of rewards that are had once, at the first visit (section 3).
* Alg. 1 with the SR in place of the FR is ill-defined beyond GPI (appendix).
"""

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.core.axes import PRNGKey
from first_occupancy.environments import four_rooms
from first_occupancy.representations import first_occupancy, successor
from first_occupancy_paper.rows.row import Row

SWEEPS = 4


def measure(key: PRNGKey, *, num_states: int, trials: int, discount: float) -> Row:
    """Return the largest differences that the first two statements leave, and the SR's products.

    Args:
        key: JAX random key.
        num_states: number of states of each random chain; its subsets are enumerated.
        trials: number of random chains.
        discount: discount factor per step.
    """
    chain_key, reward_key = jax.random.split(key)
    chains = jax.random.dirichlet(chain_key, jnp.full(num_states, 0.5), (trials, num_states))
    rewards = np.asarray(jax.random.uniform(reward_key, (trials, num_states)))
    frs = np.asarray(first_occupancy.solve(chains, discount=discount))
    pairs = list(zip(np.asarray(chains), rewards, frs, strict=True))
    values = [np.abs(fr @ r - _had_once(p, r, discount)).max() for p, r, fr in pairs]
    features = [np.abs(fr - _one_hot_features(p, discount)).max() for p, _, fr in pairs]
    return {
        "trials": trials,
        "num_states": num_states,
        "values_miss": float(max(values)),
        "features_miss": float(max(features)),
        "products": _products_of_srs(discount),
        "largest_sr": 1 / (1 - discount),
    }


def _had_once(chain: np.ndarray, rewards: np.ndarray, discount: float) -> np.ndarray:
    """Return the value of rewards that are had once, by states (here, what was visited)."""
    size = len(chain)
    bits = product((False, True), repeat=size)
    subsets = [frozenset(s for s in range(size) if chosen[s]) for chosen in bits]
    places = {(s, seen): i for i, (s, seen) in enumerate(product(range(size), subsets))}
    step, gain = np.zeros((len(places), len(places))), np.zeros(len(places))
    for (state, seen), row in places.items():
        gain[row] = 0 if state in seen else rewards[state]
        for following in range(size):
            step[row, places[following, seen | {state}]] += chain[state, following]
    found = np.linalg.solve(np.eye(len(places)) - discount * step, gain)
    return np.array([found[places[state, frozenset()]] for state in range(size)])


def _one_hot_features(chain: np.ndarray, discount: float) -> np.ndarray:
    """Return the fixed point of the features' own recursion, feature by feature.

    A feature at or above its threshold counts 1 and ends the wait for it; otherwise it is
    discounted by a step. With one-hot features, feature d is at 1 in state d alone.
    """
    found = np.zeros_like(chain)
    reached = np.eye(len(chain)) >= 1
    for _ in range(2_000):
        found = np.where(reached, 1.0, discount * chain @ found)
    return found


def _products_of_srs(discount: float) -> list[float]:
    """Return the largest product that Alg. 1 finds with SRs in FourRooms, after each sweep."""
    rooms = four_rooms()
    chains: Float[Array, "N S S"] = jnp.asarray(np.eye(rooms.num_states)[rooms.next_states])
    srs = np.asarray(successor.solve(chains, discount=discount)).max(axis=0)
    goal = rooms.num_states - 1
    best, found = srs[:, goal], []
    for _ in range(SWEEPS):
        best = (srs * best[None, :]).max(axis=1)
        found.append(float(best.max()))
    return found
