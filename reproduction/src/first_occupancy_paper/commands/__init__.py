"""The commands that the reproduction adds to `first-occupancy`."""
