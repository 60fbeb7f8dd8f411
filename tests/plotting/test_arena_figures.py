"""Maps of arenas are in metres, and paths break in gaps."""

import numpy as np
import pytest
from matplotlib.colors import LogNorm

import first_occupancy as fo
from first_occupancy.behaviour.arenas import arena
from first_occupancy.interop.data.corrected_intervals import UntrustedWarning
from first_occupancy.plotting import style
from first_occupancy.plotting.arena_figures import arena_map, arena_maps, tracked_path

ARENA = arena(width=0.4, height=0.2, cell=0.1, walls=[((0.3, 0.1), (0.4, 0.2))])


@pytest.mark.parametrize("logarithmic", [False, True])
def test_a_map_is_drawn_in_metres(logarithmic):
    _, axes = style.figure()
    norm = LogNorm() if logarithmic else None
    ax = arena_map(axes[0, 0], ARENA, np.arange(8) / 8, label="FR", norm=norm)
    image = ax.images[0]
    np.testing.assert_allclose(image.get_extent(), [0, 0.4, 0, 0.2])
    hidden = image.to_rgba(image.get_array())[..., 3] == 0
    assert hidden[1, 3]
    assert hidden[0, 0] == logarithmic
    assert ax.get_xlabel() == "metres"


def test_a_path_keeps_its_gaps():
    _, axes = style.figure()
    positions = np.array([[0.1, 0.1], [np.nan, np.nan], [0.2, 0.1]])
    ax = tracked_path(axes[0, 0], positions)
    assert np.isnan(ax.lines[0].get_xdata()[1])


def test_maps_side_by_side_share_their_colours_and_a_bar_as_tall_as_they_are():
    panels = {"a": np.arange(8) / 8, "b": np.arange(8) / 4}
    figure = arena_maps(ARENA, panels, label="F", limits=(0, None), mark=2)
    figure.draw_without_rendering()
    *maps, bar = figure.axes
    assert [panel.images[0].norm.vmin for panel in maps] == [0, 0]
    assert [panel.images[0].norm.vmax for panel in maps] == [1.5, 1.5]  # 7 / 4 is in a wall
    assert maps[0].lines[0].get_xydata().tolist() == [[0.25, 0.05]]
    ours, theirs = bar.get_position(), maps[1].get_position()
    np.testing.assert_allclose([ours.y0, ours.y1], [theirs.y0, theirs.y1])


def test_frs_are_drawn_with_intervals_and_what_is_not_trusted_is_crossed(error_of):
    states = [0, 1, 2, 6, 5, 4] * 30
    log = fo.transition_log(states, np.roll(states, -1), num_states=8, step="move")
    plain = fo.frs_from_log(log, discount=0.9)
    (panel, bar) = fo.plot(plain, arena=ARENA, goal=(0.05, 0.05), vmax=0.5).axes
    assert bar.get_ylabel() == "F(·, (0.05, 0.05))\ndiscount 0.9 per move"
    assert (panel.images[0].norm.vmin, panel.images[0].norm.vmax) == (0, 0.5)
    drawn = panel.images[0].get_array().reshape(-1)[:7]
    np.testing.assert_allclose(drawn, plain.values[0, :7, 0], rtol=1e-6)
    with pytest.warns(UntrustedWarning):
        sure = fo.frs_from_log(log, discount=0.9, interval=0.9, num_resamples=39)
    figure = fo.plot(sure, arena=ARENA, state=1)
    assert [ax.get_title() for ax in figure.axes] == ["lower end", "estimate", "upper end", ""]
    crossed = ~np.asarray(sure.interval.trusted[0, 1])
    assert len(figure.axes[0].lines[0].get_xdata()) == crossed[:7].sum() > 0
    assert error_of(lambda: fo.plot(plain, arena=ARENA, goal=8)) == (
        "plot: goal must be in 0..7, got 8"
    )


def test_an_arena_shows_its_walls():
    (ax,) = fo.plot(ARENA).axes
    assert (ax.images[1].get_array()[..., 3] == ~ARENA.free).all()
