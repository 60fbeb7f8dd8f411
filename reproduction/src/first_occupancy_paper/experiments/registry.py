"""All experiments in the order of the paper, each with what its folder has."""

from functools import partial
from importlib import import_module
from typing import Any

from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.kept import read_kept

from . import Experiment
from .findings import heading
from .offline_goals import OFFLINE_GOALS


def _in_folder(name: str, *, beyond: bool = False, kept: bool = False) -> Experiment:
    """Return the experiment of a folder: what `run`, `plot` and `find` in it define.

    Its question stands in `findings.md`. Kept rows are in the file of its name, unless `run` says
    where; without kept rows, `run` has the settings, or a config.
    """
    parts = (f"first_occupancy_paper.experiments.{name}.{part}" for part in ("run", "plot", "find"))
    run, plot, find = map(import_module, parts)
    about = heading(find.find)
    options: dict[str, Any] = {}
    if kept:
        options["kept"] = getattr(run, "kept", partial(read_kept, name))
    else:
        options["config"] = run.Config
        if hasattr(run, "settings"):
            options["settings"] = run.settings
    return Experiment(
        name=name,
        run=run.run,
        question=about["question"],
        paper=about["covers"],
        plot=plot.plot,
        find=find.find,
        beyond=beyond,
        **options,
    )


EXPERIMENTS: tuple[Experiment, ...] = (
    _in_folder("shorter_paths"),
    _in_folder("exploration"),
    _in_folder("mountain_car"),
    _in_folder("jaco_reaching", kept=True),
    _in_folder("planning_in_a_room"),
    _in_folder("four_rooms"),
    _in_folder("escape"),
    _in_folder("many_goals"),
    _in_folder("claims"),
    _in_folder("planned_exploration", beyond=True),
    _in_folder("tartarus", beyond=True, kept=True),
    _in_folder("labyrinth", beyond=True, kept=True),
    _in_folder("model_recovery", beyond=True, kept=True),
    OFFLINE_GOALS,
    _in_folder("collecting", beyond=True),
)


def experiment(name: str) -> Experiment:
    """Return the experiment of that name."""
    known = {each.name: each for each in EXPERIMENTS}
    if name not in known:
        raise InputError(f"NAME must be one of {', '.join(known)}, got {name!r}")
    return known[name]
