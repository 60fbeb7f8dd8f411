"""Graphs as worlds: shortest paths in them, and graphs that are refused."""

import json
from decimal import Decimal
from fractions import Fraction

import jax.numpy as jnp
import networkx as nx
import numpy as np
import pytest
from scipy.sparse import coo_array, coo_matrix, csc_array, csr_array
from scipy.sparse.csgraph import bellman_ford

import first_occupancy as fo
from first_occupancy.core.world import World
from first_occupancy.environments.graphs import (
    Graph,
    MissingWeightWarning,
    from_edges,
    from_networkx,
    from_scipy,
)

ROADS = [("home", "shop", 2.0), ("shop", "work", 1.0), ("home", "work", 4.0), ("work", "home", 1.0)]


def random_graph(rng, size, share):
    weights = np.where(rng.random((size, size)) < share, rng.random((size, size)) + 0.1, 0)
    np.fill_diagonal(weights, 0)
    return csr_array(weights)


def test_plans_are_shortest_paths_in_random_digraphs_every_node():
    rng = np.random.default_rng(13)
    for _ in range(100):
        edges = random_graph(rng, int(rng.integers(2, 15)), rng.random() * 0.5)
        goal = int(rng.integers(edges.shape[0]))
        plan = fo.plan(from_scipy(edges), goal, discount=0.9)
        exact = bellman_ford(csr_array(edges.T), indices=goal)
        np.testing.assert_allclose(plan.expected_time, exact, rtol=1e-12)
        np.testing.assert_allclose(plan.promised, 0.9**exact, rtol=1e-12)


def test_paths_and_edges_come_back_by_name():
    graph = from_edges(ROADS)
    plan = fo.plan(graph, "work", discount=0.9)
    assert isinstance(graph, World)
    assert graph.path(plan, "home") == ["home", "shop", "work"]
    assert graph.path_edges(plan, "home") == [("home", "shop"), ("shop", "work")]
    assert plan.expected_time[graph.state_number("home")] == 3
    assert plan.state_names == ("home", "shop", "work")


def test_nodes_of_any_kind_keep_their_names():
    graph = from_edges([((0, 0), (0, 1)), ((0, 1), 7)])
    plan = fo.plan(graph, 7, discount=0.9)
    assert graph.path(plan, (0, 0)) == [(0, 0), (0, 1), 7]


def test_numbered_graphs_need_no_names():
    graph = from_scipy(csr_array(np.array([[0, 2.0], [0, 0]])))
    plan = fo.plan(graph, 1, discount=0.5)
    assert (graph.path(plan, 0), plan.promised.tolist()) == ([0, 1], [0.25, 1])


def test_networkx_graphs_directed_and_not():
    networkx = pytest.importorskip("networkx")
    both = networkx.Graph()
    both.add_edge("a", "b", weight=3.0)
    both.add_edge("b", "c", weight=1.0)
    graph = from_networkx(both)
    assert fo.plan(graph, "c", discount=0.5).expected_time.tolist() == [4, 1, 0]
    assert fo.plan(graph, "a", discount=0.5).expected_time.tolist() == [0, 3, 4]
    one_way = from_networkx(networkx.DiGraph(both.edges), weight=None)
    assert fo.plan(one_way, "a", discount=0.5).expected_time.tolist() == [0, np.inf, np.inf]


def parallel_edges(rng):
    """Return a list of edges, many of them parallel or self-loops, and the number of nodes."""
    size, count = int(rng.integers(2, 12)), int(rng.integers(1, 60))
    begins, ends = rng.integers(size, size=(2, count)).tolist()
    return list(zip(begins, ends, rng.integers(1, 9, count).tolist(), strict=True)), size


def test_parallel_edges_count_as_the_shortest_in_all_three_ways():
    rng = np.random.default_rng(5)
    for _ in range(60):
        edges, size = parallel_edges(rng)
        times = np.full((size, size), np.inf)
        for begin, end, time in edges:
            times[begin, end] = min(times[begin, end], time)
        goal = int(rng.integers(size))
        exact = bellman_ford(np.where(np.isinf(times), 0, times).T, indices=goal)
        begins, ends, weights = np.array(edges).T
        listed = coo_array((weights, (begins, ends)), (size, size))
        starts = np.append(0, np.bincount(begins, minlength=size).cumsum())
        order = np.argsort(begins, kind="stable")
        rows = csr_array((weights[order], ends[order], starts), (size, size))
        for graph in (
            from_edges(edges, nodes=range(size)),
            from_edges([edge[:2] for edge in edges], weights=weights, nodes=range(size)),
            *(from_scipy(matrix) for matrix in (listed, coo_matrix(listed), rows)),
        ):
            np.testing.assert_array_equal(fo.plan(graph, goal, discount=0.9).expected_time, exact)


