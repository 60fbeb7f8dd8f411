"""Values over worlds that are no mazes are drawn at the places of their states."""

import networkx as nx
import numpy as np
import pytest

import first_occupancy as fo

GRAPH = nx.path_graph(4)


class Lift:
    """Two floors of two cells each; states are told apart by a load that has no place."""

    start, num_actions = (0, 0, 0), 2

    def outcomes(self, state, action):
        column, row, load = state
        return [(1.0, (1 - column, row, load) if action else (column, row, 1 - load))]


def test_cells_show_the_largest_value_of_their_states():
    world = fo.from_environment(Lift())
    places = np.array([[state[0], state[1]] for state in world.states])
    values = np.array([1.0, 2.0, 3.0, 4.0])
    panel, bar = fo.plot(values, world=world, positions=places, label="time").axes
    best = [values[places[:, 0] == column].max() for column in (0, 1)]
    assert panel.images[-1].get_array().filled(np.nan).tolist() == [best]
    assert bar.get_ylabel() == "time"


def test_tables_are_seen_from_the_start_or_lead_to_a_goal():
    world = fo.from_networkx(GRAPH)
    table = np.arange(16.0).reshape(4, 4)
    panel, bar = fo.plot(table, world=world, state=1).axes
    assert panel.collections[-1].get_array().tolist() == table[1].tolist()
    assert bar.get_ylabel() == "from state 1"
    panel, bar = fo.plot(table, world=world, goal=2, vmax=9).axes
    assert panel.collections[-1].get_array().tolist() == table[:, 2].tolist()
    assert panel.collections[-1].norm.vmax == 9
    several = fo.plot(np.stack([table, table]), world=world).axes
    assert [ax.get_title() for ax in several] == ["policy 0", "policy 1", ""]


def test_plans_and_frs_are_drawn_over_graphs_at_their_coordinates():
    graph = GRAPH.copy()
    for node in graph:
        graph.nodes[node].update(x=node / 3, y=2.5)
    world = fo.from_networkx(graph)
    plan = fo.plan(world, 3, discount=0.5)
    panel, bar = fo.plot(plan, world=world).axes
    assert panel.collections[-1].get_offsets().tolist() == world.positions.tolist()
    assert panel.collections[-1].get_array().tolist() == pytest.approx([0.125, 0.25, 0.5, 1])
    assert bar.get_ylabel() == "expected discount"
    (ax,) = fo.plot(world).axes
    assert len(ax.collections[0].get_segments()) == 3


def test_what_cannot_be_drawn_is_said(error_of):
    world = fo.from_networkx(GRAPH)
    assert error_of(lambda: fo.plot(np.ones(3), world=world)).startswith(
        "plot: an array needs a world with places, and must have shape [S], [S S] or [N S S] over "
    )
    assert "an array needs a world" in error_of(lambda: fo.plot(np.ones(3), world=3))
    assert error_of(lambda: fo.plot(world, positions=np.ones((3, 2)))) == (
        "plot: positions must be (x, y) of each of 4 states, got shape [3, 2]"
    )
