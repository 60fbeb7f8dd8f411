"""Training runs on the arm: settings, phases, checkpoints, and rows on disk."""
