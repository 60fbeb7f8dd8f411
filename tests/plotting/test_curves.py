"""Curves show means and half widths."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.plotting import curves


@pytest.fixture(name="ax")
def ax_fixture():
    figure, grid = plotting.figure()
    yield grid[0, 0]
    figure.canvas.draw()


def test_a_curve_is_the_mean_within_its_band(ax):
    samples = np.array([[0.0, 4.0], [2.0, 8.0]])
    plotting.mean_curve(ax, np.array([1, 2]), samples, label="FR")
    (line,) = ax.lines
    np.testing.assert_allclose(line.get_xydata(), [[1, 1], [2, 6]])
    (band,) = ax.collections
    heights = band.get_paths()[0].vertices
    # The standard error of two numbers is half their difference.
    np.testing.assert_allclose(heights.min(axis=0), [1, 0])
    np.testing.assert_allclose(heights.max(axis=0), [2, 8])
    assert line.get_color() == plotting.style.FR


def test_the_half_width_is_any_function_of_the_samples(ax):
    samples = np.array([[0.0, 4.0], [2.0, 8.0]])
    plotting.mean_curve(ax, np.arange(2), samples, half_width=lambda s: np.full(s.shape[1], 9.0))
    np.testing.assert_allclose(ax.collections[0].get_paths()[0].vertices[:, 1].min(), -8)


def test_spreads_match_their_definitions():
    samples = np.random.default_rng(0).normal(size=(7, 3))
    by_hand = np.sqrt(((samples - samples.mean(0)) ** 2).sum(0) / 6)
    np.testing.assert_allclose(curves.standard_deviation(samples), by_hand)
    np.testing.assert_allclose(curves.standard_error(samples), by_hand / np.sqrt(7))
    np.testing.assert_array_equal(curves.standard_error(samples[:1]), 0)


def test_a_single_run_can_be_drawn_and_none_cannot(ax):
    plotting.mean_curve(ax, np.arange(3), np.ones((1, 3)))
    with pytest.raises(fo.InputError, match="mean_curve: samples must hold at least one run"):
        plotting.mean_curve(ax, np.arange(3), np.ones((0, 3)))


def test_axes_get_their_labels(ax):
    plotting.mean_curve(ax, np.arange(3), np.ones((1, 3)), label="FR")
    plotting.label_axes(ax, "step", "return", title="FourRooms", legend="upper left")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("step", "return", "FourRooms")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["FR"]
    assert ax.title.get_fontsize() == plotting.style.TITLE
