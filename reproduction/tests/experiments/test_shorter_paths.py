"""Two policies to one goal, against what a walk through the drawing says."""

import numpy as np
import pytest

from first_occupancy.environments import small_room
from first_occupancy_paper.experiments.registry import experiment
from lines import deaf

DISCOUNT = 0.9
MOVES = {"^": (-1, 0), ">": (0, 1), "v": (1, 0), "<": (0, -1)}


@pytest.fixture(scope="module")
def rows():
    chosen = experiment("shorter_paths")
    ((config, _),) = chosen.settings(True)
    return list(chosen.run(config, 0))


def walked(actions, steps):
    """Return the cells of a walk from the start, by a policy given by its moves."""
    world = small_room()
    cells = [world.cell(world.start)]
    for _ in range(steps):
        row, column = cells[-1]
        down, right = list(MOVES.values())[actions[world.state(row, column)]]
        ahead = (row + down, column + right)
        cells.append(ahead if world.free[ahead] else cells[-1])
    return cells


def test_frs_and_srs_are_those_of_a_long_walk(rows):
    goal = small_room().cell(small_room().goals[0])
    for row in rows[:2]:
        visits = [time for time, cell in enumerate(walked(row["actions"], 400)) if cell == goal]
        assert row["steps_to_goal"] == visits[0]
        np.testing.assert_allclose(row["fr"], DISCOUNT ** visits[0], rtol=1e-12)
        np.testing.assert_allclose(row["sr"], sum(DISCOUNT**time for time in visits), rtol=1e-12)


def test_learning_comes_near_what_is_exact(rows):
    for row in rows[:2]:
        np.testing.assert_allclose(row["td_fr"], row["fr"], rtol=0.05)
        np.testing.assert_allclose(row["td_sr"], row["sr"], rtol=0.05)


def test_the_papers_two_claims_are_found(rows):
    findings = experiment("shorter_paths").findings(rows)
    assert [finding.verdict for finding in findings] == ["reproduced"] * 2
    turned = [row | {"fr": 1 - row["fr"]} if "fr" in row else row for row in rows]
    turned = [row | {"gpi_choice": "pi_1"} if "gpi_choice" in row else row for row in turned]
    assert [each.verdict for each in experiment("shorter_paths").findings(turned)] == [
        "differs"
    ] * 2


def test_sentences_follow_the_rows(rows):
    # The line on choices names policies.
    assert deaf(experiment("shorter_paths"), rows, besides=["choices"]) == set()
