"""Rewards that can be taken once: orders of visits against GPI, greedy rules and the optimum."""
