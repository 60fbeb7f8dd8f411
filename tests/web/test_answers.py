"""What the server answers, against the library called in the plainest way."""

import json
import time
from itertools import pairwise

import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.core.mdp import absorbing
from first_occupancy.environments import EIGHT_MOVES, FOUR_MOVES
from first_occupancy.web import noise
from first_occupancy.web.rooms import room
from first_occupancy.web.scenes import PlanAnswer, RowAnswer, Scene

ROOMS = ["#######", "#S.#..#", "#..#..#", "#.....#", "#..#.G#", "#######"]
TWO_GOALS = ["S....", ".##.G", "G..#."]


def ask(lab, kind, **question):
    response = lab.post(f"/api/{kind}", json=question)
    assert response.status_code == 200, response.text
    return response.json()


def plain_plan(scene, switches):
    """Return the maze and its plan to the first goal from dense FRs."""
    world = fo.maze(
        scene["drawing"],
        moves=EIGHT_MOVES if scene.get("moves") == 8 else FOUR_MOVES,
        noise=scene.get("noise", 0.0),
    )
    policies = fo.constant_policies(world.mdp)
    frs = fo.first_occupancy.solve(fo.chain(world.mdp, policies), discount=scene["discount"])
    return world, frs, fo.plan_to_goal(frs, world.goals[0], max_switches=switches)


@pytest.mark.parametrize("switches", [0, 1, None])
@pytest.mark.parametrize(("moves", "chance"), [(4, 0.0), (8, 0.0), (4, 0.3), (8, 0.3)])
def test_plans_are_those_of_dense_frs(lab, moves, chance, switches):
    scene = {"drawing": ROOMS, "moves": moves, "noise": chance, "discount": 0.9}
    answer = ask(lab, "plan", scene=scene, switches=switches)
    PlanAnswer.model_validate(answer)
    world, frs, plan = plain_plan(scene, switches)
    cells = np.flatnonzero(world.free)
    (shown,) = answer["plans"]
    discount = np.array([value or 0 for value in shown["discount"]])
    np.testing.assert_allclose(discount[cells], plan.discount, rtol=1e-5)
    assert shown["goal"] == cells[world.goals[0]]
    # Of equally good legs rounding may choose another one, so ask what each is worth.
    policy, subgoal = (np.array(shown[name])[cells] for name in ("policy", "subgoal"))
    assert np.array_equal(policy >= 0, np.asarray(plan.policy) >= 0)
    for state in np.flatnonzero(policy >= 0):
        ahead = int(np.searchsorted(cells, subgoal[state]))
        leg = float(frs[policy[state], state, ahead])
        assert leg * float(plan.discount[ahead]) >= float(plan.discount[state]) * (1 - 1e-5)


def corridors(rows, columns):
    """Return one long corridor, to and fro, from 'S' to 'G'."""
    ends = ["." * columns, "#" * (columns - 1) + ".", "." * columns, "." + "#" * (columns - 1)]
    lines = [ends[row % 4] for row in range(rows)]
    return ["S" + lines[0][1:], *lines[1:-1], lines[-1][1:] + "G"]


def test_discounts_are_numbers_far_below_those_of_float32(lab):
    scene = {"drawing": corridors(9, 15), "noise": 0.9, "discount": 0.5}
    (shown,) = ask(lab, "plan", scene=scene)["plans"]
    world, _, plan = plain_plan(scene, None)
    found = [value or 0 for value in np.array(shown["discount"])[np.flatnonzero(world.free)]]
    assert 0 < found[world.start] < 1e-45
    np.testing.assert_allclose(found, plan.discount, rtol=1e-4)


def test_the_legs_are_a_way_from_start_to_goal(lab):
    answer = ask(lab, "plan", scene={"drawing": ROOMS})
    legs = answer["plans"][0]["legs"]
    way = [legs[0]["cells"][0], *[cell for leg in legs for cell in leg["cells"][1:]]]
    assert way[0] == answer["start"]
    assert way[-1] == answer["plans"][0]["goal"]
    for one, other in pairwise(way):
        assert abs(one - other) in (1, answer["columns"])
    assert answer["worth"]["plan"] == pytest.approx(0.95 ** (len(way) - 1), rel=1e-5)
    assert answer["most_switches"] == 2


def test_where_nothing_leads_to_the_goal_value_iteration_has_one_sweep_too(lab):
    answer = ask(lab, "plan", scene={"drawing": ["#####", "#S#G#", "#####"]})
    assert answer["most_switches"] == 0


