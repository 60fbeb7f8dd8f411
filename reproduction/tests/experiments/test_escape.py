"""The escape experiment: its rows, and verdicts that follow them."""

import copy
from itertools import pairwise

import pytest

from first_occupancy.representations import first_occupancy
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.escape import arena, rates
from first_occupancy_paper.experiments.escape.agent import initial
from first_occupancy_paper.experiments.escape.run import Config
from first_occupancy_paper.experiments.registry import experiment
from lines import by_id, deaf

ESCAPE = experiment("escape")

AGENTS = [(variant, name) for variant in ("printed", "feeling", "open") for name in ("FR", "SR")]


@pytest.fixture(scope="module")
def rows():
    configs = [
        Config(*agent, 60, runs=2, detailed=shown) for agent in AGENTS for shown in (False, True)
    ]
    configs.append(Config("new barrier", "FR", 60, runs=2))
    return [row for config in configs for row in ESCAPE.run(config, 0)]


def test_a_bump_hardly_changes_the_fr():
    believed = initial(3, 1)[:, 0].at[0, 2].set(0.5)
    bumped, _ = first_occupancy.td_step(believed, 0, 0, discount=0.99, step_size=0.05)
    assert float(bumped[0, 2]) == pytest.approx(0.5 * (1 - 0.05 * 0.01), rel=1e-6)


def test_printed_bumps_until_the_end(rows):
    printed = rates.select(rows, "printed")
    assert printed
    for row in printed:
        trial = row["trial_1"]
        # Ten steps from row 1 to row 11, above the barrier, and nothing else until step 50.
        assert (trial["first_hit"], trial["hits"], trial["steps"]) == (10, 40, 50)
        assert arena.arena(25, False).cell(trial["walk"][-1]) == (11, 12)


def test_walks_are_legal_and_stay_out_of_the_barrier(rows):
    for row in rows:
        moves = arena.next_states(25, row["variant"] != "open")
        for trial in (row["trial_1"], row["trial_2"]):
            walk = trial["walk"]
            assert len(walk) == trial["steps"] + 1 <= 51
            assert all(b in moves[:, a] for a, b in pairwise(walk))


def test_exact_rows_are_powers_of_the_discount(rows):
    fr = rates.select(rows, "printed", "FR", detailed=True)[0]["exact"]
    sr = rates.select(rows, "printed", "SR", detailed=True)[0]["exact"]
    wall = arena.above_barrier(25)
    assert fr[wall] == pytest.approx(0.99**10)
    assert sr[wall] == pytest.approx(0.99**10 / 0.01)


def test_same_seed_same_rows_other_seed_other_rows():
    config = Config("feeling", "FR", 60, runs=1, detailed=True)
    first, again, other = (list(ESCAPE.run(config, seed)) for seed in (5, 5, 6))
    assert first == again
    assert first[0]["explored"] != other[0]["explored"]


def test_plots_every_figure(rows):
    assert set(ESCAPE.plot(rows)) == {"mouse", "representations", "curves", "sr", "rates"}


def verdicts(rows):
    return {id: line.verdict for id, line in by_id(ESCAPE.find(rows)).items()}


def test_verdicts_follow_the_rows(rows):
    before = verdicts(rows)
    altered = copy.deepcopy(rows)
    for row in altered:
        row["trial_1"] |= {"past_barrier": True, "reached": True, "steps": 40}
        row["trial_2"] |= {"past_barrier": True, "reached": True, "steps": 30, "hits": 0}
        row["trial_1"]["hits"] = 0 if row["variant"] == "open" else 5
        if row["detailed"]:
            row["trial_errors"] = [float(time) for time in row["trial_times"]]
            row["at_barrier"] = 1.0
    # Wilson's interval of 2 runs is wide: ten copies are enough to be sure of most.
    after = verdicts(altered * 10)
    done = ("stuck", "second_trial", "both_trials", "feeling", "new_barrier", "jump")
    assert {after[id] for id in done} == {Verdict.REPRODUCED}
    assert {after[id] for id in ("successor_stuck", "accumulates")} == {Verdict.DIFFERS}
    assert all(before[id] != after[id] for id in ("stuck", "second_trial"))


def test_sentences_follow_the_rows(rows):
    """Whether bumps change a plan is counted, not known."""
    stuck = by_id(ESCAPE.findings(rows))["stuck"]
    assert "did not change the plan in any run" in stuck.why
    altered = copy.deepcopy(rows)
    freed = next(row for row in rates.select(altered, "printed") if rates.hits_first(row))
    freed["trial_1"]["past_barrier"] = True
    changed = by_id(ESCAPE.findings(altered))["stuck"]
    assert "did not change the plan in any run" not in changed.why
    assert "Yet 1 of the 2 runs that hit got past in the same trial." in changed.why
    assert changed.ours.startswith("printed update: 1/2 (")


def test_escapes_by_variants_of_ours_are_not_counted_again(rows):
    lines = by_id(ESCAPE.findings(rows))
    assert {id for id, line in lines.items() if line.again} == {"feeling", "new_barrier"}
    detailed = ("row_of_down", "accumulates", "jump")
    assert {lines[id].given for id in detailed} == {"with exploration of 60 steps"}
    lengths = {
        config.episode_steps
        for config, _ in ESCAPE.settings(False)
        if config.variant == "new barrier"
    }
    assert {100, 200, 300} <= lengths


def test_how_much_the_sr_accumulates_is_judged_by_an_interval(rows):
    changed = copy.deepcopy(rows)
    for row in changed:
        if row["detailed"] and row["representation"] == "SR":
            row["at_barrier"] = 1.4 + row["run"]
    assert verdicts(changed)["accumulates"] == Verdict.UNSETTLED


def test_every_sentence_follows_some_number(rows):
    assert deaf(ESCAPE, rows) == set()
