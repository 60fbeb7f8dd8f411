"""Tracks, the time spent in cells, and comparisons of models."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.behaviour.tracking import Tracking

ARENA = fo.arena(width=0.3, height=0.1, cell=0.1)
TRACK = Tracking(
    np.arange(5) / 2, np.array([[x, 0.05] for x in (0.05, 0.05, 0.15, np.nan, 0.05)]), np.ones(5)
)


def test_a_track_is_drawn_over_its_arena():
    (ax,) = fo.plot(TRACK, arena=ARENA).axes
    assert np.isnan(ax.lines[0].get_xdata()).tolist() == [False, False, False, True, False]
    assert len(ax.images) == 2
    assert len(fo.plot(TRACK).axes[0].images) == 0


def test_time_spent_is_in_seconds_and_unvisited_cells_stay_white():
    visits = TRACK.cells(ARENA)
    panel, bar = fo.plot(visits, vmax=4).axes
    assert bar.get_ylabel() == "seconds"
    assert panel.images[0].get_array().filled(np.nan).tolist()[0][:2] == [1.5, 0.5]
    assert np.isnan(np.asarray(panel.images[0].get_array().filled(np.nan))[0, 2])
    assert (panel.images[0].norm.vmin, panel.images[0].norm.vmax) == (0, 4)


@pytest.mark.filterwarnings("ignore::first_occupancy.behaviour.fitting.UndeterminedWarning")
def test_a_comparison_has_a_line_per_model_with_the_best_on_top():
    paths = {
        name: [fo.behaviour.Trial(0, [0, 1, 2]), fo.behaviour.Trial(0, [1, 0, 1, 2])] * 3
        for name in ("a", "b")
    }
    layouts = fo.behaviour.grid_layouts(ARENA.free[None], goal=2)
    subjects = fo.behaviour.subjects_from_paths(layouts, paths)
    models = [fo.behaviour.random_walk(), fo.behaviour.habit_model(layouts)]
    found = fo.behaviour.compare(models, subjects, num_starts=1)
    (ax,) = fo.plot(found).axes
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[-1] == found.best
    ends = ax.collections[1].get_offsets()[:, 0]
    choices = subjects.num_choices.sum()
    assert ends.tolist() == pytest.approx(sorted(found.scores.sum(axis=0) / choices))
    assert len(ax.collections) == 2 + len(models)
    assert "held-out" in ax.get_xlabel()
    assert repr(found).startswith("model ")
