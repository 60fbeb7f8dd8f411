"""Mazes from drawings, and conversion between their cells and states.

States number the free cells row by row. A move into a wall or off the drawing stays in place, and
so does every move but one from a one-way cell. Diagonal moves do not slip between two walls that
touch at a corner, unless `corners` says so. A step takes as long as the cell in which it ends says:
1, or the digit in the drawing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import index
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import ArrayLike, Bool, Float, Int, UInt
from scipy.sparse import csr_array

from first_occupancy.core.action_worlds import KnownByActions, certain_actions
from first_occupancy.core.arguments import Share, check_arguments
from first_occupancy.core.axes import Index
from first_occupancy.core.display import Displayed, count, listed
from first_occupancy.core.errors import InputError, NoStateError, as_given
from first_occupancy.core.mdp import MDP
from first_occupancy.core.memory import check_fits
from first_occupancy.core.names import Names, checked_names
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.core.world import Policies, numbered
from first_occupancy.environments._maze_moves import (
    CORNERS,
    FORBID,
    Grid,
    Moves,
    sparse_chains,
)
from first_occupancy.environments.drawings import (
    FREE,
    GOAL,
    START,
    STEPS,
    WALL,
    entry_costs,
    letters_of,
)

FOUR_MOVES: Moves = (("up", (-1, 0)), ("right", (0, 1)), ("down", (1, 0)), ("left", (0, -1)))
EIGHT_MOVES: Moves = (
    *FOUR_MOVES,
    ("up-right", (-1, 1)),
    ("down-right", (1, 1)),
    ("down-left", (1, -1)),
    ("up-left", (-1, -1)),
)

LARGEST_SHOWN = (30, 80)
"""Rows and columns up to which a printed maze shows its drawing."""


@dataclass(frozen=True, eq=False, repr=False)
class Maze(Displayed, KnownByActions):
    """A grid of free cells and walls, as made by `maze`; `mdp` is the same world as an MDP.

    It lives on the host and cannot be an argument of a `jit` function; its `mdp` and `next_states`
    can.

    Attributes:
        free: True for free cells, False for walls, as drawn.
        next_states: state to which each move leads from each state, without noise.
        moves: actions, each a name and a (row, column) step.
        start: state where episodes start; None if the drawing has no start.
        goals: states that are marked as goals.
        noise: probability that a uniformly random move replaces the chosen one.
        bump_cost: cost of a step that stays in place (a bump); all other rewards are 0.
        walled: states of the cells that `with_walls` has closed.
        corners: rule for diagonal moves, as for `maze`.
        exits: the only move by which each cell can be left, -1 for any; None without one-way cells.
        entry_times: cost of entering each cell, which is how long a step that ends there takes,
            bumps included; None if every step takes 1.
    """

    free: Bool[np.ndarray, "rows columns"]
    next_states: Int[np.ndarray, "A S"]
    moves: Moves
    start: int | None
    goals: tuple[int, ...]
    noise: float
    bump_cost: float
    walled: tuple[int, ...] = ()
    corners: str = FORBID
    exits: Int[np.ndarray, " S"] | None = None
    entry_times: Float[np.ndarray, " S"] | None = None
    _built: dict[np.dtype, MDP] = field(default_factory=dict, init=False, repr=False)

    most_named = 10_000

    @property
    def num_states(self) -> int:
        """S, the number of free cells."""
        return self.next_states.shape[1]

    @property
    def num_actions(self) -> int:
        """A, the number of moves."""
        return len(self.moves)

    @property
    def floor(self) -> Bool[np.ndarray, "rows columns"]:
        """True for cells that are free as drawn and not closed by `with_walls`."""
        floor = self.free.copy()
        floor.ravel()[self._free_cells[list(self.walled)]] = False
        return floor

    @cached_property
    def action_names(self) -> Names:
        """The moves' names, in the order of the actions."""
        return Names(name for name, _ in self.moves)

    @cached_property
    def state_names(self) -> Names:
        """The cells as text, "(row, column)"; made on first use, since large mazes have many."""
        return Names(f"({row}, {column})" for row, column in self.cells.tolist())

    @cached_property
    def cells(self) -> Int[np.ndarray, "S 2"]:
        """The (row, column) of every state; found once, and not to be written to."""
        cells = np.argwhere(self.free)
        cells.flags.writeable = False
        return cells

    @check_arguments
    def cell(self, state: int) -> tuple[int, int]:
        """Return the (row, column) of a state."""
        if not 0 <= state < self.num_states:
            raise InputError(f"cell: state must be in 0..{self.num_states - 1}, got {state}")
        row, column = divmod(int(self._free_cells[state]), self.free.shape[1])
        return row, column

    @check_arguments
    def state(self, row: int, column: int) -> int:
        """Return the state of a cell; raise `InputError` unless it is a free cell.

        Args:
            row: row of the cell, from 0 at the top.
            column: column of the cell, from 0 on the left.
        """
        return self._free_cell("state", row, column)

    def _free_cell(self, caller: str, row: int, column: int) -> int:
        try:
            return self._state(row, column)
        except NoStateError as error:
            raise InputError(f"{caller}: cell {error.problem}") from None

    def _state(self, row: int, column: int) -> int:
        rows, columns = self.free.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise NoStateError(f"must lie in the {rows} x {columns} drawing, got ({row}, {column})")
        if not self.free[row, column]:
            raise NoStateError(f"must be free, but ({row}, {column}) is a wall")
        return int(np.searchsorted(self._free_cells, row * columns + column))

    def state_number(self, state: Index | str | tuple[int, int]) -> int:
        """Return the number of a state, given as number, cell, or "(row, column)"."""
        if isinstance(state, tuple) and len(state) == 2:
            if all(isinstance(each, int | np.integer) for each in state):
                return self._state(*state)
            raise NoStateError(f"must be a cell (row, column), got {as_given(state)}")
        names = self.state_names if isinstance(state, str) else None
        return numbered(state, self.num_states, names)

    def steps(self, policies: Policies) -> Int[np.ndarray, "N S"] | None:
        """Return the next state of each policy from each state, or None if some are stochastic."""
        if self.noise:
            return None
        if policies is None:
            return self.next_states
        moves = certain_actions(policies, self.num_states, self.num_actions)
        if moves is None:
            return None
        return self.next_states[moves, np.arange(self.num_states)[None]]

    @cached_property
    def action_chains(self) -> list[csr_array]:
        """Where each move leads: one sparse matrix of probabilities [S S] per move."""
        return sparse_chains(self.next_states, self.noise)

    @cached_property
    def durations(self) -> Float[np.ndarray, "S A"] | None:
        """How long each move takes in each cell, on average over the noise; None if always 1."""
        if self.entry_times is None:
            return None
        return np.stack([chain @ self.entry_times for chain in self.action_chains], axis=1)

    @check_arguments
    def with_walls(self, cells: Sequence[tuple[int, int]] | Int[np.ndarray, "W 2"]) -> "Maze":
        """Return the maze with walls on some free cells, in place of those of earlier calls.

        States keep their numbers, so representations and plans of one maze can be used in the
        other: `representations.updates.change_rows` updates an SR. A walled cell remains a state,
        which no move enters or leaves and where no episode of the `mdp` starts. `free` stays as
        drawn, `floor` shows the walls.

        >>> closed = (hall := maze("....")).with_walls([(0, 2)])
        >>> closed.next_states[hall.action_names.index("right")].tolist()
        [1, 1, 2, 3]
        >>> np.flatnonzero((hall.next_states != closed.next_states).any(axis=0)).tolist()
        [1, 2, 3]

        Args:
            cells: (row, column) of the cells to close, all of them free; [] removes the walls of
                earlier calls. The start, and at least one cell, must stay free.
        """
        walled = self._to_be_walled(cells)
        grid = Grid(self.free, self.moves, self.corners, self.exits, closed=np.array(walled, int))
        near = grid.around(np.array(sorted({*walled} ^ {*self.walled}), int))
        next_states = self.next_states.copy()
        next_states[:, near] = grid.targets(near)
        return replace(self, next_states=next_states, walled=walled)

    def _to_be_walled(
        self, cells: Sequence[tuple[int, int]] | Int[np.ndarray, "W 2"]
    ) -> tuple[int, ...]:
        try:
            pairs = [(index(row), index(column)) for row, column in cells]
        except (TypeError, ValueError):
            raise InputError(
                f"with_walls: cells must be pairs (row, column), got {as_given(cells)}"
            ) from None
        walled = {self._free_cell("with_walls", row, column) for row, column in pairs}
        if self.start is not None and self.start in walled:
            raise InputError(f"with_walls: cells must leave the start free, got {pairs}")
        if len(walled) == self.num_states:
            raise InputError("with_walls: cells must leave a cell free, got all of them")
        return tuple(sorted(walled))

    @cached_property
    def _free_cells(self) -> Int[np.ndarray, " S"]:
        """The cell of every state, as an index into the flattened drawing."""
        return np.flatnonzero(self.free)

    def on_grid(self, values: Float[ArrayLike, " S"]) -> Float[np.ndarray, "rows columns"]:
        """Return one value per state as a grid of the drawing's shape, NaN for walls."""
        grid = np.full(self.free.shape, np.nan)
        grid[self.free] = np.asarray(values)
        return grid

    @property
    def mdp(self) -> MDP:
        """The dense MDP, with S x A x S numbers, built on first use.

        Raises:
            InputError: if entering cells costs time, for which an MDP has no place.
        """
        if self.entry_times is not None:
            raise InputError(
                "Maze.mdp: entering a cell must cost 1 everywhere, but the drawing has other "
                "costs, for which an MDP has no place; use fo.plan or Maze.sparse_mdp"
            )
        # Cached by precision; built from concrete values even if first used inside `jit`.
        precision = jnp.result_type(float)
        if precision not in self._built:
            with jax.ensure_compile_time_eval():
                self._built[precision] = self._build()
        return self._built[precision]

    def _build(self) -> MDP:
        num_actions, num_states = self.next_states.shape
        # The arrays below, their intermediate results, and JAX's copies.
        needed = 8 * num_states**2 * num_actions * np.dtype(float).itemsize
        check_fits("Maze.mdp", needed, instead="Maze.sparse_mdp, or fo.plan of the maze,")
        transition = np.stack([chain.toarray() for chain in self.action_chains], axis=1)
        stays = np.eye(num_states)[:, None, :]
        reward = np.broadcast_to(-self.bump_cost * stays, transition.shape)
        return MDP(
            jnp.asarray(transition),
            jnp.asarray(reward),
            jnp.asarray(self._start_distribution()),
            state_names=self.state_names,
            action_names=self.action_names,
        )

    @cached_property
    def sparse_mdp(self) -> SparseMDP:
        """The same world as sparse matrices, built on first use; it fits where `mdp` does not.

        Raises:
            InputError: if entering cells costs time and there is noise too, since its durations
                must not depend on where a move happens to end.
        """
        if self.entry_times is not None and self.noise:
            raise InputError(
                "Maze.sparse_mdp: a maze with noise must have no entering costs, since then the "
                "time of a move depends on where it ends; use fo.plan, which knows both"
            )
        stays = np.stack([chain.diagonal() for chain in self.action_chains], axis=1)
        return SparseMDP(
            self.action_chains,
            rewards=-self.bump_cost * stays,
            durations=self.durations,
            start_distribution=self._start_distribution(),
            state_names=self.labels(None)[0],
            action_names=self.action_names,
        )

    def _start_distribution(self) -> Float[np.ndarray, " S"]:
        start = np.ones(self.num_states)
        start[list(self.walled)] = 0
        if self.start is not None:
            start = np.arange(self.num_states) == self.start
        return start / start.sum()

    @property
    def drawing(self) -> str:
        """The maze as text that `maze` would make it of, walls added since included.

        Costs that are not whole numbers up to 9, as maps may have them, become the nearest ones.
        """
        letters = np.full(self.num_states, FREE[0])
        if self.exits is not None:
            arrows = {step: letter for letter, step in STEPS.items()}
            marks = [arrows.get(step, FREE[0]) for _, step in self.moves]
            letters = np.array([*marks, FREE[0]])[self.exits]  # -1, any move, is the last
        if self.entry_times is not None:
            digits = np.clip(np.round(self.entry_times), 1, 9).astype(int)
            letters = np.where(digits > 1, digits.astype(str), letters)
        letters[list(self.walled)] = WALL
        letters[list(self.goals)] = GOAL
        if self.start is not None:
            letters[self.start] = START
        grid = np.full(self.free.shape, WALL)
        grid[self.free] = letters
        return "\n".join("".join(row) for row in grid)

    def _summary(self) -> str:
        rows, columns = self.free.shape
        facts = [f"Maze: {rows} x {columns}, {count(int(self.floor.sum()), 'free cell')}"]
        facts.append(f"moves {', '.join(self.action_names)}")
        facts += [f"noise {self.noise:g}"] if self.noise else []
        facts += [f"corners {self.corners}"] if self.corners != FORBID else []
        if self.exits is not None:
            facts.append(count(int((self.exits >= 0).sum()), "one-way cell"))
        if self.entry_times is not None:
            facts.append(f"entering costs up to {self.entry_times.max():g}")
        facts += [f"bump cost {self.bump_cost:g}"] if self.bump_cost else []
        facts += [f"start {self.cell(self.start)}"] if self.start is not None else []
        goals = listed([self.cell(goal) for goal in self.goals])
        return "; ".join([*facts, f"goals {goals}"] if goals else facts)

    def __str__(self) -> str:
        """Return the summary, and the drawing if it fits into a terminal."""
        fits = self.free.shape[0] <= LARGEST_SHOWN[0] and self.free.shape[1] <= LARGEST_SHOWN[1]
        return f"{self!r}\n{self.drawing}" if fits else repr(self)


