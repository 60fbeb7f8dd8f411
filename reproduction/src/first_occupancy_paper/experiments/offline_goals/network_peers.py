"""Peers that are networks: what is learned from a log, by name."""

from collections.abc import Callable
from typing import NamedTuple

from first_occupancy.representations.features.networks import Training
from first_occupancy_paper.experiments.offline_goals import cloning, learned_value
from first_occupancy_paper.experiments.offline_goals.teams import Policy
from first_occupancy_paper.worlds.point_maze_logs import SETS


class NetworkPeer(NamedTuple):
    """A method that learns one policy for all goals.

    Attributes:
        learn: function from a log, a seed and `training` to the policy.
        training: sizes and rates by default.
        table: success in OGBench's table of the method that it is like, in percent, by set; those
            networks are larger and trained on fifty times as many batches or more.
    """

    learn: Callable[..., Policy]
    training: Training
    table: dict[tuple[str, str], int]


NETWORKS = {
    "cloning": NetworkPeer(
        cloning.cloned,
        cloning.TRAINING,
        dict(zip(SETS, (9, 29, 1, 25, 23, 7, 0, 31), strict=True)),
    ),
    "learned value": NetworkPeer(
        learned_value.learned_value,
        learned_value.TRAINING,
        dict(zip(SETS, (63, 45, 0, 45, 70, 12, 0, 44), strict=True)),
    ),
}
"""Cloning as in GCBC, and a value as in GCIVL."""
