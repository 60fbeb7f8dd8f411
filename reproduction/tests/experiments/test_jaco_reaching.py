"""What the ledger makes of rows on the arm, with rows made up for the purpose."""

import json

import numpy as np
import pytest

from first_occupancy.cli.main import main
from first_occupancy.core.errors import InputError
from first_occupancy_paper.arm.runs.run_config import RunConfig, as_data
from first_occupancy_paper.commands import reproduce
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.jaco_reaching import comparing, run_curves
from first_occupancy_paper.experiments.jaco_reaching import run as run_module
from first_occupancy_paper.experiments.jaco_reaching.find import find
from first_occupancy_paper.experiments.jaco_reaching.plot import plot
from first_occupancy_paper.experiments.registry import experiment
from lines import by_id, deaf

JACO_REACHING = experiment("jaco_reaching")

STEPS = np.arange(0, 101, 10)
CONFIG = as_data(
    RunConfig(finetuning_steps=100, pretraining_steps=100, evaluate_every=10, hand_over="repaired")
)


def origin(file="a", rows_format=2, **changes):
    return {
        "part": "origin",
        "file": file,
        "format": rows_format,
        "config": CONFIG | changes,
        "hardware": {"device": "abacus"},
        "commit": "none",
    }


def run(agent, seed, returns, file="a"):
    """Return rows of fine-tuning with such returns."""
    return [
        {
            "part": "run",
            "file": file,
            "agent": agent,
            "seed": seed,
            "phase": "finetuning",
            "step": int(step),
            "evaluation_return": float(value),
        }
        for step, value in zip(STEPS, returns, strict=False)
    ]


def ramp(speed, seed):
    """Return a curve that grows to 100 at a speed, and a little noise of each seed."""
    noise = np.random.default_rng(seed).uniform(0, 2, len(STEPS))
    return np.minimum(speed * STEPS, 100) + noise


def several(agent, speed, count=5, file="a"):
    return [row for seed in range(count) for row in run(agent, seed, ramp(speed, seed), file)]


def verdicts(rows):
    """Return the verdicts by what lines are about, whichever setup it is about."""
    return {line.id.partition(":")[0]: line.verdict for line in find(rows)}


def only(rows, about):
    """Return the one line that is about something, with its sentences."""
    (line,) = of(rows, about)
    return line


def of(rows, about):
    return [line for line in JACO_REACHING.findings(rows) if line.id.partition(":")[0] == about]


@pytest.mark.parametrize(
    ("speeds", "expected"),
    [((3, 1), Verdict.REPRODUCED), ((1, 3), Verdict.DIFFERS), ((2, 2), Verdict.UNSETTLED)],
)
def test_the_verdict_is_that_of_the_rows(speeds, expected):
    rows = [origin(), *several("apf", speeds[0]), *several("aps", speeds[1])]
    found = verdicts(rows)
    assert found["faster"] == expected
    assert found["sooner"] == expected
    assert "better" not in found


@pytest.mark.parametrize(("speed", "learns"), [(0.09, False), (0.13, True)])
def test_lines_warn_where_nobody_learns(speed, learns):
    rows = [origin(), *several("apf", speed), *several("aps", 0.01)]
    compared = [only(rows, about) for about in ("faster", "sooner")]
    assert ["Neither learned to reach" not in line.why for line in compared] == [learns] * 2
    expected = Verdict.REPRODUCED if learns else Verdict.UNSETTLED
    assert [line.verdict for line in compared] == [expected] * 2


def test_the_floor_is_ddpg():
    rows = [origin(), *several("apf", 3), *several("aps", 2)]
    assert verdicts([*rows, *several("ddpg", 0.5)])["better"] == Verdict.HOLDS
    assert verdicts([*rows, *several("ddpg", 2)])["better"] == Verdict.UNSETTLED
    assert verdicts([*rows, *several("ddpg", 2.5)])["better"] == Verdict.FAILS


@pytest.mark.parametrize(
    ("speed", "expected"), [(1, Verdict.HOLDS), (0.05, Verdict.FAILS), (0.105, Verdict.UNSETTLED)]
)
def test_ddpg_alone_says_whether_the_learner_works_and_nothing_of_pre_training(speed, expected):
    found = verdicts([origin(), *several("ddpg", speed)])
    assert found["learns"] == expected
    assert found["faster_not_run"] == Verdict.NOT_RUN
    assert "better" not in found


def test_lines_say_exactly_what_was_run():
    rows = [origin(), *several("apf", 3), *several("aps", 1), *run("aps", 9, [1.0, 2.0, 3.0])]
    line = only(rows, "faster")
    assert (
        "Run: apf 5 seeds, 5 of them to the end, evaluated up to step 100; "
        "aps 6 seeds, 5 of them to the end, evaluated up to steps 20 to 100; "
        "100 + 100 steps planned, "
        "width 1024, batch 1024, 2 environments a run, matrix products in tensorfloat32, "
        "10 episodes every 10 steps, task reach_top_left, on abacus"
    ) in line.why


