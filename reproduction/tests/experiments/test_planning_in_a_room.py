"""Three policies in a room, against all ways to chain them."""

import itertools

import numpy as np
import pytest

from first_occupancy.environments import small_room
from first_occupancy_paper.experiments.registry import experiment
from lines import by_id, deaf


@pytest.fixture(scope="module")
def rows():
    chosen = experiment("planning_in_a_room")
    ((config, _),) = chosen.settings(True)
    return list(chosen.run(config, 0))


def fewest_steps(rows, *, switches):
    """Return the fewest steps to the goal with so many switches, trying every chain of policies."""
    world = small_room()
    tables = [world.next_states[row["actions"], np.arange(16)] for row in rows if "policy" in row]
    best = np.inf
    for policies in itertools.product(range(3), repeat=switches + 1):
        steps_at = {world.start: 0}
        for policy in policies:
            reached = dict(steps_at)
            for start, steps in steps_at.items():
                state = start
                for taken in range(1, 17):
                    state = int(tables[policy][state])
                    reached[state] = min(reached.get(state, np.inf), steps + taken)
            steps_at = reached
        best = min(best, steps_at.get(world.goals[0], np.inf))
    return best


def test_gpi_and_frp_take_the_fewest_steps_that_their_switches_allow(rows):
    gpi, frp = (row for row in rows if "planner" in row)
    assert len(gpi["walk"]) - 1 == fewest_steps(rows, switches=0)
    assert len(frp["walk"]) - 1 == fewest_steps(rows, switches=2)
    assert gpi["walk"][-1] == frp["walk"][-1] == small_room().goals[0]
    np.testing.assert_allclose(frp["discount"], 0.9 ** (len(frp["walk"]) - 1), rtol=1e-12)


def test_the_papers_two_claims_are_found(rows):
    findings = by_id(experiment("planning_in_a_room").findings(rows))
    assert {finding.verdict for finding in findings.values()} == {"reproduced"}
    assert "pi_2, then pi_3" in findings["frp"].ours


def test_sentences_follow_the_rows(rows):
    assert deaf(experiment("planning_in_a_room"), rows) == set()
