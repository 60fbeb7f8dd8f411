"""Learn FRs from experience.

Nobody gives us the world's probabilities here. The agent moves through FourRooms with one move
in ten going astray, learns the FR of each of its four skills by temporal differences, and plans
with what it has learned. Then the same from a log that somebody else has recorded.
"""

import jax
import jax.numpy as jnp
import numpy as np

import first_occupancy as fo
from first_occupancy import plotting

DISCOUNT = 0.95
world = fo.four_rooms(noise=0.1)
skills = fo.constant_policies(world.mdp)

# ## Walk
#
# Each skill is followed for 25 steps from a random state, over and over. `rollouts` takes many
# starts at once. Random keys are passed in, as everywhere in JAX.

key, *keys = jax.random.split(jax.random.key(1), 5)
starts = jax.random.randint(key, (500,), 0, world.num_states)
walks = np.stack(
    [
        fo.rollouts(world.mdp, key, skill, starts, num_steps=25).states
        for key, skill in zip(keys, skills, strict=True)
    ]
)
print(walks.shape, "= skills, walks, states")
# > (4, 500, 26) = skills, walks, states

# ## Learn
#
# Each step from $s$ to $s'$ moves one row of the table a little towards what the recursion says
# it should be: 1 at $s$ itself, and elsewhere the discounted row of the next state,
#
# $$\delta = \mathbf{1}_s + \gamma\,(1 - \mathbf{1}_s) \circ F(s', \cdot) - F(s, \cdot).$$
#
# `td_learn` runs along one walk, or along a stack of walks for a stack of tables. We note on the
# way how far the tables are from the truth, which `solve` knows.

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
# > after 10 walks: off by 0.0410 on average
# > after 100 walks: off by 0.0346 on average
# > after 500 walks: off by 0.0183 on average

figure, axes = plotting.figure()
ax = plotting.mean_curve(axes[0, 0], np.arange(500) + 1, np.array(errors).T)
plotting.label_axes(ax, "walks of each skill", "mean error of the FR")
plotting.save(figure, "learning_curve.svg")

# The line is the mean over the four skills, the band its standard error.
#
# ## Plan with what was learned
#
# The planner does not ask where FRs come from. `evaluate` tells what its plan brings in the true
# world, beside the best that any policy could do.

goal = world.state(1, 9)
for name, frs in (("learned", learned), ("exact", exact)):
    plan = fo.plan_to_goal(frs, goal)
    truth = fo.evaluate(plan, world.mdp, skills, discount=DISCOUNT)
    print(f"{name} FRs: the plan brings {truth.rechoosing[world.start]:.3f}")
print(f"the best policy brings {truth.optimal[world.start]:.3f}")
# > learned FRs: the plan brings 0.397
# > exact FRs: the plan brings 0.403
# > the best policy brings 0.404

# ## From a log
#
# A log is three columns: the state, the next state, and which policy was followed. Transitions
# need not join up, so ends of episodes need no marks. The columns may be memory-mapped files of
# any length (`numpy.load(..., mmap_mode="r")`). Each further pass over the same log brings the
# tables nearer to what it can teach.

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
# > 50000 transitions, twice: off by 0.0180 on average

# ## Choosing the step size
#
# A large step size learns fast and stays noisy; a small one is slow and ends nearer to the truth.
# In a world without chance a step size of 1 is right: every target is exact once the next row is.
# A row that is never visited stays as it began, reaching nothing but itself; so what is unknown
# looks unreachable to the planner, and it will not send you there.
