"""MDPs as graphs: every transition has its arrow, and nothing covers anything."""

import itertools

import numpy as np
import pytest
from matplotlib.patches import Circle, FancyArrowPatch

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.plotting import mdp_graphs

GRAPHS = {
    "river": (fo.river_swim(6), mdp_graphs.line_layout(6)),
    "arms": (fo.six_arms(), mdp_graphs.star_layout(7)),
}


@pytest.fixture(params=GRAPHS, name="graph")
def graph_fixture(request):
    mdp, positions = GRAPHS[request.param]
    figure = plotting.mdp_figure(mdp, positions=positions)
    figure.canvas.draw()
    return mdp, positions, figure.axes[0]


def labels(ax):
    return [text for text in ax.texts if text.get_text().startswith("(")]


def test_there_is_a_circle_for_each_state_and_an_arrow_for_each_pair(graph):
    mdp, positions, ax = graph
    circles = [patch for patch in ax.patches if isinstance(patch, Circle)]
    np.testing.assert_allclose([circle.center for circle in circles], positions)
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    pairs = (np.asarray(mdp.transition) > 0).any(axis=1)
    assert len(arrows) == pairs.sum()


def test_arrows_begin_and_end_on_their_circles(graph):
    mdp, positions, ax = graph
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    pairs = np.argwhere((np.asarray(mdp.transition) > 0).any(axis=1))
    for arrow, (here, there) in zip(arrows, pairs, strict=True):
        ends = arrow._path_original.vertices[[0, -1]]
        radii = np.hypot(*(ends - positions[[here, there]]).T)
        np.testing.assert_allclose(radii, 0.16)


def corners(text):
    """Return the corners of a text's box on the screen, turned as the text is."""
    angle = np.radians(text.get_rotation())
    text.set_rotation(0)
    box = text.get_window_extent()
    text.set_rotation(np.degrees(angle))
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    middle = box.get_points().mean(axis=0)
    return middle + (box.corners()[[0, 1, 3, 2]] - middle) @ turn


def apart(first, second):
    """Return whether some side of one of two convex polygons separates them."""
    for polygon in (first, second):
        for side in np.roll(polygon, -1, axis=0) - polygon:
            normal = np.array([-side[1], side[0]])
            a, b = first @ normal, second @ normal
            if a.max() <= b.min() or b.max() <= a.min():
                return True
    return False


def test_no_label_covers_another_or_a_node_or_leaves_the_figure(graph):
    _, _, ax = graph
    boxes = [corners(text) for text in labels(ax)]
    assert all(apart(first, second) for first, second in itertools.combinations(boxes, 2))
    for box in boxes:
        assert ax.bbox.count_contains(box) == 4
    circles = [patch.get_window_extent() for patch in ax.patches if isinstance(patch, Circle)]
    for circle in circles:
        assert all(apart(box, circle.corners()[[0, 1, 3, 2]]) for box in boxes)


def test_labels_say_action_probability_and_reward():
    mdp = fo.MDP(
        np.array([[[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0]] * 3]),
        np.array([[[0.0, 2.0], [0.0, 3.0], [0.0, 3.0]], [[1.0, 0.0]] * 3]),
    )
    drawn = [text.get_text() for text in plotting.mdp_figure(mdp).axes[0].texts]
    assert drawn == [
        "(actions; probability; reward)",
        "(0,1; 0.5; 0)",
        "(0; 0.5; 2)\n(1; 0.5; 3)\n(2; 1; 3)",
        "(all; 1; 1)",
        "0",
        "1",
    ]


def test_merged_actions_are_named_by_what_they_leave_out():
    figure = plotting.mdp_figure(fo.six_arms(), positions=mdp_graphs.star_layout(7))
    drawn = [text.get_text() for text in figure.axes[0].texts]
    assert "(not 4; 1; 50)" in drawn
    assert "(5; 1; 6000)" in drawn
    assert "(1; 0.85; 0)\n(2; 0.9; 0)\n(3; 0.95; 0)\n(4; 0.97; 0)\n(5; 0.99; 0)" in drawn


def test_states_where_one_begins_have_a_thick_rim():
    ax = plotting.mdp_figure(fo.river_swim(4)).axes[0]
    widths = [patch.get_linewidth() for patch in ax.patches if isinstance(patch, Circle)]
    assert widths[1] == widths[2] > widths[0] == widths[3]


def test_names_replace_numbers():
    river = fo.river_swim(3)
    names = {"state_names": [*"abc"], "action_names": ["right", "left"]}
    figure = plotting.mdp_figure(fo.MDP(river.transition, river.reward, **names))
    drawn = [text.get_text() for text in figure.axes[0].texts]
    assert drawn[-3:] == ["a", "b", "c"]
    assert "(right; 0.3; 10000)" in drawn


def test_a_single_state_can_be_drawn():
    plotting.mdp_figure(fo.MDP(np.ones((1, 1, 1)))).canvas.draw()


def test_layouts_keep_nodes_apart():
    np.testing.assert_allclose(np.diff(mdp_graphs.line_layout(5), axis=0), [[1, 0]] * 4)
    star = mdp_graphs.star_layout(7, radius=3.0)
    np.testing.assert_allclose(np.hypot(*star[1:].T), 3)
    assert star[1:, 1].min() > -2.9, "below the hub is free"
