"""Training from beginning to end, with rows, checkpoints and a time limit.

Every run has a folder of its own; `run_folders` says what it contains.
"""

import json
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import jax
import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.row import Row, grouped

from ..world import JacoBatch
from . import row_files, run_folders
from .pace import Pace, RunProgress
from .pretrained_runs import find_pretrained
from .run_config import FINETUNING, PHASES, PRETRAINING, RunConfig
from .run_folders import PRETRAINED, ROWS, TIMING
from .stage import MakeWorld, Stage, begin

DISK_SPEED = 2e8
"""Bytes per second, to estimate how long the first checkpoint will take."""
SPARE = 5.0
"""Seconds to spare when the time limit is reached."""


@dataclass(frozen=True)
class Options:
    """Options that do not change the rows.

    Attributes:
        save_every: seconds between checkpoints.
        seconds: time limit in seconds: training stops before it, with a checkpoint; None sets no
            limit.
        on_progress: called with the progress of the run, at most twice per second.
        should_stop: called before every step; training stops with a checkpoint if it returns True.
        make_world: makes the worlds of training and evaluation.
        now: clock in seconds.
    """

    save_every: float = 240.0
    seconds: float | None = None
    on_progress: Callable[[RunProgress], None] = lambda progress: None
    should_stop: Callable[[], bool] = lambda: False
    make_world: MakeWorld = JacoBatch
    now: Callable[[], float] = time.monotonic


def train(
    config: RunConfig,
    folder: Path,
    *,
    pretrained: Path | None = None,
    resume: bool = False,
    options: Options | None = None,
) -> bool:
    """Train agents, and write rows and checkpoints into a folder.

    Args:
        config: settings of the run.
        folder: folder of the run.
        pretrained: folder of a run whose pre-training is finished, to fine-tune its networks; None
            pre-trains first.
        resume: whether to continue from the last checkpoint, if there is one. The rows are those of
            a run that was never stopped.
        options: options that do not change the rows; None means the defaults.

    Returns:
        Whether the run is finished; False if it was stopped before.
    """
    options = options or Options()
    # Single precision whatever the caller's setting, since rows must not depend on it.
    with jax.enable_x64(False):
        # Fails before anything is written if the simulator is missing.
        options.make_world(config.task, [0])
        began = options.now()
        _prepare(config, folder, pretrained, resume=resume)
        with run_folders.alone(folder):
            phases = _phases_left(config, folder)
            # A phase begins only if the one before has reached its end.
            return all(_trained(config, phase, folder, options, began) for phase in phases)


def _trained(config: RunConfig, phase: str, folder: Path, options: Options, began: float) -> bool:
    """Train in one phase; return whether its end was reached.

    Fine-tuning reads the networks that pre-training has written, whichever run that was.
    """
    session = _open(config, phase, folder, options, began)
    try:
        return _go_through(session)
    finally:
        session.stage.close()


@dataclass
class _Session:
    """A run in progress, with its clocks."""

    stage: Stage
    folder: Path
    options: Options
    num_rows: int
    began: float
    last_saved: float
    longest_save: float
    longest_look: float = 0.0
    look: Future[list[Row]] | None = None
    """The rows of the last look, until they are written."""
    looked: float = 0.0
    """When it started."""
    returns: dict[str, float] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)

    def time_is_up(self) -> bool:
        """Return whether there is only time left for a last checkpoint."""
        if self.options.seconds is None:
            return False
        needed = 1.5 * self.longest_save + self.longest_look + SPARE
        return self.options.now() - self.began + needed >= self.options.seconds


def _prepare(config: RunConfig, folder: Path, pretrained: Path | None, *, resume: bool) -> None:
    """Prepare a folder for this run; nothing is changed before everything has been checked."""
    rows, found = folder / ROWS, run_folders.furthest(folder)
    if not resume and (rows.exists() or found):
        raise InputError(
            f"{folder}: already holds a run: go on with it by --resume, or choose another by --out"
        )
    source = None
    if pretrained is not None:
        source = find_pretrained(pretrained)
        source.check(config)
    if rows.exists():
        row_files.check_identity(rows, config)
        if source is not None:
            source.check_rows(rows, config)
    elif found and (source is None or found.name != PRETRAINED):
        raise InputError(f"{found}: is a checkpoint without its {ROWS}")
    elif source is not None:
        source.put_into(folder, config)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        row_files.create(rows, config)


