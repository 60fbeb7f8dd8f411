"""Pixels become metres by scale, origin, flip and rotation, or by the arena's four corners."""

import numpy as np
import pytest

from first_occupancy.behaviour.calibration import by_corners, in_metres

PLACES = np.random.default_rng(0).uniform([0, 0], [2, 1], (50, 2))
CORNERS = np.array([[0, 0], [2, 0], [2, 1], [0, 1]])


@pytest.mark.parametrize("angle", [0, 30, 90, -135])
@pytest.mark.parametrize("flipped", [False, True])
def test_the_way_to_the_video_is_undone(angle, flipped):
    turn = np.deg2rad(-angle)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])

    def video(places):
        return (places @ rotation.T) * ([1, -1] if flipped else [1, 1]) * 500 + [40, 540]

    found = in_metres(
        video(PLACES), scale=1 / 500, origin=(40, 540), rotation=angle, flip_y=flipped
    )
    np.testing.assert_allclose(found, PLACES, atol=1e-12)
    found = by_corners(video(PLACES), video(CORNERS).tolist(), (2.0, 1.0))
    np.testing.assert_allclose(found, PLACES, atol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_four_corners_undo_a_camera_that_looks_from_the_side(offset):
    camera = np.array([[300.0, 40, 20], [15, 250, 60], [0.1, 0.35, 1]])

    def video(places):
        seen = np.column_stack([places, np.ones(len(places))]) @ camera.T
        return seen[:, :2] / seen[:, 2:] + offset

    found = by_corners(video(PLACES), [tuple(each) for each in video(CORNERS)], (2.0, 1.0))
    np.testing.assert_allclose(found, PLACES, atol=1e-9 if offset == 0 else 1e-6)


def test_mistakes_are_named(error_of):
    square = [(0, 0), (1, 0), (1, 1), (0, 1)]
    assert error_of(lambda: by_corners(PLACES, [(0, 0), (1, 1), (2, 2), (0, 3)], (1, 1))) == (
        "read_tracking: corners must not lie on one line, but corners 0, 1 and 2 do"
    )
    assert "must go round the rectangle" in error_of(
        lambda: by_corners(PLACES, [square[n] for n in (0, 2, 1, 3)], (1, 1))
    )
    assert error_of(lambda: by_corners(PLACES, square[:3], (1, 1))) == (
        "read_tracking: corners must be four pixels (x, y), with size=(width, height) of the "
        "rectangle in metres, got shape [3, 2] and (1, 1)"
    )
