"""An experiment of short trials, in a module that other processes can import.

What should leave no trace in the rows is told by the environment: `TRIALS_FOLDER` is where each
trial that is run leaves a line, and where it looks for what to do.
"""

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments import Experiment, Row

HELD = 100
"""From this seed on trials wait for as long as there is a file "hold"."""


@dataclass(frozen=True)
class Config:
    kind: Literal["sums", "broken"]
    size: int = 3
    seconds: float = 0.0
    share: float = 0.5
    sizes: tuple[int, ...] = (1,)
    is_odd: bool = False
    limit: int | None = None

    def __post_init__(self):
        if self.size < 0:
            raise ValueError("size must not be negative")


def run(config: Config, seed: int) -> Iterator[Row]:
    folder = os.environ.get("TRIALS_FOLDER")
    if folder:
        with (Path(folder) / "runs").open("a") as file:  # short lines are appended whole
            file.write(f"{seed} {os.getpid()}\n")
        while seed >= HELD and (Path(folder) / "hold").exists():
            time.sleep(0.01)
        if must_die(Path(folder), seed):
            os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(config.seconds)
    if config.kind == "broken" and seed % 2:
        raise RuntimeError(f"broke at {seed}")
    if config.share < 0:  # as where only the run itself can tell
        raise InputError(f"short_trials: share must not be negative, got {config.share}")
    for number in range(config.size):
        yield {"number": number, "third": (seed + number) / 3 * config.share}


def must_die(folder: Path, seed: int) -> bool:
    """Whether a file asks for it; one that ends in "once" is gone afterwards."""
    if (folder / f"{seed}-dies").exists():
        return True
    try:
        (folder / f"{seed}-dies-once").unlink()
    except FileNotFoundError:
        return False
    return True


TRIALS = Experiment(
    name="short_trials",
    question="?",
    paper="none",
    settings=lambda quick: [(Config("sums", size=1 if quick else 3), 2)],
    run=run,
    plot=lambda rows: {},
    find=lambda rows: [],
)


def stored(out: Path) -> dict[str, bytes]:
    """Return what a sweep stored, file by file."""
    return {path.name: path.read_bytes() for path in (out / "results").rglob("*.jsonl")}


def runs(folder: Path) -> Counter[int]:
    """Return how often each seed was run."""
    lines = (folder / "runs").read_text().splitlines()
    return Counter(int(line.split()[0]) for line in lines)
