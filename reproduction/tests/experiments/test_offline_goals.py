"""Goals from logs: a small run of every variant, and what rows say."""

import json
import sys
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from corridors import STEP, corridor_log
from first_occupancy.continuous.followers import GoalAgent
from first_occupancy.continuous.goal_plans import GoalPlan
from first_occupancy.continuous.landmark_worlds import landmark_world
from first_occupancy.core.episodes import Episodes
from first_occupancy.representations.features.networks import Training
from first_occupancy_paper.experiments import Verdict
from first_occupancy_paper.experiments.offline_goals import OFFLINE_GOALS, bounds, find_ants
from first_occupancy_paper.experiments.offline_goals.cloning import cloned
from first_occupancy_paper.experiments.offline_goals.control import (
    DISCOUNT,
    grid_rows,
    joined,
    realised,
    skill_rows,
    walk_control,
)
from first_occupancy_paper.experiments.offline_goals.control_tasks import CONTROL_TASKS, upright
from first_occupancy_paper.experiments.offline_goals.find import counts
from first_occupancy_paper.experiments.offline_goals.find_control import lead
from first_occupancy_paper.experiments.offline_goals.find_peers import difference
from first_occupancy_paper.experiments.offline_goals.learned_value import learned_value
from first_occupancy_paper.experiments.offline_goals.network_peers import NETWORKS
from first_occupancy_paper.experiments.offline_goals.plot_control import plot_control
from first_occupancy_paper.experiments.offline_goals.position_graph import NAME, PositionGraph
from first_occupancy_paper.experiments.offline_goals.run import Config, run
from first_occupancy_paper.experiments.offline_goals.teams import Agents, Networks
from first_occupancy_paper.experiments.offline_goals.variants import VARIANTS, frp_planner, plan_of
from first_occupancy_paper.worlds.point_maze_logs import SETS, point_maze_log, rolled_out
from first_occupancy_paper.worlds.point_mazes import MEDIUM, TELEPORT
from lines import by_id


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
    return landmark_world(corridor_log(), num_actions=3, stride=4.0, at_most=5000)


# Numbers of visits, and products of them, do not tell how near the goal is.
COUNTING = ("set-max of SRs", "SR products")


@pytest.mark.parametrize("name", [name for name in VARIANTS if name not in COUNTING])
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
    assert swept.values == pytest.approx(np.asarray(refined.plan.expected_discount), abs=1e-5)


def test_set_max_of_frs_is_planning_without_switches(corridor):
    goal = np.array([8.0])
    held = plan_of(VARIANTS["set-max of FRs"], corridor, goal)
    planner = frp_planner(corridor, held.discount)
    plain = planner.plan(held.goal_landmarks, max_switches=0)
    assert held.values == pytest.approx(np.asarray(plain.promised), abs=1e-5)


def test_set_max_of_srs_counts_visits(corridor):
    held = plan_of(VARIANTS["set-max of SRs"], corridor, np.array([8.0]))
    size = corridor.num_states
    best = np.zeros(size)
    for number, chain in enumerate(corridor.mdp.action_chains):
        waited = held.discount ** corridor.mdp.durations[:, number]
        visits = np.linalg.inv(np.eye(size) - waited[:, None] * chain.toarray())
        best = np.maximum(best, visits[:, held.goal_landmarks].sum(axis=1))
    assert held.values == pytest.approx(best / best.max(), rel=1e-6)


SMALL = Training(hidden=64, num_updates=1200, batch_size=128, learning_rate=2e-3, copy_rate=0.03)


def test_learned_values_are_discounts_of_the_way_in_a_corridor():
    learned = learned_value(corridor_log(), 0, discount=0.98, training=SMALL)
    starts, goals = np.random.default_rng(0).uniform(0.5, 9.5, (2, 300, 1))
    found = learned.discounts(starts, goals)
    # The soonest way takes full steps; recorded pushes have noise, and are a little slower.
    exact = 0.98 ** (np.abs(starts - goals)[:, 0] / STEP)
    assert np.abs(found - exact).mean() < 0.1
    assert np.corrcoef(found, exact)[0, 1] > 0.98
    far = np.abs(starts - goals)[:, 0] > 0.5
    ahead = np.sign(learned(starts, goals)[:, 0]) == np.sign(goals - starts)[:, 0]
    assert ahead[far].mean() > 0.97


