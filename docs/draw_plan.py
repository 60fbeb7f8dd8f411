"""Draw the picture on the first page: skills chained to a goal, and what multiplies on the way.

    python docs/draw_plan.py    # writes docs/pictures/plan.gif and its last frame, plan.png

The plan, its FRs and its SRs are those of README's quick start, solved here. Colours are the lab's.
"""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

import first_occupancy as fo

PICTURES = Path(__file__).parent / "pictures"
STATIC = Path(fo.__file__).parent / "web" / "static"
GOAL, DISCOUNT = (1, 9), 0.95
ARROWS = {"up": "↑", "right": "→", "down": "↓", "left": "←"}
SIZE, DPI, COLOURS = (12.0, 5.6), 100, 128
"""Inches, dots per inch, and colours of the animation."""

STEP, STOP, END = 140, 700, 5000
"""Milliseconds that a frame stays: on the way, where a leg ends, and at the goal."""


class Stretch(NamedTuple):
    """A leg of the plan.

    Attributes:
        skill: name of the skill that is followed.
        cells: cells on the way, first and last included.
        fr: expected discount at the first visit of the last cell, from the first one.
        sr: expected discounted number of visits to the last cell, from the first one.
    """

    skill: str
    cells: list[tuple[int, int]]
    fr: float
    sr: float


def stretches() -> list[Stretch]:
    """Return the legs of the quick start's plan, with the entries of the exact FR and SR."""
    world = fo.four_rooms()
    legs = fo.plan(world, goal=GOAL, discount=DISCOUNT).legs(world.start)
    chains = jnp.eye(world.num_states)[jnp.asarray(world.next_states)]
    frs = np.asarray(fo.first_occupancy.solve(chains, discount=DISCOUNT))
    srs = np.asarray(fo.successor.solve(chains, discount=DISCOUNT))
    found, states = [], [world.start]
    for leg in legs:
        states = [states[-1]]
        while states[-1] != leg.subgoal:
            states.append(int(world.next_states[leg.policy, states[-1]]))
        cells, entry = [world.cell(state) for state in states], (leg.policy, states[0], states[-1])
        found.append(Stretch(leg.policy_name, cells, float(frs[entry]), float(srs[entry])))
    return found


def product(numbers: list[float]) -> float:
    """Return the product of the numbers."""
    return float(np.prod(numbers))


def colours() -> dict[str, str]:
    """Return the lab's light colours by role."""
    light = (STATIC / "style.css").read_text(encoding="utf-8").partition("@media")[0]
    return dict(re.findall(r"--([\w-]+): (#\w+)", light))


def greens() -> LinearSegmentedColormap:
    """Return the lab's colours of how soon, from 0 to 1."""
    light = (STATIC / "colours.js").read_text(encoding="utf-8").partition("DARK")[0]
    (ramp,) = re.findall(r"fr: \[(.*?)\]", light)
    return LinearSegmentedColormap.from_list("how soon", re.findall(r"#\w+", ramp))


