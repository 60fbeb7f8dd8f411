"""The ledger judges the registered test of bounded values as the registered program does."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from first_occupancy_paper.arm.runs.row_files import gathered
from first_occupancy_paper.arm.runs.run_config import RunConfig, as_data
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.findings import findings
from first_occupancy_paper.experiments.jaco_reaching import registered
from first_occupancy_paper.experiments.jaco_reaching.find import find
from first_occupancy_paper.experiments.jaco_reaching.plot import plot
from first_occupancy_paper.experiments.jaco_reaching.run_curves import setups

PROGRAM = Path(__file__).parents[3] / "protocols" / "arm_bounded.py"
CONFIG = RunConfig(
    pretraining_steps=500_000, finetuning_steps=500_000, environments=8, precision="bfloat16"
)
UNBOUNDED = {"apf": 50.0, "aps": 40.0}


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return the registered program, which reads the rows of a temporary folder."""
    spec = importlib.util.spec_from_file_location("arm_bounded", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROWS", tmp_path)
    return module


def write(folder, agent, name, seeds, level, *, last=500_000):
    """Write made-up runs that return about `level` on average at every evaluation."""
    bounded = name == "bounded"
    origin = {
        "format": 2,
        "config": as_data(CONFIG) | {"agents": [agent], "seeds": list(seeds), "bounded": bounded},
        "versions": {},
        "hardware": {"device": "abacus"},
        "commit": "none",
    }
    random = np.random.default_rng([seeds[0], bounded, *map(ord, agent)])
    rows = [
        {
            "agent": agent,
            "seed": seed,
            "phase": "finetuning",
            "step": step,
            "evaluation_return": float(level + shift + random.normal()),
        }
        for seed, shift in zip(seeds, random.normal(0, 5, len(seeds)), strict=True)
        for step in range(0, last + 1, 10_000)
    ]
    path = folder / f"{agent}_{name}_seeds_{seeds[0]}-{seeds[-1]}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [origin, *rows]))


def write_runs(folder, apf, aps, *, first_seeds=(25, 30)):
    """Write unbounded runs of both agents, and bounded ones in portions of five."""
    for agent, level in (("apf", apf), ("aps", aps)):
        for first in (10, 15):
            seeds = range(first, first + 5)
            write(folder, agent, "as_published", seeds, UNBOUNDED[agent])
        for first in first_seeds:
            write(folder, agent, "bounded", range(first, first + 5), level)


def rows_in(folder):
    return gathered(sorted(folder.glob("*.jsonl")))


def shown(difference):
    return f"{difference.mean:+.1f} [{difference.low:+.1f}, {difference.high:+.1f}]"


def lines_of(rows):
    return findings(registered.lines(setups(rows)), find)


def printed(program, capsys):
    program.main()
    return capsys.readouterr().out


def test_settings_and_seeds_are_those_of_the_program(program):
    assert program.SETTINGS.items() <= registered.SETTINGS.items()
    assert registered.SETTINGS.keys() - program.SETTINGS.keys() == {"first_actions"}
    assert tuple(registered.SEEDS[True]) == program.BOUNDED
    assert tuple(registered.SEEDS[False]) == program.UNBOUNDED
    assert (registered.EARLY, registered.LATE) == (program.EARLY, program.LATE)
    assert (registered.MARGIN, 1 - 0.05 / registered.TESTS) == (program.MARGIN, program.LEVEL)


def test_nothing_is_judged_by_half_of_the_runs(program, tmp_path, capsys):
    write_runs(tmp_path, 90.0, 20.0, first_seeds=(25,))
    lines = findings(find(rows_in(tmp_path)), find)
    bounded = [line for line in lines if line.id.startswith("registered")]
    assert {line.claim for line in bounded} == {
        "APF returns more over 100,000 steps of fine-tuning with bounded values than without "
        "(registered)",
        "APS returns more over 100,000 steps of fine-tuning with bounded values than without "
        "(registered)",
        "With bounded values, APF returns more than APS over 430,000 steps of fine-tuning "
        "(registered)",
    }
    assert {line.verdict for line in bounded} == {Verdict.NOT_RUN}
    assert {line.ours for line in bounded} == {
        "not run yet: APF seeds 30 to 34; APS seeds 30 to 34"
    }
    assert printed(program, capsys).startswith("not judged: no complete run of apf 30, apf 31")


@pytest.mark.parametrize(
    ("apf", "aps", "expected"),
    [
        (80.0, 70.0, (Verdict.HOLDS, Verdict.HOLDS, Verdict.UNSETTLED)),
        (80.0, 40.0, (Verdict.HOLDS, Verdict.FAILS, Verdict.HOLDS)),
        (57.0, 90.0, (Verdict.UNSETTLED, Verdict.HOLDS, Verdict.FAILS)),
        (20.0, 30.0, (Verdict.FAILS, Verdict.FAILS, Verdict.FAILS)),
    ],
)
def test_all_runs_are_judged_as_by_the_program(program, tmp_path, capsys, apf, aps, expected):
    write_runs(tmp_path, apf, aps)
    found = setups(rows_in(tmp_path))
    result = registered.compare(registered.complete_runs(found))
    out = printed(program, capsys)
    primary, secondary = out.split("Secondary")
    told, secondary_ones = zip(*result.values(), strict=True)
    assert [f"{shown(each)}: {registered.outcome(each)}" for each in told] == [
        line.split("steps: ")[1] for line in primary.splitlines()[1:]
    ]
    assert [shown(each) for each in secondary_ones] == [
        line.split("steps: ")[1] for line in secondary.splitlines()[1:-1]
    ]
    assert registered.recommends_bounds(result) == out.endswith("--bounded is recommended\n")
    lines = findings(registered.lines(found), find)
    assert [line.again for line in lines] == [False, False, True]
    assert tuple(line.verdict for line in lines) == expected
    for line, each in zip(lines, told, strict=True):
        assert f"; difference {shown(each)}: {registered.outcome(each)}. " in line.ours


def test_intervals_are_those_of_the_program(program, tmp_path):
    write_runs(tmp_path, 80.0, 70.0)
    result = registered.compare(registered.complete_runs(setups(rows_in(tmp_path))))
    means = {
        (agent, seeds): np.array(
            [program.mean_return(curve, program.EARLY) for curve in runs.values()]
        )
        for agent in program.AGENTS
        for seeds in program.FILES
        if (runs := program.returns_of(agent, seeds))
    }
    for agent in program.AGENTS:
        expected = program.welch(means[agent, program.BOUNDED], means[agent, program.UNBOUNDED])
        np.testing.assert_allclose(result[agent][0][:3], expected, rtol=1e-10)
    leads = means["apf", program.BOUNDED] - means["aps", program.BOUNDED]
    np.testing.assert_allclose(result[None][1][:3], program.paired(leads, 0.95), rtol=1e-10)


def test_runs_that_suggested_the_test_are_not_pooled(tmp_path):
    write_runs(tmp_path, 80.0, 70.0)
    before = lines_of(rows_in(tmp_path))
    for agent in ("apf", "aps"):
        write(tmp_path, agent, "bounded", range(20, 25), 300.0)
    rows = rows_in(tmp_path)
    assert lines_of(rows) == before
    titles = [ax.get_title().split("\n")[1] for ax in plot(rows)["reaching"].axes]
    assert sorted(titles) == [
        "10 seeds each",
        "10 seeds each, bounded, registered",
        "5 seeds each, bounded, exploratory",
    ]
    (tmp_path / "apf_bounded_seeds_30-34.jsonl").unlink()
    assert {line.ours for line in lines_of(rows_in(tmp_path))} == {
        "not run yet: APF seeds 30 to 34"
    }


def test_a_run_is_complete_at_step_430_000(program, tmp_path, capsys):
    write_runs(tmp_path, 80.0, 70.0)
    write(tmp_path, "apf", "bounded", range(30, 35), 80.0, last=420_000)
    assert {line.verdict for line in lines_of(rows_in(tmp_path))} == {Verdict.NOT_RUN}
    assert printed(program, capsys).startswith("not judged")
    write(tmp_path, "apf", "bounded", range(30, 35), 80.0, last=430_000)
    assert Verdict.NOT_RUN not in {line.verdict for line in lines_of(rows_in(tmp_path))}
    assert printed(program, capsys).startswith("Primary")


def test_a_return_that_is_not_finite_counts_as_zero(program, tmp_path, capsys):
    write_runs(tmp_path, 80.0, 70.0)
    path = tmp_path / "apf_bounded_seeds_30-34.jsonl"
    origin, *rows = map(json.loads, path.read_text().splitlines())
    rows = [row | {"evaluation_return": None} if row["seed"] == 33 else row for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in [origin, *rows]))
    result = registered.compare(registered.complete_runs(setups(rows_in(tmp_path))))
    lead, _ = result[None]
    assert f"steps: {shown(lead)}: {registered.outcome(lead)}" in printed(program, capsys)


def test_other_settings_are_no_part_of_the_test(tmp_path):
    write_runs(tmp_path, 80.0, 70.0)
    rows = rows_in(tmp_path)
    others = [
        row | {"config": {**row["config"], "width": 128}} if row["part"] == "origin" else row
        for row in rows
    ]
    assert lines_of(others) == []
