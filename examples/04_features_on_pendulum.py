# %% [markdown]
# # First-occupancy features on your own Gymnasium environment
#
# Continuous worlds have no table of states. Their place is taken by *features*: functions of the
# observation, each of which counts as *reached* when it exceeds a threshold. First-occupancy
# features (FF) predict how soon a policy reaches each of them.
#
# The environment here is Gymnasium's Pendulum-v1, released near the top; any other works too. We
# have six simple policies, watch each of them without any reward, and learn how soon it points the
# pendulum in each of 16 directions. Then one direction is rewarded. The features tell which policy
# gets there soonest, with no more experience than some observed rewards. Successor features (SF),
# which count all the time spent there, choose less well.
#
# This page needs Gymnasium: `pip install 'first-occupancy[interop]'`.

# %%
import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy import plotting
from first_occupancy.interop.extras import needs_extra
from first_occupancy.planning.feature_policies import choose, fit_reward
from first_occupancy.representations.features.linear import normalised, predict_at
from first_occupancy.representations.features.maps import radial_basis
from first_occupancy.representations.features.targets import FirstOccupancy, Successor, counted
from first_occupancy.representations.features.walks import learn_walks

with needs_extra("interop"):
    import gymnasium

# %% [markdown]
# ## Policies
#
# The observation is (cos, sin, angular speed). The angle is 0 when upright and grows leftwards. A
# policy is any function of the observation.

# %%
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

# %% [markdown]
# ## Features and a basis
#
# We need two maps from an observation to a vector. The *features* define what is predicted: one
# bump for each direction. Any function that JAX can trace will do. The pendulum turns at most 0.4
# radians per step, so it cannot jump over the region where a feature exceeds 0.7, which is 0.6
# radians wide.
#
# The *basis* defines what the estimate can express, since the estimate is linear in it. It must be
# finer than the features and include the speed, because how soon a direction is reached depends on
# the speed too.

# %%
DIRECTIONS = np.linspace(-np.pi, np.pi, 16, endpoint=False)


def around(directions, observation, width):
    """Return a bump per direction: 1 when pointing there, less beside it, periodic."""
    cos, sin, _ = observation
    return jnp.exp((cos * jnp.cos(directions) + sin * jnp.sin(directions) - 1) / width**2)


def features(observation):
    """Return what is predicted: how well the pendulum points in each direction."""
    return around(DIRECTIONS, observation, width=0.35)


speeds = radial_basis([-8.0], [8.0], 13, width=0.7)


def basis(observation):
    """Return what the estimate is linear in: finer than the features, and with the speed."""
    angles = around(np.linspace(-np.pi, np.pi, 20, endpoint=False), observation, width=0.3)
    return jnp.ravel(angles[:, None] * speeds(observation[2:])[None, :])


# %% [markdown]
# ## Learn, without reward
#
# Learn FF and SF of all six policies at once. They differ only in their *target*: when a feature
# exceeds its threshold, the FF counts it as reached and stops, while the SF keeps adding. TD goes
# through the same experience several times. `normalised` chooses a step size with which it cannot
# diverge.

# %%
targets = {"FF": FirstOccupancy(0.7), "SF": Successor()}
learned = learn_walks(
    tuple(targets.values()),
    jnp.tile(walks, (1, 5, 1, 1)),
    features=features,
    basis=basis,
    discount=DISCOUNT,
    step_size=normalised(0.3),
)

# %% [markdown]
# ## Then a task
#
# The task pays 1, once, when the pendulum points within 17 degrees of a direction. Fresh episodes
# of each policy give the true value to compare with.


# %%
def rewards(walks, direction):
    """Return the rewards of the task: 1 when pointing within 17 degrees of a direction."""
    towards = walks[..., 0] * np.cos(direction) + walks[..., 1] * np.sin(direction)
    return (towards >= np.cos(np.radians(17))).astype(np.float32)


def first_reward_value(walks, direction):
    """Return the mean of discount^(time of the first reward) over the walks of each policy."""
    rewarded = np.asarray(rewards(walks, direction)) > 0
    times = np.where(rewarded.any(axis=-1), rewarded.argmax(axis=-1), np.inf)
    return (DISCOUNT**times).mean(axis=-1)


# %% [markdown]
# The agent sees some observations and their rewards. `fit_reward` regresses the rewards on the
# features, `predict_at` evaluates the learned features at the starts, and `choose` takes the policy
# of highest value: the set-max policy.

# %%
fresh = np.stack([watch(policy, 50, 50_000) for policy in POLICIES.values()])
starts, seen = jnp.asarray(fresh[0, :, 0]), jnp.asarray(walks[:, ::40].reshape(-1, 3))
outcomes = {"FF": [], "SF": []}
for (kind, target), estimate in zip(targets.items(), learned, strict=True):
    explained_by = counted(target, jax.vmap(features)(seen))
    predictions = predict_at(estimate.weights, starts, basis=basis)
    for direction in DIRECTIONS:
        truth = first_reward_value(fresh, direction)
        choice = choose(predictions, fit_reward(explained_by, rewards(seen, direction)))
        outcomes[kind].append((float(choice.value), truth[choice.policy], truth.max()))

# %% [markdown]
# ## Results
#
# Averages over the 16 directions: the estimated value of the chosen policy, its true value, and the
# true value of the best of the six. The numbers differ slightly between machines, because
# processors round differently.

# %%
for kind, rows in outcomes.items():
    estimated, true, best = np.mean(rows, axis=0)
    print(f"{kind}: estimated {estimated:.2f}, true {true:.2f}, best {best:.2f}")

# %%
figure, axes = plotting.figure(size=(5.0, 2.6))
degrees = np.degrees(DIRECTIONS)
axes[0, 0].plot(degrees, np.array(outcomes["FF"])[:, 2], "k-", label="best of the six", lw=1)
for (kind, rows), marker in zip(outcomes.items(), ("o", "x"), strict=True):
    axes[0, 0].plot(degrees, np.array(rows)[:, 1], marker, label=f"chosen by {kind}", ms=5)
plotting.label_axes(axes[0, 0], "rewarded direction (degrees, 0 is upright)", "value")
axes[0, 0].legend(fontsize=8, frameon=False)
plotting.save(figure, "pendulum_choices.svg")
figure

# %% [markdown]
# ## Your own environment
#
# Replace `watch` by a loop over your environment, `POLICIES` by your policies (the `predict` of a
# trained network is one), and the two maps by maps that fit your observations; `radial_basis` makes
# them from the bounds of a box. Three things to take care of:
#
# - The region above a threshold must be too wide to be jumped over in one step.
# - The basis must distinguish observations from which the policy's future differs.
# - If you have no basis, `features.networks` learns the same targets with a small network.
