"""Training from beginning to end: rows as they come, checkpoints, and a limit of time.

A run has a folder of its own:

    rows.jsonl                         what happened, with where it comes from in the first line
    pretraining.npz, finetuning.npz    the last checkpoint of the phase it is in
    timing.jsonl                       how fast it was; apart, since rows are the same each time
"""

import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np

from first_occupancy.core import checkpoints
from first_occupancy.core.errors import InputError
from first_occupancy.experiments.experiment import Row
from first_occupancy.experiments.jaco_reaching import records
from first_occupancy.experiments.jaco_reaching.config import FINETUNING, PHASES, RunConfig
from first_occupancy.experiments.jaco_reaching.stage import (
    MakeWorld,
    Stage,
    begin,
    first_phase,
    jaco,
)

ROWS, TIMING = "rows.jsonl", "timing.jsonl"
DISK_SPEED = 2e8
"""Bytes a second, to guess how long the first checkpoint will take."""
RECENT, PAUSE = 30.0, 10.0
"""Seconds over which rates are taken, and those that a step takes only if it is compiled first."""
SPARE = 5.0
"""Seconds that are always left when time runs out."""


@dataclass(frozen=True)
class Progress:
    """How far a run is, and how fast."""

    phase: str
    done: int
    total: int
    """Steps of each run, of both phases together."""
    steps_per_second: float
    """Of all environments of all runs."""
    updates_per_second: float
    """Steps of learning of each run; all runs take them at once."""
    seconds_left: float
    returns: Mapping[str, float | None]
    """Of the last evaluation, by agent, on average over seeds."""
    values: Mapping[str, float]
    """What critics were last aimed at, by agent, of the seed where that is most: what grows if
    learning does not settle."""


@dataclass(frozen=True)
class Options:
    """What does not change the rows."""

    save_every: float = 240.0
    """Seconds between checkpoints."""
    seconds: float | None = None
    """Stop, with a checkpoint, before this time is over."""
    on_progress: Callable[[Progress], None] = lambda progress: None
    on_rows: Callable[[Sequence[Row]], None] = lambda rows: None
    should_stop: Callable[[], bool] = lambda: False
    make_world: MakeWorld = jaco
    now: Callable[[], float] = time.monotonic


def train(
    config: RunConfig, folder: Path, *, resume: bool = False, options: Options | None = None
) -> bool:
    """Train in a folder; return whether the run is finished, or stopped before.

    With `resume` it goes on from the last checkpoint, or begins if there is none, and ends with
    the rows of a run that was never stopped.
    """
    options = options or Options()
    # In single precision, whatever the caller uses: rows must not depend on it.
    with jax.enable_x64(False):
        # If the simulator is missing, that shows before anything is written.
        options.make_world(config.task, [0])
        session = _open(config, folder, options, resume=resume)
        try:
            return _go_on(session)
        finally:
            session.stage.close()


def load_trained(config: RunConfig, folder: Path, *, make_world: MakeWorld = jaco) -> Stage:
    """Return the runs of a folder at their last checkpoint of fine-tuning."""
    stage = begin(config, FINETUNING, {}, make_world=make_world)
    _restore(stage, _checkpoint(folder, FINETUNING))
    return stage


@dataclass
class _Session:
    """A run that is under way, with its clocks."""

    stage: Stage
    folder: Path
    options: Options
    num_rows: int
    is_resumed: bool
    began: float
    last_saved: float
    longest_save: float
    longest_look: float = 0.0
    last_shown: float = 0.0
    returns: dict[str, float | None] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    recent: deque[tuple[float, int]] = field(default_factory=deque)
    """When which step was reached, for the last half minute: the present rate."""

    @property
    def done(self) -> int:
        """Steps of each run so far, of both phases together."""
        config = self.stage.config
        before = PHASES[: PHASES.index(self.stage.name)]
        return sum(map(config.steps_in, before)) + self.stage.step

    def time_is_up(self) -> bool:
        """Return whether there is just time for a last checkpoint."""
        if self.options.seconds is None:
            return False
        needed = 1.5 * self.longest_save + self.longest_look + SPARE
        return self.options.now() - self.began + needed >= self.options.seconds


def _open(config: RunConfig, folder: Path, options: Options, *, resume: bool) -> _Session:
    """Return a new session, or one that goes on; nothing is changed before all is checked."""
    began, rows = options.now(), folder / ROWS
    found = [path for name in PHASES if (path := _checkpoint(folder, name)).exists()]
    if not resume and (rows.exists() or found):
        raise InputError(
            f"{folder}: already holds a run: go on with it by --resume, or choose another by --out"
        )
    if rows.exists():
        records.check_identity(rows, config)
    elif found:
        raise InputError(f"{found[-1]}: is a checkpoint without its {ROWS}")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        records.create(rows, config)
    name = found[-1].stem if found else first_phase(config)
    stage = begin(config, name, {}, make_world=options.make_world)
    num_rows = _restore(stage, found[-1]) if found else 0
    records.cut(rows, num_rows)
    size = sum(leaf.nbytes for leaf in jax.tree.leaves(stage.get_state()))
    now = options.now()
    return _Session(stage, folder, options, num_rows, bool(found), began, now, size / DISK_SPEED)


