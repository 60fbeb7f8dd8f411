"""The settings of the MountainCar runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from first_occupancy.core.settings import (
    Discount,
    NonNegativeInt,
    PositiveInt,
    Share,
    check_least,
    check_settings,
)

Part = Literal["choice", "features", "settings", "readings", "network"]
Reading = Literal["w fitted to what is counted", "episodes end at the goal"]

GOALS = tuple(hundredths / 100 for hundredths in range(-35, 51, 5))
"""The right-hand hill in steps of .05, from beside the starts to just below the top."""


@dataclass(frozen=True)
class Config:
    """One part of the experiment.

    The paper gives the episodes, their steps, the threshold, the policies and the number
    of runs. It does not give the number of basis functions, their width, the step size,
    the discount, what the estimate is linear in, nor where exactly a goal pays. Those were
    chosen by a small search for good FF estimates with keys 1000 to 1002, which no result
    uses: over grids of 20 x 10 to 40 x 30 and step sizes of .1 to 1, and, with exact FF in
    place of learned ones, over 10 to 60 features and widths of .5 to 1.5. The parts
    "features" and "settings" show what depends on them.
    """

    part: Part
    episodes: PositiveInt = 100
    steps: PositiveInt = 200
    threshold: float = 0.7
    discount: Discount = 0.99
    step_size: Share = 0.8
    """The share of a TD error that a step removes (`features.normalised`)."""

    num_features: PositiveInt = 30
    """D, the bumps over positions that are counted."""

    basis: tuple[PositiveInt, PositiveInt] = (30, 20)
    """The bumps along positions and velocities whose weighted sum the estimate is."""

    width: float = 0.7
    """The standard deviation of all bumps in units of their distance."""

    goals: tuple[float, ...] = GOALS
    goal_length: float = 0.11
    """A goal pays from its position on over this length: the area of a bump, see `readings`."""

    example_goal: float = 0.2
    """The goal whose nearest feature is shown for different numbers of features."""

    starts: PositiveInt = 401
    horizon: PositiveInt = 1000
    """How many starts, and how many steps from each, the true values are computed from."""

    other_lengths: tuple[float, ...] = ()
    other_readings: tuple[Reading, ...] = ()
    """Which other lengths of a goal, and ways to see it, the part "readings" looks at."""

    updates: NonNegativeInt = 0
    copy_rate: Share = 0.1
    """How many gradient steps the networks take, and how fast their slow copies follow."""

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        check_settings(self)
        if self.part == "network":
            check_least(self, updates=1)


COUNTED: Reading = "w fitted to what is counted"
ENDING: Reading = "episodes end at the goal"
READINGS = (COUNTED, ENDING)
LENGTHS = (0.05, 0.07, 0.09, 0.14, 0.18)
FEATURES = (5, 8, 10, 15, 20, 30, 40, 60)
"""Numbers of features; the estimate's basis stays the same."""

VARIED: Sequence[dict[str, Any]] = (
    {"step_size": 0.2},
    {"step_size": 0.4},
    {"step_size": 1.0},
    {"width": 0.5},
    {"width": 1.0},
    {"basis": (20, 14)},
    {"basis": (45, 30)},
    {"discount": 0.95},
    {"discount": 0.98},
)
"""What is changed, one thing at a time, to see what the result depends on."""


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return the paper's size (20 runs for the main figure), or few episodes and starts."""
    if quick:
        small = Config("choice", episodes=40, basis=(20, 14), starts=21, horizon=400)
        return [
            (small, 2),
            (replace(small, part="features"), 1),
            (replace(small, part="settings", step_size=0.4), 1),
            (replace(small, part="readings"), 1),
        ]
    main = Config("choice")
    return [
        (main, 20),
        *((replace(main, part="features", num_features=count), 3) for count in FEATURES),
        *((replace(main, part="settings", **change), 3) for change in VARIED),
        (replace(main, part="readings", other_lengths=LENGTHS, other_readings=READINGS), 1),
        (replace(main, part="network", updates=3000), 3),
    ]
