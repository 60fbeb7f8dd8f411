"""Engines of FR-planning on deterministic paths, without any S x S array."""
