"""Environments look like what they are."""

import numpy as np
import pytest

from gym_worlds import made

pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


def test_mazes_look_like_their_drawings():
    environment = made("Maze", render_mode="ansi")
    environment.reset()
    assert environment.render() == "@.#\n..G"
    environment.step(2)
    assert environment.render() == "..#\n@.G"
    environment = made("Maze", render_mode="rgb_array")
    environment.reset()
    cells = environment.render()[::24, ::24]
    dark = cells.sum(axis=-1) < 300
    np.testing.assert_array_equal(dark, [[False, False, True], [False, False, False]])


def test_rows_and_hills_are_drawn():
    river = made("RiverSwim", render_mode="ansi")
    river.reset(options={"state": 4})
    assert river.render() == " 0  1  2  3 [4] 5 "
    car = made("MountainCar", render_mode="ansi", goal=0.6)
    car.reset(seed=0)
    assert car.render().index("@") in range(20, 28)
    assert car.render()[-1] == "|"
    picture = made("MountainCar", render_mode="rgb_array", goal=0.5)
    picture.reset(seed=0)
    assert picture.render().shape == (240, 360, 3)
