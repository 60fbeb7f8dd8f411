"""Graphs as worlds: nodes are states, edges are moves that take as long as their weight says.

    roads = from_networkx(graph, weight="length")
    plan = fo.plan(roads, "depot", discount=0.99)
    roads.path(plan, "home")

The base policies are the ranks of out-edges: policy k follows the k-th edge out of every node and
stays where a node has fewer. Every edge has a rank, so plans over these policies are shortest
paths.

Weights are times: real numbers above 0, of Python or NumPy, and True counts as 1. Of several edges
from one node to another the one with the smallest weight counts, the first of equally small ones.
A shortest path takes no other, whatever the discount. If larger weights are better in your graph,
such as capacities, convert them to times first.
"""

import reprlib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from numbers import Real
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import ArrayLike, Float, Int, Num
from scipy.sparse import csr_array, sparray, spmatrix

from first_occupancy.core.action_worlds import KnownByActions
from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.display import Displayed, count, listed, span
from first_occupancy.core.errors import InputError, NoStateError, as_given, check_shape, warn
from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.core.names import Names
from first_occupancy.core.world import Policies, numbered
from first_occupancy.environments._maze_moves import sparse_chains


class MissingWeightWarning(UserWarning):
    """A graph in which some edges have the attribute that holds the time, and others do not."""


