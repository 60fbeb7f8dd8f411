"""What is drawn onto mazes is in the right cells and points the right way."""

import jax.numpy as jnp
import numpy as np
import pytest
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.colors import LogNorm, to_rgba
from matplotlib.image import AxesImage
from matplotlib.patches import Circle
from matplotlib.quiver import Quiver

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.environments import EIGHT_MOVES
from first_occupancy.plotting import maze_figures, style

WORLDS = {
    "four": fo.maze(["S.#", "..G"]),
    "eight": fo.maze(["S..", ".#G", "..."], moves=EIGHT_MOVES),
    "unmarked": fo.maze([".."]),
    "arena": fo.escape_arena(9),
}


@pytest.fixture(params=WORLDS, name="world")
def world_fixture(request):
    return WORLDS[request.param]


@pytest.fixture(name="ax")
def ax_fixture():
    """An Axes whose figure is rendered after the test, where late warnings appear."""
    figure, grid = plotting.figure()
    yield grid[0, 0]
    figure.canvas.draw()


def of_type(ax, kind):
    return [artist for artist in ax.get_children() if isinstance(artist, kind)]


def texts(ax):
    return {text.get_text(): text.get_position() for text in ax.texts}


def test_a_world_has_one_square_for_each_cell_and_row_0_on_top(ax, world):
    assert plotting.draw_world(ax, world) is ax
    floor, walls = ax.collections
    assert len(floor.get_paths()) == world.num_states
    assert len(walls.get_paths()) == (~world.free).sum()
    rows, columns = world.free.shape
    assert ax.get_xlim() == (-0.5, columns - 0.5)
    assert ax.get_ylim() == (rows - 0.5, -0.5)


def test_squares_are_centred_on_their_cells(ax):
    world = WORLDS["four"]
    plotting.draw_world(ax, world)
    floor, walls = ax.collections
    centres = [path.vertices[:4].mean(axis=0)[::-1] for path in floor.get_paths()]
    np.testing.assert_allclose(centres, world.cells)
    np.testing.assert_allclose(walls.get_paths()[0].vertices[:4].mean(axis=0), (2, 0))


def test_start_and_goal_are_the_mazes_own_unless_given(ax):
    world = WORLDS["four"]
    plotting.mark_start_and_goals(plotting.draw_world(ax, world), world)
    assert texts(ax) == {"S": (0, 0), "G": (2, 1)}
    assert [disc.center for disc in of_type(ax, Circle)] == [(0, 0), (2, 1)]


def test_other_starts_and_goals_can_be_marked(ax):
    world = WORLDS["unmarked"]
    plotting.mark_start_and_goals(ax, world, start=1, goals=[0])
    assert texts(ax) == {"S": (1, 0), "G": (0, 0)}


def test_cells_are_numbered_in_order(ax):
    maze_figures.mark_cells(ax, WORLDS["four"], [4, 1])
    assert texts(ax) == {"1": (2, 1), "2": (1, 0)}


def test_a_heat_map_has_each_value_on_its_cell_and_none_on_walls(ax, world):
    values = jnp.arange(world.num_states) / 10
    plotting.heat_map(ax, world, values)
    (mesh,) = of_type(ax, QuadMesh)
    drawn = mesh.get_array().reshape(world.free.shape)
    np.testing.assert_array_equal(drawn.mask, ~world.free)
    np.testing.assert_allclose(drawn[world.free], values)
    assert len(ax.figure.axes) == 1


def test_a_label_adds_a_colour_bar(ax, world):
    plotting.heat_map(ax, world, np.linspace(0, 1, world.num_states), label="F(s, ·)")
    _, bar = ax.figure.axes
    assert bar.get_ylabel() == "F(s, ·)"


def test_numbers_are_readable_on_their_cells(ax):
    world = WORLDS["four"]
    plotting.heat_map(ax, world, np.array([0, 0.25, 0.5, np.nan, 1]), number_format="{:.2f}")
    assert texts(ax) == {"0.00": (0, 0), "0.25": (1, 0), "0.50": (0, 1), "1.00": (2, 1)}
    colours = {text.get_text(): text.get_color() for text in ax.texts}
    assert colours["0.00"] == "white"
    assert colours["1.00"] == plotting.style.INK


def test_logarithmic_heat_maps_leave_zeros_blank(ax):
    world = WORLDS["four"]
    plotting.heat_map(ax, world, np.array([1, 0.5, 0, 0.1, 0.01]), norm=LogNorm(), label="F")
    (mesh,) = of_type(ax, QuadMesh)
    assert mesh.to_rgba(np.array([0.0]))[0, 3] == 0


def test_a_heat_map_needs_one_value_for_each_state(ax):
    message = r"^heat_map: values must have shape \[S\] = \(5,\), got \(3,\)$"
    with pytest.raises(fo.InputError, match=message):
        plotting.heat_map(ax, WORLDS["four"], np.zeros(3))


@pytest.mark.parametrize("name", ["four", "eight"])
def test_arrows_point_along_their_moves_from_the_middle_of_their_cells(ax, name):
    world = WORLDS[name]
    actions = np.arange(world.num_states) % world.num_actions
    maze_figures.policy_arrows(plotting.draw_world(ax, world), world, actions)
    arrows = of_type(ax, Quiver)
    seen = {}
    for arrow in arrows:
        assert arrow.pivot == "middle"
        for x, y, right, down in zip(arrow.X, arrow.Y, arrow.U, arrow.V, strict=True):
            seen[world.state(int(y), int(x))] = (down, right)
    assert seen.keys() == set(range(world.num_states))
    for state, drawn in seen.items():
        step = np.array(world.moves[actions[state]][1])
        np.testing.assert_allclose(drawn, 0.62 * step / np.hypot(*step))


