"""The comparison of APF's variants, on runs whose returns are known."""

import numpy as np
import pytest

from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.findings import findings
from first_occupancy_paper.experiments.jaco_reaching.find import find
from first_occupancy_paper.experiments.jaco_reaching.find_variants import SEEDS, is_soft, variants
from first_occupancy_paper.experiments.jaco_reaching.plot import _beside
from first_occupancy_paper.experiments.jaco_reaching.run_curves import Setup
from lines import by_id

CONFIG = {
    "threshold": 0.3,
    "pretraining_steps": 60_000,
    "finetuning_steps": 60_000,
    "evaluate_every": 10_000,
    "width": 128,
    "batch": 128,
    "environments": 8,
    "episodes": 4,
    "precision": "float32",
    "task": "reach_top_left",
    "hand_over": "as_published",
    "first_actions": "random actions",
    "bounded": False,
}


def runs(level, seeds=SEEDS):
    """Return runs whose mean return is the level and a little that depends on the seed."""
    return {
        seed: [
            {"phase": "pretraining", "step": 60_000, "largest_target": 40.0},
            *(
                {"phase": "finetuning", "step": step, "evaluation_return": level + seed % 3}
                for step in range(0, 70_000, 10_000)
            ),
        ]
        for seed in seeds
    }


def setup(agents, **settings):
    return Setup({**CONFIG, **settings}, agents, ("a device",))


@pytest.mark.parametrize(
    ("exact", "soft", "verdicts"),
    [(30, 10, (Verdict.HOLDS, Verdict.FAILS)), (20, 20, (Verdict.UNSETTLED, Verdict.UNSETTLED))],
)
def test_each_variant_is_judged_against_apf_of_the_same_seeds(exact, soft, verdicts):
    rng = np.random.default_rng(0)
    noise = {seed: float(x) for seed, x in zip(SEEDS, rng.normal(size=10), strict=True)}
    usual = runs(20)
    for seed, rows in usual.items():
        for row in rows[1:]:
            row["evaluation_return"] += noise[seed]
    # Runs of other seeds do not count, however they end.
    usual |= runs(500, seeds=(3, 4))
    found = [
        setup({"apf": usual, "apf_exact": runs(exact)}),
        setup({"apf": runs(soft)}, threshold=None),
    ]
    lines = by_id(findings(variants(found), find))
    judged = tuple(lines[f"variant:{name}"].verdict for name in ("exact", "soft"))
    assert judged == verdicts
    assert [is_soft(each) for each in found] == [False, True]
    mean = exact - 20 - np.mean(list(noise.values()))
    assert f"Difference: {mean:+.1f} [" in lines["variant:exact"].ours


@pytest.mark.parametrize("change", [{"bounded": True}, {"width": 1024}, {"hand_over": "repaired"}])
def test_other_settings_and_missing_seeds_make_no_line(change):
    both = {"apf": runs(20), "apf_exact": runs(20)}
    assert variants([setup(both, **change)]) == []
    assert variants([setup({"apf": runs(20), "apf_exact": runs(20, seeds=SEEDS[1:])})]) == []


def test_figures_say_which_runs_have_soft_features():
    assert _beside(setup({}, threshold=None)) == ["width 128", "soft features"]
    assert _beside(setup({})) == ["width 128"]
