"""Gymnasium: its environments as worlds, and the worlds of this library as environments."""