class Picture:
    """The board and the products beside it, at one moment of the walk.

    Args:
        legs: legs of the plan.
        steps: how many steps have been taken.
        over: whether the products are shown.
    """

    def __init__(self, legs: list[Stretch], steps: int, *, over: bool = False) -> None:
        self.legs, self.colours = legs, colours()
        self.figure = Figure(figsize=SIZE, dpi=DPI, facecolor=self.colours["paper"])
        self._board(steps)
        self._products(steps, over)

    def pixels(self) -> np.ndarray:
        """Return the picture [H W 3]."""
        canvas = FigureCanvasAgg(self.figure)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()

    def texts(self) -> list[str]:
        """Return all that is written in the picture."""
        return [text.get_text() for ax in self.figure.axes for text in ax.texts]

    def _board(self, steps: int) -> None:
        ax = self.figure.add_axes((0.015, 0.03, 0.94 * SIZE[1] / SIZE[0], 0.94))
        world, shade, role = fo.four_rooms(), greens(), self.colours
        soon = np.asarray(fo.plan(world, goal=GOAL, discount=DISCOUNT).expected_discount)
        ax.add_patch(Rectangle((0.2, 0.2), 9.6, 9.6, color=role["wall"]))
        for state in range(world.num_states):
            row, column = world.cell(state)
            corner = (column - 0.5, row - 0.5)
            ax.add_patch(Rectangle(corner, 1, 1, fc=shade(0.6 * soon[state]), ec=role["grid"]))
        ax.set(xlim=(0.1, 9.9), ylim=(9.9, 0.1), aspect="equal")
        ax.set_axis_off()
        self._way(ax, steps)

    def _way(self, ax, steps: int) -> None:
        role, walked = self.colours, 0
        ends = [leg.cells[-1] for leg in self.legs]
        for leg in self.legs:
            rows, columns = zip(*leg.cells[: max(steps - walked, 0) + 1], strict=True)
            if steps > walked:
                ax.plot(columns, rows, color="white", lw=13, solid_capstyle="round")
                ax.plot(columns, rows, color=role["fr"], lw=8, solid_capstyle="round")
            walked += len(leg.cells) - 1
        for number, (row, column) in enumerate(ends[:-1], start=1):
            _disc(ax, row, column, str(number), role["card"], role["ink"], role["fr"])
        _disc(ax, *self.legs[0].cells[0], "S", role["ink"], role["card"], role["ink"])
        _disc(ax, *ends[-1], "G", role["goal"], role["goal-ink"], role["goal-ink"], marker="D")
        row, column = self._cells()[steps]
        if 0 < steps < len(self._cells()) - 1:
            ax.plot(column, row, "o", ms=22, mfc=role["agent"], mec="white", mew=3, zorder=5)
        done = 0
        for leg in self.legs:
            done += len(leg.cells) - 1
            if steps >= done:
                self._label(ax, leg)

    def _label(self, ax, leg: Stretch) -> None:
        (top, left), (bottom, right) = leg.cells[0], leg.cells[-1]
        box = {"boxstyle": "round,pad=.22", "fc": "white", "ec": self.colours["fr"], "lw": 2}
        row, column = (top + bottom) / 2, (left + right) / 2
        if len(leg.cells) == 2:
            column -= 1.05
        about = {"ha": "center", "va": "center", "fontsize": 19, "weight": "bold", "zorder": 6}
        ax.text(column, row, f"{leg.fr:.2f}", color=self.colours["fr"], bbox=box, **about)

    def _cells(self) -> list[tuple[int, int]]:
        first = self.legs[0].cells[0]
        return [first, *(cell for leg in self.legs for cell in leg.cells[1:])]

    def _products(self, steps: int, over: bool) -> None:
        ax = self.figure.add_axes((0.47, 0, 0.53, 1))
        ax.set(xlim=(0, 10), ylim=(10, 0))
        ax.set_axis_off()
        role, done = self.colours, 0
        for number, leg in enumerate(self.legs):
            along = min(max(steps - done, 0), len(leg.cells) - 1)
            done += len(leg.cells) - 1
            where = "G" if leg is self.legs[-1] else str(number + 1)
            at = 1.95 + 2.15 * number
            faint = role["ink"] if along else role["line"]
            _write(ax, at, 1.9, f"{ARROWS[leg.skill]} until {where}", faint, 17)
            if along:
                fr = leg.fr if steps >= done else DISCOUNT**along
                _write(ax, at, 3.2, f"{fr:.2f}", role["fr"], 27, "bold")
            if over:
                _write(ax, at, 6.5, _short(leg.sr), role["sr"], 27, "bold")
        self._names(ax)
        if over:
            self._results(ax)

    def _names(self, ax) -> None:
        _write(ax, 0.45, 3.2, "FR", self.colours["fr"], 27, "bold")

    def _results(self, ax) -> None:
        role, steps = self.colours, len(self._cells()) - 1
        frs, srs = [leg.fr for leg in self.legs], [leg.sr for leg in self.legs]
        for row, colour, total in ((3.2, "fr", product(frs)), (6.5, "sr", product(srs))):
            for number in range(len(self.legs)):
                sign = "=" if number == len(self.legs) - 1 else "×"
                _write(ax, 3.02 + 2.15 * number, row, sign, role["quiet"], 24)
            _write(ax, 8.75, row, _short(total), role[colour], 30, "bold")
        _write(ax, 0.45, 6.5, "SR", role["sr"], 27, "bold")
        soon = f"discount on arrival, after {steps} steps"
        _write(ax, 0.05, 4.3, soon, role["ink"], 20, side="left")
        _write(ax, 0.05, 7.6, "visits counted: no arrival time", role["ink"], 20, side="left")


def _disc(ax, row, column, text, face, ink, edge, marker="o") -> None:
    size = 30 if marker == "D" else 34
    ax.plot(column, row, marker, ms=size, mfc=face, mec=edge, mew=3, zorder=4)
    about = {"ha": "center", "va": "center_baseline", "fontsize": 19, "weight": "bold"}
    ax.text(column, row, text, color=ink, zorder=7, **about)


def _write(ax, x, y, text, colour, size, weight="normal", side="center") -> None:
    ax.text(x, y, text, color=colour, fontsize=size, weight=weight, ha=side, va="baseline")


def _short(number: float) -> str:
    """Return a number with three digits, or two decimals below 1."""
    return f"{number:.2f}" if number < 1 else f"{number:.3g}" if number >= 100 else f"{number:.1f}"


def frames(legs: list[Stretch]) -> Iterator[tuple[np.ndarray, int]]:
    """Yield the pictures of the walk, and how many milliseconds each stays."""
    stops = np.cumsum([len(leg.cells) - 1 for leg in legs]).tolist()
    for steps in range(stops[-1] + 1):
        yield Picture(legs, steps).pixels(), STOP if steps in (0, *stops) else STEP
    yield Picture(legs, stops[-1], over=True).pixels(), END


def animation(legs: list[Stretch]) -> bytes:
    """Return the walk as a GIF that repeats for ever."""
    pictures, durations = zip(*frames(legs), strict=True)
    last = Image.fromarray(pictures[-1]).quantize(COLOURS)
    images = [Image.fromarray(each).quantize(palette=last, dither=0) for each in pictures]
    file = io.BytesIO()
    options = {"save_all": True, "append_images": images[1:], "loop": 0, "optimize": True}
    images[0].save(file, "GIF", duration=list(durations), **options)
    return file.getvalue()


def main() -> int:
    """Write both pictures."""
    legs = stretches()
    *_, (still, _) = frames(legs)
    (PICTURES / "plan.gif").write_bytes(animation(legs))
    Image.fromarray(still).quantize(256).save(PICTURES / "plan.png", optimize=True)
    for name in ("plan.gif", "plan.png"):
        print(PICTURES / name, (PICTURES / name).stat().st_size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
