"""Engines for noisy mazes that need no S x S array."""
