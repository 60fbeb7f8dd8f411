"""MountainCar: learn without reward what nine policies reach, then choose one for a goal.

Nine policies swing with a fixed power. Their first-occupancy features (FF) and successor
features (SF) are learned from 100 episodes each. For each goal the agent observes rewards along
one episode of each policy, fits w, and follows the policy with the highest estimated value.
"""

from collections.abc import Iterator

from first_occupancy_paper.rows.row import Row

from . import choices, readings
from .config import Config, settings

__all__ = ["Config", "run", "settings"]

SHOWN = (
    "num_features",
    "basis",
    "width",
    "step_size",
    "discount",
    "goal_length",
    "example_goal",
    "left_wall",
)
"""Settings that are part of every row, by which figures and findings select rows."""


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield the rows of one part, each with the part's name, the seed and the settings.

    Args:
        seed: seed of the random numbers; part "readings" uses none.
    """
    shown = {name: getattr(config, name) for name in SHOWN} | {"basis": list(config.basis)}
    rows = readings.rows if config.part == "readings" else choices.rows
    for row in rows(config, seed):
        yield {"part": config.part, "seed": seed, **shown, **row}