def test_entries_stored_twice_in_columns_are_parallel_too():
    columns = csc_array((np.array([3.0, 1.0]), np.array([0, 0]), np.array([0, 0, 2])), (2, 2))
    assert from_scipy(columns).edges.toarray().tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("kind", ["MultiGraph", "MultiDiGraph"])
def test_multigraphs_are_planned_in_as_networkx_finds_shortest_paths(kind):
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(6)
    for _ in range(40):
        graph = getattr(networkx, kind)()
        edges, size = parallel_edges(rng)
        graph.add_nodes_from(range(size))
        for begin, end, time in edges:
            graph.add_edge(begin, end, weight=time if rng.random() < 0.8 else 1.0)
        goal = int(rng.integers(size))
        exact = networkx.shortest_path_length(graph, target=goal, weight="weight")
        plan = fo.plan(from_networkx(graph), goal, discount=0.9)
        assert plan.expected_time.tolist() == [exact.get(node, np.inf) for node in range(size)]
        hops = networkx.shortest_path_length(graph, target=goal)
        plan = fo.plan(from_networkx(graph, weight=None), goal, discount=0.9)
        assert plan.expected_time.tolist() == [hops.get(node, np.inf) for node in range(size)]


def test_the_rank_of_parallel_edges_is_that_of_the_shortest():
    edges = [("a", "b", 5.0), ("a", "c", 1.0), ("a", "b", 2.0), ("a", "b", 2.0)]
    graph = from_edges(edges)
    assert graph.next_states[:, 0].tolist() == [2, 1]
    assert graph.durations[0].tolist() == [1, 2]


WEIGHTS = {
    "float": (2.5, 2.5),
    "int": (2, 2.0),
    "fraction": (Fraction(1, 4), 0.25),
    "decimal": (Decimal("0.25"), 0.25),
    "boolean": (True, 1.0),
    "NumPy": (np.int8(3), 3.0),
    "NumPy, no axis": (np.array(3.0), 3.0),
    "JAX": (jnp.float32(2), 2.0),
    "text": ("abc", "'abc'"),
    "digits": ("3", "'3'"),
    "digits of NumPy": (np.str_("3"), "'3'"),
    "bytes": (b"3", "b'3'"),
    "list": ([1], r"\[1\]"),
    "array": (np.array([1.0]), "array"),
    "complex": (1j, "1j"),
    "complex, real": (np.complex64(1), "complex64"),
    "duration": (np.timedelta64(3), "timedelta64"),
    "none": (None, "None"),
    "huge": (10**400, "inf"),
    "longer than can be printed": (-(10**5000), "-inf"),
    "nan": (float("nan"), "nan"),
    "not a decimal": (Decimal("sNaN"), "sNaN"),
    "infinite": (float("inf"), "inf"),
    "negative": (-1, "-1"),
    "zero": (0, "0"),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_are_real_numbers_above_zero(name):
    weight, found = WEIGHTS[name]

    def multigraph():
        networkx = pytest.importorskip("networkx")
        graph = networkx.MultiDiGraph([("a", "b", {"weight": weight})])
        return from_networkx(graph)

    for make, caller in (
        (lambda: from_edges([("a", "b", weight)]), "from_edges"),
        (lambda: from_edges([("a", "b")], weights=[weight]), "from_edges"),
        (multigraph, "from_networkx"),
    ):
        if isinstance(found, float):
            assert make().edges.data.tolist() == [found]
        else:
            with pytest.raises(
                fo.InputError, match=f"^{caller}: edges must take a finite time .*, got .*{found}"
            ):
                make()


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32, np.longdouble])
def test_matrices_of_any_real_numbers_are_graphs(dtype):
    matrix = csr_array(np.array([[0, 1], [0, 0]], dtype))
    assert from_scipy(matrix).edges.toarray().tolist() == [[0, 1], [0, 0]]
    assert from_edges([(0, 1)], weights=np.ones(1, dtype)).edges.data.tolist() == [1]


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("weights", [np.array([1j]), np.array(["3"]), np.array([1j], object)])
def test_arrays_of_other_things_are_refused(weights):
    with pytest.raises(fo.InputError, match="from_edges: edges must take a finite time"):
        from_edges([(0, 1)], weights=weights)
    if weights.dtype.kind == "c":
        with pytest.raises(fo.InputError, match="from_scipy: edges must take a finite time"):
            from_scipy(csr_array((weights, ([0], [1])), (2, 2)))