@check_arguments
def maze(
    drawing: str | Sequence[str],
    *,
    moves: Moves = FOUR_MOVES,
    noise: Share = 0.0,
    bump_cost: float = 0.0,
    corners: str = FORBID,
) -> Maze:
    """Return the maze of a drawing, in which each character is a cell.

    '#' is a wall, '.' or ' ' a free cell, 'S' the start and 'G' a goal. From '^', '>', 'v' or '<'
    only the move in that direction leads away: a one-way cell, which may be entered from any side.
    A digit from 1 to 9 is a free cell that costs that much to enter; all others cost 1.

    >>> world = maze(["S.#", "..G"])
    >>> world.num_states, world.goals, world.cell(world.goals[0])
    (5, (4,), (1, 2))
    >>> maze("S>5G").durations[:, 1].tolist()  # to the right
    [1.0, 5.0, 1.0, 1.0]

    Args:
        drawing: text or a sequence of lines. Shorter ones are filled up with walls, with a warning.
            Empty lines before and after are dropped. Blanks are free cells, except for the common
            indentation of text that begins with a line break, as in triple quotes, and the
            indentation of the closing quotes. There may be one 'S'; without it any free cell may be
            the start.
        moves: `FOUR_MOVES`, `EIGHT_MOVES`, or other pairs of a name and a (row, column) step.
        noise: probability, from 0 to 1, that a uniformly random move replaces the chosen one.
        bump_cost: cost of a step that stays in place (a bump); all other rewards are 0.
        corners: when walls block a diagonal step between free cells. "forbid" blocks it if both
            cells beside it are walls, "strict" if one of them is, and "allow" never.

    Raises:
        InputError: if the drawing or another argument is invalid.
    """
    letters, moves = letters_of(drawing), checked_moves(moves)
    free = letters != ord(WALL)
    cells = letters[free]
    starts = np.flatnonzero(cells == ord(START))
    if len(starts) > 1:
        raise InputError(f"maze: the drawing must have at most one start 'S', got {len(starts)}")
    return maze_of_cells(
        free,
        start=int(starts[0]) if len(starts) else None,
        goals=tuple(int(goal) for goal in np.flatnonzero(cells == ord(GOAL))),
        exits=_exits(cells, moves),
        entry_times=entry_costs(cells),
        moves=moves,
        noise=noise,
        bump_cost=bump_cost,
        corners=corners,
    )


