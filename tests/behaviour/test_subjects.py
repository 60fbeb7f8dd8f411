"""Recorded paths become choices, or are refused in one sentence."""

import numpy as np
import pytest

from first_occupancy.behaviour.subjects import (
    NO_ACTION,
    LeftOutWarning,
    Trial,
    grid_layouts,
    subjects_from_paths,
)

FREE = np.ones((2, 2, 3), bool)
FREE[1, 0, 1] = False
LAYOUTS = grid_layouts(FREE, goal=5)


def test_a_path_becomes_one_choice_per_move():
    subjects = subjects_from_paths(
        LAYOUTS, {"a": [Trial(0, [0, 1, 4, 5]), Trial(1, [0, 3])], "b": [Trial(0, [2, 5])]}
    )
    choices = subjects.choices
    assert repr(subjects) == "Subjects(2 subjects, 5 choices in 3 trials, 2 layouts, 6 cells)"
    assert choices.states.tolist() == [[0, 1, 4, 0], [2, 0, 0, 0]]
    assert choices.actions[0].tolist() == [1, 2, 1, 2]
    assert choices.next_states[0].tolist() == [1, 4, 5, 3]
    assert choices.previous[0].tolist() == [NO_ACTION, 1, 2, NO_ACTION]
    assert choices.trials[0].tolist() == [0, 0, 0, 1]
    assert choices.layouts[0].tolist() == [0, 0, 0, 1]
    assert choices.counted.tolist() == [[True] * 4, [True, False, False, False]]
    assert choices.allowed[0].tolist() == [
        [False, True, True, False],
        [False, True, True, True],
        [True, True, False, True],
        [False, False, True, False],
    ]


def test_trials_are_cut_at_the_goal_unless_they_go_on():
    trials = {"a": [Trial(0, [4, 5, 2])]}
    with pytest.warns(LeftOutWarning, match="of . moves come after the goal in their trial and we"):
        cut = subjects_from_paths(LAYOUTS, trials)
    assert cut.num_choices.tolist() == [1]
    assert f"{cut.left_out} moves after the goal left out" in repr(cut)
    assert subjects_from_paths(LAYOUTS, trials, ends_at_goal=True).left_out == cut.left_out
    on = subjects_from_paths(LAYOUTS, trials, ends_at_goal=False)
    assert on.num_choices.tolist() == [2]


def test_turns_are_named_by_how_far_one_turns():
    assert LAYOUTS.turn_names == ("straight on", "right", "back", "left")
    north, east, south, west = range(4)
    for before, after, name in (
        (north, north, "straight on"),
        (north, east, "right"),
        (west, east, "back"),
        (east, north, "left"),
        (south, west, "right"),
    ):
        assert LAYOUTS.turn_names[int(LAYOUTS.turns[before, after])] == name


def test_the_random_walk_ends_in_the_goal():
    rows = np.asarray(LAYOUTS.random_walk)
    np.testing.assert_allclose(rows.sum(axis=1), [1, 1, 1, 1, 1, 0])
    np.testing.assert_allclose(rows[1], [1 / 3, 0, 1 / 3, 0, 1 / 3, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: subjects_from_paths(LAYOUTS, {}),
            "subjects_from_paths: paths must hold at least one subject, got none",
        ),
        (
            lambda: subjects_from_paths(LAYOUTS, {"a": [Trial(0, [0]), Trial(0, [])]}),
            "subjects_from_paths: a must have at least one move, got none",
        ),
        (
            lambda: subjects_from_paths(LAYOUTS, {"a": [Trial(0, [0, 1]), Trial(0, [0, 4, 0])]}),
            "subjects_from_paths: trial 1 of a must move between neighbours, got 0 to 4 at move 0 "
            "(2 such moves)",
        ),
        (
            lambda: subjects_from_paths(LAYOUTS, {"a": [Trial(1, [0, 1])]}),
            "subjects_from_paths: trial 0 of a must enter free cells, got the wall 1 at step 1 "
            "(1 such steps)",
        ),
        (
            lambda: subjects_from_paths(LAYOUTS, {"a": [Trial(0, [0, 6])]}),
            "subjects_from_paths: trial 0 of a must visit cells in 0..5, got 6 at step 1 "
            "(1 such steps)",
        ),
        (
            lambda: subjects_from_paths(LAYOUTS, {"a": [Trial(2, [0, 1])]}),
            "subjects_from_paths: trial 0 of a: layout must be in 0..1, got 2",
        ),
        (
            lambda: grid_layouts(FREE[0], goal=5),
            "grid_layouts: free must have shape [L rows columns], got [2, 3]",
        ),
        (lambda: grid_layouts(FREE, goal=6), "grid_layouts: goal must be in 0..5, got 6"),
    ],
)
def test_mistakes_are_named(call, message, error_of):
    assert error_of(call) == message
