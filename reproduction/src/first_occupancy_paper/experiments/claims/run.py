"""The paper's statements, tested on random chains, random worlds and FourRooms.

Statements are tested as printed, and in the form in which they hold.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import jax
from jaxtyping import Array

from first_occupancy.core.arguments import PositiveInt
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import PositiveDiscount, Settings, check_least

from . import bounds, random_chains, random_worlds, representations, rooms

Part = Literal["bounds", "chains", "improvement", "representations", "rooms", "shortest_paths"]


@dataclass(frozen=True)
class Config(Settings):
    """One part of the experiment; each part uses only some of the settings.

    Attributes:
        part: which statements to test.
        discount: discount factor per step, between 0 and 1 (both exclusive).
        trials: number of random chains or worlds.
        num_states: number of states of each of them.
        num_policies: number of base policies, for part "shortest_paths".
    """

    part: Part
    discount: PositiveDiscount = 0.95
    trials: PositiveInt = 1
    num_states: PositiveInt = 1
    num_policies: PositiveInt = 3

    def __post_init__(self) -> None:
        """Raise an `InputError` unless all settings are valid."""
        super().__post_init__()
        if self.part == "chains":  # a variance needs two chains, an off-diagonal entry two states
            check_least(self, trials=2, num_states=2)


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return all parts; if quick, with fewer chains and worlds."""
    chains, worlds = (50, 50) if quick else (1000, 500)
    sizes = (3,) if quick else (3, 10)
    return [
        (Config("rooms"), 1),
        (Config("shortest_paths", trials=worlds, num_states=20), 1),
        *[(Config("chains", trials=chains, num_states=size), 1) for size in sizes],
        (Config("improvement", trials=worlds, num_states=5), 1),
        (Config("bounds"), 1),
        (Config("representations", trials=10 if quick else 50, num_states=4), 1),
    ]


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield the rows of one part, each with the part's name.

    Args:
        seed: seed of the random numbers; parts "rooms" and "bounds" use none.
    """
    for row in _rows(config, jax.random.key(seed)):
        yield {"part": config.part, **row}


def _rows(config: Config, key: Array) -> Iterable[Row]:
    sizes: Any = {
        "num_states": config.num_states,
        "trials": config.trials,
        "discount": config.discount,
    }
    match config.part:
        case "bounds":
            return bounds.measure(config.discount)
        case "chains":
            return random_chains.measure(key, **sizes)
        case "improvement":
            return [random_worlds.improve_policies(key, **sizes)]
        case "representations":
            return [representations.measure(key, **sizes)]
        case "rooms":
            return rooms.measure(config.discount)
        case "shortest_paths":
            sizes |= {"num_policies": config.num_policies}
            return [random_worlds.compare_with_shortest_paths(key, **sizes)]
