"""Runs of the experiment on the arm, but tiny and in a world that is cheap to simulate."""

import json

import numpy as np

from drifting_world import DriftingWorld
from first_occupancy_paper.arm.runs import row_files, run_folders
from first_occupancy_paper.arm.runs.run_config import FINETUNING, RunConfig
from first_occupancy_paper.arm.runs.run_folders import ROWS
from first_occupancy_paper.arm.runs.stage import begin
from first_occupancy_paper.arm.runs.train import Options

TINY = RunConfig(
    agents=("apf",),
    seeds=(3, 8),
    pretraining_steps=60,
    finetuning_steps=80,
    first_steps=20,
    replay=20,
    evaluate_every=20,
    episodes=2,
    width=8,
    batch=16,
)


class KilledError(Exception):
    """What ends a run without a chance to save anything."""


def drifting(task, seeds, pause=0):
    world = DriftingWorld(seeds, size=55, num_actions=9, pause=pause)
    if task == "rewardless":
        world.reward = lambda points: np.zeros(len(points), np.float32)
    return world


class Clock:
    """A time that passes by a second on each look at it."""

    def __init__(self):
        self.time = 0.0

    def __call__(self):
        self.time += 1
        return self.time


def options(*, kill_at=None, **others):
    count = iter(range(10**9))

    def should_stop():
        if next(count) == kill_at:
            raise KilledError
        return False

    defaults = {"make_world": drifting, "now": Clock(), "save_every": 25.0}
    return Options(should_stop=should_stop, **defaults | others)


def load_trained(config, folder, *, make_world):
    """Return the runs of a folder at their last checkpoint of fine-tuning."""
    stage = begin(config, FINETUNING, {}, make_world=make_world)
    run_folders.restore(folder, stage)
    return stage


def rows_of(folder):
    return row_files.read(folder / ROWS)[1]


def with_changes(content: bytes, old: str, new: str) -> bytes:
    """Return a file of rows as if it had been written with other text in it, checksums included."""
    texts = [json.dumps(row_files._content(line)) for line in content.splitlines()]
    changed = "\n".join(texts).replace(old, new).splitlines()
    return "".join(row_files._line(json.loads(text)) for text in changed).encode()
