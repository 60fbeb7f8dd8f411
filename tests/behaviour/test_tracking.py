"""Tracking files become positions in metres with gaps, or are refused in one sentence."""

import numpy as np

from first_occupancy.behaviour.arenas import arena
from first_occupancy.behaviour.tracking import Tracking, read_tracking

ARENA = arena(width=0.4, height=0.2, cell=0.1, walls=[((0.3, 0.1), (0.4, 0.2))])

EXPORT = """scorer,net,net,net,net,net,net
bodyparts,nose,nose,nose,tail,tail,tail
coords,x,y,likelihood,x,y,likelihood
0,5,5,1.0,0,0,1
1,15,5,0.99,0,0,1
2,16,6,0.98,0,0,1
3,390,5,0.10,0,0,1
4,25,5,0.97,0,0,1
5,25,15,0.97,0,0,1
6,,,,0,0,1
7,15,15,0.95,0,0,1
"""


def test_unlikely_and_missing_positions_are_gaps_and_counted(tmp_path):
    file = tmp_path / "export.csv"
    file.write_text(EXPORT)
    track = read_tracking(file, part="nose", frames_per_second=10.0, scale=0.01)
    np.testing.assert_allclose(track.times, np.arange(8) / 10)
    np.testing.assert_allclose(track.positions[1], [0.15, 0.05])
    assert track.known.tolist() == [True, True, True, False, True, True, False, True]
    assert [path.tolist() for path in track.cells(ARENA).paths] == [[0, 1], [2, 6], [5]]
    assert repr(track) == (
        "Tracking: 8 rows over 0.7 s\n"
        "  gaps: 1 rows of a likelihood below 0.9, 1 without a position\n"
        "  x 0.05 to 0.25, y 0.05 to 0.15"
    )
    assert read_tracking(file, part="nose", likelihood=0.0).known.sum() == 7


def test_a_table_with_a_pause_is_cut_there(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(
        "t,x,y\n0,0.05,0.05\n0.1,0.15,0.05\n0.2,0.25,0.05\n5,0.25,0.15\n5.1,0.15,0.15\n"
    )
    track = read_tracking(file, columns=("t", "x", "y"))
    assert track.likelihoods.tolist() == [1] * 5
    assert [path.tolist() for path in track.cells(ARENA).paths] == [[0, 1, 2], [6, 5]]


def test_rows_without_times_are_frames_if_their_rate_is_given(tmp_path, error_of):
    file = tmp_path / "table.csv"
    file.write_text("x,y\n10,90\n20,90\n")
    track = read_tracking(file, frames_per_second=4, scale=0.01, origin=(0, 100), flip_y=True)
    assert track.times.tolist() == [0, 0.25]
    np.testing.assert_allclose(track.positions, [[0.1, 0.1], [0.2, 0.1]])
    assert error_of(lambda: read_tracking(file)) == (
        "read_tracking: the file must have the columns time, x, y, lacks time; it has x, y; pass "
        "frames_per_second= if rows are frames"
    )


def test_four_corners_replace_the_scale(tmp_path, error_of):
    file = tmp_path / "table.csv"
    file.write_text("time,x,y\n0,140,240\n1,90,290\n")
    corners = [(40, 340), (240, 340), (240, 140), (40, 140)]
    track = read_tracking(file, corners=corners, size=(1.0, 1.0))
    np.testing.assert_allclose(track.positions, [[0.5, 0.5], [0.25, 0.25]])
    assert error_of(lambda: read_tracking(file, corners=corners, size=(1, 1), scale=2.0)) == (
        "read_tracking: corners must stand alone, got scale, origin, rotation or flip_y as well"
    )
    assert "corners must be four pixels" in error_of(lambda: read_tracking(file, size=(1, 1)))


def test_mistakes_are_named(tmp_path, error_of):
    file = tmp_path / "table.csv"
    file.write_text("time,x\n0,1\n")
    assert error_of(lambda: read_tracking(file)) == (
        "read_tracking: the file must have the columns time, x, y, lacks y; it has time, x"
    )
    assert error_of(lambda: read_tracking(file, scale=0.0)) == (
        "read_tracking: scale must be above 0, got 0.0"
    )
    file.write_text(EXPORT)
    assert error_of(lambda: read_tracking(file, part="paw")) == (
        "read_tracking: part must be one of nose, tail, got 'paw'"
    )
    assert error_of(lambda: read_tracking(file)) == (
        "read_tracking: part must be one of nose, tail, got None"
    )
    frames = read_tracking(file, part="nose", scale=0.01)
    assert error_of(lambda: frames.cells(ARENA, every=0.1)) == (
        "cells: every needs times in seconds, but the track counts frames; pass "
        "frames_per_second= to read_tracking"
    )
    assert error_of(lambda: read_tracking(tmp_path / "none.csv")).startswith(
        "read_tracking: cannot read "
    )
    places, sure = np.zeros((3, 2)), np.ones(3)
    assert error_of(lambda: Tracking(np.array([0.0, 1.0, 1.0]), places, sure)) == (
        "Tracking: times must increase, got a duplicate in row 2 (1 such rows)"
    )
    assert error_of(lambda: Tracking(np.array([0.0, 2.0, 1.0]), places, sure)) == (
        "Tracking: times must increase, got an earlier or missing time in row 2 (1 such rows)"
    )
