"""How fast are FFs and SFs learned for many policies and seeds, against a loop in NumPy?

20 seeds x 9 policies x 100 episodes x 200 steps of a car between two hills, FF and SF at
once. The loop is the same update for one learner and one transition at a time, in NumPy and
float32 as ours, with the basis evaluated once per observation. It is timed on five episodes
and scaled up, since all of it would take minutes. The more weights there are, the less a
loop loses by being one: with 100 x 100 the 3 * 10^11 multiplications and additions of matrix
products alone take 1.5 seconds at 200 billion a second, what two good cores can do.
"""

import warnings
from collections.abc import Iterator

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from measuring import Row, best_times, compared, main

from first_occupancy.representations.features.maps import FeatureMap, radial_basis
from first_occupancy.representations.features.targets import (
    FirstOccupancy,
    Successor,
    UnreachedWarning,
)
from first_occupancy.representations.features.walks import learn_walks

LOW, HIGH = (-1.2, -0.07), (0.6, 0.07)
DISCOUNT, STEP_SIZE, THRESHOLD = 0.99, 0.1, 0.7
TIMED_EPISODES = 5


def swinging_walks(num_seeds, num_policies, num_episodes, num_steps):
    """Return walks [seeds policies E T 2] of a car between two hills, each with its own power."""
    shape = (num_seeds, num_policies, num_episodes)
    power = np.linspace(0.1, 0.9, num_policies)[None, :, None]
    place, speed = np.random.default_rng(0).uniform(-0.6, -0.4, shape), np.zeros(shape)
    walks = [np.stack([place, speed], axis=-1)]
    for _ in range(num_steps):
        push = power * np.where(speed == 0, -np.sign(place), np.sign(speed))
        speed = np.clip(speed + 0.0015 * push - 0.0025 * np.cos(3 * place), -0.07, 0.07)
        place = np.clip(place + speed, -1.2, 0.6)
        speed = np.where((place == -1.2) & (speed < 0), 0, speed)
        walks.append(np.stack([place, speed], axis=-1))
    return np.stack(walks, axis=-2).astype(np.float32)


def numpy_loop(episodes, basis, num_features):
    """Return FF and SF weights by the plain loop: one learner, one transition at a time."""
    centres, widths = np.asarray(basis.centres), np.asarray(basis.widths)

    def bumps(observation):
        return np.exp(-(((observation - centres) / widths) ** 2).sum(axis=1) / 2)

    def td_step(weights, counted, carried, here, ahead):
        error = counted + DISCOUNT * carried * (ahead @ weights) - here @ weights
        weights += STEP_SIZE * np.outer(here, error)

    first = np.zeros((len(centres), num_features), np.float32)
    every = np.zeros_like(first)
    for episode in episodes:
        here = bumps(episode[0])
        for observation in episode[1:]:
            ahead = bumps(observation)
            features = here[:num_features]
            reached = (features >= THRESHOLD).astype(np.float32)
            td_step(first, reached, 1 - reached, here, ahead)
            td_step(every, features, np.float32(1), here, ahead)
            here = ahead
    return first, every


def measure(quick: bool) -> Iterator[Row]:
    """Yield the comparison for square and for oblong weights."""
    warnings.simplefilter("ignore", UnreachedWarning)  # no car is fast at the end of its track
    num_episodes = TIMED_EPISODES if quick else 100
    walks = swinging_walks(20, 9, num_episodes, 200)
    for counts, num_features in (((5, 5), 25), ((10, 10), 30), ((10, 10), 100)):
        basis = radial_basis(LOW, HIGH, counts)
        times = best_times(
            {
                "ours": lambda basis=basis, num=num_features: learn_walks(
                    (FirstOccupancy(THRESHOLD), Successor()),
                    jnp.asarray(walks),
                    features=Some(basis, num),
                    basis=basis,
                    discount=DISCOUNT,
                    step_size=STEP_SIZE,
                ),
                "loop": lambda basis=basis, num=num_features: numpy_loop(
                    walks[0, 4, :TIMED_EPISODES], basis, num
                ),
            },
            repeats=3,
        )
        whole = times["loop"] * walks[..., 0, 0].size / TIMED_EPISODES
        yield compared(
            "features of many policies",
            f"{walks[..., 1:, 0].size:,} steps, {basis.centres.shape[0]} x {num_features} weights",
            ours=("learn_walks, FF and SF", times["ours"]),
            peer=("NumPy loop, scaled up", whole),
            ratio=whole / times["ours"],
            unit="times faster",
            at_least=100,
        )


class Some(eqx.Module):
    """The first few of a map's features."""

    mapping: FeatureMap
    count: int = eqx.field(static=True)

    def __call__(self, observation):
        """Return the features of one observation."""
        return self.mapping(observation)[: self.count]


if __name__ == "__main__":
    main(measure)
