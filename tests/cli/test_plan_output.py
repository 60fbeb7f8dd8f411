"""Texts and JSON of tours; `test_plan.py` has more of both."""

import json

import first_occupancy as fo
from first_occupancy.cli.plan_answer import Question, answer
from first_occupancy.cli.plan_output import as_json, as_text, joined_paths, picture

WORLD = fo.maze(["S.#", "#.G"])
FOUND = answer(Question(WORLD, 0, [3], 0.9))


def test_terminals_without_arrows_get_plain_letters():
    assert picture(FOUND) == "S↓█\n█→G"
    assert as_text(FOUND, "utf-8").endswith("S↓█\n█→G")
    assert as_text(FOUND, "ascii").endswith("Sv#\n#>G")
    assert as_text(FOUND, None).endswith("Sv#\n#>G")


def test_json_names_its_format_and_the_files():
    content = json.loads(as_json(FOUND, {"figure": "plan.png"}))
    assert content["format"] == 1
    assert content["files"] == {"figure": "plan.png"}
    assert content["maze"]["moves"] == ["up", "right", "down", "left"]
    assert joined_paths(FOUND) == [[0, 1, 2, 3]]


def test_legs_that_only_chance_completes_say_so():
    # Only noise leads out of the dead end below and on to the goal.
    world = fo.maze(["S#G", ".#.", "..."], noise=0.9)
    text = as_text(answer(Question(world, 0, [world.goals[0]], 0.9, switches=0)), "utf-8")
    assert "  by chance  goal" in text
