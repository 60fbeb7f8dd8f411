"""Agents that learn by acting: pure `init`, `act` and `update` over explicit records."""

from first_occupancy.agents import bonuses, sarsa

__all__ = ["bonuses", "sarsa"]
