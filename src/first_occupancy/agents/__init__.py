"""Agents that learn by acting: pure `init`, `act` and `update` over explicit records."""

from first_occupancy.agents import bonuses, explorer, explorer_trials, ppo, sarsa, walking

__all__ = ["bonuses", "explorer", "explorer_trials", "ppo", "sarsa", "walking"]
