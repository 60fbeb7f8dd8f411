"""Pictures of the arm, rendered by MuJoCo without a screen."""

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from jaxtyping import Float, UInt8

from first_occupancy.core.errors import InputError

from .mujoco_model import load

VIEW = "front_close"


class Camera:
    """A view of the arm from the front: joint positions in, pixels out.

        with contextlib.closing(Camera(width=320, height=240)) as camera:
            pixels = camera.picture(batch.positions[0])

    On Linux it renders with EGL, which needs no screen. The environment variable MUJOCO_GL selects
    another backend, as everywhere in MuJoCo. Close the camera when done.
    """

    def __init__(self, *, width: int = 320, height: int = 240) -> None:
        if width < 1 or height < 1:
            raise InputError(f"Camera: needs at least one pixel, got {width} x {height}")
        self._arm = load("Camera")
        mujoco, model = self._arm.mujoco, self._arm.model
        # The size of the offscreen buffer is part of the model.
        model.vis.global_.offwidth, model.vis.global_.offheight = width, height
        self._screen, self._context = _screen(mujoco, model, width, height)
        self._pixels = np.empty((height, width, 3), dtype=np.uint8)
        self._frame = mujoco.MjrRect(0, 0, width, height)
        self._data = mujoco.MjData(model)
        self._scene = mujoco.MjvScene(model, maxgeom=1000)
        self._options = mujoco.MjvOption()
        self._view = mujoco.MjvCamera()
        self._view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._view.fixedcamid = model.camera(VIEW).id
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)

    def picture(self, positions: Float[np.ndarray, " 16"]) -> UInt8[np.ndarray, "height width 3"]:
        """Return the picture of an arm whose joints are at these positions."""
        mujoco, model = self._arm.mujoco, self._arm.model
        self._data.qpos[:] = positions
        mujoco.mj_forward(model, self._data)
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(
            model, self._data, self._options, None, self._view, everything, self._scene
        )
        self._screen.make_current()
        mujoco.mjr_render(self._frame, self._scene, self._context)
        mujoco.mjr_readPixels(self._pixels, None, self._frame, self._context)
        return self._pixels[::-1].copy()  # OpenGL counts rows from the bottom

    def close(self) -> None:
        """Release the rendering context."""
        if self._context is not None:
            self._screen.make_current()
            self._context.free()
            self._context = None
            self._screen.free()


USUAL = {"darwin": "cgl", "win32": "glfw"}
"""Default of MUJOCO_GL on systems that do not render with EGL."""


def _screen(mujoco: ModuleType, model: Any, width: int, height: int) -> tuple[Any, Any]:
    """Return an OpenGL context and MuJoCo's context for it, or raise if rendering is impossible."""
    way = os.environ.get("MUJOCO_GL", "").lower() or USUAL.get(sys.platform, "egl")
    try:
        screen = import_module(f"mujoco.{way}").GLContext(width, height)
        screen.make_current()
        return screen, mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
    except Exception as error:  # from ImportError to AttributeError, depending on the backend
        raise InputError(
            "Camera: needs PyOpenGL and, set as MUJOCO_GL, a way to draw that works "
            f"(without a screen egl or osmesa), got {way}: {str(error) or type(error).__name__}"
        ) from error
