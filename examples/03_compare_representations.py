"""FR, SR and λ: three ways to count.

All three tell what a policy will come by. They differ in what a *second* visit is worth:
nothing for the first-occupancy representation (FR), as much as the first for the successor
representation (SR), and λ times the one before for the λ-representation, which has the other
two as its ends.
"""

import jax.numpy as jnp
import numpy as np

import first_occupancy as fo
from first_occupancy import plotting

# ## One policy, three pictures
#
# An agent in FourRooms that drifts to the right, and often bumps into walls there. Every map
# shows one row: what there is to come by from the start at the bottom left.

world = fo.four_rooms()
drift = jnp.tile(jnp.array([0.1, 0.7, 0.1, 0.1]), (world.num_states, 1))
chain = fo.chain(world.mdp, drift)
start, wall = world.start, world.state(9, 4)
rows = {
    "FR: first visits": fo.first_occupancy.solve(chain, discount=0.95)[start],
    "λ = .5: each worth half": fo.LambdaRepresentation(0.5).solve(chain, discount=0.95)[start],
    "SR: all visits": fo.successor.solve(chain, discount=0.95)[start],
}
figure, axes = plotting.figure(1, 3, size=(6.8, 2.2))
for ax, (title, row) in zip(axes[0], rows.items(), strict=True):
    plotting.heat_map(ax, world, row, label="")
    plotting.label_axes(ax, title=title)
    print(f"{title}: start {row[start]:.2f}, by the wall {row[wall]:.2f}, in all {row.sum():.2f}")
plotting.save(figure, "three_maps.svg")
# > FR: first visits: start 1.00, by the wall 0.60, in all 7.69
# > λ = .5: each worth half: start 1.17, by the wall 1.04, in all 9.99
# > SR: all visits: start 1.40, by the wall 4.03, in all 20.00

# The cell by the wall is reached three steps later than the start, so the FR gives it less. The
# agent bumps about there for a while, so the SR gives it most.
#
# The rows of the SR all sum to $1 / (1 - \gamma) = 20$: it shares a fixed amount of time out
# among the states. The FR's rows do not; they grow with the number of states reached, and with
# how soon.
#
# ## Two policies, and what they are worth
#
# A goal in a small room. One policy is quick to get there and leaves again for good. Another
# takes the long way, and then circles about the goal.

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
worth = np.stack(
    [fo.LambdaRepresentation(d).solve(chains, discount=0.9)[:, start, goal] for d in decays], axis=1
)
print(f"FR (λ = 0): slow {worth[0, 0]:.3f}, quick {worth[1, 0]:.3f}")
print(f"SR (λ = 1): slow {worth[0, -1]:.3f}, quick {worth[1, -1]:.3f}")
print(f"the slow one is worth more from λ = {decays[(worth[0] > worth[1]).argmax()]:.2f} on")
# > FR (λ = 0): slow 0.430, quick 0.656
# > SR (λ = 1): slow 2.266, quick 0.656
# > the slow one is worth more from λ = 0.45 on

figure, axes = plotting.figure()
for name, row, colour in zip(("slow", "quick"), worth, ("#D55E00", "#009E73"), strict=True):
    axes[0, 0].plot(decays, row, label=f"{name} policy", color=colour)
plotting.label_axes(axes[0, 0], "λ: worth of a visit after the one before", "worth of the goal")
axes[0, 0].legend(fontsize=8, frameon=False)
plotting.save(figure, "worth_by_decay.svg")

# Neither answer is wrong; they answer different questions. If the goal is a shelter, an exit or
# food that is eaten once, the quick policy is right, and the FR says so. If it pays whenever one
# is there, the slow policy is right, and the SR says so. A bush on which berries grow back lies
# between.
#
# ## One solve gives all three
#
# Every visit to $g$ follows the first one, and after each the future looks the same. So with $M =
# (I - \gamma P)^{-1}$
#
# $$F(s, g) = \frac{M(s, g)}{M(g, g)}, \qquad
#   \Lambda(s, g) = \frac{M(s, g)}{(1 - \lambda)\, M(g, g) + \lambda}.$$

sr = fo.successor.solve(chain, discount=0.95)
by_division = fo.first_occupancy.from_visits(sr)
solved = fo.first_occupancy.solve(chain, discount=0.95)
print(f"largest difference {jnp.abs(by_division - solved).max():.0e}")
# > largest difference 0e+00

# ## Only the FR makes plans
#
# Two legs of a plan are worth the *product* of their FRs, since $\gamma^{T_1 + T_2} =
# \gamma^{T_1} \gamma^{T_2}$. Products of SRs mean nothing: `plan_to_goal` refuses entries above
# 1.

try:
    fo.plan_to_goal(fo.successor.solve(chains, discount=0.9), goal)
except fo.InputError as error:
    print(error)
# > plan_to_goal: frs must hold expected discounts in [0, 1], got 0 to 10

# ## Which one do I want?
#
# | you want | use |
# | --- | --- |
# | to reach something soon, once; to plan with skills | FR, `first_occupancy` |
# | the worth of rewards that are consumed | FR and `value` |
# | the worth of rewards that keep paying | SR, `successor` |
# | rewards that shrink with each visit and may recover | `LambdaRepresentation` |
# | any of these per action, for policy improvement | `.state_action` of each |
# | the same with continuous states | `FirstOccupancy` or `Successor` features |
