"""The examples with MiniGrid and Stable-Baselines3 run, and what they claim holds."""

import runpy
import warnings
from pathlib import Path

import jax
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, **options):
    """Return what an example's `main` returns."""
    with jax.numpy_rank_promotion("allow"), warnings.catch_warnings():
        return runpy.run_path(str(EXAMPLES / name))["main"](**options)


def test_plans_are_optimal_by_the_cliff_and_in_the_taxi_and_near_it_on_the_ice(capsys):
    rows, rewards = run("07_plans_for_gymnasiums_tables.py", discounts=[0.95])
    page = (EXAMPLES / "07_plans_for_gymnasiums_tables.py").read_text(encoding="utf-8")
    assert [
        line for line in capsys.readouterr().out.splitlines() if f"# {line}\n" not in page
    ] == []
    for (name, _), row in rows.items():
        assert row["promised"] <= row["planned"] + 1e-12
        assert row["planned"] <= row["optimal"] + 1e-12
        if not name.startswith("FrozenLake"):
            assert row["planned"] == pytest.approx(row["optimal"], rel=1e-12)
        else:
            assert row["planned"] > 0.59 * row["optimal"]
    assert rewards[-1] == 20
    assert all(reward == -1 for reward in rewards[:-1])


def test_any_goal_in_minigrid_is_reached_in_the_steps_promised():
    pytest.importorskip("minigrid")
    outcomes = run("08_any_goal_in_minigrid.py", num_goals=30)
    assert len(outcomes) == 30
    for outcome in outcomes:
        assert outcome["steps"] == pytest.approx(outcome["promised"], rel=1e-5)


def test_trained_skills_are_chained_to_goals_none_was_trained_for():
    pytest.importorskip("stable_baselines3")
    outcomes = run("09_composing_trained_skills.py")
    promised = [row for row in outcomes if row["promised"] is not None]
    for row in promised:
        assert row["steps"] == pytest.approx(row["promised"], rel=1e-5)
    chained = [row for row in promised if row["legs"] > 1]
    assert len(chained) >= 3
    assert len(promised) >= 0.8 * len(outcomes)
