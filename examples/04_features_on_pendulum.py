"""First-occupancy features on your own Gymnasium environment.

Continuous worlds have no table of states. In its place come *features*: functions of what is
observed, each *reached* when it rises above a threshold. First-occupancy features (FF) tell how
soon a policy reaches each of them.

The world here is Gymnasium's Pendulum-v1, let go near the top; any other environment will do.
We have six simple policies, watch each of them without any reward, and learn how soon it points
the pendulum in each of 16 directions. Then somebody pays for one direction. The features know
which policy gets there soonest, with no more experience than that of the reward. Successor
features (SF), which count all the time spent there, know it less well.

Needs Gymnasium, which comes with the extra `interop`: `pip install '.[interop]'`.
"""

import jax
import jax.numpy as jnp
import numpy as np

try:
    import gymnasium
except ModuleNotFoundError:
    raise SystemExit("this example needs Gymnasium: pip install '.[interop]'") from None

from first_occupancy import plotting
from first_occupancy.planning.feature_policies import choose, fit_reward
from first_occupancy.representations.features.linear import (
    FirstOccupancy,
    Successor,
    counted,
    normalised,
    predict_at,
)
from first_occupancy.representations.features.maps import radial_basis
from first_occupancy.representations.features.walks import learn_walks

# ## Policies
#
# What is observed is (cos, sin, speed) of the angle, which is 0 upright and grows leftwards. A
# policy is any function of that.

POLICIES = {
    "push along": lambda cos, sin, speed: 1.0 * np.sign(speed),
    "push along hard": lambda cos, sin, speed: 2.0 * np.sign(speed),
    "brake": lambda cos, sin, speed: -1.0 * np.sign(speed),
    "brake hard": lambda cos, sin, speed: -2.0 * np.sign(speed),
    "to the left": lambda cos, sin, speed: 2.0,
    "to the right": lambda cos, sin, speed: -2.0,
}
DISCOUNT, NUM_STEPS = 0.97, 100


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


walks = np.stack([watch(policy, 80, 1000 * n) for n, policy in enumerate(POLICIES.values())])
print(walks.shape, "= policies, episodes, observations, numbers in each")
# > (6, 80, 101, 3) = policies, episodes, observations, numbers in each

# ## Features, and a basis
#
# Two maps from an observation to a row of numbers. The *features* say what is counted: a bump for
# each direction. Any function that JAX can trace will do. At most 0.4 radians are turned in a
# step, so the region in which a feature is above 0.7, 0.6 radians wide, cannot be jumped over.
#
# The *basis* says what the estimate can express: it is linear in it. It must be finer than the
# features, and know the speed, because how soon a direction is reached depends on that too.

DIRECTIONS = np.linspace(-np.pi, np.pi, 16, endpoint=False)


def around(directions, observation, width):
    """Return a bump per direction: 1 when pointing there, less beside it, round as angles are."""
    cos, sin, _ = observation
    return jnp.exp((cos * jnp.cos(directions) + sin * jnp.sin(directions) - 1) / width**2)


def features(observation):
    """Return what is counted: how well the pendulum points in each direction."""
    return around(DIRECTIONS, observation, width=0.35)


speeds = radial_basis([-8.0], [8.0], 13, width=0.7)


def basis(observation):
    """Return what the estimate is linear in: finer than the features, and with the speed."""
    angles = around(np.linspace(-np.pi, np.pi, 20, endpoint=False), observation, width=0.3)
    return jnp.ravel(angles[:, None] * speeds(observation[2:])[None, :])


# ## Learn, without reward
#
# FF and SF of all six policies at once. They differ in the *target* only: at its threshold a
# feature counts as reached for the FF and is no longer waited for, while the SF goes on adding.
# TD goes through the same experience several times. `normalised` chooses the step size so that it
# cannot diverge.

targets = {"FF": FirstOccupancy(0.7), "SF": Successor()}
learned = learn_walks(
    tuple(targets.values()),
    jnp.tile(walks, (1, 5, 1, 1)),
    features=features,
    basis=basis,
    discount=DISCOUNT,
    step_size=normalised(0.3),
)

# ## Then a task
#
# The task pays 1 when the pendulum points within 17 degrees of a direction, once. What that is
# worth under each policy we learn from fresh episodes; this is the truth to compare with.


def rewards(walks, direction):
    """Return the new task's pay: 1 when pointing within 17 degrees of a direction."""
    towards = walks[..., 0] * np.cos(direction) + walks[..., 1] * np.sin(direction)
    return (towards >= np.cos(np.radians(17))).astype(np.float32)


def first_pay_worth(walks, direction):
    """Return the mean of discount^(time of the first pay) over each policy's walks: the truth."""
    paid = np.asarray(rewards(walks, direction)) > 0
    times = np.where(paid.any(axis=-1), paid.argmax(axis=-1), np.inf)
    return (DISCOUNT**times).mean(axis=-1)


# The agent sees some observations and what each paid. `fit_reward` explains the pay by what the
# features count, `predict_at` looks the learned features up at the starts, and `choose` takes the
# policy that is worth most: the set-max policy.

fresh = np.stack([watch(policy, 50, 50_000) for policy in POLICIES.values()])
starts, seen = jnp.asarray(fresh[0, :, 0]), jnp.asarray(walks[:, ::40].reshape(-1, 3))
outcomes = {"FF": [], "SF": []}
for (kind, target), estimate in zip(targets.items(), learned, strict=True):
    explained_by = counted(target, jax.vmap(features)(seen))
    predictions = predict_at(estimate.weights, starts, basis=basis)
    for direction in DIRECTIONS:
        truth = first_pay_worth(fresh, direction)
        choice = choose(predictions, fit_reward(explained_by, rewards(seen, direction)))
        outcomes[kind].append((float(choice.value), truth[choice.policy], truth.max()))

# ## What came of it
#
# Averages over the 16 directions: what the chosen policy was estimated to be worth, what it is
# worth, and what the best of the six would have been worth. Another machine may round otherwise
# and get slightly different numbers.

for kind, rows in outcomes.items():
    estimated, true, best = np.mean(rows, axis=0)
    print(f"{kind}: estimated {estimated:.2f}, true {true:.2f}, best {best:.2f}")
# ~ FF: estimated 0.77, true 0.74, best 0.74
# ~ SF: estimated 4.81, true 0.65, best 0.74

figure, axes = plotting.figure(size=(5.0, 2.6))
degrees = np.degrees(DIRECTIONS)
axes[0, 0].plot(degrees, np.array(outcomes["FF"])[:, 2], "k-", label="best of the six", lw=1)
for (kind, rows), marker in zip(outcomes.items(), ("o", "x"), strict=True):
    axes[0, 0].plot(degrees, np.array(rows)[:, 1], marker, label=f"chosen by {kind}", ms=5)
plotting.label_axes(axes[0, 0], "direction that pays (degrees, 0 is upright)", "worth")
axes[0, 0].legend(fontsize=8, frameon=False)
plotting.save(figure, "pendulum_choices.svg")

# ## Your own environment
#
# Replace `watch` by a loop over your environment, `POLICIES` by your policies (a trained
# network's `predict` is one), and the two maps by ones that fit your observations: `radial_basis`
# and `tile_coding` make them from a box. Three things to look after:
#
# - a region above a threshold must be too wide to be jumped over in one step;
# - the basis must be able to tell apart what the policy's future depends on;
# - where no basis is at hand, `features.networks` learns the same targets with a small network.
