"""The lab: a page on which to draw mazes and watch first-occupancy plans."""
