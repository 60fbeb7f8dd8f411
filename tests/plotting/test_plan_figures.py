"""Plan and tour figures show the way that is taken."""

import jax.numpy as jnp
import numpy as np
import pytest
from matplotlib.quiver import Quiver

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.planning.legs import follow
from first_occupancy.plotting import style


def plan_in(world, goal):
    return fo.plan(world, goal, discount=0.95)


def legend_of(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def arrows_in(ax):
    return sum(len(artist.X) for artist in ax.get_children() if isinstance(artist, Quiver))


@pytest.mark.parametrize("world", [fo.small_room(), fo.escape_arena(9)], ids=["four", "eight"])
def test_a_plan_has_a_line_for_each_leg_and_arrows_elsewhere(world):
    plan = plan_in(world, world.goals[0])
    figure = fo.plot(plan, world=world, start=world.start)
    figure.canvas.draw()
    (ax,) = figure.axes
    legs = plan.legs(world.start)
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


def test_legs_of_unknown_policies_are_numbered():
    world = fo.maze(["...", "..."])
    plan = fo.Plan(
        goal=jnp.array(5),
        policy=jnp.array([9, 9, 7, 9, 9, -1]),
        subgoal=jnp.array([2, 2, 5, 2, 2, 5]),
        log_promised=jnp.array([-2.0, -2.0, -1.0, -2.0, -2.0, 0.0]),
    )
    figure = fo.plot(plan, world=world, start=0)
    figure.canvas.draw()
    assert legend_of(figure) == ["1: policy 9 to (0, 2)", "2: policy 7 to (1, 2)"]
    assert arrows_in(figure.axes[0]) == 0


def test_a_picture_of_a_huge_maze_fits_a_screen():
    assert style.world_size((2000, 1000)) == (4, 8)
    assert style.world_size((10, 10)) == pytest.approx((style.COLUMN, style.COLUMN))


def test_a_plan_from_the_goal_is_just_the_world():
    world = fo.small_room()
    figure = fo.plot(plan_in(world, 3), world=world, start=3)
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


def serpentine(size):
    """Return a maze of corridors, from one end to the other: as many turns as there can be."""
    rows = ["." * size if row % 2 == 0 else "#" * size for row in range(size)]
    for row in range(1, size, 2):
        gap = size - 1 if row % 4 == 1 else 0
        rows[row] = rows[row][:gap] + "." + rows[row][gap + 1 :]
    rows[0] = "S" + rows[0][1:]
    return fo.maze(rows)


@pytest.mark.parametrize("kind", ["open", "serpentine"])
def test_a_plan_of_90000_cells_is_a_small_readable_picture(tmp_path, kind):
    open_rows = ["S" + "." * 299, *["." * 300] * 299]
    world = fo.maze(open_rows) if kind == "open" else serpentine(300)
    plan = fo.plan(world, world.num_states - 1, discount=0.999)
    figure = fo.plot(plan, world=world, start=world.start)
    for suffix in (".png", ".svg"):
        path = plotting.save(figure, tmp_path / f"plan{suffix}")
        assert 10_000 < path.stat().st_size < 2_000_000
    assert max(figure.get_size_inches()) * 200 <= 2_000
    (ax,) = figure.axes
    # The way through all corridors leaves no cell for an arrow.
    assert 100 < arrows_in(ax) <= 1600 if kind == "open" else arrows_in(ax) == 0
    coloured = [line for line in ax.lines if line.get_color() != "white"]
    assert all(line.get_linewidth() >= 1.5 for line in coloured)
    drawn = {tuple(cell) for line in coloured for cell in line.get_xydata() if cell[0] == cell[0]}
    paths = follow(plan.legs(world.start), world.start, world.next_states)
    walked = {tuple(world.cells[state][::-1]) for path in paths for state in path}
    assert drawn == walked
    assert [text.get_text() for text in ax.texts][-2:] == ["S", "G"]


def test_many_legs_of_a_large_maze_are_counted_instead_of_listed():
    world = serpentine(100)
    plan = fo.plan(world, world.num_states - 1, discount=0.999)
    figure = fo.plot(plan, world=world, start=world.start)
    legs = plan.legs(world.start)
    assert figure.axes[0].get_title().startswith(f"{len(legs)} legs, ")
    assert not figure.legends
    colours = {line.get_color() for line in figure.axes[0].lines}
    assert colours == {*style.POLICIES, "white"}


def test_long_legends_are_cut():
    world = serpentine(40)
    plan = fo.plan(world, world.num_states - 1, discount=0.999)
    figure = fo.plot(plan, world=world, start=world.start)
    figure.canvas.draw()
    count = len(plan.legs(world.start))
    listed = legend_of(figure)
    assert listed[-1] == f"and {count - 29} more legs"
    assert len(listed) == 30


def test_cells_that_do_not_reach_the_goal_are_shaded():
    world = fo.maze(["S.G", "###", "..."])
    figure = fo.plot(fo.plan(world, 2, discount=0.9), world=world, start=world.start)
    (shade,) = [each for each in figure.axes[0].images if each.get_zorder() == 0.7]
    np.testing.assert_array_equal(np.asarray(shade.get_array())[2, :, 3], [1, 1, 1])
    assert np.asarray(shade.get_array())[..., 3].sum() == 3


def test_legs_that_only_chance_completes_are_dashed_jumps():
    world = fo.maze(["...", "..."])
    ax = plotting.figure()[1][0, 0]
    plotting.plan_figures.draw_legs(ax, world, [[0, 1, 2, 3]])
    styles = [line.get_linestyle() for line in ax.lines if len(line.get_xdata()) > 1]
    assert styles == ["-", "--"]
