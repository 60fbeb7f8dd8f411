"""Ctrl-C during a sweep: exit code 130 and one line, whenever it is pressed."""

import os
import random
import sys

import pytest

from interruption import interrupted

SWEEP = [
    "sweep",
    "--from",
    "short_trials",
    "--set",
    "kind=sums",
    "seconds=0.05",
    "--seeds",
    "1000",
    "--jobs",
    "2",
]
DRAW = random.Random(18)


@pytest.mark.parametrize("delay", [DRAW.uniform(0, 3) for _ in range(4)])
def test_at_any_moment_it_ends_with_one_line_and_nothing_left(tmp_path, monkeypatch, delay):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    code, _, said = interrupted(delay, [*SWEEP, "--out", "out"], tmp_path)
    assert (code, said) == (130, b"\nstopped\n")
    assert not list(tmp_path.rglob(".*.jsonl.*"))