def test_values_take_the_best_of_what_the_log_did():
    # Two ways to the same end: half of the episodes take 4 steps, half 12.
    seen = [np.array([0.0, 1, 2, 3, 4])[:, None], np.array([0.0, *[-1] * 8, 2, 3, 4])[:, None]]
    done = [np.ones((len(each) - 1, 1)) for each in seen]
    log = Episodes(seen * 10, done * 10)
    learned = learned_value(log, 0, discount=0.9, training=SMALL)
    found = learned.discounts(np.array([[0.0]]), np.array([[4.0]]))[0]
    mean = (0.9**4 + 0.9**11) / 2
    assert mean + 0.08 < found < 0.9**4 + 0.05


def test_cloning_reaches_goals_nearby_and_does_better_than_chance():
    policy = cloned(point_maze_log(MEDIUM, "stitch", seed=0, num_episodes=200), 0, training=SMALL)
    rng = np.random.default_rng(0)
    starts = MEDIUM.scattered([(1, 1)] * 20 + [(6, 6)] * 20, rng)
    goals = MEDIUM.scattered([(2, 2)] * 20 + [(4, 6)] * 20, rng)
    limits = {"max_steps": 60, "rng": rng}
    arrived = rolled_out(MEDIUM, starts, goals, Networks(policy, goals).act, **limits)

    def wander(seen, running):
        return rng.uniform(-1, 1, seen.shape)

    by_chance = rolled_out(MEDIUM, starts, goals, wander, **limits)
    assert (arrived >= 0).mean() > 0.7
    assert (arrived >= 0).sum() > (by_chance >= 0).sum() + 10


def test_networks_act_for_those_alone_whose_episodes_still_run():
    goals = np.arange(8.0).reshape(4, 2)
    team = Networks(lambda seen, goals: goals - seen, goals)
    found = team.act(np.zeros((2, 2)), np.array([1, 3]))
    assert found.tolist() == goals[[1, 3]].tolist()
    assert (team.known, team.replans) == ([0, 1, 2, 3], 0)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_run_in_the_same_harness(name, monkeypatch):
    monkeypatch.setattr(sys.modules[run.__module__], "MAX_STEPS", 5)
    config = Config("medium", "stitch", variant=name, divisor=100, episodes=1, updates=3)
    rows = list(run(config, 0))
    assert [row["task"] for row in rows] == [1, 2, 3, 4, 5]
    assert {row["updates"] for row in rows} == {3}
    assert json.loads(json.dumps(rows)) == rows


def test_goals_to_which_no_data_lead_count_as_not_reached(corridor):
    def agent_of(goal, number):
        return plan_of(VARIANTS["surest"], corridor, goal).agent()

    team = Agents(agent_of, np.array([[8.0], [99.0], [2.0]]))
    assert team.known == [0, 2]
    assert team.act(np.array([[5.0]]), np.array([1]))[0, 0] < 0


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


def lines(rows):
    return by_id(OFFLINE_GOALS.find(rows))


def test_verdicts_follow_the_intervals():
    tenth = made(0.95, divisor=10, maze="giant", kind="stitch")
    good = lines([*made(0.99), *tenth, *made(0.5, variant="soonest")])
    assert {id for id, line in good.items() if line.verdict == Verdict.HOLDS} == {
        "eight_sets",
        "little_data",
        "ablation:soonest",
    }
    assert {id for id, line in good.items() if line.verdict == Verdict.NOT_RUN} == {
        f"skills_not_run:{world}" for world in CONTROL_TASKS
    }
    assert lines(made(0.5))["eight_sets"].verdict == Verdict.FAILS
    assert lines(made(0.95))["eight_sets"].verdict == Verdict.UNSETTLED
    same = lines([*made(0.99), *made(0.99, variant="soonest")])
    assert same["ablation:soonest"].verdict == Verdict.UNSETTLED


