"""The outside world: Gymnasium, logs, trained policies, files."""
