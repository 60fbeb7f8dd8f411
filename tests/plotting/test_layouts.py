"""States without places are laid out so that linked ones are close."""

import numpy as np
import pytest

from first_occupancy.plotting import layouts
from first_occupancy.plotting.layouts import spring_layout


@pytest.mark.parametrize("few", [0, 1_000])
def test_links_are_shorter_than_other_distances(few, monkeypatch):
    monkeypatch.setattr(layouts, "FEW", few)
    rows, columns = np.divmod(np.arange(48), 8)
    links = [(s, s + 1) for s in range(48) if columns[s] < 7]
    links += [(s, s + 8) for s in range(48) if rows[s] < 5]
    places = spring_layout(np.array(links), 48)
    assert places.min() >= 0
    assert places.max() == pytest.approx(1)
    far = np.linalg.norm(places[:, None] - places[None], axis=2)
    near = far[tuple(np.array(links).T)]
    assert near.max() < np.median(far)
    np.testing.assert_array_equal(places, spring_layout(np.array(links), 48))


def test_worlds_in_parts_and_tiny_ones_have_places():
    for size, links in ((1, []), (2, [(0, 1)]), (5, [(0, 1), (2, 3)]), (3, [])):
        places = spring_layout(np.array(links, int).reshape(-1, 2), size)
        assert places.shape == (size, 2)
        assert np.isfinite(places).all()
    parts = spring_layout(np.array([(0, 1), (2, 3)]), 5)
    assert len(np.unique(parts.round(6), axis=0)) == 5
