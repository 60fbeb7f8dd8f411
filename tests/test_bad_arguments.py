"""Whatever is given to a public function, it works or says in one sentence what was wrong."""

import tempfile
from functools import cache
from pathlib import Path

import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
import pytest
from PIL import Image
from scipy.sparse import csr_array

import first_occupancy as fo
from first_occupancy import environments, planning
from first_occupancy.continuous.followers import GoalAgent
from first_occupancy.continuous.goal_plans import plan_to_observation
from first_occupancy.continuous.region_plans import plan_to_region
from first_occupancy.environments import FOUR_MOVES

JUNK = {
    "text": "x", "bytes": b"x", "none": None, "true": True, "function": len, "object": object(),
    "nan": np.nan, "infinity": np.inf, "below": -1, "half": 1.5, "imaginary": 1j, "huge": 10**400,
    "large": 1e300, "empty": [], "two empty": [[]], "mapping": {}, "set": {1.5},
    "texts": ["a", "b"], "objects": [object()], "ragged": [[1], [1, 2]],
    "array of text": np.array(["a"]), "array of objects": np.array([None]),
    "complex array": np.full((2, 2), 1j),
    "NaN array": np.array([np.nan]), "floats": np.array([0.5, 0.5]), "cube": np.zeros((2, 2, 2)),
}  # fmt: skip


class Corridor:
    def starts(self, rng, number):
        return rng.uniform(0, 5, (number, 1))

    def step(self, states, actions):
        return np.clip(states + actions, 0, 5)

    def observe(self, states):
        return states


@cache
def files():
    """Return the paths of an image, a map of it, and a track."""
    folder = Path(tempfile.mkdtemp(prefix="first_occupancy_"))
    image, yaml, table = folder / "map.png", folder / "map.yaml", folder / "rat.csv"
    Image.fromarray(np.full((2, 2), 255, np.uint8)).save(image)
    yaml.write_text("image: map.png\nresolution: 0.1\norigin: [0, 0, 0]\n")
    table.write_text("time,x,y\n0,0.05,0.05\n1,0.15,0.05\n2,0.05,0.05\n3,0.15,0.05\n")
    return str(image), str(yaml), str(table)


