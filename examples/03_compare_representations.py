# %% [markdown]
# # FR, SR and λ: three ways to count
#
# All three representations predict which states a policy will visit. They differ in what a *second*
# visit counts: nothing in the first-occupancy representation (FR), as much as the first in the
# successor representation (SR), and λ times the visit before in the λ-representation. FR and SR are
# its special cases λ = 0 and λ = 1.

# %%
import jax.numpy as jnp
import numpy as np

import first_occupancy as fo
from first_occupancy import environments, planning, plotting

# %% [markdown]
# ## One policy, three pictures
#
# An agent in FourRooms drifts to the right and often bumps into walls. Each map shows one row of a
# representation: the predictions from the start at the bottom left.

# %%
world = fo.four_rooms()
drift = jnp.tile(jnp.array([0.1, 0.7, 0.1, 0.1]), (world.num_states, 1))
chain = fo.chain(world.mdp, drift)
start, wall = world.start, world.state(9, 4)
rows = {
    "FR: first visits": fo.first_occupancy.solve(chain, discount=0.95)[start],
    "λ = .5: each counts half": fo.LambdaRepresentation(0.5).solve(chain, discount=0.95)[start],
    "SR: all visits": fo.successor.solve(chain, discount=0.95)[start],
}
figure, axes = plotting.figure(1, 3, size=(6.8, 2.2))
for ax, (title, row) in zip(axes[0], rows.items(), strict=True):
    plotting.heat_map(ax, world, row, label="")
    plotting.label_axes(ax, title=title)
    print(f"{title}: start {row[start]:.2f}, by the wall {row[wall]:.2f}, in all {row.sum():.2f}")
plotting.save(figure, "three_maps.svg")
figure

# %% [markdown]
# The cell by the wall is three steps from the start, so the FR gives it less than the start. The
# agent keeps bumping into the wall there, so the SR gives it most.
#
# Every row of the SR sums to $1 / (1 - \gamma) = 20$: it divides a fixed amount of discounted time
# among the states. Rows of the FR have no fixed sum. The more states are reached, and the sooner,
# the larger it is.
#
# ## Two policies and their values
#
# Take a goal in a small room. One policy gets there quickly, then leaves for good. The other takes
# a long way, then keeps returning to the goal.

# %%
room = fo.small_room()
slow_but_returning = environments.drawn_policy(
    room,
    """
    ######
    #>>>v#
    #^^><#
    #^^^^#
    #^^^^#
    ######
    """,
)
quick_but_once = environments.drawn_policy(
    room,
    """
    ######
    #^^^^#
    #>>^<#
    #>>^<#
    #>>^<#
    ######
    """,
)
policies = jnp.stack([slow_but_returning, quick_but_once])
chains = fo.chain(room.mdp, policies)
start, goal = room.start, room.goals[0]
decays = np.linspace(0, 1, 21)
values = np.stack(
    [fo.LambdaRepresentation(d).solve(chains, discount=0.9)[:, start, goal] for d in decays], axis=1
)
print(f"FR (λ = 0): slow {values[0, 0]:.3f}, quick {values[1, 0]:.3f}")
print(f"SR (λ = 1): slow {values[0, -1]:.3f}, quick {values[1, -1]:.3f}")
print(f"the slow policy is better from λ = {decays[(values[0] > values[1]).argmax()]:.2f} on")

# %%
figure, axes = plotting.figure()
for name, row, colour in zip(("slow", "quick"), values, ("#D55E00", "#009E73"), strict=True):
    axes[0, 0].plot(decays, row, label=f"{name} policy", color=colour)
plotting.label_axes(
    axes[0, 0], "λ: weight of a visit, relative to the one before", "value of the goal"
)
axes[0, 0].legend(fontsize=8, frameon=False)
plotting.save(figure, "value_by_decay.svg")
figure

