"""Returns of the agent in simulated episodes."""

import numpy as np
from jaxtyping import Float

from first_occupancy.planning._collect.agent import Collector
from first_occupancy.planning._sparse.moves import Moves
from first_occupancy.planning.limits import EPISODE_MOVES, EPISODE_REST, NOTHING


def simulated_returns(
    agent: Collector, moves: Moves, starts: dict[int, float], episodes: int, seed: int
) -> Float[np.ndarray, " E"]:
    """Return what the agent collects in each episode.

    An episode jumps from state to state: what a jump loses on the way weighs all that follows, so
    the discount of waiting and of random durations is averaged, not drawn.
    """
    rng = np.random.default_rng(seed)
    begins = rng.choice(list(starts), episodes, p=list(starts.values()))
    return np.array([_return(agent, moves, int(begin), rng) for begin in begins])


def _return(agent: Collector, moves: Moves, here: int, rng: np.random.Generator) -> float:
    agent.reset()
    rows, weight, collected = moves.rows, 1.0, 0.0
    for _ in range(EPISODE_MOVES):
        had = len(agent.taken)
        policy = agent.visit(here)
        collected += weight * sum(reward for _, reward in agent.taken[had:])
        if policy == NOTHING:
            break
        row = policy * moves.num_states + here
        entries = slice(rows.indptr[row], rows.indptr[row + 1])
        shares = rows.data[entries].cumsum()
        if not len(shares) or weight * shares[-1] < EPISODE_REST:
            break
        weight *= float(shares[-1])
        drawn = int(np.searchsorted(shares, rng.random() * shares[-1], side="right"))
        here = int(rows.indices[entries][min(drawn, len(shares) - 1)])
    return collected
