"""Fits of every model to rats and humans in the Tartarus maze, in sample and held out."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import jax
import numpy as np

from first_occupancy.behaviour.fitting import Fit, UndeterminedWarning, fit
from first_occupancy.behaviour.held_out import choice_log_likelihoods, folds_by_layout, held_out
from first_occupancy.behaviour.recovery import simulated_like
from first_occupancy.behaviour.simulation import moves_per_trial, reaches_goal, starts_of
from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.core.settings import OneOf, PositiveInt, check_settings
from first_occupancy.experiments import Row
from first_occupancy.experiments.recordings import data_folder
from first_occupancy.experiments.tartarus.candidates import CANDIDATES, PUBLISHED
from first_occupancy.experiments.tartarus.recorded import read_open_chain, read_subjects

SIMULATED = ("SR", "FRP, K = 9", "FRP, K = 9, turning")
"""Models whose simulated subjects are compared with the recorded ones."""

LONGEST_TRIAL = 45
"""Moves after which the study ended a trial of a simulated subject."""


@dataclass(frozen=True)
class Config:
    """One model and one species.

    Attributes:
        species: whose choices are fitted.
        model: name of the model.
        folder: folder of the recordings; "" takes it from the environment.
        starts: number of starts per fit.
        leave_out: whether to leave out one layout at a time.
        simulate: whether to simulate subjects with the fitted parameters, which takes longest.
    """

    species: Literal["rats", "humans"]
    model: Annotated[str, OneOf(tuple(CANDIDATES))]
    folder: str = ""
    starts: PositiveInt = 4
    leave_out: bool = True
    simulate: bool = False

    def __post_init__(self) -> None:
        """Raise an `InputError` unless all settings are valid."""
        check_settings(self)


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return no jobs for `reproduce`, which has no recordings; rows are kept."""
    del quick
    return []


def all_configs(folder: str = "") -> list[Config]:
    """Return the configs of all models and both species.

    Published models leave nothing out, nor does the FR, which equals the SR here.
    """
    return [
        Config(
            species,
            model,
            folder,
            leave_out=model not in (*PUBLISHED, "FR"),
            simulate=model in SIMULATED,
        )
        for species in ("rats", "humans")
        for model in CANDIDATES
    ]


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield one row: the fit, its held-out likelihoods, and perhaps how simulated subjects behave.

    Args:
        config: settings of the run.
        seed: seed of the starts and of the simulation.
    """
    folder = data_folder(config.folder, "tartarus")
    subjects = read_subjects(folder, config.species)
    model = CANDIDATES[config.model](subjects.layouts, read_open_chain(folder))
    key = jax.random.key(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndeterminedWarning)
        found = fit(model, subjects, key, num_starts=config.starts)
        out = None
        if config.leave_out and model.parameters:
            out = held_out(model, subjects, key, folds=folds_by_layout(subjects), whole=found)
    errors = np.asarray(found.standard_errors)
    yield {
        "species": config.species,
        "model": config.model,
        "choices": found.num_choices.tolist(),
        "log_likelihoods": _rounded(found.log_likelihoods),
        "held_out": None if out is None else _rounded(out.log_likelihoods),
        "bic": _rounded(found.bic),
        "values": {name: _rounded(value, 4) for name, value in found.values.items()},
        "undetermined": {
            each.name: int((~(errors[:, place] < 10)).sum())
            for place, each in enumerate(model.parameters)
        },
        **_phases(found, subjects),
        **(_behaviour(found, subjects, jax.random.fold_in(key, 1)) if config.simulate else {}),
    }


def _rounded(array: object, digits: int = 2) -> list[float]:
    return np.asarray(array, float).round(digits).tolist()


def _phases(found: Fit, subjects: Subjects) -> dict[str, list[list[float]]]:
    """Return log-likelihoods by subject and layout, and by subject and trial within a layout."""
    logs = choice_log_likelihoods(found, subjects)
    layouts = np.asarray(subjects.choices.layouts)
    by_layout = np.zeros((len(subjects), int(subjects.layouts.free.shape[0])))
    for number, row in enumerate(logs):
        np.add.at(by_layout[number], layouts[number], row)
    early = np.zeros((len(subjects), 2))
    for number, row in enumerate(logs):
        np.add.at(early[number], _is_late(subjects, number), row)
    return {
        "by_layout": [_rounded(row, 1) for row in by_layout],
        "first_and_later_trials": [_rounded(row, 1) for row in early],
    }


def _is_late(subjects: Subjects, number: int) -> np.ndarray:
    """Return 0 for choices in the first three trials of a layout, 1 for later ones."""
    layouts = np.asarray(subjects.choices.layouts[number])
    trials = np.asarray(subjects.choices.trials[number])
    first = {layout: trials[layouts == layout].min() for layout in np.unique(layouts)}
    begun = np.array([first[layout] for layout in layouts])
    return (trials - begun >= 3).astype(int)


def _behaviour(found: Fit, subjects: Subjects, key: jax.Array) -> dict[str, float]:
    """Return success and length of trials, recorded and simulated with the fitted parameters."""
    like = simulated_like(found, subjects, starts_of(subjects), key, num_moves=LONGEST_TRIAL)
    shown = {}
    for name, who in (("recorded", subjects), ("simulated", like)):
        moves, ends = np.concatenate(moves_per_trial(who)), np.concatenate(reaches_goal(who))
        ends = ends & (moves <= LONGEST_TRIAL)
        shown[f"{name}_success"] = round(float(ends.mean()), 4)
        shown[f"{name}_moves"] = round(float(moves[ends].mean()), 3)
    return shown