def test_under_noise_following_the_plan_brings_what_evaluate_says(lab):
    scene = {"drawing": ROOMS, "noise": 0.2, "discount": 0.9}
    worth = ask(lab, "plan", scene=scene, switches=1)["worth"]
    world, _, plan = plain_plan(scene, 1)
    result = fo.evaluate(plan, world.mdp, fo.constant_policies(world.mdp), discount=0.9)
    assert worth["followed"] == pytest.approx(float(result.rechoosing[world.start]), rel=1e-5)
    assert worth["optimum"] == pytest.approx(float(result.optimal[world.start]), rel=1e-5)


def test_value_iteration_beside_it_has_as_many_sweeps(lab):
    answer = ask(lab, "plan", scene={"drawing": ROOMS, "noise": 0.1, "discount": 0.9}, switches=2)
    world = fo.maze(ROOMS, noise=0.1)
    swept = fo.value_iteration.solve(
        absorbing(world.mdp, world.goals[0]), discount=0.9, max_iterations=3
    )
    shown = np.array([value or 0 for value in answer["sweeps"]["discount"]])
    expected = 0.9 * np.asarray(swept.values)
    expected[world.goals[0]] = 1
    np.testing.assert_allclose(shown[world.free.ravel()], expected, rtol=1e-5)
    assert answer["sweeps"]["sweeps"] == 3


def test_several_goals_come_in_the_best_order(lab):
    answer = ask(lab, "plan", scene={"drawing": TWO_GOALS})
    assert [plan["goal"] for plan in answer["plans"]] == [10, 9]
    assert answer["tour_discount"] == pytest.approx(0.95 ** (2 + 7), rel=1e-5)
    assert answer["plans"][1]["legs"][0]["cells"][0] == 10


def test_policies_drawn_by_hand_are_followed(lab):
    drawn = [{"usual": "down"}, {"usual": "right", "arrows": ["", "", "", ">^"]}]
    scene = {"drawing": ["S....", ".####", "....G"], "drawn": drawn}
    answer = ask(lab, "plan", scene=scene)
    assert answer["policies"] == ["A", "B"]
    assert [(leg["policy"], leg["subgoal"]) for leg in answer["plans"][0]["legs"]] == [
        (0, 10),
        (1, 14),
    ]
    # The right-hand column's way back up exists only as an arrow.
    scene["drawing"], scene["drawn"] = (
        ["SG", ".."],
        [{"usual": "down"}, {"usual": "right", "arrows": ["", ".^"]}],
    )
    assert len(ask(lab, "plan", scene=scene)["plans"][0]["legs"]) == 1
    scene["drawn"] = [{"usual": "down"}, {"usual": "right", "arrows": ["v", ">^"]}]
    assert len(ask(lab, "plan", scene=scene)["plans"][0]["legs"]) == 1


@pytest.mark.parametrize("chance", [0.0, 0.25])
def test_rows_are_those_of_the_dense_fr_and_sr(lab, chance):
    scene = {"drawing": ROOMS, "noise": chance, "discount": 0.9}
    world, frs, _ = plain_plan(scene, 0)
    srs = fo.successor.solve(fo.chain(world.mdp, fo.constant_policies(world.mdp)), discount=0.9)
    answer = ask(lab, "row", scene=scene, policy=2, row=1, column=2)
    RowAnswer.model_validate(answer)
    state = world.state(1, 2)
    for name, exact in (("first_occupancy", frs), ("successor", srs)):
        shown = np.array([value or 0 for value in answer[name]])[world.free.ravel()]
        np.testing.assert_allclose(shown, exact[2, state], rtol=1e-5)


def test_answers_do_not_wait_for_acknowledgements(lab):
    # Head and body are sent apart; where TCP collects small parts, every answer takes 40 ms.
    def seconds():
        begin = time.perf_counter()
        assert lab.get("/api/status").status_code == 200
        return time.perf_counter() - begin

    assert min([seconds() for _ in range(40)][20:]) < 0.03


def test_unfinished_drawings_get_a_message(lab):
    messages = {
        "###": "Erase some walls: there is no free cell.",
        "S..": "Put a goal somewhere.",
        "..G": "Put the start somewhere.",
        "S#G": "With so few switches no plan reaches the goal from the start.",
    }
    for line, message in messages.items():
        assert ask(lab, "plan", scene={"drawing": [line]})["message"] == message
    wall = ask(lab, "row", scene={"drawing": ["S#"]}, policy=0, row=0, column=1)
    assert wall["message"] == "Only free cells lead anywhere."