def test_networks_must_lose_on_every_set():
    def verdict(theirs, sets):
        parts = [made(theirs, "cloning", 1, maze, kind) for maze, kind in sets]
        theirs = [row for part in parts for row in part]
        return lines([*made(0.99), *theirs])["network:cloning"].verdict

    assert verdict(0.5, SETS[:3]) == Verdict.HOLDS
    assert verdict(0.985, SETS[:3]) == Verdict.UNSETTLED
    one_lost = [*made(0.5, "cloning", 1, *SETS[0]), *made(1.0, "cloning", 1, *SETS[1])]
    assert lines([*made(0.9), *one_lost])["network:cloning"].verdict == Verdict.FAILS


def test_value_iteration_is_compared_with_the_plan_for_the_same_discount():
    def verdict(soonest, swept):
        rows = [*made(0.99), *made(soonest, "soonest"), *made(swept, "value iteration")]
        return lines(rows)["value_iteration"].verdict

    assert verdict(0.9, 0.92) == Verdict.HOLDS
    assert verdict(0.6, 0.92) == Verdict.FAILS
    assert verdict(0.9, 0.99) == Verdict.UNSETTLED


def test_value_iteration_for_arriving_at_all_is_compared_with_the_surest_plan():
    def verdict(surest, swept):
        rows = [*made(surest), *made(0.1, "soonest"), *made(swept, "value iteration, surest")]
        return lines(rows)["surest_values"]

    assert verdict(0.9, 0.92).verdict == Verdict.HOLDS
    assert verdict(0.6, 0.92).verdict == Verdict.FAILS
    assert verdict(0.9, 0.92).again


def test_the_control_may_lose_ten_points_on_no_set():
    def line(theirs, *extra):
        rows = [*made(1.0), *made(theirs, NAME), *extra]
        return by_id(OFFLINE_GOALS.findings(rows))["control"]

    assert line(0.95).verdict == Verdict.HOLDS
    assert line(0.8).verdict == Verdict.FAILS
    assert "7,600 of 8,000 against 8,000 of 8,000" in line(0.95).ours


def test_the_control_reaches_most_goals_from_a_little_data():
    rows = list(run(Config("medium", "stitch", variant=NAME, divisor=10, episodes=4), 0))
    assert [row["task"] for row in rows] == [1, 2, 3, 4, 5]
    assert sum(row["reached"] for row in rows) >= 18
    assert json.loads(json.dumps(rows)) == rows


def test_distances_of_the_control_are_those_of_recorded_ways_without_jumps():
    # To the right along y = 0 twice, each time with a jump at x = 6; the way back is not recorded.
    right = np.stack([np.append(np.arange(0, 6, 0.1), np.arange(9, 12, 0.1)), np.zeros(90)], axis=1)
    graph = PositionGraph(Episodes([right, right], [np.zeros((89, 2))] * 2))
    distances = graph.distances(np.array([4.0, 0.0]))
    far = graph.centres[:, 0]
    start, beyond = far.argmin(), far.argmax()
    assert distances[start] == pytest.approx(4.0 - 0.25 * 6, abs=0.6)  # six bins count as the goal
    assert np.isinf(distances[beyond])
    assert np.isinf(graph.distances(np.array([11.0, 0.0]))[start])
    ahead = graph.waypoint(np.array([1.0, 0.0]), distances)
    assert 1.0 < ahead[0] <= 1.9


def test_intervals_of_pooled_episodes_say_so():
    kept = OFFLINE_GOALS.findings(OFFLINE_GOALS.kept())
    wilson = [line for line in kept if "Wilson" in line.why or "Newcombe" in line.why]
    assert len(wilson) > 10
    assert all("counted as independent" in line.given for line in wilson)
    assert "15 pairs of log and task" in by_id(kept)["eight_sets"].why


