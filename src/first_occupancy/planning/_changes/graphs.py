"""Graphs whose edges are added, removed and reweighted."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array

from first_occupancy.core.errors import InputError, as_given
from first_occupancy.environments.graphs import Graph
from first_occupancy.planning._changes.worlds import ChangingWorld, Edit, Moves


class ChangingGraph(ChangingWorld):
    """A graph whose edges change; those of a node keep their ranks.

    `rows` has the node and time that each rank of an edited node leads to; (itself, 1.0) for none.
    """

    def __init__(self, world: Graph) -> None:
        super().__init__(world)
        self._turned = world.edges.tocsc()

    @property
    def _rows_of(self) -> Mapping[str, Callable[[Any, Any], tuple[Any, Any]]]:
        return {"edges": self._edge}

    def _edge(self, ends: Any, time: Any) -> tuple[tuple[int, int], float | None]:
        if not isinstance(ends, tuple) or len(ends) != 2:
            raise InputError(f"change: edges must be pairs (from, to), got {as_given(ends)}")
        begin, end = (self._number(node, "an edge's node") for node in ends)
        if begin == end:
            raise InputError(f"change: edges must join two nodes, got {ends!r}")
        if time is None and all(to != end for to, _ in self._row(begin)):
            raise InputError(f"change: an edge to remove must be there, but {ends!r} is not")
        known = time is None or isinstance(time, int | float | np.number)
        if not known or (time is not None and not 0 < time < np.inf):
            raise InputError(
                f"change: edges must take a finite time above 0, or None, got {as_given(time)}"
            )
        return (begin, end), None if time is None else float(time)

    def _row(self, node: int) -> list[tuple[int, float]]:
        if node in self.rows:
            return self.rows[node]
        edges = self.original.edges
        there = slice(edges.indptr[node], edges.indptr[node + 1])
        return list(zip(edges.indices[there].tolist(), edges.data[there].tolist(), strict=True))

    def _write(self, edit: Edit) -> list[int]:
        for (begin, end), time in edit.rows.items():
            row = self.rows[begin] = list(self._row(begin))
            ends = [to for to, _ in row]
            if time is None:
                row[ends.index(end)] = (begin, 1.0)
            elif end in ends:
                row[ends.index(end)] = (end, time)
            elif begin in ends:
                row[ends.index(begin)] = (end, time)
            else:
                row.append((end, time))
        return [begin for begin, _ in edit.rows]

    def moves(self, states: Int[np.ndarray, " K"]) -> Moves:
        """Return where edges lead from some nodes, by rank."""
        rows = [[] if node in self.closed else self._row(node) for node in states.tolist()]
        width = max(self.original.num_actions, *map(len, rows), *map(len, self.rows.values()), 1)
        ends = np.repeat(states[:, None], width, axis=1)
        times = np.ones(ends.shape)
        for place, row in enumerate(rows):
            for rank, (end, time) in enumerate(row):
                if end not in self.closed:
                    ends[place, rank], times[place, rank] = end, time
        return Moves(ends, times)

    def _around(self, states: Int[np.ndarray, " W"]) -> Int[np.ndarray, " K"]:
        turned, wanted = self._turned, set(states.tolist())
        behind = [turned.indices[turned.indptr[each] : turned.indptr[each + 1]] for each in states]
        edited = [node for node, row in self.rows.items() if any(end in wanted for end, _ in row)]
        return np.unique(np.concatenate([states, *behind, np.array(edited, int)]))

    def build(self) -> Graph:
        edges, size = self.original.edges, self.original.num_states
        edited = np.zeros(size, bool)
        edited[list(self.rows)] = True
        counts = np.diff(edges.indptr)
        begins = np.repeat(np.arange(size), counts)
        kept = ~edited[begins]
        rows = [(node, *edge) for node in sorted(self.rows) for edge in self.rows[node]]
        new = np.array(rows, float).reshape(-1, 3)
        begins = np.concatenate([begins[kept], new[:, 0].astype(int)])
        ends = np.concatenate([edges.indices[kept], new[:, 1].astype(int)])
        times = np.concatenate([edges.data[kept], new[:, 2]])
        closed = np.zeros(size, bool)
        closed[list(self.closed)] = True
        cut = closed[begins] | closed[ends]
        ends[cut], times[cut] = begins[cut], 1.0
        order = np.argsort(begins, kind="stable")
        starts = np.append(0, np.bincount(begins, minlength=size).cumsum())
        found = csr_array((times[order], ends[order], starts), shape=(size, size))
        return Graph(found, self.original.nodes)