def _phases_left(config: RunConfig, folder: Path) -> list[str]:
    found = run_folders.furthest(folder)
    is_pretrained = found is not None and found != run_folders.checkpoint(folder, PRETRAINING)
    phases = (FINETUNING,) if is_pretrained else PHASES
    return [phase for phase in phases if config.steps_in(phase)]


def _open(config: RunConfig, phase: str, folder: Path, options: Options, began: float) -> _Session:
    """Return the run in a folder, at the last checkpoint of a phase or at its beginning."""
    path, networks, num_rows = run_folders.checkpoint(folder, phase), {}, 0
    if phase == FINETUNING and config.agents_in(PRETRAINING) and not path.exists():
        networks, num_rows = run_folders.load_networks(folder)
    stage = begin(config, phase, networks, make_world=options.make_world)
    if path.exists():
        num_rows = run_folders.restore(folder, stage)
    row_files.cut(folder / ROWS, num_rows)
    size = sum(leaf.nbytes for leaf in jax.tree.leaves(stage.get_state()))
    return _Session(stage, folder, options, num_rows, began, options.now(), size / DISK_SPEED)


def _go_through(session: _Session) -> bool:
    """Train to the end of a phase; return False if the time limit or the user stopped it."""
    stage, options = session.stage, session.options
    if stage.name == FINETUNING and not run_folders.checkpoint(session.folder, FINETUNING).exists():
        _look(session)
    while stage.step < stage.config.steps_in(stage.name):
        if session.time_is_up() or options.should_stop():
            _save(session)
            return False
        stage.advance()
        if stage.step % stage.config.evaluate_every == 0:
            _look(session)
        if session.look is not None and session.look.done():
            _write_rows(session)
        if options.now() - session.last_saved >= options.save_every:
            _save(session)
        _show(session)
    if stage.name == FINETUNING:
        _save(session)
    else:
        _keep_networks(session)
    return True


def _keep_networks(session: _Session) -> None:
    """Write all rows so far, then the networks at the end of pre-training."""
    _write_rows(session)
    config, networks = session.stage.config, session.stage.networks()
    versions = row_files.identity(config)["versions"]
    run_folders.save_networks(session.folder, config, networks, session.num_rows, versions=versions)


def _look(session: _Session) -> None:
    """Start an evaluation; its rows are written when it is finished, in order."""
    _write_rows(session)
    session.looked = session.options.now()
    session.look = session.stage.look()


def _write_rows(session: _Session) -> None:
    """Write the rows of the last look, if that has not been done; waits for its evaluation."""
    if session.look is None:
        return
    rows, session.look = session.look.result(), None
    row_files.append(session.folder / ROWS, rows)
    session.num_rows += len(rows)
    for agent, own in grouped(rows, "agent").items():
        if "evaluation_return" in own[0]:
            session.returns[agent] = float(np.mean([row["evaluation_return"] for row in own]))
        if "target" in own[0]:
            targets = [row["target"] for row in own]
            session.values[agent] = max(np.inf if each is None else each for each in targets)
    seconds = session.options.now() - session.looked
    session.longest_look = max(session.longest_look, seconds)
    timing = {
        "phase": rows[0]["phase"],
        "step": rows[0]["step"],
        "seconds": round(session.looked - session.began, 3),
        "look_seconds": round(seconds, 3),
    }
    with (session.folder / TIMING).open("a") as file:
        file.write(json.dumps(timing) + "\n")


def _save(session: _Session) -> None:
    """Write all rows so far, then a checkpoint."""
    _write_rows(session)
    began = session.options.now()
    run_folders.save(session.folder, session.stage, session.num_rows)
    session.last_saved = session.options.now()
    session.longest_save = max(session.longest_save, session.last_saved - began)


def _show(session: _Session) -> None:
    """Report progress, at most twice per second."""
    stage, config = session.stage, session.stage.config
    before = config.steps_in(PRETRAINING) if stage.name == FINETUNING else 0
    done, total = before + stage.step, sum(map(config.steps_in, PHASES))
    rate = session.pace.rate(session.options.now(), done)
    if rate is None:
        return
    session.options.on_progress(
        RunProgress(
            phase=stage.name,
            done=done,
            total=total,
            steps_per_second=rate * stage.num_runs,
            updates_per_second=rate / config.steps_per_update,
            seconds_left=(total - done) / rate if rate else float("inf"),
            returns=dict(session.returns),
            values=dict(session.values),
        )
    )
