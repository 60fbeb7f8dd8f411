"""`first-occupancy run`: train agents on the arm, resume training, and draw the results."""

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from first_occupancy.core.errors import InputError
from first_occupancy_paper.arm.runs import row_files
from first_occupancy_paper.arm.runs.pretrained_runs import find_pretrained
from first_occupancy_paper.arm.runs.run_config import RunConfig, quick
from first_occupancy_paper.arm.runs.run_folders import PRETRAINED, ROWS
from first_occupancy_paper.arm.runs.train import Options, train

from .progress import training_progress
from .seeds import read_seeds

RUNNABLE = ("jaco_reaching",)


def run(options: argparse.Namespace) -> int:
    """Train the agents, and print where the rows and the figures are; return the exit code."""
    _check(options)
    folder = _folder(options)
    config = _config(options, folder)
    _check_phases(options, config)
    if options.resume and not (folder / ROWS).exists():
        print(f"{folder}: no run to resume, starting a new one", file=sys.stderr)
    with training_progress(Console(stderr=True)) as on_progress, _stopping() as was_asked:
        finished = train(
            config,
            folder,
            pretrained=_pretrained(options),
            resume=options.resume,
            options=Options(
                save_every=options.save_every,
                seconds=None if options.minutes is None else 60 * options.minutes,
                on_progress=on_progress,
                should_stop=was_asked,
            ),
        )
        stopped_by_hand = was_asked()
    _say_what_there_is(folder, finished=finished)
    if not options.no_figure:
        _draw(folder)
    return 130 if stopped_by_hand and not finished else 0


def _check(options: argparse.Namespace) -> None:
    if options.name not in RUNNABLE:
        raise InputError(
            f"NAME must be one of {', '.join(RUNNABLE)} ('reproduce' and 'sweep' run the other "
            f"experiments), got {options.name!r}"
        )
    for name in ("minutes", "save_every"):
        value = getattr(options, name)
        if value is not None and not value > 0:
            raise InputError(f"--{name.replace('_', '-')} must be above 0, got {value:g}")


def _check_phases(options: argparse.Namespace, config: RunConfig) -> None:
    """Raise for settings that would leave nothing to show in the end."""
    steps, every = config.finetuning_steps, config.evaluate_every
    if 0 < steps < every and not options.resume:
        raise InputError(
            f"--evaluate-every must be at most the {steps:,} steps of fine-tuning, else they are "
            f"never evaluated, got {every:,}"
        )


def _folder(options: argparse.Namespace) -> Path:
    """Return the run's folder; quick runs have a separate one."""
    out = Path(options.out) / "quick" if options.quick else Path(options.out)
    return out / "runs" / options.name


def _pretrained(options: argparse.Namespace) -> Path | None:
    """Return the folder of the run to fine-tune from, given by itself or by that run's --out."""
    if options.pretrained is None:
        return None
    given = Path(options.pretrained)
    inside = given / "runs" / options.name
    return inside if inside.is_dir() else given


def _config(options: argparse.Namespace, folder: Path) -> RunConfig:
    """Return the given settings; the others come from the run to continue, or are defaults."""
    config, pretrained = quick() if options.quick else RunConfig(), _pretrained(options)
    if options.resume and (folder / ROWS).exists():
        config = row_files.config_of(folder / ROWS)
    elif pretrained is not None:
        config = find_pretrained(pretrained).settings(config)
    # Options that have the name of a setting give its value; seeds and agents are texts.
    names = [field.name for field in fields(RunConfig)]
    given: dict[str, Any] = {name: getattr(options, name, None) for name in names}
    if options.steps is not None:
        phases = ("pretraining_steps", "finetuning_steps")
        for name in phases if pretrained is None else phases[1:]:
            given[name] = options.steps if given[name] is None else given[name]
    if options.agents is not None:
        given["agents"] = tuple(options.agents.split(","))
    if options.seeds is not None:
        given["seeds"] = tuple(read_seeds(options.seeds))
    if options.soft:
        config = replace(config, threshold=None)
    return replace(config, **{name: value for name, value in given.items() if value is not None})


@contextmanager
def _stopping() -> Iterator[Any]:
    """Yield a function that tells whether Ctrl-C was pressed; a second Ctrl-C interrupts."""
    asked: list[int] = []
    old: dict[int, Any] = {}

    def ask(number: int, frame: object) -> None:
        del frame
        asked.append(number)
        signal.signal(number, old[number])
        print("stopping after the next checkpoint; repeat to stop immediately", file=sys.stderr)

    if threading.current_thread() is threading.main_thread():  # only there can handlers be set
        old = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def _say_what_there_is(folder: Path, *, finished: bool) -> None:
    """Print where the rows and networks are, and how to continue from them."""
    print(f"rows:   {folder / ROWS}")
    if not finished:
        print("stopped before the end, with a checkpoint; continue with --resume")
    if (folder / PRETRAINED).exists():
        print(f"agents: {folder / PRETRAINED}; fine-tune with --pretrained {folder.parents[1]}")


def _draw(folder: Path) -> None:
    """Draw the figures of a run; there may be none."""
    from first_occupancy.plotting.figure_files import save
    from first_occupancy_paper.arm.runs.row_files import gathered
    from first_occupancy_paper.experiments.jaco_reaching.plot import plot

    for name, figure in plot(gathered([folder / ROWS])).items():
        print(f"figure: {save(figure, folder / f'{name}.png')}")