def test_differences_of_rates_have_newcombes_interval():
    # The example of Newcombe (1998), method 10: 56 of 70 against 48 of 80.
    assert difference((56, 70), (48, 80)) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_bounds_have_a_line():
    rows = [{"maze": "medium", "low": 0.5, "high": 1.0, "real": 0.6} for _ in range(200)]
    assert lines([*made(0.99), *rows])["bounds"].verdict == Verdict.HOLDS
    # 20 of 20 is too few to be sure of 95%.
    assert lines([*made(0.99), *rows[:20]])["bounds"].verdict == Verdict.UNSETTLED
    wrong = [{**row, "low": 0.7} for row in rows]
    assert lines([*made(0.99), *wrong])["bounds"].verdict == Verdict.FAILS


def test_rows_are_counted_by_set_and_variant():
    assert counts(made(0.3), "surest", "large", "stitch") == (300, 1000)
    assert counts(made(0.3), "soonest", "large", "stitch") == (0, 0)


def test_kept_rows_have_lines_and_a_figure():
    rows = OFFLINE_GOALS.kept()
    found = OFFLINE_GOALS.findings(rows)
    assert len(found) >= 1
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


PENDULUM = {"starts": 20, "divisor": 10}


@pytest.fixture(scope="module")
def swung_up():
    """Return the rows of a small run of pendulums."""
    return [*skill_rows("pendulum", 0, **PENDULUM), *grid_rows("pendulum", 0, **PENDULUM)]


def test_skills_get_most_of_what_a_coarse_grid_does(swung_up):
    assert json.loads(json.dumps(swung_up)) == swung_up
    (row,) = joined(swung_up)
    assert row["skills"] > 0.9 * row["grid"]
    assert abs(row["coarser"] - row["grid"]) < 0.03


def test_parts_of_control_are_joined_by_world_seed_and_region(swung_up):
    skills, grids = swung_up
    assert set(skills) == {"control", "seed", "region", "skills"}
    assert set(grids) == {"control", "seed", "region", "grid", "coarser"}
    assert joined([grids, skills]) == joined(swung_up) == joined([{**skills, **grids}])
    assert joined([skills]) == []
    assert joined([{**grids, "seed": 1}, skills]) == []


def test_joined_rows_have_the_spread_of_the_lead():
    row = {"control": "pendulum", "seed": 0, "region": 0}
    (found,) = joined([row | {"skills": [0.8, 0.4], "grid": [0.8, 0.6], "coarser": [0.7, 0.7]}])
    assert found["starts"] == 2
    # The better grid counts: the second start is stuck in the finer one.
    assert (found["skills"], found["grid"], found["coarser"]) == pytest.approx((0.6, 0.75, 0.7))
    leads = np.array([0.8 - 0.95 * 0.8, 0.4 - 0.95 * 0.7])
    assert found["spread"] == pytest.approx(leads.std(ddof=1))


def test_boxes_of_the_car_cover_every_state_once():
    rng = np.random.default_rng(0)
    task = CONTROL_TASKS["mountain car"]
    states = rng.uniform(task.world.low, task.world.high, (200, 2))
    states[0] = task.world.high
    inside = np.stack([region(states) for region in task.regions])
    assert len(task.regions) == 100
    assert (inside.sum(axis=0) == 1).all()


@pytest.mark.parametrize("precise", [False, True])
def test_numpy_and_jax_agree_on_the_edges_of_boxes(precise):
    task = CONTROL_TASKS["mountain car"]
    edges = [np.linspace(*ends, 11) for ends in zip(task.world.low, task.world.high, strict=True)]
    with jax.enable_x64(precise):
        states = jnp.asarray(np.stack(np.meshgrid(*edges), axis=-1).reshape(-1, 2), jnp.float32)
        inside = np.stack([region(np.asarray(states)) for region in task.regions])
        assert (inside.sum(axis=0) == 1).all()
        assert (np.stack([region(states) for region in task.regions]) == inside).all()


