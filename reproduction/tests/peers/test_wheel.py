"""Both wheels together: commands, kept rows, and code that is traced where it is installed."""

from pathlib import Path

import pytest

import wheels
from wheels import run

for package in ("build", "hatchling"):
    pytest.importorskip(package, reason="the extra 'peers' is not installed")

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder's Python that has both wheels."""
    return wheels.installed(tmp_path_factory.mktemp("wheels"), ROOT, ROOT / "reproduction")


def test_an_experiment_runs_and_its_rows_are_stored(installed, tmp_path):
    command = (installed.with_name("first-occupancy"), "reproduce", "shorter_paths", "--quick")
    assert "0 of 1 jobs are stored" in run(*command, "--jobs", "1", folder=tmp_path)
    # Its code is found in two places, and is the same the second time.
    assert "1 of 1 jobs are stored" in run(*command, "--jobs", "1", folder=tmp_path)


def test_the_code_of_an_experiment_is_that_of_the_checkout(installed, tmp_path):
    code = """
from first_occupancy_paper.experiments.registry import EXPERIMENTS
from first_occupancy_paper.sweeps.dependencies import code_version
print([code_version(each.run) for each in EXPERIMENTS])
"""
    (tmp_path / "code.py").write_text(code)
    from first_occupancy_paper.experiments.registry import EXPERIMENTS
    from first_occupancy_paper.sweeps.dependencies import code_version

    ours = [code_version(each.run) for each in EXPERIMENTS]
    assert run(installed, "code.py", folder=tmp_path) == f"{ours}\n"


def test_kept_rows_and_the_model_of_the_arm_are_in_it(installed, tmp_path):
    listed = run(installed.with_name("first-occupancy"), "list", folder=tmp_path)
    assert listed.count("rows kept") == 5
    (site,) = installed.parents[1].glob("lib/python*/site-packages")
    assert (site / "first_occupancy_paper" / "arm" / "world" / "model" / "jaco.xml").exists()
    (metadata,) = site.glob("first_occupancy_paper-*.dist-info")
    assert len(list((metadata / "licenses").rglob("LICENSE*"))) == 3


def test_benchmarks_need_a_checkout(installed, tmp_path):
    command = (installed.with_name("first-occupancy"), "bench")
    said = run(*command, folder=tmp_path, returncode=2)
    assert "in a checkout of the project, run: pip install -e . -e './reproduction[bench]'" in said