def _go_on(session: _Session) -> bool:
    """Go through all phases that are left; return whether the end was reached."""
    while True:
        session.recent.clear()
        if not session.is_resumed and session.stage.name == FINETUNING:
            _look(session)
        session.is_resumed = False
        if not _go_through(session):
            return False
        if session.stage.name == FINETUNING:
            return True
        _move_on(session)


def _go_through(session: _Session) -> bool:
    """Take the steps of a phase; return False if time ran out, or someone stopped it, before."""
    stage, options = session.stage, session.options
    while stage.step < stage.num_steps:
        if session.time_is_up() or options.should_stop():
            _save(session)
            return False
        stage.advance()
        if stage.step % stage.config.evaluate_every == 0:
            _look(session)
        if options.now() - session.last_saved >= options.save_every:
            _save(session)
        _show(session)
    _save(session)  # also before the next phase, which begins with a long time of compiling
    return True


def _move_on(session: _Session) -> None:
    """Hand over to the next phase."""
    old = session.stage
    learners = {a: group.learner for a, group in zip(old.agents, old.trainings, strict=True)}
    old.trainings = []  # their memory is needed
    old.close()
    make_world = session.options.make_world
    session.stage = begin(old.config, FINETUNING, learners, make_world=make_world)


def _look(session: _Session) -> None:
    """Evaluate, and write rows."""
    began = session.options.now()
    rows = session.stage.rows()
    records.append(session.folder / ROWS, rows)
    session.num_rows += len(rows)
    for agent in session.stage.agents:
        returns = [r["evaluation_return"] for r in rows if r["agent"] == agent and _is_judged(r)]
        session.returns[agent] = float(np.mean(returns)) if returns else None
        targets = [r["target"] for r in rows if r["agent"] == agent and "target" in r]
        if targets:
            session.values[agent] = max(np.inf if each is None else each for each in targets)
    now = session.options.now()
    session.longest_look = max(session.longest_look, now - began)
    timing = {
        "phase": session.stage.name,
        "step": session.stage.step,
        "seconds": round(now - session.began, 3),
        "look_seconds": round(now - began, 3),
    }
    with (session.folder / TIMING).open("a") as file:
        file.write(json.dumps(timing) + "\n")
    session.options.on_rows(rows)


def _is_judged(row: Row) -> bool:
    return "evaluation_return" in row


def _save(session: _Session) -> None:
    """Write a checkpoint; that of the phase before is no longer needed then."""
    began, stage = session.options.now(), session.stage
    path = _checkpoint(session.folder, stage.name)
    state = {**stage.get_state(), "num_rows": np.int64(session.num_rows)}
    checkpoints.save(path, state, facts=_facts(stage))
    for name in PHASES[: PHASES.index(stage.name)]:
        _checkpoint(session.folder, name).unlink(missing_ok=True)
    session.last_saved = session.options.now()
    session.longest_save = session.last_saved - began


def _restore(stage: Stage, path: Path) -> int:
    """Put a stage at its checkpoint; return how many rows there were by then."""
    like = {**stage.get_state(), "num_rows": np.int64(0)}
    state = checkpoints.load(path, like, facts=_facts(stage))
    stage.set_state(state)
    return int(state["num_rows"])


def _facts(stage: Stage) -> dict[str, Any]:
    return {"phase": stage.name, **records.identity(stage.config)}


def _checkpoint(folder: Path, phase: str) -> Path:
    return folder / f"{phase}.npz"


def _show(session: _Session) -> None:
    """Tell how it goes, twice a second at most."""
    now, config = session.options.now(), session.stage.config
    if now - session.last_shown < 0.5:
        return
    if now - session.last_shown > PAUSE:
        session.recent.clear()
    session.last_shown = now
    session.recent.append((now, session.done))
    while now - session.recent[0][0] > RECENT and len(session.recent) > 2:
        session.recent.popleft()
    (since, before), (until, after) = session.recent[0], session.recent[-1]
    rate = (after - before) / max(until - since, 1e-9)
    total = sum(map(config.steps_in, PHASES))
    session.options.on_progress(
        Progress(
            phase=session.stage.name,
            done=session.done,
            total=total,
            steps_per_second=rate * session.stage.num_runs,
            updates_per_second=rate / config.steps_per_update,
            seconds_left=(total - session.done) / rate if rate else float("inf"),
            returns=dict(session.returns),
            values=dict(session.values),
        )
    )
