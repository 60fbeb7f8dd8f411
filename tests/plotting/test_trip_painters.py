"""Pictures of tours and of trips to rewards."""

import numpy as np
import pytest
from matplotlib.text import Text

import first_occupancy as fo
from first_occupancy import plotting

DRAWING = ["S....", ".#.#.", "..#.."]
REWARDS = {(0, 4): 1.0, (2, 0): 0.8}


def texts(figure):
    return [each.get_text() for each in figure.findobj(Text) if each.get_text()]


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_trip_shows_the_way_and_when_each_reward_is_taken(noise):
    world = fo.maze(DRAWING, noise=noise)
    figure = fo.plot(fo.collect(world, REWARDS, discount=0.9, last=(0, 0)))
    seen = texts(figure)
    assert "1: 0.8 at (2, 0)" in seen
    assert "2: 1 at (0, 4)" in seen
    assert not any(text.startswith("3:") for text in seen)  # the way home is no reward
    assert len(figure.axes) == 2
    assert any("the order promises" in text for text in seen) == (noise > 0)


def test_a_trip_is_drawn_on_axes_that_are_given():
    figure, grid = plotting.figure(1, 2)
    world = fo.maze(["S.#.", "..#."])
    trip = fo.collect(world, {(0, 3): 5.0, (1, 1): 1.0, (0, 0): 1.0}, discount=0.9)
    assert fo.plot(trip, grid[0, 0]) is figure
    crossed = [line for line in grid[0, 0].lines if line.get_marker() == "x"]
    assert [line.get_xydata().tolist() for line in crossed] == [[[3, 0]]]


def test_outside_mazes_there_are_only_the_sums():
    chain = fo.SparseMDP([np.eye(4)[[1, 2, 3, 3]]], state_names=["a", "b", "c", "d"])
    figure = fo.plot(fo.collect(chain, {"b": 1.0, "d": 2.0}, start="a", discount=0.5))
    (ax,) = figure.axes
    assert ax.get_title() == "expected return 0.75"
    assert "2: 2 at 'd'" in texts(figure)
    assert fo.plot(fo.collect(chain, {"a": 1.0}, start="b", discount=0.5)).axes


def test_a_tour_is_drawn_as_its_ways():
    world = fo.maze(["S..G", ".#..", "G..."])
    tour = fo.tour(world, world.goals, discount=0.9)
    assert "1: to (2, 0)" in texts(fo.plot(tour))
    figure, grid = plotting.figure()
    assert fo.plot(tour, grid[0, 0]) is figure
    chain = fo.SparseMDP([np.eye(2)[[1, 0]]])
    with pytest.raises(fo.InputError, match="a tour must be in a maze"):
        fo.plot(fo.tour(chain, [1], start=0, discount=0.9))