def test_the_k_th_policy_follows_the_k_th_edge():
    graph = from_edges(ROADS)
    assert graph.num_actions == 2
    assert graph.next_states.tolist() == [[1, 2, 0], [2, 1, 2]]
    assert graph.durations.tolist() == [[2, 4], [1, 1], [1, 1]]


def test_any_of_several_goals_will_do_and_states_are_avoided():
    graph = from_edges([("a", "b", 1.0), ("b", "c", 1.0), ("a", "d", 5.0), ("d", "c", 1.0)])
    assert fo.plan(graph, ["c", "d"], discount=0.9).expected_time.tolist() == [2, 1, 0, 0]
    assert fo.plan(graph, "c", discount=0.9, avoid=["b"]).expected_time.tolist() == [
        6,
        np.inf,
        0,
        1,
    ]


MISTAKES = {
    "no edges": (lambda: from_edges([]), "edges must be pairs or triples"),
    "negative": (lambda: from_edges([(0, 1, -1.0)]), "finite time above 0, got -1 from 0 to 1"),
    "zero": (lambda: from_edges([(0, 1, 0.0)]), "finite time above 0, got 0"),
    "not a number": (lambda: from_edges([(0, 1, np.nan)]), "finite time above 0, got nan"),
    "unknown node": (lambda: from_edges([(0, 2)], nodes=[0, 1]), "must join nodes of the graph"),
    "weights": (lambda: from_edges([(0, 1)], weights=[1, 2]), "one for each of 1 edges"),
    "not square": (
        lambda: from_scipy(csr_array(np.ones((2, 3)))),
        r"must have shape \[S S\], got \[2 3\]",
    ),
    "names": (lambda: from_scipy(csr_array(np.eye(2)), nodes="aa"), "different, got 'a' more"),
    "more names": (lambda: from_scipy(csr_array(np.eye(2)), nodes="abc"), "2 different names"),
    "one axis": (lambda: from_scipy(coo_array(np.ones(3))), r"shape \[S S\], got \[3\]"),
    "dense": (lambda: from_scipy(np.ones((2, 2))), "square sparse matrix, got .*ndarray"),
    "0 x 0": (lambda: from_scipy(csr_array((0, 0))), "from_scipy: edges must not be empty"),
    "no list": (lambda: from_edges(5), "from_edges: edges must be pairs or triples"),
    "one weight": (lambda: from_edges([(0, 1)], weights=5), "one for each of 1 edges"),
    "unhashable": (lambda: from_edges([([1], "b")]), "from_edges: edges must join hashable nodes"),
    "unhashable names": (
        lambda: from_edges([("a", "b")], nodes=["a", ["b"]]),
        "from_edges: nodes must be a list of hashable names",
    ),
    "names twice": (
        lambda: from_edges([("a", "b")], nodes=["a", "b", "a"]),
        "from_edges: nodes must be different, got 'a' more than once",
    ),
    "no graph": (lambda: from_networkx([1]), "must be a NetworkX graph"),
    "no such node": (lambda: fo.plan(from_edges(ROADS), "bank", discount=0.9), "bank"),
    "unreachable": (lambda: unreachable(), "no path leads there"),
}


