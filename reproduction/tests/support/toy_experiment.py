"""An experiment of three rows."""

from collections.abc import Iterator
from dataclasses import dataclass

from first_occupancy_paper.experiments import Experiment, Row


@dataclass(frozen=True)
class Config:
    size: int = 3


def run(config: Config, seed: int) -> Iterator[Row]:
    for number in range(config.size):
        yield {"number": number, "third": (seed + number) / 3}


TOY = Experiment(
    name="toy",
    question="?",
    paper="none",
    settings=lambda quick: [(Config(1 if quick else 3), 2)],
    run=run,
    plot=lambda rows: {},
    find=lambda rows: [],
)
