"""Graphs as worlds: shortest paths in them, and graphs that are refused."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import bellman_ford

import first_occupancy as fo
from first_occupancy.core.world import World
from first_occupancy.environments.graphs import Graph, from_edges, from_networkx, from_scipy

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
    both.add_edge("b", "c")
    graph = from_networkx(both)
    assert fo.plan(graph, "c", discount=0.5).expected_time.tolist() == [4, 1, 0]
    assert fo.plan(graph, "a", discount=0.5).expected_time.tolist() == [0, 3, 4]
    one_way = from_networkx(networkx.DiGraph(both.edges), weight=None)
    assert fo.plan(one_way, "a", discount=0.5).expected_time.tolist() == [0, np.inf, np.inf]
    with pytest.raises(fo.InputError, match="no parallel edges"):
        from_networkx(networkx.MultiGraph(both))


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
    "twice": (lambda: from_edges([(0, 1), (0, 1)]), "edges must differ, got two from 0 to 1"),
    "negative": (lambda: from_edges([(0, 1, -1.0)]), "finite time above 0, got -1 from 0 to 1"),
    "zero": (lambda: from_edges([(0, 1, 0.0)]), "finite time above 0, got 0"),
    "not a number": (lambda: from_edges([(0, 1, np.nan)]), "finite time above 0, got nan"),
    "unknown node": (lambda: from_edges([(0, 2)], nodes=[0, 1]), "must join nodes of the graph"),
    "weights": (lambda: from_edges([(0, 1)], weights=[1, 2]), "one for each of 1 edges"),
    "not square": (lambda: from_scipy(csr_array(np.ones((2, 3)))), "square sparse matrix"),
    "names": (lambda: from_scipy(csr_array(np.eye(2)), nodes=["a", "a"]), "2 different names"),
    "no graph": (lambda: from_networkx([1]), "must be a NetworkX graph"),
    "no such node": (lambda: fo.plan(from_edges(ROADS), "bank", discount=0.9), "bank"),
    "unreachable": (lambda: unreachable(), "no path leads there"),
}


def unreachable():
    graph = from_edges([("a", "b"), ("c", "a")])
    return graph.path(fo.plan(graph, "c", discount=0.9), "a")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_is_no_graph_or_node_is_refused_in_one_sentence(mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(fo.InputError, match=message):
        call()


def test_self_loops_are_no_moves():
    graph = from_edges([("a", "a", 1.0), ("a", "b", 2.0)])
    assert isinstance(graph, Graph)
    assert graph.edges.nnz == 1
