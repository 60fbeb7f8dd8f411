"""Recorded behaviour: transition logs, Minari datasets and bootstrap intervals."""
