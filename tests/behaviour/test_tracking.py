"""Tracking files become cells between gaps, or are refused in one sentence."""

import numpy as np

from first_occupancy.behaviour.arenas import rectangular_arena
from first_occupancy.behaviour.tracking import Tracking, read_deeplabcut, read_table

ARENA = rectangular_arena(width=0.4, height=0.2, cell=0.1, obstacles=[(0.3, 0.1, 0.4, 0.2)])

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


def test_unlikely_and_missing_positions_are_gaps(tmp_path):
    file = tmp_path / "export.csv"
    file.write_text(EXPORT)
    tracked = read_deeplabcut(file, body_part="nose", frames_per_second=10.0, scale=0.01)
    np.testing.assert_allclose(tracked.times, np.arange(8) / 10)
    np.testing.assert_allclose(tracked.positions[1], [0.15, 0.05])
    clean = tracked.filtered(likelihood=0.9)
    assert clean.known.tolist() == [True, True, True, False, True, True, False, True]
    assert [part.tolist() for part in clean.cells(ARENA)] == [[0, 1], [2, 6], [5]]
    per_row = clean.cells(ARENA, events=False)
    assert [part.tolist() for part in per_row] == [[0, 1, 1], [2, 6], [5]]


def test_a_table_with_a_pause_is_cut_there(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(
        "t,x,y\n0,0.05,0.05\n0.1,0.15,0.05\n0.2,0.25,0.05\n5,0.25,0.15\n5.1,0.15,0.15\n"
    )
    tracked = read_table(file, columns=("t", "x", "y"))
    assert tracked.likelihoods.tolist() == [1] * 5
    assert [part.tolist() for part in tracked.cells(ARENA)] == [[0, 1, 2], [6, 5]]


def test_moves_are_logged_without_those_across_gaps():
    times = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 9.0])
    centres = np.array([[0.05, 0.05], [0.15, 0.05], [0.25, 0.05], [0.25, 0.15], [0.15, 0.15]])
    places = np.concatenate([centres, centres[:1]])
    log = Tracking(times, places, np.ones(6)).log(ARENA)
    assert np.asarray(log.states).tolist() == [0, 1, 6]
    assert np.asarray(log.next_states).tolist() == [1, 2, 5]
    assert np.asarray(log.episodes).tolist() == [0, 0, 1]
    assert log.num_states == ARENA.num_states


def test_mistakes_are_named(tmp_path, error_of):
    file = tmp_path / "table.csv"
    file.write_text("time,x\n0,1\n")
    assert error_of(lambda: read_table(file)) == (
        "read_table: the file must have the columns time, x, y, lacks y; it has time, x"
    )
    file.write_text(EXPORT)
    assert error_of(lambda: read_deeplabcut(file, body_part="paw", frames_per_second=10.0)) == (
        "read_deeplabcut: body_part must be one of nose, tail, got 'paw'"
    )
    assert error_of(lambda: read_table(tmp_path / "none.csv")).startswith(
        "read_table: cannot read "
    )
    places, sure = np.zeros((3, 2)), np.ones(3)
    assert error_of(lambda: Tracking(np.array([0.0, 1.0, 1.0]), places, sure)) == (
        "Tracking: times must increase, got a duplicate in row 2 (1 such rows)"
    )
    assert error_of(lambda: Tracking(np.array([0.0, 2.0, 1.0]), places, sure)) == (
        "Tracking: times must increase, got an earlier or missing time in row 2 (1 such rows)"
    )
    outside = Tracking(np.arange(3.0), np.array([[0.1, 0.1], [0.35, 0.15], [9.0, 9.0]]), sure)
    assert error_of(lambda: outside.cells(ARENA)) == (
        "cells: positions must lie in free parts of the arena, got (0.35, 0.15) in row 1 "
        "(2 such rows)"
    )
    still = Tracking(np.arange(3.0), np.full((3, 2), 0.05), sure)
    assert error_of(lambda: still.log(ARENA)) == (
        "log: the recording must have a move between two gaps, got none"
    )
    file.write_text("a,b\n1,2\n1,2\n1,2\n")
    assert error_of(lambda: read_deeplabcut(file, body_part="nose", frames_per_second=10.0)) == (
        "read_deeplabcut: the file must begin with lines for scorer, bodyparts and coords and have "
        "a positive rate, got a, 1, 1 at 10.0 per second"
    )