@cache
def calls():
    """Return each public function with arguments that it takes."""
    noisy = fo.maze(["S..", ".#.", "..G"], noise=0.1)
    plain = fo.maze(["S..", ".#.", "..G"])
    mdp = noisy.mdp
    size, key = mdp.num_states, jax.random.key(0)
    policies = fo.constant_policies(mdp)
    names = {"state_names": [f"s{n}" for n in range(size)], "action_names": list("abcd")}
    chains = fo.chain(mdp, policies)
    frs = fo.first_occupancy.solve(chains, discount=0.9)
    occupancies = fo.occupancies(mdp, policies, discount=0.9)
    plan = fo.plan(noisy, 3, discount=0.9)
    steps, reward, states = plain.next_states, jnp.ones(size), jnp.array([0, 1, 2, 3, 2])
    matrices = [np.asarray(mdp.transition[:, action]) for action in range(4)]
    sparse = fo.SparseMDP([csr_array(each) for each in matrices])
    columns = {"states": [0, 1, 2, 3], "next_states": [1, 2, 3, 0], "policies": [0, 1, 0, 1]}
    log = fo.transition_log(**columns)
    skills = [lambda seen: np.full_like(seen, 0.5), lambda seen: np.full_like(seen, -0.5)]
    tried = {"world": Corridor(), "skills": skills, "num_episodes": 9, "num_steps": 20}
    episodes = fo.skill_episodes(**tried, switched=3.0, seed=0)
    walks = [episodes.observations[:21], episodes.observations[21:42]]
    landmarks = fo.landmark_world(episodes)
    to_observation = fo.plan(landmarks, [2.0])
    fixed = {"discount": 0.9}
    ways = {"goal": 3, "policies": None, "avoid": [5], "refine": 0, "tolerance": None}
    edges = [("a", "b"), ("b", "c")]
    image, yaml, table = files()
    track = fo.read_tracking(table)
    arena = fo.arena(width=0.4, height=0.2, cell=0.1)
    visits = track.cells(arena)
    on_map = {
        "one_way": {(0, 1): "down"},
        "moves": FOUR_MOVES,
        "noise": 0.1,
        "bump_cost": 0.5,
    }
    found = {
        "MDP": (fo.MDP, {
            "transition": mdp.transition, "reward": mdp.reward,
            "start_distribution": mdp.start_distribution, **names}),
        "SparseMDP": (fo.SparseMDP, {
            "transitions": matrices, "rewards": 0.0, "durations": np.ones((size, 4)),
            "start_distribution": np.full(size, 1 / size), **names}),
        "Occupancies": (fo.Occupancies, {
            "values": occupancies.values, **fixed, "representation": fo.first_occupancy,
            "policies": policies, "state_names": None, "policy_names": None}),
        "occupancies": (fo.occupancies, {
            "world": mdp, "policies": policies, **fixed, "representation": fo.successor,
            "policy_names": None}),
        "chain": (fo.chain, {"world": mdp, "policy": policies}),
        "chain, sparse": (fo.chain, {"world": sparse, "policy": np.asarray(policies)}),
        "constant_policies": (fo.constant_policies, {"world": mdp}),
        "count_transitions": (fo.count_transitions, {"transitions": log}),
        "hitting": (fo.hitting, {
            "chain": sparse, "targets": [3], "policy": policies[0], "avoid": [2],
            "discount": 0.9, "state_names": None}),
        "hitting, matrix": (fo.hitting, {
            "chain": chains[0], "targets": 3, "policy": None, "avoid": (), "discount": 0.9,
            "state_names": names["state_names"]}),
        "Plan.arrival": (plan.arrival, {"start": 5}),
        "hitting, log": (fo.hitting, {
            "chain": fo.transition_log([0, 1, 2], [1, 2, 3]), "targets": 3, "policy": None}),
        "event_log": (fo.event_log, {
            "table": {"case": [1, 1], "activity": ["a", "b"], "time": [0, 1]}, "case": "case",
            "activity": "activity", "time": "time", "end": None}),
        "Passage.quantile": (fo.hitting(chains[0], 3).quantile, {"share": 0.5}),
        "Passage.by": (fo.hitting(chains[0], 3).by, {"time": 5}),
        "Passage.arrival": (fo.hitting(chains[0], 3).arrival, {"start": 5}),
        "Arrival.quantile": (fo.hitting(chains[0], 3).arrival(0).quantile, {"share": 0.5}),
        "Arrival.by": (fo.hitting(chains[0], 3).arrival(0).by, {"time": 5}),
        "drawn_policy": (environments.drawn_policy, {
            "world": plain, "drawing": [">>v", "^#v", "^<v"]}),
        "Episodes": (fo.Episodes, {"observations": walks, "actions": walks}),
        "escape_arena": (fo.escape_arena, {"size": 5, "barrier": True}),
        "four_rooms": (fo.four_rooms, {"noise": 0.1}),
        "river_swim": (fo.river_swim, {"num_states": 6}),
        "evaluate": (fo.evaluate, {"plan": plan, "world": mdp, "policies": policies, **fixed}),
        "evaluate, sparse": (fo.evaluate, {
            "plan": plan, "world": sparse, "policies": None, **fixed}),
        "fold": (planning.best_legs, {"frs": frs}),
        "follow": (planning.follow, {"legs": plan.legs(0), "start": 0, "next_states": steps}),
        "Plan.legs": (plan.legs, {"start": 0}),
        "frs_from_log": (fo.frs_from_log, {"transitions": log, **fixed}),
        "from_edges": (fo.from_edges, {"edges": edges, "weights": [1.0, 2.0], "nodes": None}),
        "from_image": (fo.from_image, {
            "path": image, "threshold": 0.5, "costs": 3.0, "start": (0, 0), "goals": [(1, 1)],
            "corners": "forbid", **on_map}),
        "from_ros_map": (fo.from_ros_map, {
            "path": yaml, "costs": 3.0, "start": (0.1, 0.1), "corners": "forbid", **on_map}),
        "RobotMap.state_at": (fo.from_ros_map(yaml).state_at, {"x": 0.1, "y": 0.1}),
        "arena": (fo.arena, {
            "width": 1.0, "height": 0.5, "cell": 0.1, "walls": [((0.1, 0.0), (0.2, 0.1))]}),
        "read_tracking": (fo.read_tracking, {
            "path": table, "part": None, "columns": ("time", "x", "y"), "likelihood": 0.9,
            "frames_per_second": 30.0, "scale": 1.0, "origin": (0.0, 0.0), "rotation": 0.0,
            "flip_y": False, "corners": None, "size": None}),
        "read_tracking, corners": (fo.read_tracking, {
            "path": table, "corners": [(0, 0), (1, 0), (1, 1), (0, 1)], "size": (1, 1)}),
        "Tracking.cells": (track.cells, {"arena": arena, "outside": "gap", "every": 0.5}),
        "Visits.subjects": (visits.subjects, {"goal": 1, "name": "rat"}),
        "behaviour.compare": (fo.behaviour.compare, {
            "models": [fo.behaviour.random_walk()], "subjects": visits.subjects(goal=1),
            "key": key, "num_starts": 1, "folds": None}),
        "from_networkx": (fo.from_networkx, {"graph": nx.DiGraph(edges), "weight": None}),
        "from_scipy": (fo.from_scipy, {"edges": csr_array(np.eye(3, k=1)), "nodes": None}),
        "maze": (fo.maze, {
            "drawing": ["S.", "1G"], "moves": FOUR_MOVES, "noise": 0.1, "bump_cost": 0.5,
            "corners": "forbid"}),
        "Maze.state": (plain.state, {"row": 0, "column": 1}),
        "Maze.cell": (plain.cell, {"state": 0}),
        "Maze.with_walls": (plain.with_walls, {"cells": [(1, 0)]}),
        "plan": (fo.plan, {"world": plain, **ways, **fixed, "max_switches": None}),
        "plan, deadline": (fo.plan, {
            "world": plain, "goal": 3, "policies": None, "avoid": [5], "deadline": 5.0}),
        "DeadlinePlan.legs": (fo.plan(plain, 3, deadline=5.0).legs, {"start": 0, "left": 4.0}),
        "DeadlinePlan.policy_with": (
            fo.plan(plain, 3, deadline=5.0).policy_with, {"left": 4.0}),
        "plan, noisy": (fo.plan, {"world": noisy, **ways, **fixed, "max_switches": 2}),
        "plan, sparse": (fo.plan, {"world": sparse, **ways, **fixed}),
        "plan, FRs": (fo.plan, {
            "world": mdp, "goal": 3, "policies": occupancies, **fixed, "avoid": ()}),
        "plan, log": (fo.plan, {"world": fo.count_transitions(log), **ways, **fixed, "avoid": [0]}),
        "Planner": (fo.Planner, {
            "world": noisy, "policies": None, **fixed, "avoid": [5], "dense_up_to": 9}),
        "Planner.plan": (fo.Planner(noisy, discount=0.9, dense_up_to=0).plan, {
            "goal": 3, "max_switches": None, "refine": 0, "tolerance": 1e-3}),
        "tour": (fo.tour, {
            "world": plain, "goals": [3, 4], "start": 0, **fixed, "policies": None,
            "returning": False, "last": None, "avoid": [5], "max_switches": None, "refine": None,
            "tolerance": None, "seconds": None}),
        "collect": (fo.collect, {
            "world": plain, "rewards": {3: 1.0, 4: 0.5}, "start": 0, **fixed, "policies": None,
            "last": None, "avoid": [5], "refine": None, "tolerance": None}),
        "best_order": (planning.best_order, {
            "start": 0, "goals": [1, 2], "log_discounts": -np.ones((4, 2)), "last": None,
            "returning": None, "seconds": None}),
        "plan_paths": (planning.plan_paths, {
            "next_states": steps, "goal": 3, **fixed, "max_switches": None}),
        "plan_paths_to_goals": (planning.plan_paths_to_goals, {
            "next_states": steps, "goals": [3, 4], **fixed, "max_switches": None}),
        "plan_to_every_goal": (planning.plan_to_every_goal, {"frs": frs, "max_switches": None}),
        "plan_to_goal": (planning.plan_to_goal, {"frs": frs, "goal": 3, "max_switches": None}),
        "plan_to_goals": (planning.plan_to_goals, {
            "frs": frs, "goals": [3, 4], "max_switches": None}),
        "gpi.choose_action": (planning.gpi.choose_action, {
            "reps": jnp.ones((2, size, 4, size)), "reward": reward}),
        "gpi.choose_policy": (planning.gpi.choose_policy, {"reps": frs, "reward": reward}),
        "gpi.set_max": (planning.gpi.set_max, {
            "reps": frs, "reward": reward, "start": reward / size}),
        "expected_returns": (fo.expected_returns, {"rep": frs, "reward": reward}),
        "options.from_plan": (planning.options.from_plan, {
            "plan": plan, "policies": policies, "start": 0}),
        "options.execute": (planning.options.execute, {
            "options": planning.options.from_plan(plan, policies, 0), "world": mdp, "key": key,
            "start": 0, "num_steps": 5}),
        "policy_iteration.solve": (fo.policy_iteration.solve, {
            "world": mdp, **fixed, "max_iterations": 10}),
        "policy_iteration.evaluate": (fo.policy_iteration.evaluate, {
            "mdp": mdp, "policy": jnp.zeros(size, int), **fixed}),
        "value_iteration.solve": (fo.value_iteration.solve, {
            "world": mdp, **fixed, "error": 1e-3, "max_iterations": 100}),
        "value_iteration.solve, sparse": (fo.value_iteration.solve, {
            "world": sparse, **fixed, "error": 1e-3, "max_iterations": 100}),
        "value_iteration.action_values": (fo.value_iteration.action_values, {
            "mdp": mdp, "values": reward, **fixed}),
        "rollout": (fo.rollout, {
            "mdp": mdp, "key": key, "policy": policies[0], "start": 0, "num_steps": 5}),
        "rollouts": (fo.rollouts, {
            "mdp": mdp, "key": key, "policy": policies[0], "starts": states, "num_steps": 5}),
        "transition_log": (fo.transition_log, {
            **columns, "episodes": [0, 0, 1, 1], "terminations": [False] * 4,
            "num_states": 4, "num_policies": 2, "state_names": list("abcd"),
            "policy_names": list("uv")}),
        "skill_episodes": (fo.skill_episodes, {**tried, "switched": 3.0, "seed": 0}),
        "skill_world": (fo.skill_world, {
            "log": episodes, "skills": skills, "num_landmarks": 9, "hold": 2, "confidence": 0.9,
            "balanced": True, "seed": 0}),
        "landmark_world": (fo.landmark_world, {
            "log": episodes, "stride": 4.0, "num_actions": 3, "confidence": 0.95,
            "displaced": True, "means": 1, "at_most": 50, "seed": 0}),
        "plan, to an observation": (fo.plan, {
            "world": landmarks, "goal": [2.0], **fixed, "refine": None}),
        "plan, to a region": (fo.plan, {
            "world": landmarks, "goal": lambda seen: seen[:, 0] > 1, **fixed, "refine": None}),
        "plan_to_observation": (plan_to_observation, {
            "world": landmarks, "goal": [2.0], **fixed, "radius": 1.0, "refine": None}),
        "plan_to_region": (plan_to_region, {
            "world": landmarks, "goal": lambda seen: seen[:, 0] > 1, **fixed, "lookahead": 1}),
        "Agent": (fo.Agent, {"plan": plan, "interface": plan.agent().interface, "seed": 0}),
        "Plan.agent": (plan.agent, {
            "environment": None, "observe": None, "policies": None, "seed": 0}),
        "Plan.policy_function": (plan.policy_function, {"observe": None, "policies": None}),
        "GoalPlan.agent": (to_observation.agent, {"patience": 8}),
        "GoalAgent": (GoalAgent, {"plan": to_observation, "patience": 8}),
        "GoalAgent.predict": (to_observation.agent().predict, {"observation": [1.0]}),
        "LambdaRepresentation": (fo.LambdaRepresentation, {"decay": 0.5}),
        "load": (fo.load, {"path": "no.npz", "expected": fo.MDP}),
        "load_plans": (planning.load_plans, {"path": "no.npz"}),
        "save": (fo.save, {"thing": plan, "path": "plan.npz"}),
        "plot": (fo.plot, {"thing": plain, "ax": None}),
    }  # fmt: skip
    chain, initial = chains[0], fo.first_occupancy.initial(size)
    for name in ("first_occupancy", "successor"):
        kind, learn = getattr(fo, name), {**fixed, "step_size": 0.1}
        found |= {
            f"{name}.initial": (kind.initial, {"num_states": 4}),
            f"{name}.backup": (kind.backup, {"rep": frs[0], "chain": chain, **fixed}),
            f"{name}.solve": (kind.solve, {"chain": chain, **fixed}),
            f"{name}.solve, sparse": (kind.solve, {"chain": csr_array(np.array(chain)), **fixed}),
            f"{name}.solve_columns": (kind.solve_columns, {
                "chain": csr_array(np.array(chain)), "goals": np.array([1, 2]), **fixed}),
            f"{name}.from_visits": (kind.from_visits, {"visits": jnp.eye(4) + 0.1}),
            f"{name}.td_learn": (kind.td_learn, {"rep": initial, "states": states, **learn}),
            f"{name}.td_step": (kind.td_step, {
                "rep": initial, "state": 0, "next_state": 1, **learn}),
            f"{name}.td_learn_log": (kind.td_learn_log, {
                "reps": initial[None], "states": np.array([0, 1]),
                "next_states": np.array([1, 2]), "policies": np.array([0, 0]), **learn}),
        }  # fmt: skip
    return found