@dataclass(frozen=True, eq=False, repr=False)
class Graph(Displayed, KnownByActions):
    """A directed graph whose edges take time; a world for `fo.plan`.

    It lives on the host and is no argument for `jit`.

    Attributes:
        edges: time of the edge from each node (row) to each other (column). The order of a row's
            entries is the rank of the edges.
        nodes: names of the nodes, in the order of the states: any hashable objects. None if nodes
            are numbers.
        positions: where to draw each node, (x, y) with y pointing down; None if that is not known.
    """

    edges: csr_array
    nodes: tuple[Hashable, ...] | None = None
    positions: Float[np.ndarray, "S 2"] | None = None

    def _summary(self) -> str:
        times, named = self.edges.data, "" if self.nodes is None else f": {listed(self.nodes)}"
        places = "" if self.positions is None else "\n  with positions"
        return (
            f"Graph: {count(self.num_states, 'node')}, {count(len(times), 'edge')}, times "
            f"{span(times)}\n  nodes{named or ' are numbers'}{places}"
        )

    @property
    def num_states(self) -> int:
        """S, the number of nodes."""
        return self.edges.shape[0]

    @property
    def num_actions(self) -> int:
        """The largest number of edges out of one node, and at least 1."""
        return max(1, int(np.diff(self.edges.indptr).max()))

    @cached_property
    def next_states(self) -> Int[np.ndarray, "A S"]:
        """Where the k-th edge out of each node leads; the node itself where there are fewer."""
        return self._by_rank(np.arange(self.num_states, dtype=np.int32), self.edges.indices)

    @cached_property
    def durations(self) -> Float[np.ndarray, "S A"]:
        """Time of the k-th edge out of each node; 1 where there are fewer."""
        return self._by_rank(np.ones(self.num_states), self.edges.data).T

    @property
    def action_chains(self) -> list[csr_array]:
        """Where each rank leads, as one [S S] matrix each."""
        return sparse_chains(self.next_states)

    @cached_property
    def state_names(self) -> Names | None:
        """The nodes as text; None if nodes are numbers or two of them look alike."""
        texts = [] if self.nodes is None else [str(node) for node in self.nodes]
        return Names(texts) if texts and len(set(texts)) == len(texts) else None

    action_names = None
    most_named = 10_000

    def state_number(self, state: Any) -> int:
        """Return the number of a node, given as the graph names it, or by its text."""
        if self.nodes is None:
            return numbered(state, self.num_states, None)
        try:
            return self._numbers[state]
        except (KeyError, TypeError):
            if isinstance(state, str):
                return numbered(state, self.num_states, self.state_names)
        raise NoStateError(f"must be a node of the graph, got {state!r}")

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return {node: number for number, node in enumerate(self.nodes or ())}

    def steps(self, policies: Policies) -> Int[np.ndarray, "N S"] | None:
        """Return the node that each policy leads to from each, or None if that is stochastic."""
        return self.next_states if policies is None else super().steps(policies)

    def path(self, plan: Any, start: Any) -> list[Any]:
        """Return the nodes from `start` to the plan's goal, as the graph names them.

        Args:
            plan: plan in this graph, over its own base policies.
            start: node to start from.

        Raises:
            InputError: no path leads from `start` to the goal.
        """
        here, policy = self.state_number(start), np.asarray(plan.policy)
        if np.asarray(plan.subgoal)[here] < 0:
            raise InputError(
                f"path: goal must be reachable from {start!r}, but no path leads there"
            )
        path = [here]
        while policy[path[-1]] >= 0:
            path.append(int(self.next_states[policy[path[-1]], path[-1]]))
        return [state if self.nodes is None else self.nodes[state] for state in path]

    def path_edges(self, plan: Any, start: Any) -> list[tuple[Any, Any]]:
        """Return the edges from `start` to the plan's goal, as pairs of nodes.

        Args:
            plan: plan in this graph, over its own base policies.
            start: node to start from.
        """
        return list(pairwise(self.path(plan, start)))

    def _by_rank(self, absent: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """Return an entry of each edge by rank and node; `absent` where there is no edge."""
        size, count = self.num_states, self.num_actions
        needed = 2 * absent.itemsize * count * size
        instead = f"policies of your own, not one for each of up to {count} edges out of a node,"
        check_fits_on_host("Graph", needed, instead=instead)
        rows = np.repeat(np.arange(size), np.diff(self.edges.indptr))
        table = np.repeat(absent[None], count, axis=0)
        table[np.arange(len(rows)) - self.edges.indptr[rows], rows] = entries
        return table


@check_arguments
def from_edges(
    edges: Iterable[tuple[Any, ...]],
    *,
    weights: Sequence[Any] | Num[ArrayLike, " E"] | None = None,
    nodes: Sequence[Hashable] | None = None,
) -> Graph:
    """Return the graph of a list of edges; of parallel ones the shortest counts.

    >>> roads = from_edges([("home", "shop", 2.0), ("shop", "work", 1.0), ("home", "work", 4.0)])
    >>> roads.nodes, roads.num_actions
    (('home', 'shop', 'work'), 2)

    Args:
        edges: pairs (from, to) or triples (from, to, time).
        weights: time of each edge, above 0, if the edges are pairs; None for 1.
        nodes: all nodes, in the order of the states; None for those that have edges, in the
            order they are met.

    Raises:
        InputError: if an edge is neither, names an unknown or unhashable node, or takes no
            positive time, or if `nodes` are not different.
    """
    try:
        listed = [tuple(edge) for edge in edges]
    except TypeError:
        listed = []
    if not listed or any(len(edge) not in (2, 3) for edge in listed):
        raise InputError(
            "from_edges: edges must be pairs or triples (from, to, time), and not none"
        )
    if weights is None:
        weights = [edge[2] if len(edge) == 3 else 1.0 for edge in listed]
    try:
        met = dict.fromkeys(node for edge in listed for node in edge[:2])
    except TypeError as error:
        raise InputError(f"from_edges: edges must join hashable nodes, got {error}") from error
    named = tuple(met) if nodes is None else _different("from_edges", nodes)
    numbers = {node: number for number, node in enumerate(named)}
    unknown = [node for node in met if node not in numbers]
    if unknown:
        raise InputError(f"from_edges: edges must join nodes of the graph, got {unknown[0]!r}")
    begins = np.array([numbers[edge[0]] for edge in listed])
    ends = np.array([numbers[edge[1]] for edge in listed])
    return _graph("from_edges", begins, ends, weights, named)


@check_arguments
def from_scipy(edges: sparray | spmatrix, *, nodes: Sequence[Hashable] | None = None) -> Graph:
    """Return the graph of a sparse matrix of times; entries that are not stored are no edges.

    Entries that are stored twice are parallel edges, of which the shorter counts. Pass them as they
    are: SciPy adds them up when it converts COO to CSR.

    Args:
        edges: time of the edge from each row to each column, above 0.
        nodes: names of the nodes; None to number them.

    Raises:
        InputError: if the matrix is empty or not square, an edge takes no positive time, or
            `nodes` are not different.
    """
    if not isinstance(edges, sparray | spmatrix):
        raise InputError(f"from_scipy: edges must be a square sparse matrix, got {type(edges)}")
    check_shape("from_scipy", "edges", np.broadcast_to(0, edges.shape), "S S")
    named = None if nodes is None else _different("from_scipy", nodes)
    listed, size = edges.tocoo(), edges.shape[0]
    if named is not None and len(named) != size:
        raise InputError(f"from_scipy: nodes must be {size} different names, got {len(named)}")
    return _graph("from_scipy", listed.row, listed.col, listed.data, named, size)


@check_arguments
def from_networkx(graph: Any, *, weight: str | None = "weight") -> Graph:
    """Return the world of a NetworkX graph; edges of undirected graphs go both ways.

    Args:
        graph: any graph of NetworkX, also one of OSMnx; of parallel edges the shortest counts.
            Where all nodes have numbers `x` and `y`, or a `pos`, the world is drawn by them.
        weight: edge attribute with the time an edge takes, such as "length". Edges without it take
            1, as in NetworkX, with a warning if others have it. None for 1 each, which also holds
            if no edge has a "weight".

    Raises:
        InputError: if it is no such graph, has no nodes, an edge takes no positive time, or no edge
            has the attribute.
    """
    if not hasattr(graph, "adjacency") or not hasattr(graph, "is_multigraph"):
        raise InputError(f"from_networkx: graph must be a NetworkX graph, got {type(graph)}")
    nodes = tuple(graph.nodes)
    if not nodes:
        raise InputError("from_networkx: graph must have a node, got none")
    numbers = {node: number for number, node in enumerate(nodes)}
    parallel = graph.is_multigraph()
    found = [
        (numbers[begin], numbers[end], 1.0 if weight is None else facts.get(weight, _MISSING))
        for begin, ends in graph.adjacency()
        for end, between in ends.items()
        for facts in (between.values() if parallel else (between,))
    ]
    begins, ends, times = zip(*found, strict=True) if found else ((), (), ())
    without = [place for place, time in enumerate(times) if time is _MISSING]
    if without and weight is not None:
        _report_missing(weight, len(without), len(times), *found[without[0]][:2], nodes)
    times = [1.0 if time is _MISSING else time for time in times]
    made = _graph("from_networkx", np.array(begins, int), np.array(ends, int), times, nodes)
    return replace(made, positions=_positions(graph))


_MISSING = object()


def _report_missing(
    weight: str, missing: int, total: int, begin: int, end: int, nodes: tuple[Hashable, ...]
) -> None:
    """Warn if some edges lack a weight; raise if all do, as when its name is misspelt."""
    if missing == total and weight == "weight":
        return
    what = (
        f"from_networkx: edges must have the attribute {as_given(weight)}, but {missing:,} of "
        f"{total:,} lack it, first from {nodes[begin]!r} to {nodes[end]!r}"
    )
    if missing == total:
        raise InputError(f"{what}; weight=None takes 1 each")
    warn(f"{what}; they take 1 each, as in NetworkX", MissingWeightWarning)


def _positions(graph: Any) -> Float[np.ndarray, "S 2"] | None:
    """Return the coordinates of the nodes, with y pointing down; None unless all have some."""
    places = []
    for _, facts in graph.nodes(data=True):
        place = facts.get("pos", (facts.get("x"), facts.get("y")))
        try:
            x, y = map(float, place)
        except (TypeError, ValueError):
            return None
        places.append((x, -y))
    array = np.array(places)
    return array if np.isfinite(array).all() else None


def _different(caller: str, nodes: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Return the nodes that a caller names, checked."""
    try:
        named = tuple(nodes)
        counts = Counter(named)
    except TypeError as error:
        raise InputError(
            f"{caller}: nodes must be a list of hashable names, got {error}"
        ) from error
    if len(counts) < len(named):
        twice = counts.most_common(1)[0][0]
        raise InputError(f"{caller}: nodes must be different, got {twice!r} more than once")
    return named


def _graph(
    caller: str,
    begins: Int[np.ndarray, " E"],
    ends: Int[np.ndarray, " E"],
    weights: Any,
    nodes: tuple[Hashable, ...] | None,
    size: int | None = None,
) -> Graph:
    """Return the graph of edges between numbered nodes, everything checked."""
    size = len(nodes or ()) if size is None else size
    times = _times(weights)
    if times.shape != begins.shape:
        raise InputError(
            f"{caller}: weights must be one for each of {len(begins)} edges, got shape "
            f"{list(times.shape)}"
        )
    wrong = np.flatnonzero(~((times > 0) & np.isfinite(times)))
    if len(wrong):
        first = wrong[0]
        ways = [int(begins[first]), int(ends[first])]
        begin, end = ways if nodes is None else [nodes[state] for state in ways]
        given = reprlib.repr(weights[first]) if np.isnan(times[first]) else f"{times[first]:g}"
        raise InputError(
            f"{caller}: edges must take a finite time above 0, got {given} from {begin!r} to "
            f"{end!r}"
        )
    # Of parallel edges the shortest, and of equally short ones the first; self-loops are no moves.
    pairs = begins.astype(np.int64) * size + ends
    order = np.lexsort((times, pairs))
    order = order[np.unique(pairs[order], return_index=True)[1]]
    kept = np.sort(order[begins[order] != ends[order]])
    begins, ends, times = begins[kept], ends[kept], times[kept]
    starts = np.append(0, np.bincount(begins, minlength=size).cumsum())
    order = np.argsort(begins, kind="stable")
    edges = csr_array((times[order], ends[order], starts), shape=(size, size))
    return Graph(edges, nodes)


def _times(weights: Any) -> Float[np.ndarray, "..."]:
    """Return weights as floats; NaN for what is no real number, such as text."""
    if _is_real(weights):
        return np.asarray(weights, np.float64)
    listed = isinstance(weights, Sequence) or getattr(weights, "ndim", 0)
    return np.array([_time(weight) for weight in weights] if listed else np.nan, np.float64)


def _time(weight: Any) -> float:
    try:
        return float(weight) if _is_real(weight) and not getattr(weight, "ndim", 0) else np.nan
    except ValueError:  # of a Decimal
        return np.nan
    except OverflowError:
        return np.inf if weight > 0 else -np.inf


def _is_real(weight: Any) -> bool:
    """Return whether something is a real number or an array of them."""
    dtype = getattr(weight, "dtype", None)
    if dtype is None:
        return isinstance(weight, (Real, Decimal))
    return dtype.kind in "biuf" or jnp.issubdtype(dtype, jnp.floating)
