"""Gymnasium: its environments as worlds, and our worlds as its environments."""
