"""Engines for sparse worlds: likely paths, and refinement of plans."""
