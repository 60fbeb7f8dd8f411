"""The settings of the FourRooms runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from first_occupancy.core.arguments import Discount, NonNegativeInt, PositiveInt, Share
from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.settings import Settings

Part = Literal["returns", "noise", "learning_curves"]


@dataclass(frozen=True)
class Config(Settings):
    """One part of the experiment, with the paper's values where it gives them.

    The paper does not give the starts and the length of the walks to learn from; here an episode
    of learning is one walk of `steps` steps from each free cell.

    Attributes:
        part: which part of the experiment to run.
        discount: discount factor per step, from 0 to 1 (exclusive).
        step_size: share of the TD error that an update removes.
        steps: number of steps of an episode, and of a walk to learn from.
        episodes: number of episodes that each planner plays.
        learning_episodes: number of episodes from which the FRs are learned.
        also_after: further numbers of learning episodes after which to measure the FRs' accuracy.
        switches: upper bounds on FRP's policy switches, and numbers of sweeps of value iteration;
            part "returns" needs 0 and 3.
        noises: probabilities that a move is replaced by a random one; part "noise" needs 0 first.
        runs: number of times to learn, for part "learning_curves".
    """

    part: Part
    discount: Discount = 0.95
    step_size: Share = 0.05
    steps: PositiveInt = 75
    episodes: PositiveInt = 100
    learning_episodes: PositiveInt = 50
    also_after: tuple[PositiveInt, ...] = ()
    switches: tuple[NonNegativeInt, ...] = ()
    noises: tuple[Share, ...] = (0.0,)
    runs: PositiveInt = 1

    def __post_init__(self) -> None:
        """Raise an `InputError` unless all settings are valid."""
        super().__post_init__()
        if self.part == "returns" and not {0, 3}.issubset(self.switches):
            raise InputError(
                "switches must include 0 and 3 for part=returns, which shows their walks, "
                f"got {self.switches}"
            )
        if self.part == "noise" and (not self.noises or self.noises[0] != 0):
            raise InputError(
                "noises must begin with 0 for part=noise, which also plans with FRs learned "
                f"without noise, got {self.noises}"
            )


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return the paper's sizes (with 15 seeds for the noise); if quick, small ones."""
    switches = (0, 1, 2, 3, 4)
    if quick:
        return [
            (Config("noise", noises=(0.0, 0.5, 1.0), learning_episodes=25), 1),
            (Config("returns", switches=switches), 1),
            (Config("learning_curves", runs=3, learning_episodes=25), 1),
        ]
    tenths = tuple(number / 10 for number in range(11))
    return [
        (Config("noise", noises=tenths), 15),
        (Config("returns", switches=switches, also_after=(10, 25, 100)), 1),
        (Config("learning_curves", runs=10), 1),
    ]
