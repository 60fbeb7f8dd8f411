"""Worlds of sparse matrices that change: edges of graphs, and probabilities of MDPs."""

from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array, vstack

from first_occupancy.core.errors import SUM_TOLERANCE, InputError, as_given, check_index
from first_occupancy.core.mdp import MDP
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.core.world import World
from first_occupancy.environments.graphs import Graph
from first_occupancy.planning._changes.edits import ChangingWorld, Moves

Row = list[tuple[int, float]]
"""The states that a row leads to, and the numbers there."""


class ChangingTable(ChangingWorld):
    """A world of sparse matrices; `rows[state, k]` is an edited row of the k-th."""

    def __init__(self, world: Any, matrices: tuple[csr_array, ...]) -> None:
        super().__init__(world)
        self._matrices = matrices
        self._turned = sum(matrices[1:], matrices[0]).tocsc()

    def _row(self, state: int, number: int) -> Row:
        """Return a row, as if no state was closed."""
        if (state, number) in self.rows:
            return self.rows[state, number]
        matrix = self._matrices[number]
        there = slice(matrix.indptr[state], matrix.indptr[state + 1])
        return list(zip(matrix.indices[there].tolist(), matrix.data[there].tolist(), strict=True))

    def row(self, state: int, number: int = 0) -> Row:
        """Return a row as it is now."""
        raise NotImplementedError

    def _around(
        self, states: Int[np.ndarray, " W"], edits: dict[Any, Any]
    ) -> Int[np.ndarray, " K"]:
        """Return where moves may change if some states are closed or opened and others edited."""
        turned, wanted = self._turned, set(states.tolist())
        behind = [turned.indices[turned.indptr[each] : turned.indptr[each + 1]] for each in states]
        edited = [state for (state, _), row in self.rows.items() if wanted & {to for to, _ in row}]
        edited += [state for state, _ in edits]
        return np.unique(np.concatenate([states, *behind, np.array(edited, int)]))

    def _built(self) -> list[csr_array]:
        """Return the matrices as they are now."""
        shut, built = self._around(np.array(sorted(self.closed), int), {}).tolist(), []
        for number, matrix in enumerate(self._matrices):
            states = {*shut, *(state for state, which in self.rows if which == number)}
            built.append(_with_rows(matrix, {state: self.row(state, number) for state in states}))
        return built


class ChangingGraph(ChangingTable):
    """A graph whose edges change; those of a node keep their ranks.

    A rank that leads nowhere has the node itself, and a time of 1.
    """

    takes = "edges"

    def __init__(self, world: Graph) -> None:
        super().__init__(world, (world.edges,))

    def _checked(self, place: Any, moves: Any) -> tuple[tuple[int, int], float | None]:
        if not isinstance(place, tuple) or len(place) != 2:
            raise InputError(f"change: edges must be pairs (from, to), got {as_given(place)}")
        begin, end = (self._number(node, "an edge's node") for node in place)
        if begin == end:
            raise InputError(f"change: edges must join two nodes, got {place!r}")
        if moves is None and all(to != end for to, _ in self._row(begin, 0)):
            raise InputError(f"change: an edge to remove must be there, but {place!r} is not")
        known = moves is None or (isinstance(moves, int | float | np.number) and 0 < moves < np.inf)
        if not known:
            raise InputError(
                f"change: edges must take a finite time above 0, or None, got {as_given(moves)}"
            )
        return (begin, end), None if moves is None else float(moves)

    def _write(self, flipped: Int[np.ndarray, " W"], edits: dict[Any, Any]) -> np.ndarray:
        for (begin, end), time in edits.items():
            row = self.rows[begin, 0] = list(self._row(begin, 0))
            ends = [to for to, _ in row]
            if end in ends or begin in ends:
                rank = ends.index(end if end in ends else begin)
                row[rank] = (begin, 1.0) if time is None else (end, time)
            else:
                row.append((end, time))
        return self._around(flipped, edits)

    def row(self, state: int, number: int = 0) -> Row:
        shut = self.closed
        return [
            (state, 1.0) if state in shut or end in shut else (end, time)
            for end, time in self._row(state, number)
        ]

    def moves(self, states: Int[np.ndarray, " K"]) -> Moves:
        """Return where edges lead from some nodes, by rank."""
        rows = [self.row(node) for node in states.tolist()]
        width = max(self.original.num_actions, *map(len, rows), *map(len, self.rows.values()), 1)
        padded = [
            row + [(node, 1.0)] * (width - len(row)) for node, row in zip(states, rows, strict=True)
        ]
        table = np.array(padded, float).reshape(-1, width, 2)
        return table[..., 0].astype(int), table[..., 1]

    def build(self) -> Graph:
        return Graph(self._built()[0], self.original.nodes)


