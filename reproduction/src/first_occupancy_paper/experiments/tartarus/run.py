"""Fits of every model to rats and humans in the Tartarus maze, in sample and held out."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import jax
import numpy as np
from jaxtyping import Float

from first_occupancy.behaviour.fitting import UNDETERMINED, UndeterminedWarning, fit
from first_occupancy.behaviour.held_out import (
    HeldOut,
    choice_log_likelihoods,
    folds_by_layout,
    folds_by_parity,
    held_out,
)
from first_occupancy.behaviour.models import of_chosen
from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.core.arguments import PositiveInt
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import OneOf, Settings

from ..recordings import data_folder
from .candidates import (
    CANDIDATES,
    PAIRS,
    PUBLISHED,
    SIMULATED,
    candidates,
    read_open_chain,
    read_subjects,
)
from .disagreements import disagreement
from .simulated import compared_by_layout, sums_by_phase


@dataclass(frozen=True)
class Config(Settings):
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
    model: Annotated[str, OneOf(CANDIDATES)]
    folder: str = ""
    starts: PositiveInt = 4
    leave_out: bool = True
    simulate: bool = False


@dataclass(frozen=True)
class Disagreements(Settings):
    """Choices of one species at which models prefer different moves.

    Attributes:
        species: whose choices are looked at.
        folder: folder of the recordings; "" takes it from the environment.
        starts: number of starts per fit.
    """

    species: Literal["rats", "humans"]
    folder: str = ""
    starts: PositiveInt = 4


def all_configs(folder: str = "") -> list[Config | Disagreements]:
    """Return the configs of all models and both species, and those of disagreements.

    Published models leave nothing out, nor does the FR, which equals the SR here.
    """
    species: tuple[Literal["rats", "humans"], ...] = ("rats", "humans")
    fits = [
        Config(
            each,
            model,
            folder,
            leave_out=model not in (*PUBLISHED, "FR"),
            simulate=model in SIMULATED,
        )
        for each in species
        for model in CANDIDATES
    ]
    return [*fits, *(Disagreements(each, folder) for each in species)]


def run(config: Config | Disagreements, seed: int) -> Iterator[Row]:
    """Yield one row for a model: the fit, held-out likelihoods, and how simulated subjects behave.

    For disagreements there is a row for each pair of models.

    Args:
        seed: seed of the starts and of the simulation.
    """
    folder = data_folder(config.folder, "tartarus")
    subjects = read_subjects(folder, config.species)
    chain, key = read_open_chain(folder), jax.random.key(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndeterminedWarning)
        if isinstance(config, Disagreements):
            yield from _disagreements(config, subjects, chain, key)
        else:
            yield _fitted(config, subjects, chain, key)


def _fitted(
    config: Config, subjects: Subjects, chain: Float[jax.Array, "S S"], key: jax.Array
) -> Row:
    model = candidates(chain)[config.model]
    found = fit(model, subjects, key, num_starts=config.starts)
    logs, out = choice_log_likelihoods(found, subjects), None
    if config.leave_out and model.parameters:
        out = held_out(found, subjects, folds=folds_by_layout(subjects))
        logs = np.asarray(of_chosen(out.log_probabilities, subjects.choices))
    errors = found.standard_errors
    row = {
        "kind": "fit",
        "species": config.species,
        "model": config.model,
        "choices": found.num_choices.tolist(),
        "log_likelihoods": _rounded(found.log_likelihoods),
        "held_out": None if out is None else _rounded(out.log_likelihoods),
        "bic": _rounded(found.bic),
        "values": {name: _rounded(value, 4) for name, value in found.values.items()},
        "undetermined": {
            each.name: int((~(errors[:, place] < UNDETERMINED)).sum())
            for place, each in enumerate(model.parameters)
        },
        "starts_agree": _rounded(found.starts_agree),
        "by_phase": {name: _rounded(sums) for name, sums in sums_by_phase(logs, subjects).items()},
    }
    if config.simulate:
        shown = compared_by_layout(found, subjects, jax.random.fold_in(key, 1))
        for name, numbers in shown.items():  # JSON has no NaN
            row[name] = [None if np.isnan(each) else round(float(each), 4) for each in numbers]
    return row


def _disagreements(
    config: Disagreements, subjects: Subjects, chain: Float[jax.Array, "S S"], key: jax.Array
) -> Iterator[Row]:
    """Yield a row for each pair of models, each fitted on even layouts for odd ones and back."""
    folds = folds_by_parity(subjects)
    found: dict[str, HeldOut] = {}
    for name in dict.fromkeys(name for pair in PAIRS for name in pair):
        whole = fit(candidates(chain)[name], subjects, key, num_starts=config.starts)
        found[name] = held_out(whole, subjects, folds=folds)
    for first, second in PAIRS:
        counts = disagreement(found[first], found[second], subjects)
        yield {
            "kind": "disagreement",
            "species": config.species,
            "first": first,
            "second": second,
            **{name: numbers.tolist() for name, numbers in counts.items()},
        }


def _rounded(array: object, digits: int = 2) -> list[float]:
    return np.asarray(array, float).round(digits).tolist()
