"""Walls are believed where they were last seen."""

import numpy as np

from first_occupancy.behaviour.beliefs import believed_maps
from first_occupancy.behaviour.subjects import Trial, grid_layouts, subjects_from_paths


def test_cells_are_known_as_they_were_last_seen():
    free = np.ones((2, 1, 5), bool)
    free[0, 0, 3] = False
    layouts = grid_layouts(free, goal=0)
    trials = [Trial(0, [1, 2, 1]), Trial(1, [1, 2, 1])]
    subjects = subjects_from_paths(layouts, {"a": trials}, ends_at_goal=False)
    maps, which = believed_maps(subjects.choices, layouts)
    believed = maps[which[0]][:, 3]
    # Cell 3 is out of sight at first, seen from 2, remembered, and open when seen again.
    assert believed.tolist() == [True, False, False, True]
    assert len(maps) == 2