class ChangingMDP(ChangingTable):
    """An MDP, dense or sparse, whose probabilities change."""

    takes = "probabilities"

    def __init__(self, world: MDP | SparseMDP) -> None:
        self._sparse = world if isinstance(world, SparseMDP) else SparseMDP(world)
        super().__init__(world, self._sparse.action_chains)

    def _checked(self, place: Any, moves: Any) -> tuple[tuple[int, int], Row]:
        if not isinstance(place, tuple) or len(place) != 2 or not isinstance(moves, Mapping):
            raise InputError(
                "change: probabilities must be like {(state, action): {next_state: probability}}, "
                f"got {as_given({place: moves})}"
            )
        state, action = self._number(place[0], "a state"), self._action(place[1])
        row = {self._number(to, "a next state"): chance for to, chance in moves.items()}
        numbers = np.array([*row.values()], object)
        real = all(isinstance(each, int | float | np.number) for each in numbers)
        if not real or not (numbers >= 0).all() or not abs(numbers.sum() - 1) <= SUM_TOLERANCE:
            raise InputError(
                "change: probabilities must be at least 0 and sum to 1, but those of "
                f"{self._shown(state)} with action {place[1]!r} are {as_given([*row.values()])}"
            )
        return (state, action), [(to, float(chance)) for to, chance in row.items() if chance > 0]

    def _action(self, action: Any) -> int:
        if isinstance(action, str):
            return self._sparse.action(action)
        check_index("change", "an action", action, self._sparse.num_actions)
        return int(action)

    def _write(self, flipped: Int[np.ndarray, " W"], edits: dict[Any, Any]) -> np.ndarray:
        self.rows.update(edits)
        return self._around(flipped, edits)

    def row(self, state: int, number: int = 0) -> Row:
        if state in self.closed:
            return [(state, 1.0)]
        found = self._row(state, number)
        kept = dict(entry for entry in found if entry[0] not in self.closed)
        if len(kept) < len(found):
            stays = sum(chance for to, chance in found if to in self.closed)
            kept[state] = kept.get(state, 0.0) + stays
        return list(kept.items())

    def moves(self, states: Int[np.ndarray, " K"]) -> Moves | None:
        """Return where actions lead from some states; None if some are stochastic there."""
        count, durations = self._sparse.num_actions, self._sparse.durations
        rows = [[self.row(state, a) for a in range(count)] for state in states.tolist()]
        if any(len(row) > 1 for each in rows for row in each):
            return None
        ends = np.array([[row[0][0] for row in each] for each in rows], int).reshape(-1, count)
        return ends, np.ones(ends.shape) if durations is None else durations[states]

    def build(self) -> World:
        chains, old = self._built(), self._sparse
        if isinstance(self.original, MDP):
            stacked = np.stack([chain.toarray() for chain in chains], axis=1)
            dense = jnp.asarray(stacked, self.original.transition.dtype)
            return eqx.tree_at(lambda world: world.transition, self.original, dense)
        names = "rewards", "durations", "start_distribution", "state_names", "action_names"
        return SparseMDP(chains, **{name: getattr(old, name) for name in names})


def _with_rows(matrix: csr_array, rows: dict[int, Row]) -> csr_array:
    """Return the matrix with some rows replaced; entries keep their order."""
    size = matrix.shape[0]
    entries = np.array([entry for row in rows.values() for entry in row], float).reshape(-1, 2)
    starts = np.cumsum([0, *map(len, rows.values())])
    new = csr_array((entries[:, 1], entries[:, 0].astype(int), starts), (len(rows), size))
    source = np.arange(size)
    source[list(rows)] = size + np.arange(len(rows))
    return vstack([matrix, new], format="csr")[source]