def maze_of_cells(
    free: Bool[np.ndarray, "rows columns"],
    *,
    exits: Int[np.ndarray, " S"] | None,
    moves: Moves,
    noise: float,
    bump_cost: float,
    corners: str,
    kind: type[Maze] = Maze,
    **fields: Any,
) -> Maze:
    """Return the maze of a grid of cells, from a drawing or a map.

    Args:
        fields: further fields of the maze, such as its start, its goals and its costs.
    """
    if not free.any():
        raise InputError("maze: the drawing must have a free cell, got walls only")
    if corners not in CORNERS:
        raise InputError(
            f"maze: corners must be one of {', '.join(CORNERS)}, got {as_given(corners)}"
        )
    return kind(
        free=free,
        next_states=Grid(free, moves, corners, exits).targets(),
        moves=moves,
        noise=float(noise),
        bump_cost=float(bump_cost),
        corners=corners,
        exits=exits,
        **fields,
    )


def _exits(letters: UInt[np.ndarray, " S"], moves: Moves) -> Int[np.ndarray, " S"] | None:
    """Return the only move by which each cell can be left, -1 for any; None if that is all."""
    exits, steps = np.full(len(letters), -1, np.int32), [step for _, step in moves]
    for letter, step in STEPS.items():
        cells = letters == ord(letter)
        if cells.any() and step not in steps:
            raise InputError(
                f"maze: a one-way cell {letter!r} needs a move by the step {step}, got "
                f"moves {', '.join(name for name, _ in moves)}"
            )
        if cells.any():
            exits[cells] = steps.index(step)
    return exits if (exits >= 0).any() else None


def checked_moves(moves: Moves) -> Moves:
    """Return the moves of a maze as tuples; raise `InputError` for anything else."""
    if moves is FOUR_MOVES or moves is EIGHT_MOVES:
        return moves
    try:
        pairs = tuple((name, (index(down), index(right))) for name, (down, right) in moves)
    except (TypeError, ValueError):
        pairs = ()
    if not pairs or not all(isinstance(name, str) for name, _ in pairs):
        raise InputError(
            "maze: moves must be FOUR_MOVES or EIGHT_MOVES of first_occupancy.environments, or "
            f"other pairs of a name and a (row, column) step, got {as_given(moves)}"
        )
    checked_names("maze", "moves' names", [name for name, _ in pairs], len(pairs))
    return pairs
