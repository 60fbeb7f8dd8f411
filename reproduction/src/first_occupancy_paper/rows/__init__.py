"""Rows, which everything here computes or reads: what one is, its settings, where it comes from."""
