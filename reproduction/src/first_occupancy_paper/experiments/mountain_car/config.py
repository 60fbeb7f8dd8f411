"""The settings of the MountainCar runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from first_occupancy.core.arguments import Discount, NonNegativeInt, PositiveInt, Share
from first_occupancy_paper.rows.settings import Settings, check_least

Part = Literal["choice", "features", "settings", "readings", "network"]
WallRule = Literal["stops the car", "keeps its velocity"]
Reading = Literal["w fitted to what is counted", "episodes end at the goal"]

GOALS = tuple(hundredths / 100 for hundredths in range(-35, 51, 5))
"""Positions on the right-hand hill in steps of .05, from near the starts to just below the top."""


@dataclass(frozen=True)
class Config(Settings):
    """One part of the experiment.

    The paper gives the number of episodes, their steps, the threshold, the policies and the
    number of runs. It does not give the number of basis functions, their width, the step size,
    the discount, what the estimate is linear in, where exactly a goal gives reward, nor what
    the left wall does, for which both rules are run. The others were chosen by a small search
    for good FF estimates with keys 1000 to 1002, which no result uses: over grids of 20 x 10 to
    40 x 30 and step sizes of .1 to 1, and, with exact FF in place of learned ones, over 10 to
    60 features and widths of .5 to 1.5. The parts "features" and "settings" show what depends
    on them.

    Attributes:
        part: which part of the experiment to run.
        episodes: number of episodes of each policy without reward.
        steps: number of steps of an episode.
        threshold: value from which on a feature counts as reached.
        discount: discount factor per step, from 0 to 1 (exclusive).
        step_size: share of a TD error that a step removes (`features.normalised`).
        num_features: number of features (D), bumps over positions.
        basis: numbers of bumps along positions and velocities; the estimate is linear in these.
        width: standard deviation of all bumps, in units of the distance between neighbours.
        goals: positions at which goals begin.
        goal_length: length over which a goal gives reward; the area of a bump, see `readings`.
        example_goal: goal whose nearest feature is shown for different numbers of features.
        starts: number of starts from which true values are computed.
        horizon: number of steps from each of these starts.
        other_lengths: further lengths of a goal, for part "readings".
        other_readings: further ways to observe a goal's rewards, for part "readings".
        left_wall: what the left wall does to a car: set its velocity to 0, as in Gymnasium, or only
            hold its position.
        updates: number of gradient steps, for part "network".
        copy_rate: rate at which the networks' slow copies follow, for part "network".
    """

    part: Part
    episodes: PositiveInt = 100
    steps: PositiveInt = 200
    threshold: float = 0.7
    discount: Discount = 0.99
    step_size: Share = 0.8
    num_features: PositiveInt = 30
    basis: tuple[PositiveInt, PositiveInt] = (30, 20)
    width: float = 0.7
    goals: tuple[float, ...] = GOALS
    goal_length: float = 0.11
    example_goal: float = 0.2
    starts: PositiveInt = 401
    horizon: PositiveInt = 1000
    other_lengths: tuple[float, ...] = ()
    other_readings: tuple[Reading, ...] = ()
    left_wall: WallRule = "stops the car"
    updates: NonNegativeInt = 0
    copy_rate: Share = 0.1

    def __post_init__(self) -> None:
        """Raise an `InputError` unless all settings are valid."""
        super().__post_init__()
        if self.part == "network":
            check_least(self, updates=1)


STOPS, KEEPS = get_args(WallRule)
COUNTED, ENDING = READINGS = get_args(Reading)
LENGTHS = (0.05, 0.07, 0.09, 0.14, 0.18)
FEATURES = (5, 8, 10, 15, 20, 30, 40, 60)
"""Numbers of features; the estimate's basis stays the same."""

WALL_PARTS: tuple[Part, ...] = ("choice", "features", "readings")
"""The parts that are run under both rules for the left wall."""

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
"""Changes to the settings, one at a time, to see what the result depends on."""


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return the paper's size (20 runs for the main figure); if quick, few episodes and starts."""
    if quick:
        small = Config("choice", episodes=40, basis=(20, 14), starts=21, horizon=400)
        return [
            (small, 2),
            (replace(small, part="features"), 1),
            (replace(small, part="settings", step_size=0.4), 1),
            (replace(small, part="readings"), 1),
            *((replace(small, part=part, left_wall=KEEPS), 1) for part in WALL_PARTS),
        ]
    main = Config("choice")
    keeping = replace(main, left_wall=KEEPS)
    return [
        (main, 20),
        *((replace(main, part="features", num_features=count), 3) for count in FEATURES),
        *((replace(main, part="settings", **change), 3) for change in VARIED),
        (replace(main, part="readings", other_lengths=LENGTHS, other_readings=READINGS), 1),
        (replace(main, part="network", updates=3000), 3),
        (keeping, 20),
        *((replace(keeping, part="features", num_features=count), 1) for count in FEATURES),
        (replace(keeping, part="readings"), 1),
    ]
