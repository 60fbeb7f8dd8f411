"""Draw the arm in its four reach tasks, after the paper's Fig. apf(a).

    python docs/draw_arm.py    # writes docs/pictures/jaco_tasks.png

It needs the reproduction with its extra `robotics`, and PyOpenGL; on Linux EGL, with which it draws
without a screen. Each task begins with the same pose, so that pictures differ in the brick's place
alone.
"""

import sys
from contextlib import closing
from pathlib import Path

from first_occupancy.plotting import style
from first_occupancy.plotting.figure_files import save
from first_occupancy_paper.arm.world import TASKS, Camera, JacoBatch

TARGET = Path(__file__).parent / "pictures" / "jaco_tasks.png"
SEED = 2
"""Seed of the pose: one in which the hand hides no brick."""


def main() -> int:
    """Render each task at its start, and write the pictures side by side."""
    tasks = [name for name, task in TASKS.items() if task.pays]
    figure, axes = style.figure(1, len(tasks), size=(2 * style.COLUMN, 1.95))
    with closing(Camera(width=480, height=480)) as camera:
        for ax, name in zip(axes.flat, tasks, strict=True):
            world = JacoBatch(name, [SEED])
            world.reset()
            ax.imshow(camera.picture(world.positions[0]))
            ax.set_title(name.replace("_", " ").capitalize(), fontsize="medium")
            ax.set_axis_off()
    save(figure, TARGET)
    print(TARGET)
    return 0


if __name__ == "__main__":
    sys.exit(main())
