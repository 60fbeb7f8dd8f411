"""Point mazes: free moves, walls, corners, teleporters and ways. Steps against MuJoCo: peers."""

import numpy as np
import pytest

from first_occupancy_paper.worlds.point_mazes import (
    LEFT_INSIDE,
    MEDIUM,
    POINT_MAZES,
    TELEPORT,
)


def moved(maze, position, action):
    """Return where one disc is seen after one step."""
    seen, _ = maze.step(np.array([position]), np.array([action]), np.random.default_rng(0))
    return seen[0]


def test_away_from_walls_a_step_adds_a_fifth_of_the_action():
    assert moved(MEDIUM, [0.5, 0.2], [1.0, -0.5]) == pytest.approx([0.7, 0.1])
    assert moved(MEDIUM, [0.5, 0.2], [3.0, 0.0]) == pytest.approx([0.7, 0.2])


def test_a_wall_leaves_a_share_of_the_penetration():
    # The wall is at x = -2, so the disc of radius .7 touches it at -1.3.
    assert moved(MEDIUM, [-1.2, 0.0], [-1.0, 0.3]) == pytest.approx(
        [-1.3 - 0.1 * LEFT_INSIDE, 0.06]
    )


def test_a_corner_pushes_away_from_itself():
    # Cell (2, 3) is a wall between the free cells (2, 2), (3, 2) and (3, 3).
    corner = np.array([6.0, 6.0])
    position = corner + np.array([-0.3, 0.75])
    found = moved(MEDIUM, position, [0.0, -1.0])
    before = position - [0.0, 0.2] - corner
    depth = 0.7 - np.linalg.norm(before)
    assert depth > 0
    expected = 0.7 - LEFT_INSIDE * depth
    assert np.linalg.norm(found - corner) == pytest.approx(expected)
    after = found - corner
    assert before[0] * after[1] == pytest.approx(before[1] * after[0])


def test_nothing_gets_through_walls():
    rng = np.random.default_rng(1)
    for maze in POINT_MAZES.values():
        positions = maze.scattered(maze.cells, rng)
        push = rng.uniform(-1, 1, positions.shape)
        for _ in range(60):
            seen, positions = maze.step(positions, push, rng)
            assert maze.free[tuple(maze.cells_of(seen).T)].all()


def test_teleporters_show_the_entrance_and_lead_to_any_exit():
    entrance = TELEPORT.centres([(4, 6)])[0]
    start = np.repeat([entrance - [0, 1.6]], 600, axis=0)
    seen, positions = TELEPORT.step(start, np.tile([0.0, 1.0], (600, 1)), np.random.default_rng(0))
    assert np.allclose(seen, entrance - [0, 1.4])
    exits, counts = np.unique(positions, axis=0, return_counts=True)
    assert sorted(map(tuple, exits)) == sorted(map(tuple, TELEPORT.centres(TELEPORT.exits)))
    assert (np.abs(counts - 200) < 50).all()
    seen, positions = TELEPORT.step(
        start[:1] - [0, 1], np.array([[0.0, 1.0]]), np.random.default_rng(0)
    )
    assert np.allclose(seen, positions)


def test_next_cells_lie_on_shortest_ways():
    for maze in (MEDIUM, TELEPORT):
        for start in maze.cells:
            for goal in maze.cells:
                steps = maze.routes[*start, *goal]
                ahead = maze.next_cells[*start, *goal]
                if steps > 0:
                    assert maze.routes[*ahead, *goal] == steps - 1
                else:
                    assert ahead.tolist() == start.tolist()


def test_cells_and_positions_belong_together():
    rng = np.random.default_rng(2)
    cells = MEDIUM.cells
    assert (MEDIUM.cells_of(MEDIUM.scattered(cells, rng)) == cells).all()