def test_unfinished_runs_are_compared_as_far_as_all_got():
    rows = [origin()]
    for seed in range(3):
        rows += run("apf", seed, ramp(3, seed)[: 5 + seed])
        rows += run("aps", seed, ramp(1, seed)[:8])
        rows += run("ddpg", seed, ramp(0.5, seed)[:9])
    for about in ("faster", "sooner", "better"):
        line = only(rows, about)
        assert "Compared up to step 40. Run: apf 3 seeds, 0 of them to the end" in line.why
        assert "ddpg 3 seeds, 0 of them to the end, evaluated up to step 80" in line.why
    (setup,) = run_curves.setups(rows)
    assert run_curves.finetuning_curves(setup, "apf").steps.tolist() == [0, 10, 20, 30, 40]


LIKE_THE_FIRST = {
    "hand_over": "as_published",
    "pretraining_steps": 500_000,
    "finetuning_steps": 100_000,
    "evaluate_every": 10_000,
    "environments": 8,
    "precision": "bfloat16",
}


def long_runs(speeds, first, count):
    """Return rows of APF and APS over 100,000 steps, for seeds from a first one on."""
    return [
        row | {"step": 1000 * row["step"]}
        for agent, speed in zip(("apf", "aps"), speeds, strict=True)
        for seed in range(first, first + count)
        for row in run(agent, seed, ramp(speed, seed))
    ]


@pytest.mark.parametrize(
    ("speeds", "expected"),
    [((1.0, 0.5), Verdict.HOLDS), ((0.5, 1.0), Verdict.FAILS), ((0.7, 0.7), Verdict.UNSETTLED)],
)
def test_a_guess_is_judged_by_seeds_that_came_after_it(speeds, expected):
    seen = [origin(**LIKE_THE_FIRST), *long_runs((1.0, 0.2), 0, 10)]
    assert verdicts(seen)["early"] == Verdict.NOT_RUN
    assert verdicts([*seen, *long_runs(speeds, 10, 9)])["early"] == Verdict.NOT_RUN
    for others in ([], long_runs((0.1, 2.0), 20, 10)):
        line = only([*seen, *long_runs(speeds, 10, 10), *others], "early")
        assert line.verdict == expected
        assert "Seen in seeds 0 to 9 (interquartile means: APF 51.0, APS 11.0)" in line.why
    for changes in ({"pretraining_steps": 10_000}, {"threshold": 0.2}, {"bounded": True}):
        assert "early" not in verdicts([origin(**LIKE_THE_FIRST | changes), *seen[1:]])


def aiming_at(target, rows):
    """Return rows whose critics aim at something."""
    return [row | {"target": target} for row in rows]


@pytest.mark.parametrize(("lost", "expected"), [(9.0, Verdict.HOLDS), (90.0, Verdict.FAILS)])
def test_runs_whose_values_outgrew_rewards_are_told_apart(lost, expected):
    rows = [origin(), *aiming_at(90.0, several("apf", 3)), *aiming_at(150.0, several("aps", 0.5))]
    assert "outgrown" not in verdicts(rows)
    rows += aiming_at(2400.0, run("apf", 9, [lost])) + aiming_at(None, run("ddpg", 0, [lost]))
    line = only(rows, "outgrown")
    assert line.verdict == expected
    assert f"APF 1 above 2 (24), returning {lost:.0f} and 5 at most 2 (0.9), " in line.ours
    assert "; APS 5 at most 2 (1.5), returning 5" in line.ours
    assert f"; DDPG 1 above 2 (inf), returning {lost:.0f}" in line.ours


def test_runs_that_are_nearly_finished_count_beside_those_that_are():
    rows = [origin(), *several("aps", 1)]
    for seed, looks in enumerate((11, 11, 9, 10, 8)):
        rows += run("apf", seed, ramp(3, seed)[:looks])
    (setup,) = run_curves.setups(rows)
    found = run_curves.finetuning_curves(setup, "apf")
    assert found.seeds == (0, 1, 2, 3)
    assert found.steps[-1] == 80


@pytest.mark.parametrize("rows", [[], [origin(), *several("apf", 3, 2), *several("aps", 1, 2)]])
def test_too_little_is_not_run_yet(rows):
    assert set(verdicts(rows).values()) == {Verdict.NOT_RUN}
    line = only(rows, "faster_not_run" if rows else "no_rows")
    assert line.ours.startswith("not run yet")


