"""Pre-train once, fine-tune often: start a run where another run's pre-training ended.

The new run has a folder of its own, into which the other run's networks and rows of pre-training
are copied, as if it had done the pre-training itself. So its rows are those of an uninterrupted run
with the same settings.

It may use a subset of the agents and seeds, and add DDPG, which is not pre-trained. All other
settings that pre-training depends on must be the same, because rows have one config for both
phases.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.row import Row, where

from . import row_files, run_folders
from .run_config import OF_FINETUNING, PRETRAINING, RunConfig, pretraining_data
from .run_folders import PRETRAINED, ROWS


@dataclass(frozen=True)
class PretrainedRun:
    """A run whose pre-training is finished.

    Attributes:
        folder: folder of the run.
        config: its settings.
        making: versions, hardware and commit of its pre-training.
        rows: its rows of pre-training.
    """

    folder: Path
    config: RunConfig
    making: Mapping[str, Any]
    rows: list[Row]

    def settings(self, base: RunConfig) -> RunConfig:
        """Return its own settings of pre-training, combined with those of fine-tuning in `base`."""
        kept = {name: getattr(base, name) for name in OF_FINETUNING}
        return replace(self.config, **kept)

    def check(self, config: RunConfig) -> None:
        """Raise unless a run with these settings can start from this pre-training."""
        if not config.finetuning_steps:
            raise InputError(f"{self.folder}: finetuning_steps must be at least 1 from here, got 0")
        if not config.agents_in(PRETRAINING):
            raise InputError(f"{self.folder}: is of no use to ddpg, which has no pre-training")
        found = pretraining_data(self.config)
        for name, asked in pretraining_data(config).items():
            some_are_enough = name in ("agents", "seeds")
            fits = set(asked) <= set(found[name]) if some_are_enough else asked == found[name]
            if not fits:
                raise InputError(
                    f"{self.folder}: was pre-trained with {name} {json.dumps(found[name])}, "
                    f"not {json.dumps(asked)}"
                )

    def rows_for(self, config: RunConfig) -> list[Row]:
        """Return the rows of the agents and seeds in `config`."""
        agents, seeds = config.agents, config.seeds
        return [row for row in self.rows if row["agent"] in agents and row["seed"] in seeds]

    def check_rows(self, path: Path, config: RunConfig) -> None:
        """Raise unless a run that is resumed started from this pre-training.

        Raises:
            InputError: its rows of pre-training, or how they were made, differ from those here.
        """
        if _pretraining(path) != (self.making, self.rows_for(config)):
            raise InputError(
                f"{path}: belongs to another run: it was not pre-trained in {self.folder}"
            )

    def put_into(self, folder: Path, config: RunConfig) -> None:
        """Start a run in a folder, which is changed only once everything has been checked.

        Raises:
            InputError: the networks here do not belong to the rows here.
        """
        networks, num_rows = run_folders.load_networks(self.folder)
        if num_rows != len(self.rows):
            raise InputError(
                f"{self.folder / ROWS}: holds {len(self.rows)} rows of pre-training, "
                f"but {PRETRAINED} beside it came after {num_rows}"
            )
        places = np.array([self.config.seeds.index(seed) for seed in config.seeds])
        chosen = {
            agent: jax.tree.map(lambda leaf: leaf[places], networks[agent])
            for agent in config.agents_in(PRETRAINING)
        }
        rows = self.rows_for(config)
        folder.mkdir(parents=True, exist_ok=True)
        # Rows are written last: a folder without them does not count as a run.
        run_folders.save_networks(
            folder, config, chosen, len(rows), versions=self.making["versions"]
        )
        row_files.create(folder / ROWS, config, rows, pretraining=self.making)


def find_pretrained(folder: Path) -> PretrainedRun:
    """Return the pre-trained run in a folder, or raise if its pre-training is not finished."""
    path = folder / ROWS
    if not folder.is_dir():
        raise InputError(f"{folder}: must be the folder of a pre-trained run, but is none")
    if not path.exists():
        raise InputError(f"{folder}: must be the folder of a pre-trained run, but has no {ROWS}")
    config = row_files.config_of(path)
    if not config.agents_in(PRETRAINING):
        raise InputError(f"{folder}: is a run of ddpg, which has no pre-training")
    if not (folder / PRETRAINED).exists():
        raise InputError(
            f"{folder}: has no {PRETRAINED}, which is written when pre-training is done"
        )
    return PretrainedRun(folder, config, *_pretraining(path))


def _pretraining(path: Path) -> tuple[dict[str, Any], list[Row]]:
    """Return versions, hardware and commit of pre-training, and its rows."""
    origin, rows = row_files.read(path)
    return row_files.making_of_pretraining(origin), where(rows, phase=PRETRAINING)
