# %% [markdown]
# # Learn FRs from experience
#
# This time the transition probabilities are unknown. The agent moves through FourRooms, where one
# move in ten is random. It learns the FR of each of its four skills by temporal differences (TD)
# and plans with the learned FRs. Then it does the same from a recorded log.

# %%
import jax
import jax.numpy as jnp
import numpy as np

import first_occupancy as fo
from first_occupancy import planning, plotting

DISCOUNT = 0.95
world = fo.four_rooms(noise=0.1)
skills = fo.constant_policies(world.mdp)

# %% [markdown]
# ## Walk
#
# Follow each skill for 25 steps from a random state, 500 times. `rollouts` runs many starts at
# once. As everywhere in JAX, random keys are passed in.

# %%
key, *keys = jax.random.split(jax.random.key(1), 5)
starts = jax.random.randint(key, (500,), 0, world.num_states)
walks = np.stack(
    [
        fo.rollouts(world.mdp, key, skill, starts, num_steps=25).states
        for key, skill in zip(keys, skills, strict=True)
    ]
)
print(walks.shape, "= skills, walks, states")

# %% [markdown]
# ## Learn
#
# Each step from $s$ to $s'$ moves row $s$ of the table towards its target: 1 at $s$ itself, and the
# discounted row of the next state elsewhere. The TD error is
#
# $$\delta = \mathbf{1}_s + \gamma\,(1 - \mathbf{1}_s) \circ F(s', \cdot) - F(s, \cdot).$$
#
# `td_learn` learns from one walk, or from a stack of walks for a stack of tables. On the way we
# record the distance to the exact FRs, which `solve` computes.

# %%
exact = fo.first_occupancy.solve(fo.chain(world.mdp, skills), discount=DISCOUNT)
learned = jnp.repeat(fo.first_occupancy.initial(world.num_states)[None], len(skills), axis=0)
errors = []
for episode in range(walks.shape[1]):
    learned, _ = fo.first_occupancy.td_learn(
        learned, walks[:, episode], discount=DISCOUNT, step_size=0.1
    )
    errors.append(np.abs(np.asarray(learned - exact)).mean(axis=(1, 2)))
for episode in (9, 99, 499):
    print(f"after {episode + 1} walks: off by {np.mean(errors[episode]):.4f} on average")

# %%
figure, axes = plotting.figure()
ax = plotting.mean_curve(axes[0, 0], np.arange(500) + 1, np.array(errors).T)
plotting.label_axes(ax, "walks of each skill", "mean error of the FR")
plotting.save(figure, "learning_curve.svg")
figure

# %% [markdown]
# The line is the mean over the four skills, the band its standard error.
#
# ## Plan with the learned FRs
#
# The planner does not care where FRs come from. `evaluate` computes the expected discount of the
# plan in the true world, and that of the optimal policy.

# %%
goal = world.state(1, 9)
for name, frs in (("learned", learned), ("exact", exact)):
    plan = planning.plan_to_goal(frs, goal)
    truth = fo.evaluate(plan, world.mdp, skills, discount=DISCOUNT)
    print(f"{name} FRs: expected discount {truth.expected_discount[world.start]:.3f}")
print(f"optimal policy: expected discount {truth.optimal[world.start]:.3f}")

# %% [markdown]
# ## From a log
#
# A log has three columns: the state, the next state and the policy that was followed. Consecutive
# transitions need not join up, so you need not mark the ends of episodes. The columns may be
# memory-mapped files of any length (`numpy.load(..., mmap_mode="r")`). Several passes over the same
# log bring the tables closer to what it can teach.

# %%
states = np.asarray(walks[:, :, :-1]).reshape(-1)
next_states = np.asarray(walks[:, :, 1:]).reshape(-1)
policies = np.repeat(np.arange(len(skills)), walks.shape[1] * 25)
from_log = jnp.repeat(fo.first_occupancy.initial(world.num_states)[None], len(skills), axis=0)
for _ in range(2):
    from_log = fo.first_occupancy.td_learn_log(
        from_log,
        states,
        next_states,
        policies,
        discount=DISCOUNT,
        step_size=0.05,
    )
print(f"{len(states)} transitions, twice: off by {jnp.abs(from_log - exact).mean():.4f} on average")

# %% [markdown]
# ## Choosing the step size
#
# A large step size learns fast but stays noisy; a small one is slow but ends closer to the truth.
# In a deterministic world use a step size of 1: every target is exact once the next row is.
#
# A row that is never visited keeps its initial value and reaches nothing but itself. So unknown
# states look unreachable to the planner, and it will not send you there.
