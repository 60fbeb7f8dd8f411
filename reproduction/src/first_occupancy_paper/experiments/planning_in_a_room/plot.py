"""The figures: the policies and both plans, the planner's output, and FR compared with SR."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

from first_occupancy.environments import small_room
from first_occupancy.planning.plans import Plan
from first_occupancy.plotting import style
from first_occupancy.plotting.maze_figures import (
    draw_world,
    mark_start_and_goals,
    number_axes,
    policy_arrows,
    subgoals,
)
from first_occupancy.plotting.maze_walks import trajectory

from .. import Row, where
from ..shorter_paths.plot import occupancy_maps


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name."""
    policies, planners = where(rows, "policy"), where(rows, "planner")
    return {
        "plans": _plans(policies, planners),
        "output": _output(policies, planners[-1]),
        "occupancies": occupancy_maps(policies, {"SR": "M", "FR": "F"}, size=(style.PAGE, 4.0)),
    }


def _plans(policies: Sequence[Row], planners: Sequence[Row]) -> Figure:
    world = small_room()
    figure, axes = style.figure(1, 5, size=(style.PAGE, 1.7))
    for ax, row in zip(axes[0], policies, strict=False):
        draw_world(ax, world)
        policy_arrows(ax, world, np.array(row["actions"]))
        mark_start_and_goals(ax, world)
        ax.set_title(rf"$\{row['policy']}$", fontsize=style.TITLE)
    for ax, row in zip(axes[0, 3:], planners, strict=True):
        draw_world(ax, world)
        steps = len(row["walk"]) - 1
        here = row["walk"][0]
        for policy, subgoal in row["legs"]:
            begin, end = row["walk"].index(here), row["walk"].index(subgoal)
            trajectory(ax, world, row["walk"][begin : end + 1], colour=style.colour(policy))
            here = subgoal
        mark_start_and_goals(ax, world)
        ax.set_title(f"{row['planner']}: {steps} steps", fontsize=style.TITLE)
    return figure


def _output(policies: Sequence[Row], frp: Row) -> Figure:
    """Return the planning policies and the subgoals of every state, as FRP gives them."""
    world = small_room()
    figure, axes = style.figure(1, 2, size=(style.PAGE * 0.75, 2.7))
    draw_world(axes[0, 0], world)
    chosen = np.asarray(frp["policy_field"])
    for number, row in enumerate(policies):
        followed = np.where(chosen == number, row["actions"], -1)
        colours = [style.colour(number)] * world.num_actions
        policy_arrows(axes[0, 0], world, followed, colours=colours)
    mark_start_and_goals(axes[0, 0], world)
    axes[0, 0].set_title(r"planning policies $\pi^F(s)$", fontsize=style.TITLE)
    policy, subgoal, log_discount = (
        jnp.asarray(frp[f"{name}_field"]) for name in ("policy", "subgoal", "log_discount")
    )
    plan = Plan(jnp.asarray(world.goals[0]), policy, subgoal, log_discount)
    subgoals(draw_world(axes[0, 1], world), world, plan)
    axes[0, 1].set_title(r"subgoals $s^F(s)$, (row, column)", fontsize=style.TITLE)
    for ax in axes[0]:
        number_axes(ax, world)
    return figure
