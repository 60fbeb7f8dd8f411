"""Agents that learn by acting: pure `init`, `act` and `update` over explicit records."""

from first_occupancy.agents import (
    bonuses,
    ddpg,
    explorer,
    explorer_trials,
    finetuning,
    lockstep,
    pretraining,
    sarsa,
)

__all__ = [
    "bonuses",
    "ddpg",
    "explorer",
    "explorer_trials",
    "finetuning",
    "lockstep",
    "pretraining",
    "sarsa",
]
