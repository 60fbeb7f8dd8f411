"""Jobs: one experiment with one config and one seed, and the id it is stored under."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property

from first_occupancy.core.errors import InputError
from first_occupancy.experiments import Experiment

SEEDS_PER_RUN = 10_000
"""Room between the seeds of `--seed 0` and those of `--seed 1`."""


@dataclass(frozen=True)
class Job:
    """What one process can do without knowing of any other."""

    experiment: Experiment
    config: object
    seed: int

    @cached_property
    def settings(self) -> dict[str, object]:
        """The config as plain data, as it is stored; what would not come back is refused."""
        try:
            text = json.dumps(asdict(self.config), sort_keys=True, allow_nan=False)  # type: ignore
        except (TypeError, ValueError) as error:
            raise InputError(
                "sweep: configs must hold numbers that are finite, texts, true or false, none, and "
                f"tuples of them, got {self.config!r}: {error}"
            ) from None
        return json.loads(text)

    @cached_property
    def name(self) -> str:
        """The job's file name: same experiment, config and seed, same name."""
        text = json.dumps([self.experiment.name, self.settings], sort_keys=True)
        return f"{hashlib.sha256(text.encode()).hexdigest()[:12]}-{self.seed}"


def jobs_of(experiment: Experiment, *, quick: bool, seed: int) -> Iterator[Job]:
    """Yield the jobs of an experiment, at full size or small."""
    for config, num_seeds in experiment.settings(quick):
        for number in range(num_seeds):
            yield Job(experiment, config, seed * SEEDS_PER_RUN + number)
