"""Landmarks against plain NumPy."""

import numpy as np

from first_occupancy.continuous.landmarks import k_centres, k_means


def plain_centres(points, spacing, at_most):
    """Return k-centres by looking at all distances, again and again."""
    chosen = [0]
    while len(chosen) < at_most:
        far = np.linalg.norm(points[:, None] - points[chosen], axis=-1).min(axis=1)
        if far.max() <= spacing:
            break
        chosen.append(int(far.argmax()))
    return chosen


def test_k_centres_are_those_of_the_plain_loop():
    points = np.random.default_rng(0).normal(size=(300, 3))
    assert k_centres(points, spacing=0.9, at_most=999).tolist() == plain_centres(points, 0.9, 999)
    assert k_centres(points, at_most=7).tolist() == plain_centres(points, 0, 7)


def test_k_centres_cover_all_points_and_keep_apart():
    points = np.random.default_rng(1).uniform(size=(500, 2))
    centres = points[k_centres(points, spacing=0.15, at_most=999)]
    assert np.linalg.norm(points[:, None] - centres, axis=-1).min(axis=1).max() <= 0.15
    between = np.linalg.norm(centres[:, None] - centres, axis=-1)
    assert between[between > 0].min() > 0.15


def test_k_means_is_lloyds_loop():
    rng = np.random.default_rng(2)
    points, centres = rng.normal(size=(5000, 2)), rng.normal(size=(20, 2))
    found = k_means(points, centres, rounds=2)
    for _ in range(2):
        nearest = np.linalg.norm(points[:, None] - centres, axis=-1).argmin(axis=1)
        centres = np.stack([points[nearest == number].mean(axis=0) for number in range(20)])
    assert np.allclose(found, centres)


def test_a_centre_without_points_stays():
    found = k_means(np.zeros((4, 1)), np.array([[0.5], [9.0]]), rounds=1)
    assert found.tolist() == [[0.0], [9.0]]


def test_nothing_to_choose_from_is_refused(error_of):
    message = "k_centres: needs at least one point and one landmark, got 0 points and at_most 3"
    assert error_of(lambda: k_centres(np.zeros((0, 2)), at_most=3)) == message
