"""Tracks become moves between neighbours, and what is moved or left out is counted."""

import numpy as np
import pytest

from first_occupancy.behaviour.arenas import arena
from first_occupancy.behaviour.tracking import Tracking
from first_occupancy.behaviour.visits import OutsideWarning

# 8 9 10 11 / 4 # # 7 / 0 1 2 3
RING = arena(width=0.4, height=0.3, cell=0.1, walls=[((0.1, 0.1), (0.3, 0.2))])
HALL = arena(width=0.4, height=0.3, cell=0.1)


def tracked(*places, times=None):
    positions = np.array(places, float)
    times = np.arange(len(positions)) / 10 if times is None else np.array(times)
    return Tracking(times, positions, np.ones(len(positions)))


def test_positions_in_walls_are_snapped_made_gaps_or_refused(error_of):
    track = tracked((0.05, 0.05), (0.15, 0.11), (0.15, 0.05), (0.9, 0.05), (0.25, 0.05))
    assert error_of(lambda: track.cells(RING)) == (
        "cells: positions must lie in free parts of the arena, got (0.15, 0.11) in row 1 (2 such "
        'rows); pass outside="snap" or outside="gap"'
    )
    with pytest.warns(
        OutsideWarning,
        match=r"2 of 5 known positions .* first \(0.15, 0.11\) in row 1: 1 were snapped .* 1 bec",
    ):
        snapped = track.cells(RING, outside="snap")
    assert [path.tolist() for path in snapped.paths] == [[0, 1], [2]]
    assert (snapped.snapped, snapped.lost) == (1, 1)
    with pytest.warns(OutsideWarning, match="0 were snapped to the nearest free cell, 2 became"):
        cut = track.cells(RING, outside="gap")
    assert [path.tolist() for path in cut.paths] == [[0], [1], [2]]
    assert repr(snapped) == (
        "Visits: 1 move in 0.4 s, with 1 gaps or cuts\n"
        "  3 of 10 free cells visited\n"
        "  outside free cells: 1 positions snapped, 1 made gaps\n"
        "  moves over corners or several cells: 0 led through those between, 0 cut at walls"
    )


def test_a_move_over_a_corner_leads_through_the_cell_on_its_line():
    below = tracked((0.05, 0.09), (0.13, 0.11)).cells(HALL)
    assert [path.tolist() for path in below.paths] == [[0, 4, 5]]
    above = tracked((0.09, 0.05), (0.11, 0.13)).cells(HALL)
    assert [path.tolist() for path in above.paths] == [[0, 1, 5]]
    assert (above.crossed, above.cut) == (1, 0)


def test_of_two_cells_at_a_corner_a_free_one_is_taken():
    assert tracked((0.09, 0.01), (0.11, 0.13)).cells(HALL).paths[0].tolist() == [0, 1, 5]
    corner = arena(width=0.2, height=0.2, cell=0.1, walls=[((0.1, 0.0), (0.2, 0.1))])
    assert tracked((0.09, 0.01), (0.11, 0.13)).cells(corner).paths[0].tolist() == [0, 2, 3]


def test_jumps_are_filled_along_their_line_unless_a_wall_is_in_the_way():
    fast = tracked((0.05, 0.05), (0.35, 0.06)).cells(HALL)
    assert [path.tolist() for path in fast.paths] == [[0, 1, 2, 3]]
    back = tracked((0.35, 0.25), (0.05, 0.24)).cells(HALL)
    assert [path.tolist() for path in back.paths] == [[11, 10, 9, 8]]
    blocked = tracked((0.05, 0.05), (0.06, 0.05), (0.35, 0.25)).cells(RING)
    assert [path.tolist() for path in blocked.paths] == [[0], [11]]
    assert (blocked.crossed, blocked.cut) == (0, 1)


def test_all_moves_of_a_random_track_lead_to_neighbours():
    rng = np.random.default_rng(0)
    track = tracked(*rng.uniform([0, 0], [0.4, 0.3], (400, 2)))
    with pytest.warns(OutsideWarning):
        visits = track.cells(RING, outside="snap")
    steps = np.concatenate([np.diff(np.divmod(path, 4), axis=1).T for path in visits.paths])
    assert set(map(tuple, np.abs(steps).tolist())) == {(0, 1), (1, 0)}
    assert all(RING.free.reshape(-1)[path].all() for path in visits.paths)
    assert visits.times.sum() == pytest.approx(40.0)


def test_moves_are_logged_without_those_across_gaps(error_of):
    places = (0.05, 0.05), (0.15, 0.05), (0.25, 0.05), (0.25, 0.25), (0.15, 0.25), (0.05, 0.05)
    log = tracked(*places, times=[0.0, 0.1, 0.2, 5.0, 5.1, 9.0]).cells(HALL).log()
    assert np.asarray(log.states).tolist() == [0, 1, 10]
    assert np.asarray(log.next_states).tolist() == [1, 2, 9]
    assert np.asarray(log.episodes).tolist() == [0, 0, 1]
    assert (log.num_states, log.step) == (12, "move")
    still = tracked(*[(0.05, 0.05)] * 3).cells(HALL)
    assert error_of(still.log) == "log: the recording must have a move between two gaps, got none"


def test_steps_of_a_time_may_stay_and_skip(error_of):
    places = [(0.05 + 0.1 * (row // 3), 0.05) for row in range(12)]
    visits = tracked(*places).cells(HALL, every=0.2)
    assert [path.tolist() for path in visits.paths] == [[0, 0, 1, 2, 2, 3]]
    assert visits.log().step == "0.2 s"
    assert visits.times[:4].tolist() == pytest.approx([0.3] * 4)
    assert error_of(lambda: visits.subjects(goal=3)) == (
        "subjects: steps must be moves, got cells(every=...)"
    )


def test_each_visit_to_the_goal_ends_a_trial_and_nothing_more_is_dropped(error_of):
    columns = [0, 1, 2, 3, 2, 1, 2, 3, 2]
    visits = tracked(*[(0.05 + 0.1 * column, 0.05) for column in columns]).cells(RING)
    mouse = visits.subjects(goal=3, name="mouse")
    assert mouse.names == ("mouse",)
    assert np.asarray(mouse.choices.states)[0].tolist() == [0, 1, 2, 2, 1, 2]
    assert np.asarray(mouse.choices.trials)[0].tolist() == [0, 0, 0, 1, 1, 1]
    assert mouse.left_out == 0
    assert error_of(lambda: visits.subjects(goal=5)) == (
        "subjects: goal must be a free cell, but 5 is a wall"
    )


def test_mistakes_are_named(error_of):
    track = tracked((0.05, 0.05), (0.06, 0.05))
    assert error_of(lambda: track.cells(HALL, outside="drop")) == (
        "cells: outside must be one of snap, gap, refuse, got 'drop'"
    )
    assert error_of(lambda: tracked((np.nan, 0.0)).cells(HALL)) == (
        "cells: the track must have a known position, got none"
    )
