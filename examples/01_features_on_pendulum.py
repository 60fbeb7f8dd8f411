"""Choose a policy for a task it was never trained on, in a world we did not write.

The world is Gymnasium's Pendulum-v1, let go near the top. We have six simple policies, watch
each of them without any reward, and learn its first-occupancy features (FF): how soon it
points the pendulum in each of 16 directions. Then somebody pays for one direction. The
features know which policy gets there soonest, with no more experience than that of the
reward. Successor features (SF), which count all the time spent there, know it less well.

    pip install 'first-occupancy[interop]'
    python examples/01_features_on_pendulum.py
"""

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.planning.set_max import choose, fit_reward
from first_occupancy.representations.feature_learning import learn_walks
from first_occupancy.representations.feature_maps import radial_basis
from first_occupancy.representations.features import (
    FirstOccupancy,
    Successor,
    counted,
    normalised,
    predict_at,
)

DISCOUNT = 0.97
NUM_STEPS = 100

# What is observed is (cos, sin, speed) of the angle, which is 0 upright and grows leftwards.
POLICIES = {
    "push along": lambda cos, sin, speed: 1.0 * np.sign(speed),
    "push along hard": lambda cos, sin, speed: 2.0 * np.sign(speed),
    "brake": lambda cos, sin, speed: -1.0 * np.sign(speed),
    "brake hard": lambda cos, sin, speed: -2.0 * np.sign(speed),
    "to the left": lambda cos, sin, speed: 2.0,
    "to the right": lambda cos, sin, speed: -2.0,
}

DIRECTIONS = np.linspace(-np.pi, np.pi, 16, endpoint=False)


def around(directions, observation, width):
    """Return a bump per direction: 1 when pointing there, less beside it, round as angles are."""
    cos, sin, _ = observation
    return jnp.exp((cos * jnp.cos(directions) + sin * jnp.sin(directions) - 1) / width**2)


def features(observation):
    """Return what is counted: how well the pendulum points in each direction.

    Any function that JAX can trace will do. At most 0.4 radians are turned in a step, so the
    region in which a feature is above 0.7, 0.6 radians wide, cannot be jumped over.
    """
    return around(DIRECTIONS, observation, width=0.35)


speeds = radial_basis([-8.0], [8.0], 13, width=0.7)


def basis(observation):
    """Return what the estimate is linear in: finer than the features, and with the speed."""
    angles = around(np.linspace(-np.pi, np.pi, 20, endpoint=False), observation, width=0.3)
    return jnp.ravel(angles[:, None] * speeds(observation[2:])[None, :])


def watch(policy, num_episodes, seed):
    """Return walks [E T 3] of a policy, without their rewards."""
    env = gymnasium.make("Pendulum-v1").unwrapped
    walks = []
    for episode in range(num_episodes):
        observation, _ = env.reset(seed=seed + episode, options={"x_init": 0.3, "y_init": 0.3})
        walk = [observation]
        for _ in range(NUM_STEPS):
            observation = env.step(np.array([policy(*observation)], np.float32))[0]
            walk.append(observation)
        walks.append(walk)
    return np.asarray(walks, np.float32)


def first_pay_worth(walks, direction):
    """Return the mean of discount^(time of the first pay) over each policy's walks: the truth."""
    paid = np.asarray(rewards(walks, direction)) > 0
    times = np.where(paid.any(axis=-1), paid.argmax(axis=-1), np.inf)
    return (DISCOUNT**times).mean(axis=-1)


def rewards(walks, direction):
    """Return the new task's pay: 1 when pointing within 17 degrees of a direction."""
    towards = walks[..., 0] * np.cos(direction) + walks[..., 1] * np.sin(direction)
    return (towards >= np.cos(np.radians(17))).astype(np.float32)


def main():
    """Learn without reward, then ask for direction after direction; return what came of it."""
    names, targets = list(POLICIES), (FirstOccupancy(0.7), Successor())
    walks = np.stack([watch(policy, 80, 1000 * n) for n, policy in enumerate(POLICIES.values())])
    # TD goes through the same experience several times.
    learned = learn_walks(
        targets,
        jnp.tile(walks, (1, 5, 1, 1)),
        features=features,
        basis=basis,
        discount=DISCOUNT,
        step_size=normalised(0.3),
    )

    fresh = np.stack([watch(policy, 50, 50_000) for policy in POLICIES.values()])
    starts, seen = jnp.asarray(fresh[0, :, 0]), jnp.asarray(walks[:, ::10].reshape(-1, 3))
    outcomes = {"FF": [], "SF": []}
    for direction in DIRECTIONS:
        truth = first_pay_worth(fresh, direction)
        print(
            f"{np.degrees(direction):4.0f}°  best: {names[truth.argmax()]} {truth.max():.2f}",
            end="",
        )
        for kind, target, estimate in zip(outcomes, targets, learned, strict=True):
            explained_by = counted(target, jax.vmap(features)(seen))
            reward = fit_reward(explained_by, rewards(seen, direction))
            choice = choose(predict_at(estimate.weights, starts, basis=basis), reward)
            outcomes[kind].append((float(choice.value), truth[choice.policy], truth.max()))
            estimated, true, _ = outcomes[kind][-1]
            print(
                f"   {kind}: {names[choice.policy]}, estimated {estimated:.2f}, true {true:.2f}",
                end="",
            )
        print()

    for kind, rows in outcomes.items():
        estimated, true, best = np.mean(rows, axis=0)
        print(f"{kind}: estimated {estimated:.3f}, true {true:.3f}, best {best:.3f} on average")
    return outcomes


if __name__ == "__main__":
    main()
