"""Plan and tour figures show the way that is taken."""

import jax.numpy as jnp
import numpy as np
import pytest
from matplotlib.quiver import Quiver

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.planning.plans import follow
from first_occupancy.plotting import style


def plan_in(world, goal):
    chains = fo.chain(world.mdp, fo.constant_policies(world.mdp))
    return fo.plan_to_goal(fo.first_occupancy.solve(chains, discount=0.95), goal)


def legend_of(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def arrows_in(ax):
    return sum(len(artist.X) for artist in ax.get_children() if isinstance(artist, Quiver))


@pytest.mark.parametrize("world", [fo.small_room(), fo.escape_arena(9)], ids=["four", "eight"])
def test_a_plan_has_a_line_for_each_leg_and_arrows_elsewhere(world):
    plan = plan_in(world, world.goals[0])
    figure = plotting.plan_figure(world, plan, world.start)
    figure.canvas.draw()
    (ax,) = figure.axes
    legs = fo.unroll(plan, world.start)
    paths = follow(legs, world.start, world.next_states)
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    for line, path in zip(lines, paths, strict=True):
        np.testing.assert_allclose(line.get_xydata()[:, ::-1], world.cells[path])
    on_the_way = {state for path in paths for state in path}
    assert arrows_in(ax) == world.num_states - len(on_the_way)
    marks = [text.get_text() for text in ax.texts]
    assert marks == [*map(str, range(1, len(paths))), "S", "G"]
    assert legend_of(figure) == [
        f"{n}: {world.action_names[leg.policy]} to {world.cell(leg.subgoal)}"
        for n, leg in enumerate(legs, start=1)
    ]


def test_given_paths_need_no_policies_of_the_maze():
    world = fo.maze(["...", "..."])
    plan = fo.Plan(
        goal=jnp.array(5),
        policy=jnp.array([9, 9, 7, 9, 9, -1]),
        subgoal=jnp.array([2, 2, 5, 2, 2, 5]),
        log_discount=jnp.array([-2.0, -2.0, -1.0, -2.0, -2.0, 0.0]),
    )
    figure = plotting.plan_figure(world, plan, 0, paths=[[0, 3, 0, 1, 2], [2, 5]])
    figure.canvas.draw()
    assert legend_of(figure) == ["1: policy 9 to (0, 2)", "2: policy 7 to (1, 2)"]
    assert arrows_in(figure.axes[0]) == 0
    with pytest.raises(fo.InputError, match=r"one path for each of the 2 legs, got 1"):
        plotting.plan_figure(world, plan, 0, paths=[[0]])


def test_a_picture_of_a_huge_maze_is_no_larger_than_a_poster():
    assert style.world_size((2000, 1000)) == (20, 40)
    assert style.world_size((10, 10)) == pytest.approx((style.COLUMN, style.COLUMN))


def test_a_plan_from_the_goal_is_just_the_world():
    world = fo.small_room()
    figure = plotting.plan_figure(world, plan_in(world, 3), 3)
    figure.canvas.draw()
    assert not figure.axes[0].lines
    assert not figure.legends


def test_a_tour_numbers_its_goals_in_order():
    world = fo.maze(["...", "..."])
    figure = plotting.tour_figure(world, [[0, 1, 2], [2, 1, 4]], [2, 4])
    figure.canvas.draw()
    (ax,) = figure.axes
    assert {text.get_text(): text.get_position() for text in ax.texts} == {
        "1": (2, 0),
        "2": (1, 1),
        "S": (0, 0),
    }
    assert legend_of(figure) == ["1: to (0, 2)", "2: to (1, 1)"]
    with pytest.raises(fo.InputError, match="got 1 paths and 2 goals"):
        plotting.tour_figure(world, [[0]], [0, 1])
