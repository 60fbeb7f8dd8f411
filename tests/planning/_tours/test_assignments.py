import numpy as np

from first_occupancy.planning._tours.assignments import assigned_tour


def test_a_circle_is_walked_round():
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    lengths = np.linalg.norm(places[:, None] - places[None], axis=2)
    order = assigned_tour(lengths)
    assert order in ([*range(1, 12)], [*range(11, 0, -1)])
