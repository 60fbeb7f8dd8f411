"""Goals from logs: a small run of every variant, and what rows say."""

import json

import jax.numpy as jnp
import numpy as np
import pytest

from corridors import corridor_log
from first_occupancy.continuous.goal_plans import GoalAgent, GoalPlan
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.environments.point_mazes import TELEPORT
from first_occupancy.experiments import Verdict
from first_occupancy.experiments.offline_goals import OFFLINE_GOALS, bounds
from first_occupancy.experiments.offline_goals.control import (
    DISCOUNT,
    ControlConfig,
    realised,
    run_control,
    walk_control,
)
from first_occupancy.experiments.offline_goals.control_tasks import CONTROL_TASKS, upright
from first_occupancy.experiments.offline_goals.find import counts
from first_occupancy.experiments.offline_goals.find_control import lead
from first_occupancy.experiments.offline_goals.plot_control import plot_control
from first_occupancy.experiments.offline_goals.run import SETS, Config, run
from first_occupancy.experiments.offline_goals.variants import VARIANTS, frp_planner, plan_of


@pytest.fixture(scope="module")
def small():
    """Return the rows of a little data, one episode per task, and of bounds."""
    config = Config("medium", "stitch", divisor=25, episodes=1, pairs=3)
    return list(run(config, 0))


def test_a_little_data_reaches_most_goals(small):
    attempts = [row for row in small if "reached" in row]
    assert [row["task"] for row in attempts] == [1, 2, 3, 4, 5]
    assert sum(row["reached"] for row in attempts) >= 4
    assert json.loads(json.dumps(small)) == small


def test_bounds_are_checked_against_rollouts(small):
    checks = [row for row in small if "low" in row]
    assert len(checks) == 3
    assert all(0 <= row["low"] <= row["high"] <= 1 and 0 <= row["real"] <= 1 for row in checks)


@pytest.fixture(scope="module")
def corridor():
    return landmark_world(corridor_log(), num_actions=3)


# Visits to the goal of a policy that is held for ever do not tell how near the goal is.
@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "set-max of SRs"])
def test_every_variant_values_landmarks_more_the_nearer_they_are(corridor, name):
    plan = plan_of(VARIANTS[name], corridor, np.array([8.0]))
    far = np.abs(corridor.landmarks[:, 0] - 8)
    values = plan.values[np.argsort(far)]
    assert (values >= 0).all()
    assert values[:3].mean() > values[-3:].mean()


def test_value_iteration_over_landmarks_is_what_refined_plans_reach(corridor):
    goal = np.array([8.0])
    refined = plan_of(VARIANTS["soonest"], corridor, goal)
    swept = plan_of(VARIANTS["value iteration"], corridor, goal)
    assert swept.values == pytest.approx(np.asarray(refined.plan.followed), abs=1e-5)


def test_set_max_of_frs_is_planning_without_switches(corridor):
    goal = np.array([8.0])
    held = plan_of(VARIANTS["set-max of FRs"], corridor, goal)
    planner = frp_planner(corridor, held.discount)
    plain = planner.plan(held.goal_landmarks, max_switches=0)
    assert held.values == pytest.approx(np.asarray(plain.discount), abs=1e-5)


def test_set_max_of_srs_counts_visits(corridor):
    held = plan_of(VARIANTS["set-max of SRs"], corridor, np.array([8.0]))
    size = corridor.num_states
    best = np.zeros(size)
    for number, chain in enumerate(corridor.mdp.action_chains):
        waited = held.discount ** corridor.mdp.durations[:, number]
        visits = np.linalg.inv(np.eye(size) - waited[:, None] * chain.toarray())
        best = np.maximum(best, visits[:, held.goal_landmarks].sum(axis=1))
    assert held.values == pytest.approx(best / best.max(), rel=1e-6)


def made(reached, variant="surest", divisor=1, maze=None, kind=None):
    """Return rows in which a share of 1,000 episodes reached the goal on every set."""
    return [
        {
            "maze": each,
            "kind": how,
            "variant": variant,
            "divisor": divisor,
            "seed": 0,
            "task": 1,
            "episodes": 1000,
            "reached": int(1000 * reached),
        }
        for each, how in SETS
        if maze in (None, each) and kind in (None, how)
    ]


def test_verdicts_follow_the_intervals():
    tenth = made(0.95, divisor=10, maze="giant", kind="stitch")
    good = OFFLINE_GOALS.find([*made(0.99), *tenth, *made(0.5, variant="soonest")])
    assert [line.verdict for line in good] == [Verdict.HOLDS] * 3 + [Verdict.NOT_RUN] * 3
    assert OFFLINE_GOALS.find(made(0.5))[0].verdict == Verdict.FAILS
    assert OFFLINE_GOALS.find(made(0.95))[0].verdict == Verdict.UNSETTLED
    same = OFFLINE_GOALS.find([*made(0.99), *made(0.99, variant="soonest")])
    assert same[-4].verdict == Verdict.UNSETTLED