def targets(agent, values):
    return [
        {
            "part": "run",
            "file": "a",
            "agent": agent,
            "seed": 0,
            "phase": "pretraining",
            "step": 10 * (number + 1),
            "largest_target": value,
        }
        for number, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ([20.0, 2e3, 2e5], Verdict.DIFFERS),
        ([20.0, 2e30, None], Verdict.DIFFERS),
        ([20.0, 30.0, 31.0], Verdict.REPRODUCED),
        ([20.0, 3000.0, 2000.0], Verdict.REPRODUCED),
    ],
)
def test_growth_is_told_from_the_targets(printed, expected):
    rows = [origin(), *targets("apf_printed", printed), *targets("apf", [10.0, 20.0, 23.0])]
    assert verdicts(rows)["bounded"] == expected
    assert set(plot(rows)) == {"targets"}


def test_settings_are_not_mixed_and_a_run_counts_once():
    short = run("apf", 0, ramp(1, 0)[:4], file="b")
    other = [origin("c", hand_over="as_published"), *run("apf", 0, ramp(2, 0), file="c")]
    rows = [origin("a"), *run("apf", 0, ramp(3, 0)), origin("b"), *short, *other]
    first, second = run_curves.setups(rows)
    assert {setup.config["hand_over"] for setup in (first, second)} == {"repaired", "as_published"}
    repaired = first if first.config["hand_over"] == "repaired" else second
    np.testing.assert_allclose(run_curves.finetuning_curves(repaired, "apf").returns, [ramp(3, 0)])


def test_ddpg_is_the_floor_of_all_that_differ_in_pre_training_alone():
    floor = [origin("f", rows_format=1), *several("ddpg", 0.5, file="f")]
    published = [
        origin("p", hand_over="as_published"),
        *several("apf", 3, file="p"),
        *several("aps", 2, file="p"),
    ]
    other = [origin("o", width=8), *several("apf", 3, file="o"), *several("aps", 2, file="o")]
    rows = [*floor, *published, *other]
    assert only(rows, "better").claim.endswith("from scratch (handed over as published)")
    assert len(of(rows, "learns")) == 1
    assert len(run_curves.setups([*floor, *published, *other])) == 2
    (alone,) = run_curves.setups(floor)
    assert set(alone.runs) == {"ddpg"}


def test_the_published_way_comes_first_of_two_with_as_many_seeds():
    rows = [origin("a"), *several("apf", 3), *several("aps", 1)]
    for agent in ("apf", "aps"):
        for seed in range(5):
            rows += run(agent, seed, ramp(1, seed)[:8], file="p")
    rows.append(origin("p", hand_over="as_published"))
    ways = [setup.config["hand_over"] for setup in run_curves.setups(rows)]
    assert ways == ["as_published", "repaired"]
    # One that has fewer seeds says less, whichever way it went.
    ways = [setup.config["hand_over"] for setup in run_curves.setups(rows[:-16] + rows[-1:])]
    assert ways == ["repaired", "as_published"]


def test_rows_that_began_otherwise_are_kept_apart():
    rows = [origin("a", rows_format=1), *several("apf", 3), *several("aps", 1)]
    rows += [origin("b"), *several("apf", 3, file="b"), *several("aps", 1, file="b")]
    assert by_id(find(rows))
    whys = [line.why for line in of(rows, "faster")]
    assert sum("fitted to what random actions found in the first 4,000" in why for why in whys) == 1
    assert sum("the pre-trained actor with random tasks found" in why for why in whys) == 1
    titles = [ax.get_title() for ax in plot(rows)["reaching"].axes]
    assert (
        sum(title.endswith("5 seeds each\nbegun by the pre-trained actor") for title in titles) == 1
    )
    assert sum(title.endswith("5 seeds each") for title in titles) == 1


@pytest.mark.parametrize(
    ("target", "expected"),
    # Going on with a reward of 1 + .5 is worth 1.5 / (1 - .99^3) = 50.5.
    [(100.0, Verdict.HOLDS), (102.0, Verdict.FAILS), (None, Verdict.FAILS)],
)
def test_values_beyond_what_rewards_are_worth_are_told(target, expected):
    rows = [origin(), *targets("aps", [1e9, 50.0])]
    for row, value in zip(rows[1:], (1e9, target), strict=True):
        row |= {"target": value, "exploration": 0.5}
    line = only(rows, "plausible")
    assert line.verdict == expected
    assert ("What is beyond" in line.why) == (expected == Verdict.FAILS)