def test_large_rooms_say_that_noise_is_left_out_of_the_plan(lab):
    drawing = ["." * 40] * 39 + ["S" + "." * 38 + "G"]
    answer = ask(lab, "plan", scene={"drawing": drawing, "noise": 0.2})
    assert answer["note"].startswith("With noise, plans are exact up to 1,024 cells.")
    assert (
        0
        < answer["worth"]["followed"]
        < answer["worth"]["plan"]
        == pytest.approx(0.95**39, rel=1e-5)
    )


@pytest.mark.parametrize("drawn", [0, 1])
def test_tables_of_drawn_walls_are_those_of_dense_frs(drawn):
    rng = np.random.default_rng(2)
    cells = np.where(rng.random((11, 13)) > 0.2, ".", "#")
    cells[5, 6] = ".#"[drawn]
    lines = ["".join(line) for line in cells]
    here = room(Scene(drawing=lines, moves=8, noise=0.1))
    world = fo.maze(lines, moves=EIGHT_MOVES, noise=0.1)
    policies = fo.constant_policies(world.mdp)
    frs = np.asarray(fo.first_occupancy.solve(fo.chain(world.mdp, policies), discount=0.95))
    table = noise.Tables().of(here, lambda: None)
    legs, leader = (
        np.asarray(part)[np.ix_(here.cells, here.cells)].T for part in (table.legs, table.leader)
    )
    other = ~np.eye(len(legs), dtype=bool)
    with np.errstate(divide="ignore"):
        exact = np.log(frs.max(axis=0))
    np.testing.assert_allclose(legs[other], exact[other], rtol=1e-6, atol=1e-6)
    chosen = np.take_along_axis(frs, leader[None].astype(int), axis=0)[0]
    np.testing.assert_allclose(chosen, frs.max(axis=0), rtol=1e-6)


def test_tables_are_kept_and_forgotten():
    tables, steps = noise.Tables(), []
    rooms = [room(Scene(drawing=["S..G"], noise=0.1 * n)) for n in range(1, noise.KEPT + 2)]
    first = tables.of(rooms[0], lambda: steps.append(0))
    assert tables.of(rooms[0], lambda: pytest.fail("made anew")) is first
    for other in rooms[1:]:
        tables.of(other, lambda: None)
    assert tables.of(rooms[0], lambda: None) is not first
    assert len(steps) == 5  # before each policy, and before folding


def test_the_escape_told_step_by_step_is_the_experiments(monkeypatch):
    from first_occupancy.experiments.escape import arena
    from first_occupancy.experiments.escape.agent import Rule, escape, initial
    from first_occupancy.web import escape as told

    monkeypatch.setattr(told, "SIZE", 9)
    reps = initial(arena.arena(9, False).num_states, 8)
    preference = arena.moves_by_preference(1)
    start, shelter = arena.ends(9)
    rule = Rule(jnp.array(False), jnp.array(True), jnp.asarray(preference))
    moves = jnp.asarray(arena.next_states(9, True))
    _, whole = escape(
        jnp.array(reps), moves, start, shelter, rule, told._learning("fr"), plans=True, max_steps=50
    )
    runner = told.Runner("fr", reps, start, False, 0, 0)
    walk = [start]
    for _ in range(int(whole.num_steps)):
        runner = told._step(runner, "feeling", preference)
        walk.append(runner.state)
    assert walk == np.asarray(whole.states)[: len(walk)].tolist()
    assert runner.hits > 0  # it did touch the barrier, so that the feeling mattered


def test_the_escape_streams_its_story(lab):
    with lab.stream("POST", "/api/escape", json={"episode_steps": 25, "seed": 3}) as response:
        assert response.headers["content-type"].startswith("application/x-ndjson")
        moments = [json.loads(line) for line in response.iter_lines()]
    kinds = [moment["kind"] for moment in moments]
    assert (kinds[0], kinds[-1]) == ("begin", "end")
    assert kinds.count("explore") == 10
    known = [sum(value > 0 for value in m["maps"]["fr"]) for m in moments if m["kind"] == "explore"]
    assert known[0] < known[-1]
    assert len(moments[-1]["trials"]) == 2
    assert jnp.result_type(float) == jnp.float64