def test_bounds_have_a_line():
    rows = [{"maze": "medium", "low": 0.5, "high": 1.0, "real": 0.6} for _ in range(200)]
    assert OFFLINE_GOALS.find([*made(0.99), *rows])[-4].verdict == Verdict.HOLDS
    # 20 of 20 is too few to be sure of 95%.
    assert OFFLINE_GOALS.find([*made(0.99), *rows[:20]])[-4].verdict == Verdict.UNSETTLED
    wrong = [{**row, "low": 0.7} for row in rows]
    assert OFFLINE_GOALS.find([*made(0.99), *wrong])[-4].verdict == Verdict.FAILS


def test_rows_are_counted_by_set_and_variant():
    assert counts(made(0.3), "surest", "large", "stitch") == (300, 1000)
    assert counts(made(0.3), "soonest", "large", "stitch") == (0, 0)


def test_kept_rows_have_lines_and_a_figure():
    rows = OFFLINE_GOALS.kept()
    lines = OFFLINE_GOALS.find(rows)
    assert len(lines) >= 1
    assert set(OFFLINE_GOALS.plot(rows)) == ({"success", "control"} if rows else set())
    assert OFFLINE_GOALS.settings(True) == []


def test_kept_ways_end_in_their_regions():
    for row in OFFLINE_GOALS.kept():
        if "walk" in row:
            task = CONTROL_TASKS[row["walk"]]
            seen = np.asarray(task.world.observe(jnp.asarray(row["states"])))
            inside = np.asarray(task.regions[row["region"]](seen))
            assert inside.tolist() == [False] * (len(seen) - 1) + [True]


def test_variants_are_named_by_their_keys():
    assert all(name == each.name for name, each in VARIANTS.items())


def test_skills_get_most_of_what_a_coarse_grid_does():
    (row,) = run_control(ControlConfig("pendulum", starts=20, divisor=10), 0)
    assert row["skills"] > 0.9 * row["grid"]
    assert abs(row["coarser"] - row["grid"]) < 0.03
    assert json.loads(json.dumps(row)) == row


def test_grids_interpolate_linear_functions_exactly():
    for task in (CONTROL_TASKS["mountain car"], CONTROL_TASKS["acrobot"]):
        grid = task.fine_grid(5.0)
        rng = np.random.default_rng(0)
        # Away from the seam of angles, where a linear function jumps.
        states = rng.uniform(0.5 * grid.low, 0.5 * grid.high, (50, len(grid.low)))
        slope = rng.normal(size=len(grid.low))
        found = grid.between(states) @ (grid.nodes @ slope)
        assert found == pytest.approx(states @ slope, abs=1e-4 * np.abs(slope).max() * 30)


def test_grid_values_are_a_fixed_point_of_bellmans_equation():
    task = CONTROL_TASKS["pendulum"]
    grid = task.fine_grid(10.0)
    values = grid.values(upright, discount=DISCOUNT)
    inside = upright(np.asarray(task.world.observe(jnp.asarray(grid.nodes))))
    ahead = DISCOUNT * grid.ahead(values, grid.nodes, upright).max(axis=0)
    assert values == pytest.approx(np.where(inside, 1.0, ahead), abs=1e-4)


def test_boxes_of_the_car_cover_every_state_once():
    rng = np.random.default_rng(0)
    task = CONTROL_TASKS["mountain car"]
    states = rng.uniform(task.world.low, task.world.high, (200, 2))
    states[0] = task.world.high
    inside = np.stack([region(states) for region in task.regions])
    assert len(task.regions) == 100
    assert (inside.sum(axis=0) == 1).all()


def test_realised_discounts_count_steps():
    task = CONTROL_TASKS["mountain car"]

    def act(states, running):
        assert running.all() or running.any()
        return np.zeros(len(states))

    def beyond(seen):
        return seen[:, 0] > -0.5

    starts = np.array([[-0.49, 0.0], [-0.7, 0.02], [-0.6, -0.0]])
    found = realised(task.world, starts, beyond, act, max_steps=5)
    place, speed, steps = -0.7, 0.02, 0
    while place <= -0.5:
        speed -= 0.0025 * np.cos(3 * place)
        place, steps = place + speed, steps + 1
    expected = DISCOUNT**steps if steps <= 5 else 0.0
    assert found == pytest.approx([1.0, expected, 0.0])


def control_rows(skills, grid=0.8, name="pendulum", regions=1):
    """Return rows of three seeds."""
    return [
        {
            "control": name,
            "seed": seed,
            "region": region,
            "starts": 100,
            "skills": skills + 0.001 * seed,
            "grid": grid,
            "coarser": 0.995 * grid,
            "spread": 0.01,
        }
        for seed in range(3)
        for region in range(regions)
    ]


