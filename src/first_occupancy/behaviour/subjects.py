"""Recorded choices: which neighbour each subject went to, cell by cell and trial by trial.

A recording is a path through numbered cells. From each cell at most A actions lead to
neighbours, and walls may change from layout to layout. Paths become arrays that are as long as the
longest recording, so that all subjects can be evaluated at once.

Letters of axes: I subjects, T choices, A actions, S cells, L layouts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core.errors import InputError, check_index, warn

NO_ACTION = -1
"""The previous action at the first choice of a trial, and the turn it would have been."""

NORTH_EAST_SOUTH_WEST = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Moves of `grid_layouts`, as (rows, columns)."""


class LeftOutWarning(UserWarning):
    """Recorded moves that take no part in fits."""


class Layouts(eqx.Module):
    """The worlds in which choices were made: one set of cells, with different walls.

    Attributes:
        next_states: cell to which each action leads if no wall is in the way; the cell itself if
            there is no such neighbour.
        free: whether each cell is free, in each layout.
        goal: cell that subjects look for.
        turns: kind of turn that an action is after another, by (previous, next); `Habits` has one
            bias per kind.
        turn_names: names of the kinds of turns.
        longest_run: how often one action can be repeated before it stays where it is; None if that
            is not known, or an action goes round in circles.
    """

    next_states: Int[Array, "S A"]
    free: Bool[Array, "L S"]
    goal: int = eqx.field(static=True)
    turns: Int[Array, "A A"]
    turn_names: tuple[str, ...] = eqx.field(static=True)
    longest_run: int | None = eqx.field(static=True, default=None)

    @property
    def num_states(self) -> int:
        """S, the number of cells."""
        return self.next_states.shape[0]

    @property
    def num_actions(self) -> int:
        """A, the largest number of neighbours of a cell."""
        return self.next_states.shape[1]

    @property
    def exists(self) -> Bool[Array, "S A"]:
        """Whether each action leads to a neighbour, in the absence of walls."""
        return self.next_states != jnp.arange(self.num_states)[:, None]

    @property
    def random_walk(self) -> Float[Array, "S S"]:
        """Markov chain of a random walk in the open world, which ends in the goal."""
        rows = jnp.zeros((self.num_states, self.num_states))
        here = jnp.arange(self.num_states)[:, None]
        rows = rows.at[here, self.next_states].add(self.exists.astype(rows.dtype))
        rows = rows.at[self.goal].set(0)
        return rows / jnp.maximum(rows.sum(axis=1, keepdims=True), 1)


class Choices(eqx.Module):
    """Choices, one per move. Arrays begin with an axis of subjects, where there are several.

    Compiled programs, which take them as arguments, see arrays of JAX in place of NumPy's.

    Attributes:
        states: cell in which the choice is made.
        actions: action that was chosen.
        next_states: cell to which it led.
        allowed: whether each action led to a free neighbour.
        previous: action before in the same trial; `NO_ACTION` at its first choice.
        layouts: layout of the trial.
        trials: number of the trial, from 0 for each subject.
        counted: whether there is such a choice; False for padding at the end.
    """

    states: Int[np.ndarray, "*I T"]
    actions: Int[np.ndarray, "*I T"]
    next_states: Int[np.ndarray, "*I T"]
    allowed: Bool[np.ndarray, "*I T A"]
    previous: Int[np.ndarray, "*I T"]
    layouts: Int[np.ndarray, "*I T"]
    trials: Int[np.ndarray, "*I T"]
    counted: Bool[np.ndarray, "*I T"]

    def of(self, subject: int) -> "Choices":
        """Return the choices of one subject, by its place among several."""
        return jax.tree.map(lambda column: column[subject], self)


