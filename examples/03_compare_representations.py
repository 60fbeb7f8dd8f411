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
from first_occupancy import plotting

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
slow_but_returning = fo.drawn_policy(
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
quick_but_once = fo.drawn_policy(
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
# ## Only the FR makes plans
#
# The value of two legs in sequence is the *product* of their FRs, since $\gamma^{T_1 + T_2} =
# \gamma^{T_1} \gamma^{T_2}$. Products of SRs have no such meaning, so `plan_to_goal` rejects
# entries above 1.

# %%
try:
    fo.plan_to_goal(fo.successor.solve(chains, discount=0.9), goal)
except fo.InputError as error:
    print(error)

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
