"""Worlds that only the experiments use: point mazes, ants in mazes, and classic control."""