def test_arrows_can_be_coloured_by_move_and_left_out(ax):
    world = WORLDS["four"]
    actions = np.array([1, -1, -1, -1, 0])
    maze_figures.policy_arrows(ax, world, actions, colours=["red", "blue", "green", "black"])
    arrows = of_type(ax, Quiver)
    assert [len(arrow.X) for arrow in arrows] == [1, 1]
    drawn = [tuple(arrow.get_facecolor()[0]) for arrow in arrows]
    assert drawn == [to_rgba("red"), to_rgba("blue")]


@pytest.mark.parametrize("actions", [[0, 1, 2, 3, 4], [0, 1, 2, 3, -2], [0, 1]])
def test_arrows_need_a_move_of_the_maze_for_each_state(ax, actions):
    with pytest.raises(
        fo.InputError, match=r"^policy_arrows: actions must be 5 numbers in -1\.\.3"
    ):
        maze_figures.policy_arrows(ax, WORLDS["four"], np.array(actions))


def test_a_move_that_stays_is_a_dot(ax):
    world = fo.maze([".."], moves=(("right", (0, 1)), ("stay", (0, 0))))
    maze_figures.policy_arrows(ax, world, np.array([1, 0]))
    (dots,) = ax.lines
    np.testing.assert_array_equal(dots.get_xydata(), [[0, 0]])


def test_subgoals_are_written_as_row_and_column(ax):
    world = fo.maze(["..#.", "..##"])
    plan = fo.Plan(
        goal=jnp.array(4),
        policy=jnp.array([1, 2, -1, 0, -1]),
        subgoal=jnp.array([1, 4, -1, 4, 4]),
        log_promised=jnp.array([-2.0, -1.0, -jnp.inf, -1.0, 0.0]),
    )
    maze_figures.subgoals(plotting.draw_world(ax, world), world, plan)
    maze_figures.number_axes(ax, world)
    drawn = [(text.get_text(), text.get_position()) for text in ax.texts]
    assert drawn == [
        ("(0, 1)", (0, 0)),
        ("(1, 1)", (1, 0)),
        ("–", (3, 0)),
        ("(1, 1)", (0, 1)),
        ("G", (1, 1)),
    ]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0", "1"]


LARGE = fo.maze(["." * 60, "#" * 59 + ".", *["." * 60] * 58])


def test_a_large_maze_is_one_image_with_edges_while_cells_are_visible():
    figure, grid = plotting.figure(size=style.world_size(LARGE.free.shape))
    plotting.draw_world(grid[0, 0], LARGE)
    (walls,) = of_type(grid[0, 0], AxesImage)
    drawn = np.asarray(walls.get_array())
    np.testing.assert_array_equal(drawn[..., 3] > 0, ~LARGE.free)
    np.testing.assert_allclose(drawn[1, 0, :3], to_rgba(style.WALL)[:3])
    assert tuple(walls.get_extent()) == (-0.5, 59.5, 59.5, -0.5)
    assert [len(lines.get_segments()) for lines in of_type(grid[0, 0], LineCollection)] == [61, 61]
    figure.canvas.draw()


def test_a_large_heat_map_is_one_image(ax):
    values = np.linspace(0, 1, LARGE.num_states)
    plotting.heat_map(ax, LARGE, values)
    heat = of_type(ax, AxesImage)[-1].get_array()
    np.testing.assert_array_equal(heat.mask, ~LARGE.free)
    np.testing.assert_allclose(heat[LARGE.free], values)


def test_shaded_cells_are_those_chosen_but_no_walls(ax):
    world = WORLDS["four"].with_walls([(0, 1)])
    maze_figures.shade_cells(
        ax, world, np.array([True, True, False, False, False]), colour="#FF0000"
    )
    (image,) = of_type(ax, AxesImage)
    np.testing.assert_array_equal(np.asarray(image.get_array())[..., 3], [[1, 0, 0], [0, 0, 0]])


def test_arrows_of_a_large_maze_are_thinned_and_true(ax):
    world = fo.maze(["." * 200] * 200)
    actions = np.arange(world.num_states) % 4
    maze_figures.policy_arrows(plotting.draw_world(ax, world), world, actions)
    arrows = of_type(ax, Quiver)
    assert 100 < sum(len(arrow.X) for arrow in arrows) <= 1600
    for arrow in arrows:
        for x, y, right, down in zip(arrow.X, arrow.Y, arrow.U, arrow.V, strict=True):
            step = np.array(world.moves[actions[world.state(int(y), int(x))]][1])
            np.testing.assert_allclose(np.array([down, right]) / np.hypot(down, right), step)
            assert np.hypot(down, right) > 2


def test_marks_of_a_large_maze_keep_their_size(ax):
    world = fo.maze(["." * 400] * 400)
    maze_figures.mark_cells(plotting.draw_world(ax, world), world, [0])
    (disc,) = of_type(ax, Circle)
    assert disc.radius > 5
    assert not disc.get_clip_on()


def test_axes_of_a_large_maze_have_some_numbers(ax):
    maze_figures.number_axes(plotting.draw_world(ax, LARGE), LARGE)
    assert len(ax.get_xticks()) < 20


def test_one_way_cells_point_out_and_costly_ones_are_darker(ax):
    plotting.draw_world(ax, fo.maze(["S>3", "^.9"]))
    marks = {line.get_marker(): line.get_xydata().tolist() for line in ax.lines}
    assert marks == {">": [[1, 0]], "^": [[0, 1]]}
    (shade,) = of_type(ax, AxesImage)
    alpha = np.asarray(shade.get_array())[..., 3]
    assert alpha[0, 2] < alpha[1, 2]
    assert (alpha[:, :2] == 0).all()
