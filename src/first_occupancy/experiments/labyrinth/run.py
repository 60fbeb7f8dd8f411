"""Bits per choice of mice in the labyrinth: fitted on half of a session, tested on the other."""

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import jax
import numpy as np
from jaxtyping import Bool, Float

from first_occupancy.behaviour.choice_rules import Softmax
from first_occupancy.behaviour.fitting import UndeterminedWarning, fit
from first_occupancy.behaviour.held_out import choice_log_likelihoods
from first_occupancy.behaviour.models import Model, habit_model, random_walk
from first_occupancy.behaviour.planned_values import PlannedValues
from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.core.settings import check_settings
from first_occupancy.experiments import Row
from first_occupancy.experiments.labyrinth.recorded import EXIT, TURNS, WATER, read_session
from first_occupancy.experiments.recordings import data_folder

SESSIONS = ("A1b", "D9a", "D9b")
ORDERS = (1, 2, 3, 4)
"""Orders of the Markov chains over nodes."""

SMOOTHING = 0.5
"""What is added to each count of a Markov chain."""


@dataclass(frozen=True)
class Config:
    """One session.

    Attributes:
        session: name of the session.
        folder: folder of the recordings; "" takes it from the environment.
    """

    session: Literal["A1b", "D9a", "D9b"]
    folder: str = ""

    def __post_init__(self) -> None:
        """Raise an `InputError` unless all settings are valid."""
        check_settings(self)


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return no jobs for `reproduce`, which has no recordings; rows are kept."""
    del quick
    return []


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each model: bits per choice on the second half of the session.

    Args:
        config: settings of the run.
        seed: seed of the starts.
    """
    folder = data_folder(config.folder, "labyrinth")
    subjects = read_session(folder, config.session)
    junctions = np.asarray(subjects.choices.allowed).sum(axis=-1) > 1
    junctions &= np.asarray(subjects.choices.counted)
    late = junctions.cumsum(axis=1) > junctions.sum(axis=1, keepdims=True) / 2
    tested = {"session": config.session, "choices": int((junctions & late).sum())}
    for name, logs in _models(folder, config.session, subjects, ~late & junctions, seed):
        yield {**tested, "model": name, "bits": _bits(logs, junctions & late)}
    for order in ORDERS:
        logs = markov_logs(subjects, order, fitted=~late & junctions)
        bits = _bits(logs, junctions & late)
        yield {**tested, "model": f"Markov chain of order {order}", "bits": bits}


def _bits(logs: Float[np.ndarray, "I T"], tested: Bool[np.ndarray, "I T"]) -> float:
    return round(float(-logs[tested].mean() / np.log(2)), 4)


def _models(
    folder: Path, session: str, subjects: Subjects, fitted: Bool[np.ndarray, "I T"], seed: int
) -> Iterator[tuple[str, Float[np.ndarray, "I T"]]]:
    """Yield the name of each fitted model and its log-likelihoods of all choices."""
    turning = Softmax(turns=len(TURNS))
    cases: list[tuple[Model, int]] = [
        (random_walk(), EXIT),
        (habit_model(subjects.layouts), EXIT),
        (Model("turning biases + homing", PlannedValues(), turning), EXIT),
        (Model("turning biases + water runs", PlannedValues(), turning), WATER),
    ]
    for model, goal in cases:
        recorded = read_session(folder, session, goal=goal)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndeterminedWarning)
            found = fit(model, recorded, jax.random.key(seed), fitted=fitted)
        yield model.name, choice_log_likelihoods(found, recorded)


def markov_logs(
    subjects: Subjects, order: int, *, fitted: Bool[np.ndarray, "I T"]
) -> Float[np.ndarray, "I T"]:
    """Return the log-likelihoods of choices under a Markov chain over the last nodes.

    The chain counts how often each action followed each sequence of nodes, the present one
    included, and adds `SMOOTHING` to each count. Sequences do not reach back into the bout before.

    Args:
        subjects: recorded choices of one mouse.
        order: number of nodes in a sequence.
        fitted: choices to count.
    """
    own = jax.tree.map(lambda each: np.asarray(each[0]), subjects.choices)
    states, actions, trials, allowed = own.states, own.actions, own.trials, own.allowed
    begins = np.flatnonzero(np.append(True, trials[1:] != trials[:-1]))
    first = begins[np.searchsorted(begins, np.arange(len(trials)), side="right") - 1]
    contexts = [
        tuple(states[max(first[time], time - order + 1) : time + 1]) for time in range(len(states))
    ]
    counts = Counter(
        (context, action)
        for context, action, counted in zip(contexts, actions, fitted[0], strict=True)
        if counted
    )
    logs = np.zeros(len(states))
    for time, context in enumerate(contexts):
        seen = np.array([counts[context, action] for action in range(4)]) + SMOOTHING
        logs[time] = np.log(seen[actions[time]] / seen[allowed[time]].sum())
    return logs[None]
