"""The examples run, and what they claim holds."""

import runpy
import warnings
from pathlib import Path

import jax
import numpy as np
import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name):
    """Return what an example's `main` returns, run in float32 as users would."""
    with jax.enable_x64(False), jax.numpy_rank_promotion("allow"), warnings.catch_warnings():
        return runpy.run_path(str(EXAMPLES / name))["main"]()


IN_PEERS = {
    "07_plans_for_gymnasiums_tables.py",
    "08_any_goal_in_minigrid.py",
    "09_composing_trained_skills.py",
}
"""What needs packages, or time, that only `make test-peers` has."""


def test_every_example_has_a_test():
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "01_features_on_pendulum.py",
        *IN_PEERS,
    }


def test_first_occupancy_features_choose_well_on_a_pendulum():
    pytest.importorskip("gymnasium")
    outcomes = run("01_features_on_pendulum.py")
    estimated, true, best = np.mean(outcomes["FF"], axis=0)
    assert true > 0.95 * best
    assert abs(estimated - true) < 0.1 * true
    overestimated, worse, _ = np.mean(outcomes["SF"], axis=0)
    assert worse < 0.95 * best
    assert overestimated > 2 * worse