NOT_CALLED = {
    *("InputError", "World", "six_arms", "small_room"),
    *("Collection", "Graph", "LandmarkWorld", "Leg", "Log", "Tour"),
    *("from_environment", "from_minari"),  # need a dataset; train networks
}


def test_no_public_function_is_forgotten():
    covered = {name.split(",")[0].split(".")[0] for name in calls()}
    assert set(fo.__all__) - covered == NOT_CALLED


@pytest.mark.filterwarnings("ignore::first_occupancy.behaviour.arenas.OffGridWarning")
@pytest.mark.parametrize("kind", JUNK)
def test_junk_works_or_is_refused_in_one_sentence(kind, as_users_run_it, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = []
    for name, (function, arguments) in calls().items():
        for argument in arguments:
            try:
                function(**{**arguments, argument: JUNK[kind]})
            except fo.InputError as error:
                said = str(error)
                if len(said) > 250 or "\n" in said or " at 0x" in said:
                    raw.append((name, argument, said))
            except FileNotFoundError:
                assert name in ("load", "load_plans", "from_image", "from_ros_map")
            except Exception as error:
                raw.append((name, argument, repr(error)))
    assert not raw, raw


def test_the_top_level_has_few_names_which_their_first_line_explains():
    assert len(fo.__all__) <= 60
    for name in fo.__all__:
        assert len((getattr(fo, name).__doc__ or "").split("\n")[0]) > 15, name
