"""A trial of a given length, in a module that workers can import."""

import time
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """How long a trial computes, in seconds of its processor."""

    seconds: float


def run(config: Config, seed: int) -> Iterator[dict[str, float]]:
    """Yield one row, after a while."""
    begin = time.thread_time()
    while time.thread_time() - begin < config.seconds:
        pass
    yield {"number": seed, "third": seed / 3}
