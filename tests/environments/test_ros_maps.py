"""Maps of ROS: unknown cells are walls, and states have places in metres."""

import numpy as np
import pytest
from PIL import Image

import first_occupancy as fo
from first_occupancy.environments.ros_maps import from_ros_map

# A room: walls 0, free 254, unknown 205.
PIXELS = np.array([[205, 0, 0, 0], [0, 254, 254, 0], [0, 254, 230, 205], [0, 0, 0, 0]], np.uint8)

USUAL = """# written by map_saver
image: map.pgm
resolution: 0.050000
origin: [-1.0, -2.0, 0.0]
negate: 0
occupied_thresh: 0.65
free_thresh: 0.196
"""


@pytest.fixture
def made(tmp_path):
    """Write a map and return the path of its YAML file."""

    def write(text=USUAL, pixels=PIXELS, name="map.pgm"):
        Image.fromarray(pixels).save(tmp_path / name)
        (tmp_path / "map.yaml").write_text(text)
        return tmp_path / "map.yaml"

    return write


def test_unknown_cells_are_walls(made):
    world = from_ros_map(made(), noise=0.1)
    assert world.drawing == "####\n#..#\n#..#\n####"
    assert world.noise == 0.1
    assert "cells of 0.05 m" in repr(world)


@pytest.mark.parametrize("yaw", [0.0, 0.5, -2.0])
def test_states_are_where_their_cells_are_in_metres(made, yaw):
    world = from_ros_map(made(USUAL.replace("-2.0, 0.0]", f"-2.0, {yaw}]")))
    for state in range(world.num_states):
        assert world.state_at(*world.position(state)) == state
    # Cell (1, 2) is two cells to the right of the lower left corner and two up.
    right, up = 2.5 * 0.05, 2.5 * 0.05
    x = -1 + np.cos(yaw) * right - np.sin(yaw) * up
    y = -2 + np.sin(yaw) * right + np.cos(yaw) * up
    assert world.position(world.state(1, 2)) == pytest.approx((x, y))
    assert from_ros_map(made(), start=(-0.92, -1.88)).start == world.state(1, 1)


def test_negated_scaled_and_transparent_maps(made):
    negated = from_ros_map(made(USUAL.replace("negate: 0", "negate: 1"), 255 - PIXELS))
    assert negated.drawing == from_ros_map(made()).drawing
    scaled = from_ros_map(made(USUAL + "mode: scale\n"), costs=4.0)
    assert scaled.drawing == "2###\n#..#\n#..2\n####"
    most = 0.65 * 255
    np.testing.assert_allclose(scaled.entry_times[[0, 4]], [1 + 3 * 50 / most, 1 + 3 * 25 / most])
    pixels = np.zeros((1, 2, 4), np.uint8) + 255
    pixels[0, 1, 3] = 0
    text = USUAL.replace("map.pgm", "map.png")
    assert from_ros_map(made(text, pixels, "map.png")).drawing == ".#"


def test_walls_can_be_added_and_the_map_stays_one(made):
    world = from_ros_map(made())
    closed = world.with_walls([(1, 1)])
    assert closed.resolution == 0.05
    plan = fo.plan(world, world.state_at(-0.92, -1.93), discount=0.9)
    assert plan.expected_discount[world.state(1, 2)] == pytest.approx(0.9**2)


def test_block_lists_quotes_and_comments_are_read(made):
    text = """---
image: "map.pgm"   # beside this file
resolution: 5e-2
origin:
- -1.0
- -2.0
- 0
free_thresh: 0.25
occupied_thresh: 0.65
negate: false
mode: trinary
"""
    world = from_ros_map(made(text))
    assert (world.resolution, world.origin) == (0.05, (-1.0, -2.0, 0.0))
    assert world.num_states == from_ros_map(made()).num_states + 2  # 205 is free at 0.25


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("resolution: 0.050000\n", "", "must say its resolution, but does not"),
        ("negate", "negated", "must have the keys image, resolution, origin, negate, occupied_"),
        ("0.050000", "0", "resolution of {} must be metres per pixel, above 0, got 0.0"),
        ("0.65", "high", "occupied_thresh of {} must be a number, got 'high'"),
        ("[-1.0, -2.0, 0.0]", "[1, 2]", r"origin of {} must be [x, y, yaw], got [1.0, 2.0]"),
        ("negate: 0", "mode: raw", "mode of {} must be trinary or scale, got 'raw'"),
        ("negate: 0", "  negate: 0", "must hold lines `key: value`, got '  negate: 0' in line 5"),
    ],
)
def test_mistakes_are_named(made, error_of, old, new, said):
    path = made(USUAL.replace(old, new))
    text = error_of(lambda: from_ros_map(path))
    assert said.replace("{}", str(path)) in text
    assert text.startswith("from_ros_map: ")


def test_places_outside_are_refused(made, error_of):
    world = from_ros_map(made())
    assert error_of(lambda: world.state_at(-1.0, -2.0)) == (
        "state_at: (-1, -2) must be in a free cell, but is a wall"
    )
    assert error_of(lambda: world.state_at(5.0, 5.0)) == (
        "state_at: (5, 5) must be in a free cell, but is outside the map"
    )
