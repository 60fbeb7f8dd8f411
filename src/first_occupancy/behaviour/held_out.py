"""Held-out log-likelihoods: fitted on some layouts or trials, tested on the others.

Learning goes along the whole path in any case: a subject that meets layout 7 has been through
layouts 0 to 6, whether or not their choices are fitted. Only parameters are held out.
"""

import equinox as eqx
import numpy as np
from jaxtyping import Float, Int

from first_occupancy.behaviour.fitting import Fit, fit_parts
from first_occupancy.behaviour.models import Model, of_chosen
from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.core.errors import InputError


class HeldOut(eqx.Module):
    """How well a model predicts choices on which it was not fitted.

    Attributes:
        model: the model.
        names: names of the subjects.
        log_likelihoods: summed log-likelihood of each subject's held-out choices, in nats.
        by_fold: the same for each fold; 0 for a subject that has no choice in it.
        log_probabilities: log probability of each action at each choice, under parameters that
            were fitted to the other folds; 0 for padding.
    """

    model: Model
    names: tuple[str, ...] = eqx.field(static=True)
    log_likelihoods: Float[np.ndarray, " I"]
    by_fold: Float[np.ndarray, "folds I"]
    log_probabilities: Float[np.ndarray, "I T A"]

    @property
    def log_likelihood(self) -> float:
        """The sum over subjects, in nats."""
        return float(self.log_likelihoods.sum())

    def __repr__(self) -> str:
        return (
            f"HeldOut({self.model.name}: log-likelihood {self.log_likelihood:,.1f} of "
            f"{len(self.names)} subjects, {len(self.by_fold)} folds)"
        )


def folds_by_layout(subjects: Subjects) -> Int[np.ndarray, "I T"]:
    """Return folds for leave-one-layout-out: the fold of a choice is its layout."""
    return subjects.choices.layouts


def folds_by_parity(subjects: Subjects) -> Int[np.ndarray, "I T"]:
    """Return two folds: even layouts and odd ones."""
    return subjects.choices.layouts % 2


def folds_by_time(subjects: Subjects, *, num_folds: int = 5) -> Int[np.ndarray, "I T"]:
    """Return folds of consecutive trials, about equally many in each; of choices in a single trial.

    Args:
        subjects: recorded choices.
        num_folds: number of folds.
    """
    trials = subjects.choices.trials
    counts = trials.max(axis=1, keepdims=True) + 1
    places = np.broadcast_to(np.arange(trials.shape[1]), trials.shape)
    several = counts > 1
    numbers = np.where(several, trials, places)
    return numbers * num_folds // np.where(several, counts, subjects.num_choices[:, None])


def usual_folds(subjects: Subjects) -> Int[np.ndarray, "I T"]:
    """Return folds by layout where there are several, and by time otherwise."""
    layouts = subjects.choices.layouts[subjects.choices.counted]
    return folds_by_layout(subjects) if len(np.unique(layouts)) > 1 else folds_by_time(subjects)


def held_out(whole: Fit, subjects: Subjects, *, folds: Int[np.ndarray, "I T"]) -> HeldOut:
    """Return the log-likelihood of each fold under parameters fitted to all others.

    Args:
        whole: fit of the model to all choices, from which the fits to the other folds start.
        subjects: recorded choices.
        folds: fold of each choice, from 0.

    Raises:
        InputError: if there are fewer than two folds.
    """
    model, counted = whole.model, subjects.choices.counted
    present = np.unique(folds[counted])
    if len(present) < 2:
        raise InputError(f"held_out: folds must be at least two, got {len(present)}")
    inside = counted[:, None] & (folds[:, None] == present[:, None])
    starts = np.repeat(np.asarray(whole.numbers)[:, None, None], len(present), axis=1)
    prepared = model.valuation.prepare(subjects)
    found = fit_parts(model, subjects, counted[:, None] & ~inside, starts, prepared)
    logs = np.zeros(subjects.choices.allowed.shape)
    for place, part in enumerate(found):
        own = inside[:, place]
        ahead = model.log_probabilities(part.values, subjects, prepared=prepared)
        logs[own] = np.asarray(ahead)[own]
    chosen = np.asarray(of_chosen(logs, subjects.choices))
    by_fold = np.where(inside, chosen[:, None], 0.0).sum(axis=2).T
    return HeldOut(model, subjects.names, by_fold.sum(axis=0), by_fold, logs)


def choice_log_likelihoods(fitted: Fit, subjects: Subjects) -> Float[np.ndarray, "I T"]:
    """Return the log-likelihood of each choice under fitted parameters; 0 for padding.

    Args:
        fitted: a fit of the same subjects.
        subjects: recorded choices.
    """
    logs = fitted.model.log_probabilities(fitted.values, subjects)
    return np.where(subjects.choices.counted, of_chosen(logs, subjects.choices), 0.0)
