"""Logs of two policies whose chains are known."""

import numpy as np

DISCOUNT = 0.8
CHAINS = np.array(
    [
        [[0.5, 0.5, 0.0], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]],
        [[0.1, 0.1, 0.8], [0.6, 0.2, 0.2], [0.5, 0.25, 0.25]],
    ]
)


def walk_episodes(rng, *, num_episodes, num_steps):
    """Return the columns of a log: episodes of both policies in turn, from random starts."""
    policies = np.arange(num_episodes) % 2
    states = [rng.integers(3, size=num_episodes)]
    for _ in range(num_steps):
        chances = CHAINS[policies, states[-1]].cumsum(axis=-1)
        states.append((rng.random((num_episodes, 1)) > chances).sum(axis=-1).clip(0, 2))
    walks = np.stack(states, axis=1)
    of_each = np.repeat(np.arange(num_episodes), num_steps)
    return walks, walks[:, :-1].ravel(), walks[:, 1:].ravel(), policies[of_each], of_each
