"""Peers that are networks: what is learned from a log, by name."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from first_occupancy.representations.features.networks import Training
from first_occupancy_paper.experiments.offline_goals import cloning, learned_value
from first_occupancy_paper.experiments.offline_goals.teams import Policy


@dataclass(frozen=True)
class NetworkPeer:
    """A method that learns one policy for all goals.

    Attributes:
        name: name in rows and ledger.
        learn: function from a log, a seed and `training` to the policy.
        training: sizes and rates by default.
        table: success in OGBench's table of the method that it is like, in percent, by set; those
            networks are larger and trained on fifty times as many batches or more.
    """

    name: str
    learn: Callable[..., Policy]
    training: Training
    table: dict[tuple[str, str], int]

    def sizes(self, updates: int) -> Training:
        """Return sizes and rates with a number of updates; 0 for the default."""
        return replace(self.training, num_updates=updates) if updates else self.training


_MAZES = ("medium", "large", "giant", "teleport")
_SETS = [(maze, kind) for kind in ("navigate", "stitch") for maze in _MAZES]

PEERS = (
    NetworkPeer(
        "cloning",
        cloning.cloned,
        cloning.TRAINING,
        dict(zip(_SETS, (9, 29, 1, 25, 23, 7, 0, 31), strict=True)),
    ),
    NetworkPeer(
        "learned value",
        learned_value.learned_value,
        learned_value.TRAINING,
        dict(zip(_SETS, (63, 45, 0, 45, 70, 12, 0, 44), strict=True)),
    ),
)
"""Cloning as in GCBC, and a value as in GCIVL."""

NETWORKS = {each.name: each for each in PEERS}
