"""The settings of the FourRooms runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from first_occupancy.core.errors import InputError
from first_occupancy.experiments.limits import (
    check_choices,
    check_discount,
    check_least,
    check_shares,
)

Part = Literal["returns", "noise", "learning_curves"]


@dataclass(frozen=True)
class Config:
    """One part of the experiment. The paper's values, but for what it leaves out.

    Left out are the starts and the length of the walks to learn from; here an episode of
    learning is one walk of `steps` steps from each free cell.
    """

    part: Part
    discount: float = 0.95
    step_size: float = 0.05
    steps: int = 75
    episodes: int = 100
    learning_episodes: int = 50
    also_after: tuple[int, ...] = ()
    """After how many episodes of learning else to measure how good the FRs are."""

    switches: tuple[int, ...] = ()
    noises: tuple[float, ...] = (0.0,)
    runs: int = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        check_choices(self)
        check_least(self, steps=1, episodes=1, learning_episodes=1, runs=1)
        check_least(self, also_after=1, switches=0)
        check_discount(self)
        check_shares(self, "step_size", "noises")
        if self.part == "returns" and not {0, 3}.issubset(self.switches):
            raise InputError(
                "switches must have 0 and 3 for part=returns, which shows their walks, "
                f"got {self.switches}"
            )
        if self.part == "noise" and (not self.noises or self.noises[0] != 0):
            raise InputError(
                "noises must begin with 0 for part=noise, which plans with FRs learned there too, "
                f"got {self.noises}"
            )


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return the paper's sizes (with FRs learned five times for the noise), or small ones."""
    switches = (0, 1, 2, 3, 4)
    if quick:
        return [
            (Config("noise", noises=(0.0, 0.5, 1.0), learning_episodes=25), 1),
            (Config("returns", switches=switches), 1),
            (Config("learning_curves", runs=3, learning_episodes=25), 1),
        ]
    tenths = tuple(number / 10 for number in range(11))
    return [
        (Config("noise", noises=tenths), 5),
        (Config("returns", switches=switches, also_after=(10, 25, 100)), 1),
        (Config("learning_curves", runs=10), 1),
    ]
