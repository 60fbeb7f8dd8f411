"""Low levels that are learned in simulated physics: PPO, and an ant that learns to walk by it."""
