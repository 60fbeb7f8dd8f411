"""Recorded behaviour: logs of transitions, Minari datasets, and bootstrap intervals."""
