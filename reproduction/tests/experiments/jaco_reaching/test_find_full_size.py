"""The remark on bounded runs at the paper's full size, which are judged by no line."""

import json

import pytest

from first_occupancy_paper.arm.runs.run_config import RunConfig, as_data
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.findings import findings
from first_occupancy_paper.experiments.jaco_reaching import find_full_size, registered
from first_occupancy_paper.experiments.jaco_reaching.find import find
from first_occupancy_paper.experiments.jaco_reaching.find_full_size import PART
from first_occupancy_paper.experiments.jaco_reaching.plot import plot
from first_occupancy_paper.experiments.jaco_reaching.run import KEPT, kept
from first_occupancy_paper.experiments.jaco_reaching.run_curves import setups

CONFIG = as_data(RunConfig(environments=8, precision="bfloat16", bounded=True))


def rows_of(agent, seeds, level, *, last=1_000_000, **changes):
    """Return runs at full size that go from 0 to twice the level, and a row of pre-training each.

    Seeds differ in their returns by as much as in their numbers.
    """
    file = f"{agent}_{seeds[0]}"
    own = {"agents": [agent], "seeds": list(seeds), **changes}
    origin = {
        "part": "origin",
        "file": file,
        "format": 2,
        "config": CONFIG | own,
        "hardware": {"device": "abacus"},
        "commit": "none",
    }
    known = {"part": "run", "file": file, "agent": agent}
    rows = [origin]
    for seed in seeds:
        before = {"phase": "pretraining", "step": 1_000_000, "target": 40.0, "exploration": 0.9}
        rows.append({**known, "seed": seed, **before, "largest_target": float(seed)})
        rows += [
            {
                **known,
                "seed": seed,
                "phase": "finetuning",
                "step": step,
                "evaluation_return": 2 * level * step / 1_000_000 + seed,
            }
            for step in range(0, last + 1, 10_000)
        ]
    return rows


def both(seeds=(35, 36), apf=90.0, aps=100.0, **changes):
    return [*rows_of("apf", seeds, apf, **changes), *rows_of("aps", seeds, aps, **changes)]


def test_returns_of_a_ramp_are_told_by_seed_without_a_verdict():
    (line,) = findings([*find_full_size.remarks(setups(both()))], find)
    assert line.verdict is Verdict.REMARK
    assert not line.counted
    # A ramp's mean over a stretch is half of where it ends, and every return has the seed in it.
    assert (
        "Seed 35: over 100,000 steps 44.0 and 45.0 (-1.0), over 430,000 steps 73.7 and 78.0 "
        "(-4.3), over 1,000,000 steps 125.0 and 135.0 (-10.0), at step 1,000,000 215.0 and 235.0 "
        "(-20.0). Seed 36: over 100,000 steps 45.0 and 46.0 (-1.0)"
    ) in line.ours
    assert line.ours.endswith("seed by seed: APF 35 and 36; APS 35 and 36")


def test_runs_that_were_cut_off_are_told_as_far_as_they_got():
    (line,) = findings([*find_full_size.remarks(setups(both(last=420_000)))], find)
    assert "Seed 36: over 100,000 steps 45.0 and 46.0 (-1.0), at step 420,000" in line.ours
    assert "2 seeds, 0 of them to the end" in line.why


def test_a_seed_of_one_agent_alone_is_not_compared():
    rows = [*rows_of("apf", (35,), 90.0), *rows_of("aps", (36,), 90.0)]
    assert list(find_full_size.remarks(setups(rows))) == []
    assert list(find_full_size.remarks(setups(rows_of("apf", (35, 36), 90.0)))) == []


@pytest.mark.parametrize(
    "change", [{"bounded": False}, {"pretraining_steps": 500_000}, {"environments": 2}]
)
def test_runs_with_other_settings_are_not_set_apart(change):
    found = setups(both(**change))
    assert find_full_size.set_apart(found) == found
    assert list(find_full_size.remarks(found)) == []


def test_no_line_judges_these_runs():
    """Other seeds of the same settings are judged as before, and by themselves."""
    others = both(seeds=(0, 1, 2), apf=60.0)
    alone = findings(find(others), find)
    together = findings(find([*others, *both()]), find)
    assert [line for line in together if line.id != "full_size"] == alone
    assert [line.id for line in together].count("full_size") == 1
    judged = {line.verdict for line in find(both())}
    assert judged <= {Verdict.REMARK, Verdict.NOT_RUN}


def test_the_registered_test_does_not_see_these_runs():
    """Not even if they had its seeds."""
    rows = [*both(), *both(seeds=tuple(range(25, 35)))]
    assert registered.lines(setups(rows)) == []
    complete = registered.complete_runs(setups(rows))
    assert not any(complete.values())


def test_kept_rows_say_the_same_without_these_runs():
    rows = kept()
    without = [row for row in rows if "_bounded_1M_" not in row["file"]]
    assert 0 < len(without) < len(rows)
    told, fewer = (findings(find(each), find) for each in (rows, without))
    assert [line for line in told if line.id != "full_size"] == fewer


def test_figures_show_these_runs_in_a_panel_of_their_own():
    axes = plot([*both(), *both(seeds=(0, 1, 2))])["reaching"].axes
    titles = [ax.get_title() for ax in axes]
    assert sum(PART in title for title in titles) == 1
    assert any("3 seeds each" in title and PART not in title for title in titles)


def test_kept_runs_at_full_size_have_these_settings():
    paths = sorted(KEPT.glob("*_bounded_1M_*.jsonl"))
    assert len(paths) == 2
    for path in paths:
        origin = json.loads(path.read_text(encoding="utf-8").partition("\n")[0])
        same = {name for name in CONFIG if origin["config"][name] == CONFIG[name]}
        assert CONFIG.keys() - same == {"agents", "seeds"}
        assert tuple(origin["config"]["seeds"]) == find_full_size.SEEDS