def test_figures_show_every_setup():
    rows = [origin(), *several("apf", 3), *several("aps", 1), *several("ddpg", 0.5)]
    rows += [origin("c", hand_over="as_published"), *run("apf", 0, ramp(2, 0), file="c")]
    figure = plot(rows)["reaching"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "APF",
        "APS",
        "DDPG, no pre-training",
    ]
    assert [ax.get_title() for ax in figure.axes] == [
        "reach top left, all parts handed over\n5 seeds each",
        "reach top left, handed over as published\nAPF: 1, DDPG: 5 seeds",
    ]
    rows += [origin("d", width=8), *several("aps", 1, file="d")]
    assert len(plot(rows)["reaching"].axes) == 3  # in two rows, none left out
    assert plot([]) == {}


def test_titles_count_the_seeds_of_each_agent():
    rows = [origin(), *several("apf", 3), *several("apf_exact", 2, 3)]
    (ax,) = plot(rows)["reaching"].axes
    assert ax.get_title().endswith("\nAPF: 5, APF (exact n steps): 3 seeds")
    # Lines are no longer than a panel is wide.
    rows = [origin(width=8), *several("apf", 3, 20), *several("apf_exact", 2, 3)]
    (ax,) = plot([*rows, *several("aps", 2, 4)])["reaching"].axes
    _, *lines = ax.get_title().split("\n")
    assert lines == ["APF: 20, APF (exact n steps): 3, APS: 4", "seeds, width 8"]


def test_an_interval_holds_the_middle_of_what_was_drawn():
    np.testing.assert_allclose(comparing.interval(np.arange(1001.0)), (25, 975))


def test_interquartile_mean_is_that_of_the_middle_half():
    assert comparing.interquartile_mean(np.array([100.0, 1, 2, 3, 4, 5, 6, -50])) == 3.5


def test_the_area_under_a_ramp_is_half_of_its_end():
    found = run_curves.Curves((0,), STEPS, STEPS[None] * 2.0)
    np.testing.assert_allclose(comparing.mean_returns(found), [100])
    assert comparing.first_steps_at(found, 95.0) == [50]
    assert comparing.first_steps_at(found, 201.0) == [np.inf]


def test_a_bootstrap_interval_is_about_two_standard_errors_wide():
    samples = np.random.default_rng(0).normal(size=400)
    low, high = comparing.interval(comparing.resampled(samples, lambda x: x.mean(-1), seed=1))
    error = samples.std() / 20
    assert low == pytest.approx(samples.mean() - 1.96 * error, abs=0.15 * error)
    assert high == pytest.approx(samples.mean() + 1.96 * error, abs=0.15 * error)


def test_kept_rows_are_all_files_of_the_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(run_module, "KEPT", tmp_path)
    assert run_module.kept() == []
    head = {"format": 1, "config": CONFIG, "versions": {}, "hardware": {}, "commit": "none"}
    for name in ("one", "two"):
        row = {"agent": "apf", "seed": 0, "phase": "finetuning", "step": 0}
        cut_off = '{"agent": "ap'
        lines = [json.dumps(head), json.dumps(row), cut_off]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    rows = run_module.kept()
    assert [(row["part"], row["file"]) for row in rows] == [
        ("origin", "one"),
        ("run", "one"),
        ("origin", "two"),
        ("run", "two"),
    ]
    (tmp_path / "three.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match=r"three\.jsonl: is damaged or holds no rows"):
        run_module.kept()


def test_reproduce_has_nothing_to_run():
    assert [JACO_REACHING.settings(quick) for quick in (False, True)] == [[], []]
    assert JACO_REACHING.kept is run_module.kept


def test_the_ledger_shows_kept_rows_or_says_that_there_are_none(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(reproduce, "EXPERIMENTS", (JACO_REACHING,))
    monkeypatch.setattr(run_module, "KEPT", tmp_path)
    arguments = ["--out", str(tmp_path / "out")]
    assert main(["reproduce", *arguments]) == 0
    page = (tmp_path / "out" / "ledger.html").read_text()
    assert "Claims: 1 not run yet." in page
    assert main(["list", *arguments]) == 0
    assert "not run yet" in capsys.readouterr().out

    parts = {"part", "file"}
    rows = [origin() | {"versions": {}}, *several("apf", 3), *several("aps", 1)]
    lines = [json.dumps({k: v for k, v in row.items() if k not in parts}) for row in rows]
    (tmp_path / "all.jsonl").write_text("\n".join(lines) + "\n")
    assert main(["reproduce", *arguments]) == 0
    page = (tmp_path / "out" / "ledger.html").read_text()
    assert "Claims: 1 reproduced, 1 not run yet." in page
    assert "data:image/svg+xml" in page
    main(["list", *arguments])
    assert "111 rows kept" in " ".join(capsys.readouterr().out.split())


def test_sentences_follow_the_rows():
    rows = [origin(), *several("apf", 3), *several("aps", 1)]
    assert deaf(JACO_REACHING, rows, besides=["bounded_not_run"]) == set()