def unreachable():
    graph = from_edges([("a", "b"), ("c", "a")])
    return graph.path(fo.plan(graph, "c", discount=0.9), "a")


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_is_no_graph_or_node_is_refused_in_one_sentence(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(fo.InputError, match=message):
        call()


def test_self_loops_are_no_moves():
    graph = from_edges([("a", "a", 1.0), ("a", "b", 2.0)])
    assert isinstance(graph, Graph)
    assert graph.edges.nnz == 1


def osmnx_like(rng, side=6):
    """Return a multigraph as OSMnx makes them: nodes by id with x and y, edges with length."""
    graph = nx.MultiDiGraph(crs="epsg:4326", simplified=True)
    number = {}
    for row in range(side):
        for column in range(side):
            number[row, column] = 10**9 + 7 * (row * side + column)
            x, y = 13.4 + column / 100, 52.5 + row / 100
            graph.add_node(number[row, column], x=x, y=y, street_count=4)
    for (row, column), node in number.items():
        for down, right in ((0, 1), (1, 0)):
            other = number.get((row + down, column + right))
            for key in range(int(rng.integers(1, 3)) if other is not None else 0):
                facts = {"osmid": [1, 2], "oneway": bool(key), "highway": "residential"}
                length = float(rng.uniform(50, 150))
                graph.add_edge(node, other, key=key, length=length, **facts)
                graph.add_edge(other, node, key=key, length=length + 1, **facts)
    return graph


def test_multigraphs_as_osmnx_makes_them_are_planned_as_dijkstra_plans():
    graph = osmnx_like(np.random.default_rng(0))
    world = fo.from_networkx(graph, weight="length")
    nodes = list(graph)
    plan = fo.plan(world, nodes[-1], discount=0.999)
    assert world.path(plan, nodes[0]) == nx.shortest_path(graph, nodes[0], nodes[-1], "length")
    np.testing.assert_allclose(world.positions[0], [13.4, -52.5])
    found = fo.tour(world, [nodes[5], nodes[30]], start=nodes[0], discount=0.999)
    assert set(json.loads(found.to_json())["order"]) == {nodes[5], nodes[30]}
    assert repr(world).startswith("Graph: 36 nodes, 120 edges, times ")
    assert len(repr(world).splitlines()) <= 10


def test_coordinates_may_be_pos_and_are_left_out_unless_all_nodes_have_them():
    graph = nx.Graph([(0, 1)])
    nx.set_node_attributes(graph, {0: (0, 1), 1: (2, 3)}, "pos")
    assert fo.from_networkx(graph).positions.tolist() == [[0, -1], [2, -3]]
    graph.add_edge(1, 2)
    assert fo.from_networkx(graph).positions is None


def test_edges_that_lack_their_weight_take_1_as_in_networkx():
    graph = nx.DiGraph([("a", "b", {"length": 2.0}), ("b", "c"), ("a", "c", {"length": 4.0})])
    with pytest.warns(MissingWeightWarning) as told:
        roads = fo.from_networkx(graph, weight="length")
    assert str(told[0].message) == (
        "from_networkx: edges must have the attribute 'length', but 1 of 3 lack it, first from 'b' "
        "to 'c'; they take 1 each, as in NetworkX"
    )
    path = roads.path(fo.plan(roads, "c", discount=0.9), "a")
    assert path == nx.shortest_path(graph, "a", "c", weight="length") == ["a", "b", "c"]


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiDiGraph])
def test_times_are_those_of_networkx_whichever_edges_have_a_weight(kind):
    rng = np.random.default_rng(0)
    graph = kind()
    graph.add_nodes_from(range(30))
    for begin, end in rng.integers(30, size=(120, 2)).tolist():
        facts = {"weight": float(rng.uniform(0.1, 3))} if rng.random() < 0.6 else {}
        graph.add_edge(begin, end, **facts)
    with pytest.warns(MissingWeightWarning):
        roads = fo.from_networkx(graph)
    plan = fo.plan(roads, 0, discount=0.9)
    backwards = graph.reverse() if graph.is_directed() else graph
    lengths = nx.single_source_dijkstra_path_length(backwards, 0)
    expected = [0.9 ** lengths[node] if node in lengths else 0 for node in graph]
    np.testing.assert_allclose(plan.expected_discount, expected, rtol=1e-6)


def test_an_attribute_that_no_edge_has_is_refused_unless_it_is_the_usual_one(error_of):
    graph = nx.DiGraph([("a", "b", {"length": 2.0}), ("b", "c")])
    assert error_of(lambda: fo.from_networkx(graph, weight="time")) == (
        "from_networkx: edges must have the attribute 'time', but 2 of 2 lack it, first from 'a' "
        "to 'b'; weight=None takes 1 each"
    )
    assert fo.from_networkx(graph).durations.max() == 1