# %% [markdown]
# Both answers are right, but to different questions. If the goal is a shelter, an exit or food that
# is eaten once, the quick policy is better, as the FR says. If the goal pays at every visit, the
# slow policy is better, as the SR says. A bush whose berries grow back lies in between.
#
# ## One solve gives all three
#
# Every visit to $g$ comes after the first one, and from each visit on the future is distributed
# alike. So with $M = (I - \gamma P)^{-1}$
#
# $$F(s, g) = \frac{M(s, g)}{M(g, g)}, \qquad
#   \Lambda(s, g) = \frac{M(s, g)}{(1 - \lambda)\, M(g, g) + \lambda}.$$

# %%
sr = fo.successor.solve(chain, discount=0.95)
by_division = fo.first_occupancy.from_visits(sr)
solved = fo.first_occupancy.solve(chain, discount=0.95)
print(f"largest difference {jnp.abs(by_division - solved).max():.0e}")

# %% [markdown]
# ## Plans need the FR, or an SR divided by its diagonal
#
# The value of two legs in sequence is the *product* of their FRs, since $\gamma^{T_1 + T_2} =
# \gamma^{T_1} \gamma^{T_2}$. Products of SRs have no such meaning, so `plan_to_goal` rejects
# entries above 1.

# %%
try:
    planning.plan_to_goal(fo.successor.solve(chains, discount=0.9), goal)
except fo.InputError as error:
    print(error)

# %% [markdown]
# Divided by its diagonal, an SR is an FR, also one that was learned by temporal differences (TD).
# Here four agents, who always go up, right, down or left, learn in FourRooms. An episode is a walk
# of 75 steps from a random cell. How many pairs of start and goal do the plans join by a shortest
# walk, on average over five repetitions?

# %%
size, moves = world.num_states, np.asarray(world.next_states)
cells, four = np.arange(size), np.arange(4)[:, None]


def steps_of(frs):
    """Return the number of steps [S G] of the plans to all goals."""
    policy = np.asarray(planning.plan_to_every_goal(frs).policy).T
    places, steps = np.tile(cells[:, None], size), np.full((size, size), np.inf)
    for step in range(size):
        steps = np.where((places == cells) & np.isinf(steps), step, steps)
        places = moves[policy[places, cells], places]
    return steps


def shares_of(representation, first, seed):
    """Return the share of shortest walks after some episodes of TD, and after more."""
    starts, table, shares = np.random.default_rng(seed).integers(size, size=(4, 300)), first, []
    for before, after in ((0, 50), (50, 300)):
        walks = [starts[:, before:after]]
        for _ in range(75):
            walks.append(moves[four, walks[-1]])
        states, following = (np.stack(part, axis=-1).ravel() for part in (walks[:-1], walks[1:]))
        actors = np.repeat(np.arange(4), len(states) // 4)
        table = representation.td_learn_log(
            table, states, following, actors, discount=0.95, step_size=0.05
        )
        diagonal = jnp.diagonal(table, axis1=1, axis2=2)[:, None, :]
        frs = jnp.where(diagonal > 0, table / diagonal, 0)  # an FR's diagonal is 1
        shares.append((steps_of(frs) == shortest).mean())
    return shares


shortest = steps_of(fo.first_occupancy.solve(jnp.eye(size)[moves], discount=0.95))
ones = jnp.tile(jnp.eye(size), (4, 1, 1))
for name, representation, first in (
    ("FR", fo.first_occupancy, ones),
    ("SR / diagonal, which starts at 1", fo.successor, ones),
    ("SR / diagonal, which starts at 0", fo.successor, 0 * ones),
):
    early, late = np.mean([shares_of(representation, first, seed) for seed in range(5)], axis=0)
    print(f"{name}: {early:.0%} after 50 episodes, {late:.0%} after 300")

# %% [markdown]
# So an SR is no obstacle to planning. What differs is how soon a table is good enough, and that
# depends on where it starts.

# %% [markdown]
# ## Which one do I want?
#
# | you want | use |
# | --- | --- |
# | to reach something soon, once; to plan with skills | FR, `first_occupancy` |
# | the value of rewards that are consumed | FR and `value` |
# | the value of rewards that keep paying | SR, `successor` |
# | rewards that shrink with each visit and may recover | `LambdaRepresentation` |
# | any of these per action, for policy improvement | `.state_action` of each |
# | the same with continuous states | `FirstOccupancy` or `Successor` features |
