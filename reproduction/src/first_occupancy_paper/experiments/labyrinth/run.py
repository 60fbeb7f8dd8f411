"""Bits per choice of mice in the labyrinth: fitted on half of a session, tested on the other."""

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import jax
import numpy as np
from jaxtyping import Bool, Float

from first_occupancy.behaviour.choice_rules import Softmax
from first_occupancy.behaviour.fitting import Fit, UndeterminedWarning, fit
from first_occupancy.behaviour.held_out import choice_log_likelihoods
from first_occupancy.behaviour.models import Model, habit_model, random_walk
from first_occupancy.behaviour.planned_values import PlannedValues
from first_occupancy.behaviour.subjects import NO_ACTION, Subjects
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import Settings

from ..recordings import data_folder
from .novelty_values import NoveltyValues
from .recorded import EXIT, TURNS, WATER, read_session, tree_layouts
from .runs import direct_runs

SESSIONS = ("A1b", "D9a", "D9b")
ORDERS = (1, 2, 3, 4)
"""Orders of the Markov chains over nodes."""

SMOOTHING = 0.5
"""What is added to each count of a Markov chain."""

VARIABLE, LONGEST, OFTEN_ENOUGH = "Markov chain of variable order", 6, 8
"""The chain that uses the longest sequence of at most six nodes that was seen eight times."""

DEAD_ENDS = range(63, 127)


@dataclass(frozen=True)
class Config(Settings):
    """One session.

    Attributes:
        session: name of the session.
        folder: folder of the recordings; "" takes it from the environment.
    """

    session: Literal["A1b", "D9a", "D9b"]
    folder: str = ""


def all_configs(folder: str = "") -> list[Config]:
    """Return the configs of all sessions."""
    return [Config(session, folder) for session in SESSIONS]


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each model, bits per choice on the second half, and rows of direct runs."""
    subjects = read_session(data_folder(config.folder, "labyrinth"), config.session)
    junctions = subjects.choices.counted & (subjects.choices.allowed.sum(axis=-1) > 1)
    late = junctions.cumsum(axis=1) > junctions.sum(axis=1, keepdims=True) / 2
    fitted, tested = junctions & ~late, junctions & late
    for name, logs in (*_models(subjects, fitted, seed), *_chains(subjects, fitted)):
        row = {"session": config.session, "choices": int(tested.sum()), "model": name}
        yield {**row, **_bits(logs, tested, subjects)}
    yield from _runs(config.session, subjects, junctions, seed)


def _runs(
    session: str, subjects: Subjects, junctions: Bool[np.ndarray, "I T"], seed: int
) -> Iterator[Row]:
    """Yield the direct runs to the exit, to the water port, and to all other dead ends."""
    habits = habit_model(subjects.layouts)
    found = _fitted(habits, subjects, junctions, seed)
    for name, target in (("exit", EXIT), ("water", WATER)):
        yield {"session": session, "runs_to": name, **direct_runs(found, subjects, target)}
    others = [direct_runs(found, subjects, end) for end in DEAD_ENDS if end != WATER]
    sums = {key: sum(row[key] for row in others) for key in ("moments", "runs", "expected")}
    sums["expected"] = round(sums["expected"], 3)
    yield {"session": session, "runs_to": "other dead ends", **sums}


def _bits(
    logs: Float[np.ndarray, "I T"], tested: Bool[np.ndarray, "I T"], subjects: Subjects
) -> Row:
    """Return bits per choice, and the number of choices and bits of each bout."""
    bits, bouts = -logs[tested] / np.log(2), subjects.choices.trials[tested]
    places = np.unique(bouts)
    return {
        "bits": round(float(bits.mean()), 4),
        "choices_by_bout": [int((bouts == bout).sum()) for bout in places],
        "bits_by_bout": [round(float(bits[bouts == bout].sum()), 3) for bout in places],
    }


def _models(
    subjects: Subjects, fitted: Bool[np.ndarray, "I T"], seed: int
) -> Iterator[tuple[str, Float[np.ndarray, "I T"]]]:
    """Yield the name of each fitted model and its log-likelihoods of all choices."""
    turning = Softmax(turns=len(TURNS))
    thirsty = replace(subjects, layouts=tree_layouts(WATER))
    for model, recorded in (
        (random_walk(), subjects),
        (habit_model(subjects.layouts), subjects),
        (Model("turning biases + homing", PlannedValues(), turning), subjects),
        (Model("turning biases + water runs", PlannedValues(), turning), thirsty),
        (Model("turning biases + novelty by the FR", NoveltyValues(), turning), subjects),
        (Model("turning biases + novelty by the SR", NoveltyValues(True), turning), subjects),
    ):
        found = _fitted(model, recorded, fitted, seed)
        yield model.name, choice_log_likelihoods(found, recorded)


def _chains(
    subjects: Subjects, fitted: Bool[np.ndarray, "I T"]
) -> Iterator[tuple[str, Float[np.ndarray, "I T"]]]:
    """Yield the name of each Markov chain and its log-likelihoods of all choices."""
    for order in ORDERS:
        yield f"Markov chain of order {order}", markov_logs(subjects, order, fitted=fitted)
    yield VARIABLE, markov_logs(subjects, LONGEST, fitted=fitted, fewest=OFTEN_ENOUGH)


def _fitted(model: Model, subjects: Subjects, fitted: Bool[np.ndarray, "I T"], seed: int) -> Fit:
    """Return a fit; a goal that is not followed leaves its discount undetermined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndeterminedWarning)
        return fit(model, subjects, jax.random.key(seed), fitted=fitted)


def markov_logs(
    subjects: Subjects, order: int, *, fitted: Bool[np.ndarray, "I T"], fewest: int = 0
) -> Float[np.ndarray, "I T"]:
    """Return the log-likelihoods of choices under a Markov chain over the last nodes.

    The chain counts how often each action followed each sequence of nodes, the present one
    included, and adds `SMOOTHING` to each count. Sequences do not reach back into the bout before.

    Args:
        subjects: recorded choices of one mouse.
        order: number of nodes in a sequence.
        fitted: choices to count.
        fewest: how often a sequence must have been counted to be used. If it was not, the longest
            one is used that was, so that the order is variable; 0 for a fixed order.
    """
    own = subjects.choices.of(0)
    states, actions, allowed = own.states, own.actions, own.allowed
    begins = own.previous == NO_ACTION
    first = np.maximum.accumulate(np.where(begins, np.arange(len(states)), 0))
    counts: Counter[tuple[tuple[int, ...], int]] = Counter()

    def contexts(time: int) -> list[tuple[int, ...]]:
        """Return the sequences that end at a choice, the longest one first."""
        lengths = range(min(order, time - first[time] + 1), 0, -1)
        ends = [tuple(states[time - length + 1 : time + 1].tolist()) for length in lengths]
        return ends if fewest else ends[:1]

    for time in np.flatnonzero(fitted[0]).tolist():
        counts.update((context, int(actions[time])) for context in contexts(time))
    logs = np.zeros(len(states))
    for time in range(len(states)):
        for context in contexts(time):
            seen = np.array([counts[context, action] for action in range(4)])
            if seen.sum() >= fewest:
                break
        smooth = seen + SMOOTHING
        logs[time] = np.log(smooth[actions[time]] / smooth[allowed[time]].sum())
    return logs[None]