class Subjects(eqx.Module):
    """Recorded choices of several subjects in the same layouts.

    Attributes:
        choices: the choices of each subject.
        layouts: the worlds in which they were made.
        names: names of the subjects.
        left_out: number of recorded moves that were left out because the goal had been entered.
    """

    choices: Choices
    layouts: Layouts
    names: tuple[str, ...] = eqx.field(static=True)
    left_out: int = eqx.field(static=True, default=0)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def num_choices(self) -> Int[np.ndarray, " I"]:
        """The number of choices of each subject."""
        return self.choices.counted.sum(axis=-1)

    def __repr__(self) -> str:
        trials = self.choices.trials.max(axis=-1) + 1
        out = f", {self.left_out:,} moves after the goal left out" if self.left_out else ""
        return (
            f"Subjects({len(self)} subjects, {int(self.num_choices.sum()):,} choices in "
            f"{int(trials.sum()):,} trials, {self.layouts.free.shape[0]} layouts, "
            f"{self.layouts.num_states} cells{out})"
        )


@dataclass(frozen=True)
class Trial:
    """One trial of one subject.

    Attributes:
        layout: layout in which it took place, counted from 0.
        path: cells in the order in which they were entered, the first one included.
    """

    layout: int
    path: Sequence[int] | Int[np.ndarray, " steps"]

    def __repr__(self) -> str:
        return f"Trial(layout {self.layout}, {len(self.path)} cells)"


def grid_layouts(free: Bool[np.ndarray, "L rows columns"], *, goal: int) -> Layouts:
    """Return layouts of a grid with four moves: north, east, south, west.

    Args:
        free: whether each cell is free, in each layout. Cells are numbered row by row.
        goal: cell that subjects look for.

    Raises:
        InputError: if `free` has another number of axes, or `goal` is no cell.
    """
    free = np.asarray(free, bool)
    if free.ndim != 3 or 0 in free.shape:
        raise InputError(
            f"grid_layouts: free must have shape [L rows columns], got {list(free.shape)}"
        )
    number, rows, columns = free.shape
    check_index("grid_layouts", "goal", goal, rows * columns)
    row, column = np.divmod(np.arange(rows * columns), columns)
    following = [
        np.ravel_multi_index((row + down, column + right), (rows, columns), mode="clip")
        for down, right in NORTH_EAST_SOUTH_WEST
    ]
    actions = np.arange(4)
    return Layouts(
        jnp.asarray(np.stack(following, axis=1)),
        jnp.asarray(free.reshape(number, -1)),
        int(goal),
        jnp.asarray((actions[None, :] - actions[:, None]) % 4),
        ("straight on", "right", "back", "left"),
        max(rows, columns) - 1,
    )


def subjects_from_paths(
    layouts: Layouts, paths: Mapping[str, Sequence[Trial]], *, ends_at_goal: bool | None = None
) -> Subjects:
    """Return the choices along recorded paths, checked, and padded to the longest recording.

    Args:
        layouts: the worlds in which the paths were recorded.
        paths: the trials of each subject, in their order, by the subject's name. Trials without a
            move are skipped.
        ends_at_goal: whether a trial is over when the goal is entered; what follows is left out.
            None leaves it out too, and warns if there is something.

    Raises:
        InputError: if there are no subjects, a subject never moved, a layout or cell is out of
            range, a path enters a wall, or a move leads to a cell that is no neighbour.
    """
    if not paths:
        raise InputError("subjects_from_paths: paths must hold at least one subject, got none")
    world = _World(
        np.where(layouts.exists, layouts.next_states, -1),
        np.asarray(layouts.free),
        None if ends_at_goal is False else layouts.goal,
    )
    choices = _padded([_choices(world, name, trials) for name, trials in paths.items()])
    moves = sum(max(len(trial.path) - 1, 0) for trials in paths.values() for trial in trials)
    left_out = moves - int(choices.counted.sum())
    if left_out and ends_at_goal is None:
        warn(
            f"subjects_from_paths: {left_out:,} of {moves:,} moves come after the goal in their "
            "trial and were left out; pass ends_at_goal=False to keep them, or True to agree",
            LeftOutWarning,
        )
    return Subjects(choices, layouts, tuple(paths), left_out)


