"""Logs of a straight corridor: a point that is pushed left or right between two walls."""

import numpy as np

from first_occupancy.core.episodes import Episodes

LENGTH, STEP = 10.0, 0.1


def pushed(place, action):
    """Return where a push leads."""
    return np.clip(place + STEP * action, 0, LENGTH)


def corridor_log(*, num_episodes=40, steps=150, seed=0):
    """Return a log of random pushes that last for a while."""
    rng = np.random.default_rng(seed)
    seen, done = [], []
    for _ in range(num_episodes):
        place, rows, acts = rng.uniform(0, LENGTH), [], []
        for time in range(steps):
            if time % 15 == 0:
                push = rng.choice([-1.0, 1.0])
            action = np.clip(push + rng.normal(0, 0.2), -1, 1)
            rows.append([place])
            acts.append([action])
            place = pushed(place, action)
        seen.append([*rows, [place]])
        done.append(acts)
    return Episodes(seen, done)


def jumping_log():
    """Return episodes of a corridor in which steps beyond 9 lead to 1, or to 5 less often."""
    rng = np.random.default_rng(0)
    seen, done = [], []
    for _ in range(60):
        place, rows, acts = rng.uniform(0, LENGTH), [], []
        push = 1.0
        for time in range(100):
            if time % 15 == 0:
                push = rng.choice([-1.0, 1.0])
            action = np.clip(push + rng.normal(0, 0.2), -1, 1)
            rows.append([place])
            acts.append([action])
            exit_ = 1.0 if rng.random() < 0.7 else 5.0
            place = exit_ if place > 9 else float(pushed(place, action))
        seen.append([*rows, [place]])
        done.append(acts)
    return Episodes(seen, done)
