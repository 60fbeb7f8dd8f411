"""Logs of point mazes: sizes, the recipe, and rollouts."""

import numpy as np

from first_occupancy_paper.worlds.point_maze_logs import point_maze_log, rolled_out, sizes_of
from first_occupancy_paper.worlds.point_mazes import GIANT, GOAL_RADIUS, MEDIUM, TELEPORT


def test_logs_have_about_a_million_transitions():
    for maze in (MEDIUM, GIANT):
        for kind in ("stitch", "navigate"):
            count, length = sizes_of(maze, kind)
            assert count * (length - 1) == 1_000_000
    log = point_maze_log(MEDIUM, "stitch", seed=0, num_episodes=3)
    assert log.observations.shape == (3 * 201, 2)
    assert log.num_episodes == 3


def test_navigators_turn_to_a_new_goal():
    log = point_maze_log(MEDIUM, "navigate", seed=0, num_episodes=2)
    cells = MEDIUM.cells_of(log.observations.reshape(2, 1001, 2).astype(float))
    assert min(len(np.unique(each, axis=0)) for each in cells) > 12


def test_stitch_episodes_stay_within_four_cells():
    log = point_maze_log(MEDIUM, "stitch", seed=0, num_episodes=200)
    cells = MEDIUM.cells_of(log.observations.reshape(200, 201, 2).astype(float))
    ways = [MEDIUM.routes[*each[0], *each[-1]] for each in cells]
    assert max(ways) == 4
    assert np.mean(np.array(ways) == 4) > 0.8


def test_actions_head_for_the_goal_with_noise():
    log = point_maze_log(MEDIUM, "stitch", seed=1, num_episodes=400)
    first = log.actions.reshape(400, 201, 2)[:, :20].reshape(-1, 2)
    assert np.abs(first).max() <= 1
    # A unit direction plus noise of .5 each, clipped: neither still nor always at the limit.
    assert 0.8 < np.linalg.norm(first, axis=1).mean() < 1.1


def test_the_same_seed_gives_the_same_log():
    logs = [point_maze_log(TELEPORT, "stitch", seed=seed, num_episodes=2) for seed in (3, 3, 4)]
    assert (logs[0].observations == logs[1].observations).all()
    assert (logs[0].observations != logs[2].observations).any()


def test_jumps_of_a_log_begin_at_entrances():
    log = point_maze_log(TELEPORT, "stitch", seed=0, num_episodes=300)
    moves = np.linalg.norm(np.diff(log.observations, axis=0), axis=1)
    jumps = np.flatnonzero((moves > 2) & ~log.last[:-1])
    assert len(jumps) > 20
    far = log.observations[jumps][:, None] - TELEPORT.centres(TELEPORT.entrances)
    assert (np.linalg.norm(far, axis=-1).min(axis=1) <= 1.5).all()


def test_a_rollout_ends_at_the_goal():
    starts, goals = np.zeros((2, 2)), np.array([[3.0, 0.0], [0.0, 30.0]])
    arrived = rolled_out(
        MEDIUM,
        starts,
        goals,
        lambda seen, running: np.tile([1.0, 0.0], (len(running), 1)),
        max_steps=30,
        rng=np.random.default_rng(0),
    )
    # 2 units to go at .2 a step, give or take rounding.
    assert arrived[0] in (10, 11)
    assert 3 - 0.2 * arrived[0] <= GOAL_RADIUS + 1e-9
    assert arrived[1] == -1


def test_unknown_kinds_and_empty_logs_are_refused(error_of):
    message = "point_maze_log: kind must be stitch or navigate, got 'play'"
    assert error_of(lambda: point_maze_log(MEDIUM, "play", seed=0)) == message
    message = "point_maze_log: num_episodes must be at least 1, got 0"
    assert error_of(lambda: point_maze_log(MEDIUM, "stitch", seed=0, num_episodes=0)) == message
