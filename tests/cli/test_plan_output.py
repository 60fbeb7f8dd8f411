"""Texts of tours; `test_plan.py` shows them as the command prints them."""

import first_occupancy as fo
from first_occupancy.cli.plan_output import as_text, joined_paths, picture

WORLD = fo.maze(["S.#", "#.G"])
FOUND = fo.tour(WORLD, WORLD.goals, discount=0.9)


def test_terminals_without_arrows_get_plain_letters():
    assert picture(FOUND, WORLD) == "S↓█\n█→G"
    assert as_text(FOUND, WORLD, "utf-8").endswith("S↓█\n█→G")
    assert as_text(FOUND, WORLD, "ascii").endswith("Sv#\n#>G")
    assert as_text(FOUND, WORLD, None).endswith("Sv#\n#>G")


def test_figures_join_the_legs_of_a_way():
    assert joined_paths(FOUND, WORLD) == [[0, 1, 2, 3]]


def test_legs_that_only_chance_completes_say_so():
    # Only noise leads out of the dead end below and on to the goal.
    world = fo.maze(["S#G", ".#.", "..."], noise=0.9)
    found = fo.tour(world, world.goals, discount=0.9, max_switches=0)
    assert "  by chance  goal" in as_text(found, world, "utf-8").replace(" by", "  by")
