"""Engines of once-only rewards: orders, strategies that choose again, and bounds on both."""