def test_the_figure_of_control_draws_the_rows():
    rows = [
        *control_rows(0.76),
        *[
            {**row, "skills": 0.008 * row["region"], "grid": 0.8 * (row["region"] > 0)}
            for row in control_rows(0.0, name="mountain car", regions=100)
        ],
        {"walk": "pendulum", "seed": 0, "region": 0, "states": [[3.0, 1.0], [-3.0, 1.0], [0, 0]]},
        {"walk": "mountain car", "seed": 0, "region": 7, "states": [[-0.5, 0.0], [-0.4, 0.01]]},
    ]
    assert set(plot_control(rows[:3])) == {"control"}
    left, middle, right, *_ = plot_control(rows)["control"].axes
    assert left.lines[0].get_ydata() == pytest.approx([95.0, 95.125, 95.25])
    # The sums over 100 boxes: 0.008 * 4950 for the skills, 0.8 * 99 for the grid.
    assert left.lines[1].get_ydata() == pytest.approx([50.0] * 3)
    assert list(left.lines[2].get_ydata()) == [95.0, 95.0]
    shares = middle.collections[0].get_array()
    # Velocities run upwards, positions to the right.
    assert shares[3, 7] == pytest.approx(73.0)
    assert shares.mask.sum() == 1
    assert shares.mask[0, 0]
    assert len(middle.patches) == 94
    assert middle.lines[0].get_xydata() == pytest.approx(np.array(rows[-1]["states"]))
    swung = right.lines[0].get_xydata()
    assert swung[[0, 2, 3]] == pytest.approx(np.array(rows[-2]["states"]))
    assert np.isnan(swung[1]).all()  # the angle wraps around
    assert right.lines[2].get_xydata().tolist() == [[0, 0]]


def test_the_drawn_way_ends_in_the_region_at_the_discount_of_the_rows():
    config = ControlConfig("pendulum", starts=1, divisor=10)
    walk = walk_control(config, 0, 0)
    (row,) = run_control(config, 0)
    assert DISCOUNT ** (len(walk["states"]) - 1) == pytest.approx(row["skills"])
    seen = np.asarray(CONTROL_TASKS["pendulum"].world.observe(jnp.asarray(walk["states"])))
    assert upright(seen).tolist() == [False] * (len(seen) - 1) + [True]
    assert json.loads(json.dumps(walk)) == walk


def test_control_verdicts_follow_the_interval_and_the_grid():
    def verdict(rows):
        return OFFLINE_GOALS.find([*made(0.99), *rows])[-3].verdict

    assert verdict(control_rows(0.79)) == Verdict.HOLDS
    assert verdict(control_rows(0.7)) == Verdict.FAILS
    assert verdict(control_rows(0.7595)) == Verdict.UNSETTLED


def test_grids_that_have_not_converged_can_show_a_shortfall_only():
    def verdict(skills):
        rows = [{**row, "coarser": 0.9 * row["grid"]} for row in control_rows(skills)]
        return OFFLINE_GOALS.find([*made(0.99), *rows])[-3].verdict

    assert verdict(0.79) == Verdict.UNSETTLED
    assert verdict(0.7) == Verdict.FAILS


def test_leads_pool_starts_as_if_each_were_a_row():
    rng = np.random.default_rng(0)
    samples = rng.normal(0.1, 0.02, (3, 50))
    rows = [
        {"region": 0, "starts": 50, "skills": each.mean(), "grid": 0.0, "spread": each.std(ddof=1)}
        for each in samples
    ]
    low, high = lead(rows)
    plain = 1.976 * samples.std(ddof=1) / np.sqrt(150)
    assert (low + high) / 2 == pytest.approx(samples.mean())
    assert (high - low) / 2 == pytest.approx(plain, rel=1e-3)
    boxes = control_rows(0.79, regions=4)
    assert lead(boxes)[0] == pytest.approx(0.791 - 0.95 * 0.8)


def test_rollouts_through_teleporters_split_by_exits(monkeypatch):
    maze, (entrance, _) = TELEPORT, TELEPORT.centres(TELEPORT.entrances)
    goal = TELEPORT.centres(TELEPORT.exits)[0] + np.array([1.5, 0.0])

    class Straight(GoalAgent):
        """Heads for the entrance, and right once it was there."""

        def __init__(self, plan):
            self.plan, self.jumped = plan, False

        def predict(self, seen):
            ahead = entrance - seen
            self.jumped |= bool(np.linalg.norm(ahead) <= 1.5)
            return (np.array([1.0, 0.0]) if self.jumped else ahead / np.linalg.norm(ahead)), None

        def copy(self):
            other = Straight(self.plan)
            other.jumped = self.jumped
            return other

    monkeypatch.setattr(bounds, "GoalAgent", Straight)
    monkeypatch.setattr(bounds, "MAX_STEPS", 40)
    plan = object.__new__(GoalPlan)
    object.__setattr__(plan, "goal", goal)
    start = entrance - np.array([0.0, 3.0])
    real, rollouts = bounds._realised(plan, maze, start, np.random.default_rng(0))
    assert rollouts == 100
    # About a third leaves by the exit beside the goal: 8 steps to the entrance, 3 from the exit.
    arrived = 100 * real / bounds.DISCOUNT**11
    assert arrived == pytest.approx(round(arrived))
    assert 20 < arrived < 46
