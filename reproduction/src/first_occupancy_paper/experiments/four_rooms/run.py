"""FourRooms: reach one goal after another for 75 steps, and replan for each of them.

The FRs of four base policies, each with one action, are learned by TD. FRP chains these policies
with at most K switches; GPI does not; value iteration (VI) is given the true model.
"""

from collections.abc import Iterator

from first_occupancy_paper.rows.row import Row

from . import learning, noise, returns
from .config import Config, settings

__all__ = ["Config", "run", "settings"]

PARTS = {"returns": returns.rows, "noise": noise.rows, "learning_curves": learning.rows}


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield the rows of one part, each with the part's name and the seed."""
    for row in PARTS[config.part](config, seed):
        yield {"part": config.part, "seed": seed, **row}
