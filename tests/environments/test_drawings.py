"""Drawings as text and as lines: what they mean, and what is said of what means nothing."""

import os
from collections import Counter

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.environments import maze
from first_occupancy.environments.drawings import PaddingWarning

SHARE = int(float(os.environ.get("FIRST_OCCUPANCY_FUZZ", "1")) * 2000)
"""Half the number of malformed drawings; see `tests/storage/test_archives.py`."""

LETTERS = "#. SG\n\t?\x00é日\ud800\r\x0b\x1c\u2028"


def test_text_and_lines_draw_the_same_and_empty_lines_around_do_not_count():
    from_text, from_lines = maze("\n\n#.S\n..G\n\n"), maze(["#.S", "..G"])
    np.testing.assert_array_equal(from_text.free, from_lines.free)
    assert (from_text.start, from_text.goals) == (from_lines.start, from_lines.goals) == (1, (4,))


def test_indented_text_is_the_drawing_without_its_indent():
    indented = """
        S.
        .G
    """
    assert maze(indented).num_states == 4
    assert maze(["  S"]).num_states == 3


def test_only_text_that_begins_with_a_line_break_has_an_indent():
    for text in (" S#\n ..", "   \n S \n  G", "S...\n    \n...G", "  S\n   "):
        drawn, lines = maze(text), maze(text.split("\n"))
        np.testing.assert_array_equal(drawn.free, lines.free)
        assert (drawn.start, drawn.goals) == (lines.start, lines.goals)


def test_lines_of_blanks_are_rows_of_indented_text_too():
    for text in (
        "\n  S..\n     \n  ..G\n\n ",
        "\r\n\tS..\r\n\t   \r\n\t..G\r\n\t",
        "\nS..\n   \n..G\n  ",
    ):
        world = maze(text)
        assert (world.free.shape, world.start, world.goals) == ((3, 3), 0, (8,))
    for text in ("\n  \n  \n", "\n  \n  \n    "):
        assert maze(text).free.shape == (2, 2)


def a_drawing(rng, sound):
    """Return a drawing with a few characters changed, or one of random characters."""
    if rng.random() < 0.5:
        return "".join(LETTERS[i] for i in rng.integers(len(LETTERS), size=rng.integers(0, 40)))
    text = list(sound)
    for _ in range(rng.integers(1, 6)):
        place = int(rng.integers(len(text)))
        piece = [LETTERS[rng.integers(len(LETTERS))]] * int(rng.integers(0, 3))
        text[place : place + int(rng.integers(0, 3))] = piece
    return "".join(text)


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.filterwarnings("ignore::first_occupancy.environments.drawings.PaddingWarning")
def test_malformed_drawings_are_read_or_refused():
    rng, ended = np.random.default_rng(0), Counter()
    sound = "###########\n#S...#...G#\n#.........#\n#....#....#\n###########"
    for _ in range(2 * SHARE):
        text = a_drawing(rng, sound)
        drawing = text if rng.random() < 0.7 else text.split("\n")
        try:
            world = fo.maze(drawing)
        except fo.InputError as error:
            ended["refused", str(error)[:6]] += 1
        else:
            assert world.next_states.shape == (4, world.free.sum())
            assert 0 <= world.next_states.min() <= world.next_states.max() < world.num_states
            ended["read"] += 1
    assert ended.keys() == {"read", ("refused", "maze: ")}
    assert min(ended.values()) > 0.05 * SHARE


def test_short_lines_are_filled_up_with_walls_and_a_warning():
    with pytest.warns(PaddingWarning) as caught:
        world = maze(["S..", "", ".G"])
    assert world.drawing == "S..\n###\n.G#"
    assert str(caught[0].message) == (
        "maze: 2 of 3 lines were filled up with walls, first line 2 from 0 to 3 characters"
    )
