"""Jobs: one experiment with one config and one seed, and the name it is stored under."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property

from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments import Experiment

SEEDS_PER_RUN = 10_000
"""Distance between the first seed of `--seed 0` and that of `--seed 1`."""


@dataclass(frozen=True)
class Job:
    """One run of an experiment, independent of all others.

    Attributes:
        experiment: the experiment to run.
        config: dataclass with the settings of the run.
        seed: seed of the run.
    """

    experiment: Experiment
    config: object
    seed: int

    @cached_property
    def settings(self) -> dict[str, object]:
        """The config as plain data, as it is stored; raises if JSON cannot hold it."""
        try:
            text = json.dumps(asdict(self.config), sort_keys=True, allow_nan=False)  # type: ignore
        except (TypeError, ValueError) as error:
            raise InputError(
                "sweep: configs must hold only finite numbers, strings, booleans, None, and "
                f"tuples of them, got {self.config!r}: {error}"
            ) from None
        return json.loads(text)

    @cached_property
    def name(self) -> str:
        """The job's file name, determined by experiment, config and seed."""
        text = json.dumps([self.experiment.name, self.settings], sort_keys=True)
        return f"{hashlib.sha256(text.encode()).hexdigest()[:12]}-{self.seed}"


def jobs_of(experiment: Experiment, *, quick: bool, seed: int) -> Iterator[Job]:
    """Yield the jobs of an experiment: every config of its settings with each of its seeds.

    Args:
        experiment: the experiment to run.
        quick: whether to use its small settings instead of the full ones.
        seed: number of the run; run k uses the seeds from k * `SEEDS_PER_RUN` on.
    """
    for config, num_seeds in experiment.settings(quick):
        for number in range(num_seeds):
            yield Job(experiment, config, seed * SEEDS_PER_RUN + number)
