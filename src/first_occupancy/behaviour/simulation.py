"""Simulated subjects: choices drawn from a model, in the trials of recorded ones.

A simulated subject begins each trial where the recorded one did, in the same layout, and goes on
until it reaches the goal or has made `num_moves` moves. It learns from its own choices.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from first_occupancy.behaviour.models import Model
from first_occupancy.behaviour.parameters import Values
from first_occupancy.behaviour.subjects import (
    NO_ACTION,
    Layouts,
    Subjects,
    Trial,
    subjects_from_paths,
)
from first_occupancy.behaviour.valuations import Move
from first_occupancy.core.arguments import PositiveInt, check_arguments
from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.errors import check_key


class Starts(NamedTuple):
    """Where trials begin.

    Attributes:
        states: first cell of each trial; -1 for trials that a subject does not have.
        layouts: layout of each trial.
    """

    states: Int[np.ndarray, "I E"]
    layouts: Int[np.ndarray, "I E"]


def starts_of(subjects: Subjects) -> Starts:
    """Return where the trials of recorded subjects began."""
    choices = subjects.choices
    begins = choices.counted & (choices.previous == NO_ACTION)
    shape = len(subjects), int(begins.sum(axis=1).max())
    starts = Starts(np.full(shape, -1), np.zeros(shape, int))
    places = np.nonzero(begins)[0], choices.trials[begins]
    starts.states[places], starts.layouts[places] = choices.states[begins], choices.layouts[begins]
    return starts


@check_arguments
def simulate(
    model: Model,
    values: Values,
    layouts: Layouts,
    starts: Starts,
    key: PRNGKey,
    *,
    num_moves: PositiveInt = 50,
    names: Sequence[str] | None = None,
) -> Subjects:
    """Return the choices of simulated subjects.

    Args:
        model: model that chooses.
        values: values of its parameters, one per subject or one for all.
        layouts: the worlds.
        starts: where the trials of each subject begin (`starts_of`).
        key: JAX random key.
        num_moves: largest number of moves in a trial.
        names: names of the subjects; None numbers them.

    Raises:
        InputError: if `num_moves` is below 1.
    """
    check_key("simulate", "key", key)
    number = len(starts.states)
    each = {name: jnp.broadcast_to(value, (number,)) for name, value in values.items()}
    keys = jax.random.split(key, number)
    begins = jnp.asarray(starts.states), jnp.asarray(starts.layouts)
    found = _simulate_all(model, each, layouts, *begins, keys, num_moves)
    visited, moved = (np.asarray(part) for part in found)
    names = [str(place) for place in range(number)] if names is None else names
    paths: dict[str, list[Trial]] = {}
    for name, *of_subject in zip(names, *starts, visited, moved, strict=True):
        paths[name] = [
            Trial(int(layout), [int(start), *cells[went].tolist()])
            for start, layout, cells, went in zip(*of_subject, strict=True)
            if start >= 0
        ]
    return subjects_from_paths(layouts, paths, ends_at_goal=True)


@eqx.filter_jit
def _simulate_all(
    model: Model,
    values: Values,
    layouts: Layouts,
    states: Int[Array, "I E"],
    where: Int[Array, "I E"],
    keys: Array,
    num_moves: int,
) -> tuple[Int[Array, "I E T"], Bool[Array, "I E T"]]:
    """Return the cells that are entered, and whether there is such a move."""

    def subject(own: Values, begins: Array, layout: Array, key: Array) -> tuple[Array, Array]:
        def trial(memory: Any, now: tuple[Array, Array, Array]) -> tuple[Any, tuple]:
            start, place, random = now
            step = partial(_step, model, own, layouts, place)
            first = (memory, jnp.maximum(start, 0), jnp.asarray(NO_ACTION), start >= 0)
            last, visited = jax.lax.scan(step, first, jax.random.split(random, num_moves))
            return last[0], visited

        memory = model.valuation.begin(own, layouts)
        randoms = jax.random.split(key, begins.shape[0])
        return jax.lax.scan(trial, memory, (begins, layout, randoms))[1]

    return jax.vmap(subject)(values, states, where, keys)


def _step(
    model: Model,
    values: Values,
    layouts: Layouts,
    layout: Int[Array, ""],
    now: tuple[Any, Array, Array, Array],
    random: Array,
) -> tuple[tuple[Any, Array, Array, Array], tuple[Array, Array]]:
    """Return what is so after one move of a trial, the cell it leads to, and whether it is made.

    Args:
        layout: layout of the trial.
        now: what the subject remembers, its cell, its last action, and whether the trial goes on.
        random: key of the move.
    """
    memory, state, previous, on = now
    looked = model.valuation.look(memory, layouts, state, layout)
    options = model.valuation.options(values, looked, layouts, state)
    ahead = layouts.next_states[state]
    allowed = layouts.free[layout][ahead] & (ahead != state)
    logs = model.choice.log_probabilities(values, options, allowed, previous, layouts)
    # A cell without free neighbours ends the trial.
    moves = on & (state != layouts.goal) & allowed.any()
    action = jax.random.categorical(random, jnp.where(allowed.any(), logs, 0.0))
    move = Move(state, action, ahead[action], previous, layout)
    learned = model.valuation.learn(values, looked, layouts, move)
    after = jax.tree.map(partial(jnp.where, moves), (learned, ahead[action], action), now[:3])
    return (*after, moves), (ahead[action], moves)
