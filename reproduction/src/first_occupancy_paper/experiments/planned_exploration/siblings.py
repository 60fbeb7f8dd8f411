"""Random worlds akin to the tasks, on which the settings of all methods were chosen.

No result is computed on them. Rivers have 9 and 18 states and other odds, arms are five with other
odds and rewards, and rooms are one of 9 x 9 cells whose wall and goal differ from FourRooms'.

The largest expected total reward, of an agent that knows the world from the start.

Hidden goals in FourRooms, drawn at random.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core import MDP, PRNGKey
from first_occupancy.environments import four_rooms, maze


def draw_goals(key: PRNGKey, count: int) -> tuple[Int[Array, " G"], PRNGKey]:
    """Return different goals, none of them the start, and a key for the walks to them."""
    rooms = four_rooms()
    goal_key, walk_key = jax.random.split(key)
    cells = jnp.array([state for state in range(rooms.num_states) if state != rooms.start])
    return jax.random.choice(goal_key, cells, (count,), replace=False), walk_key


def optimum(mdp: MDP, num_steps: int) -> Float[Array, ""]:
    """Return the largest expected total reward of an agent that knows the world.

    Args:
        mdp: world of the trial.
        num_steps: number of steps of the trial.
    """
    return _optimum(mdp, jnp.zeros(num_steps))


@jax.jit
def _optimum(mdp: MDP, steps: Float[Array, " T"]) -> Float[Array, ""]:
    paid = (mdp.transition * mdp.reward).sum(axis=-1)

    def back(values: Array, _: Array) -> tuple[Array, None]:
        ahead = jnp.einsum("sat,t->sa", mdp.transition, values, precision="highest")
        return (paid + ahead).max(axis=1), None

    values, _ = jax.lax.scan(back, jnp.zeros_like(mdp.start_distribution), steps)
    return values @ mdp.start_distribution


NUM_WORLDS = 20
"""Worlds of each family."""


def families(seed: int) -> dict[str, list[MDP]]:
    """Return the worlds by family, each with one number of states and actions."""
    random = np.random.default_rng(seed)
    return {
        "rivers of 9": [_river(random, 9) for _ in range(NUM_WORLDS)],
        "rivers of 18": [_river(random, 18) for _ in range(NUM_WORLDS)],
        "arms": [_arms(random, 5) for _ in range(NUM_WORLDS)],
        "rooms": _rooms(random, NUM_WORLDS),
    }


def _river(random: np.random.Generator, size: int) -> MDP:
    """Return a river: right moves up with luck, left moves down for sure."""
    up, down = random.uniform(0.25, 0.45), random.uniform(0.05, 0.15)
    chains = np.zeros((size, 2, size))
    for state in range(size):
        chains[state, 1, max(state - 1, 0)] = 1
        chains[state, 0, min(state + 1, size - 1)] += up
        chains[state, 0, max(state - 1, 0)] += down
        chains[state, 0, state] += 1 - up - down
    hold = random.uniform(0.2, 0.5)
    chains[-1, 0] = 0
    chains[-1, 0, -1], chains[-1, 0, -2] = hold, 1 - hold
    rewards = np.zeros_like(chains)
    rewards[0, 1, 0], rewards[-1, 0, -1] = random.uniform(2, 10), 10_000
    start = np.zeros(size)
    start[1:3] = 0.5
    return MDP(chains, rewards, start)


def _arms(random: np.random.Generator, count: int) -> MDP:
    """Return a hub with arms that are the harder to enter the more they pay."""
    chains = np.zeros((count + 1, count, count + 1))
    rewards = np.zeros_like(chains)
    odds = np.sort(np.exp(random.uniform(np.log(0.01), np.log(0.3), count)))[::-1]
    odds[0] = 1
    pays = np.sort(np.exp(random.uniform(np.log(20), np.log(3_000), count)))
    pays[-1] = random.uniform(4_000, 8_000)
    for arm in range(count):
        chains[0, arm, arm + 1], chains[0, arm, 0] = odds[arm], 1 - odds[arm]
        chains[arm + 1, :, 0] = 1
        stays = (arm + random.integers(1, count)) % count
        chains[arm + 1, stays] = np.eye(count + 1)[arm + 1]
        rewards[arm + 1, stays, arm + 1] = pays[arm]
    return MDP(chains, rewards, np.eye(count + 1)[0])


def _rooms(random: np.random.Generator, count: int) -> list[MDP]:
    """Return rooms with one wall and one door, and a hidden goal that leads back to the start."""
    found: list[MDP] = []
    lines = ["#########", *["#.......#"] * 3, "###.#####", *["#.......#"] * 3, "#########"]
    rooms = maze(lines)
    start = rooms.state(7, 1)
    others = [state for state in range(rooms.num_states) if state != start]
    for goal in random.choice(others, count, replace=False):
        found.append(_hidden_goal(rooms.next_states, start, int(goal)))
    return found


def _hidden_goal(moves: Sequence | np.ndarray, start: int, goal: int) -> MDP:
    arrival = np.eye(len(moves[0]))[np.asarray(moves).T]
    arrival[goal] = np.eye(len(moves[0]))[start]
    reward = np.zeros_like(arrival)
    reward[:, :, goal] = 1
    reward[goal] = 0
    return MDP(arrival, reward, np.eye(len(moves[0]))[start])
