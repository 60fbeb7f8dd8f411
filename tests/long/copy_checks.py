"""Random boards, by every source of random numbers, against the tables that they follow."""

import numpy as np

from first_occupancy.interop.enumeration.copied_worlds import enumerate_copies
from tosses import SOURCES, Board, BoardThatRewinds, BoardWithMethods, BoardWithTable

FALSE_ALARM = 1e-9


def copies(rng):
    """Certain moves must be exact; others may be off by what chance explains."""
    size, sides = int(rng.integers(2, 5)), (1, 1, 2, 3, 4)
    table = [
        [tuple(rng.permutation(size + 1)[: rng.choice(sides)].tolist()) for _ in range(2)]
        for _ in range(size)
    ]
    kind = (Board, BoardThatRewinds, BoardWithMethods, BoardWithTable)[rng.integers(4)]
    samples, seed = int(rng.choice((30, 100))), int(rng.integers(1000))
    environment = kind(table, str(rng.choice(list(SOURCES))))
    world = enumerate_copies(environment, seed=seed, samples=samples, progress=False)
    keys, worst = [key for key, _ in world.numbers], 0.0
    for state, number in enumerate(keys):
        for action, chain in enumerate(world.action_chains):
            if number == size:
                continue
            ahead = table[number][action]
            truth = [(key in ahead) / len(ahead) for key in keys]
            found = chain.toarray()[state]
            assert (found[np.array(truth) == 0] == 0).all()
            if len(ahead) == 1:
                np.testing.assert_array_equal(found, truth)
            worst = max(worst, np.abs(found - truth).max())
    return worst / np.sqrt(np.log(1000 / FALSE_ALARM) / (2 * samples))