def test_realised_discounts_count_steps():
    task = replace(CONTROL_TASKS["mountain car"], max_steps=5)

    def act(states, running):
        assert running.all() or running.any()
        return np.zeros(len(states))

    def beyond(seen):
        return seen[:, 0] > -0.5

    starts = np.array([[-0.49, 0.0], [-0.7, 0.02], [-0.6, -0.0]])
    found = realised(task, starts, beyond, act)
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
            "seed": seed + 3,
            "region": region,
            "skills": [skills + 0.001 * seed - 0.01, skills + 0.001 * seed + 0.01] * 50,
            "grid": [grid] * 100,
            "coarser": [0.995 * grid] * 100,
        }
        for seed in range(3)
        for region in range(regions)
    ]


def test_the_figure_of_control_draws_the_rows():
    rows = [
        *control_rows(0.76),
        *[
            {
                **row,
                "skills": [0.008 * row["region"]] * 100,
                "grid": [0.8 * (row["region"] > 0)] * 100,
                "coarser": [0.0] * 100,
            }
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


def test_the_drawn_way_ends_in_the_region_at_the_discount_of_the_rows(swung_up):
    walk, row = walk_control("pendulum", 0, 0, **PENDULUM), swung_up[0]
    assert DISCOUNT ** (len(walk["states"]) - 1) == pytest.approx(row["skills"][0], abs=1e-6)
    seen = np.asarray(CONTROL_TASKS["pendulum"].world.observe(jnp.asarray(walk["states"])))
    assert upright(seen).tolist() == [False] * (len(seen) - 1) + [True]
    assert json.loads(json.dumps(walk)) == walk


def ant_rows(giant, medium, **about):
    """Return rows of three seeds with given shares of goals reached."""
    return [
        {"walker": find_ants.WALKER, "maze": maze, "kind": kind, "seed": seed, "task": task}
        | {"episodes": 20, "reached": round(20 * share)}
        | about
        for (maze, kind), share in zip(find_ants.ANT_SETS, (giant, medium), strict=True)
        for seed in find_ants.SEEDS
        for task in range(1, 6)
        if share is not None
    ]


def test_the_line_of_ants_follows_its_rule():
    def verdict(rows):
        return lines([*made(0.99), *rows])["ants"].verdict

    assert verdict(ant_rows(0.95, 0.95)) == Verdict.HOLDS
    assert verdict(ant_rows(0.95, 0.6)) == Verdict.FAILS
    assert verdict(ant_rows(0.95, 0.8)) == Verdict.UNSETTLED
    assert verdict(ant_rows(0.95, None)) == Verdict.UNSETTLED
    one_seed = [row for row in ant_rows(0.99, 0.99) if row["seed"] == find_ants.SEEDS[0]]
    assert verdict(one_seed) == Verdict.UNSETTLED
    assert verdict(ant_rows(None, 0.6)) == Verdict.FAILS
    # Other walkers and seeds do not count.
    others = [*ant_rows(0.0, 0.0, walker="another"), *ant_rows(0.0, 0.0, seed=100)]
    assert verdict([*ant_rows(0.95, 0.95), *others]) == Verdict.HOLDS


def test_control_verdicts_follow_the_interval_and_the_grid():
    def verdict(rows):
        return lines([*made(0.99), *rows])["skills:pendulum"].verdict

    assert verdict(control_rows(0.79)) == Verdict.HOLDS
    assert verdict(control_rows(0.7)) == Verdict.FAILS
    assert verdict(control_rows(0.7595)) == Verdict.UNSETTLED


def test_grids_that_have_not_converged_settle_nothing():
    def verdict(skills):
        rows = [
            {**row, "coarser": [0.9 * each for each in row["grid"]]} for row in control_rows(skills)
        ]
        return lines([*made(0.99), *rows])["skills:pendulum"].verdict

    assert verdict(0.79) == Verdict.UNSETTLED
    assert verdict(0.7) == Verdict.UNSETTLED


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
    boxes = joined(control_rows(0.79, regions=4))
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