def joined(groups: Sequence[Subjects]) -> Subjects:
    """Return the subjects of several groups as one, named by their places."""
    choices = _padded([each.choices.of(place) for each in groups for place in range(len(each))])
    names = tuple(str(place) for place in range(len(choices.states)))
    return Subjects(choices, groups[0].layouts, names, sum(each.left_out for each in groups))


def _padded(subjects: Sequence[Choices]) -> Choices:
    """Return the choices of several subjects, padded to the longest recording."""
    longest = max(len(each.states) for each in subjects)

    def stacked(*columns: np.ndarray) -> np.ndarray:
        blank = np.zeros((longest, *columns[0].shape[1:]), columns[0].dtype)
        return np.stack([np.concatenate([own, blank[len(own) :]]) for own in columns])

    return jax.tree.map(stacked, *subjects)


class _World(NamedTuple):
    """Layouts as NumPy arrays: neighbours, -1 where there is none, and the end of trials."""

    neighbours: Int[np.ndarray, "S A"]
    free: Bool[np.ndarray, "L S"]
    end: int | None


def _choices(world: _World, name: str, trials: Sequence[Trial]) -> Choices:
    """Return the choices of one subject."""
    parts = [
        _moves(world, f"trial {number} of {name}", trial) for number, trial in enumerate(trials)
    ]
    kept = [part for part in parts if len(part["states"])]
    if not kept:
        raise InputError(f"subjects_from_paths: {name} must have at least one move, got none")
    columns = {key: np.concatenate([part[key] for part in kept]) for key in kept[0]}
    numbers = np.repeat(np.arange(len(kept)), [len(part["states"]) for part in kept])
    return Choices(**columns, trials=numbers, counted=np.ones(len(numbers), bool))


def _moves(world: _World, which: str, trial: Trial) -> dict[str, np.ndarray]:
    """Return what `Choices` says of the moves of one trial."""
    path = _checked_path(world, which, trial)
    ends = np.flatnonzero(path == world.end)
    path = path[: ends[0] + 1] if len(ends) else path
    here, ahead = path[:-1], path[1:]
    neighbours = world.neighbours[here]
    matches = neighbours == ahead[:, None]
    lost = np.flatnonzero(~matches.any(axis=1))
    if len(lost):
        raise InputError(
            f"subjects_from_paths: {which} must move between neighbours, got {here[lost[0]]} to "
            f"{ahead[lost[0]]} at move {lost[0]} ({len(lost)} such moves)"
        )
    actions = matches.argmax(axis=1)
    return {
        "states": here,
        "actions": actions,
        "next_states": ahead,
        "allowed": world.free[trial.layout][neighbours] & (neighbours >= 0),
        "previous": np.concatenate([[NO_ACTION], actions[:-1]])[: len(actions)],
        "layouts": np.full(len(here), trial.layout),
    }


def _checked_path(world: _World, which: str, trial: Trial) -> Int[np.ndarray, " steps"]:
    number, size = world.free.shape
    check_index(f"subjects_from_paths: {which}", "layout", trial.layout, number)
    path = np.asarray(trial.path, int).reshape(-1)
    outside = np.flatnonzero((path < 0) | (path >= size))
    if len(outside):
        raise InputError(
            f"subjects_from_paths: {which} must visit cells in 0..{size - 1}, "
            f"got {path[outside[0]]} at step {outside[0]} ({len(outside)} such steps)"
        )
    # A trial may begin where a wall is drawn: subjects are put down before the first choice.
    inside = 1 + np.flatnonzero(~world.free[trial.layout][path[1:]])
    if len(inside):
        raise InputError(
            f"subjects_from_paths: {which} must enter free cells, got the wall {path[inside[0]]} "
            f"at step {inside[0]} ({len(inside)} such steps)"
        )
    return path
