"""Pictures of the arm, on machines that can draw without a screen."""

import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy_paper.arm.world import Camera, JacoBatch

pytest.importorskip("mujoco.batch", reason="the extra 'robotics' is not installed")


@pytest.fixture(scope="module")
def positions():
    batch = JacoBatch("reach_bottom_left", seeds=[1])
    batch.reset()
    here = batch.positions[0]
    away = here.copy()
    away[10] += 0.18  # the brick, from the front of the table to its back
    return np.stack([here, away])


@pytest.fixture(scope="module")
def camera():
    try:
        camera = Camera(width=64, height=48)
    except InputError as error:
        pytest.skip(str(error))
    yield camera
    camera.close()


def redness(picture):
    """Where the brick is: it alone is red."""
    red, green, blue = np.moveaxis(picture.astype(float), -1, 0)
    return (red > 2 * green) & (red > 2 * blue)


def test_the_brick_is_seen_where_it_lies(camera, positions):
    near, far = (camera.picture(row) for row in positions)
    assert near.shape == (48, 64, 3)
    (near_row, near_column), (far_row, far_column) = (
        np.argwhere(redness(picture)).mean(axis=0) for picture in (near, far)
    )
    assert near_row > far_row + 5
    assert near_column < 32
    assert far_column < 32


@pytest.mark.usefixtures("as_users_run_it")
def test_what_is_said_where_nothing_can_be_drawn(monkeypatch):
    assert error_of(Camera, width=0) == "Camera: needs at least one pixel, got 0 x 240"
    monkeypatch.setenv("MUJOCO_GL", "disabled")
    assert error_of(Camera) == (
        "Camera: needs PyOpenGL and, set as MUJOCO_GL, a way to draw that works "
        "(without a screen egl or osmesa), got disabled: No module named 'mujoco.disabled'"
    )


def error_of(call, *arguments, **options):
    with pytest.raises(InputError) as caught:
        call(*arguments, **options)
    return str(caught.value)
