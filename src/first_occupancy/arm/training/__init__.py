"""Training of many runs in lockstep, in a world that is simulated on the host."""
