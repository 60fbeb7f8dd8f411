"""Learn a walker for OGBench's ant.

    python -m first_occupancy_paper.experiments.offline_goals.ant_walker FOLDER --seconds 480

leaves `walker.npz`, for `ants`, and `curve.json` in FOLDER, written anew every 20 seconds. Half of
the ants start in the medium maze, half on open ground. Physics runs on all processors, learning on
JAX's device. For the first half of the time physics is coarse, which is faster. It needs the extra
`ogbench`, or a model that was written with `worlds.ogbench_ants.save_ant_maze` before.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import numpy as np
from jaxtyping import Float

from first_occupancy.storage.whole_files import write_whole
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.walkers.ppo import PPOState
from first_occupancy_paper.walkers.walking import learn_to_walk, walker_of
from first_occupancy_paper.worlds.ant_batch import AntBatch
from first_occupancy_paper.worlds.ogbench_ants import save_ant_maze
from first_occupancy_paper.worlds.point_mazes import MEDIUM

KEEP_EVERY = 20.0
"""Seconds after which files are written anew."""

FAR = -60.0
"""Where the open ground is: the floor of a maze has no end."""


def walker_starts() -> Float[np.ndarray, "P 2"]:
    """Return the cells of the medium maze, and as many places on open ground."""
    cells = MEDIUM.centres(MEDIUM.cells)
    ground = np.stack([np.full(len(cells), FAR), np.linspace(FAR, -FAR, len(cells))], axis=1)
    return np.concatenate([cells, ground])


def learn_walker(
    folder: Path,
    model: Path,
    *,
    seconds: float,
    num: int = 2048,
    horizon: int = 16,
    width: int = 256,
    seed: int = 0,
    threads: int | None = None,
) -> None:
    """Learn for some time, and keep the walker in a folder.

    Args:
        folder: folder of `walker.npz` and `curve.json`.
        model: model of the ant in the medium maze.
        seconds: time to learn, half of it with coarse physics; at least two rounds are made.
        num: number of ants.
        horizon: steps of each ant in a round.
        width: width of the networks' layers.
        seed: seed of ants and learner.
        threads: number of simulation threads, by default one per processor.
    """
    rows: list[Row] = []
    state, began, kept = None, monotonic(), monotonic()
    for stage, end in enumerate((seconds / 2, seconds)):
        sizes = {"starts": walker_starts(), "coarse": stage == 0, "threads": threads}
        ants = AntBatch(model, num, seed=seed + stage, **sizes)
        rounds = learn_to_walk(ants, seed=seed + stage, horizon=horizon, width=width, state=state)
        for state, report in rounds:
            rows.append({"stage": stage, **report})
            if monotonic() - began >= end:
                break
            if monotonic() - kept >= KEEP_EVERY:
                _keep(folder, state, rows)
                kept = monotonic()
        _keep(folder, state, rows)


def _keep(folder: Path, state: PPOState | None, rows: list[Row]) -> None:
    if state is not None:
        walker_of(state).save(folder / "walker.npz")
    write_whole(folder / "curve.json", json.dumps(rows).encode())


def main(arguments: Sequence[str] | None = None) -> None:
    """Learn a walker from the command line.

    Args:
        arguments: words of the command; None for those of this process.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--model", type=Path, help="model file, by default made from OGBench")
    parser.add_argument("--num", type=int, default=2048)
    parser.add_argument("--horizon", type=int, default=16)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int)
    chosen = vars(parser.parse_args(arguments))
    folder, model = chosen.pop("folder"), chosen.pop("model")
    folder.mkdir(parents=True, exist_ok=True)
    if model is None:
        model = folder / "ant_maze.xml"
        save_ant_maze("medium", model)
    learn_walker(folder, model, **chosen)


if __name__ == "__main__":
    main()
