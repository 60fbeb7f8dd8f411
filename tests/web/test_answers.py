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
from first_occupancy.planning._sparse import noisy_mazes
from first_occupancy.planning._sparse.noisy_mazes import (
    best_discount,
    chain_of,
    follow_actions,
    sweep_to_goal,
)
from first_occupancy.planning.evaluation import optimal_discount
from first_occupancy.representations._solvers import banded
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


@pytest.mark.parametrize("width", [1, 4, 12])
def test_banded_solutions_are_the_dense_ones_entry_by_entry(width):
    size, rng = 12, np.random.default_rng(width)
    rows = np.arange(size) // width
    near = np.abs(rows[:, None] - rows[None]) <= 1
    chains = rng.random((2, size, size)) ** 4 * near
    chains /= chains.sum(axis=2, keepdims=True)
    srs = np.asarray(fo.successor.solve(jnp.asarray(chains), discount=0.97))
    frs = np.asarray(fo.first_occupancy.solve(jnp.asarray(chains), discount=0.97))
    solved = banded.solve_successor(chains[0], discount=0.97, width=width)
    np.testing.assert_allclose(solved, srs[0], rtol=1e-11)
    np.testing.assert_allclose(
        banded.solve(chains[0], discount=0.97, width=width), frs[0], rtol=1e-11
    )
    blocks = blocks_of(0.97 * chains, width)
    for solved, exact in zip(banded.solve_each(blocks), frs, strict=True):
        np.testing.assert_allclose(solved, exact, rtol=1e-11)
    for state in range(size):
        row, own = banded.solve_row(banded.Blocks(*(part[1] for part in blocks)), state)
        np.testing.assert_allclose(row, srs[1, state], rtol=1e-11)
        np.testing.assert_allclose(own, srs[1].diagonal(), rtol=1e-11)
    begins, ends = np.nonzero(near)
    column = banded.solve_column(begins, ends, chains[0, begins, ends], 5, 0.97)
    np.testing.assert_allclose(column, frs[0, :, 5], rtol=1e-11)


def blocks_of(chains, width):
    """Return the blocks of dense chains, cut out one by one."""
    count, size, _ = chains.shape
    height = size // width
    cut = chains.reshape(count, height, width, height, width).transpose(0, 1, 3, 2, 4)
    up, along, down = np.zeros((3, count, height, width, width))
    for row in range(height):
        along[:, row] = cut[:, row, row]
        if row:
            up[:, row], down[:, row - 1] = cut[:, row, row - 1], cut[:, row - 1, row]
    return banded.Blocks(up, along, down)


def test_banded_solutions_are_exact_where_hardly_anything_leads():
    # Steps of chance 1e-9 against a current: entries down to 1e-99, and walls behind which is 0.
    rare, size = 1e-9, 12
    chain = np.zeros((size, size))
    for state in range(size):
        chain[state, max(state - 1, 0)] += 1 - rare
        chain[state, min(state + 1, size - 1)] += rare
    chain[5] = np.eye(size)[5]
    exact = np.asarray(fo.first_occupancy.solve(jnp.asarray(chain), discount=0.5))
    begins, ends = np.nonzero(chain)
    for goal in range(size):
        column = banded.solve_column(begins, ends, chain[begins, ends], goal, 0.5)
        np.testing.assert_allclose(column, exact[:, goal], rtol=1e-13, atol=0)
    for width in (1, 3):
        solved = banded.solve(chain, discount=0.5, width=width)
        np.testing.assert_allclose(solved, exact, rtol=1e-13, atol=0)


@pytest.mark.parametrize("chance", [0.0, 0.4, 1.0])
def test_the_best_discount_is_the_optimum_of_the_dense_world(chance):
    world = fo.maze(ROOMS, noise=chance, moves=EIGHT_MOVES)
    goal, rng = world.goals[0], np.random.default_rng(0)
    exact = optimal_discount(world.mdp, goal, discount=0.9)
    # A guess is a beginning only: nothing, too much, and what is wrong everywhere end alike.
    guesses = [None, np.zeros(world.num_states), np.ones(world.num_states)]
    for guess in [*guesses, rng.random(world.num_states)]:
        best = best_discount(world.next_states, goal, discount=0.9, noise=chance, guess=guess)
        np.testing.assert_allclose(best, exact, rtol=1e-8)


def test_a_room_of_one_cell_has_a_best_discount():
    assert best_discount(np.array([[0], [0]]), 0, discount=0.9, noise=0.5).tolist() == [1]


@pytest.mark.parametrize("guess", [None, np.zeros(1100), np.ones(1100)])
def test_the_best_discount_is_found_where_floats_come_to_their_end(guess):
    # A corridor down to 1e-400: near 5e-324 rounding makes any action better than any other.
    states = np.arange(1100)
    table = np.stack([np.maximum(states - 1, 0), np.minimum(states + 1, 1099)])
    best = best_discount(table, 1099, discount=0.5, noise=0.2, guess=guess)
    rightwards = follow_actions(table, np.ones(1100, int), 1099, discount=0.5, noise=0.2)
    assert best[0] == 0
    seen = rightwards > 1e-280
    assert 600 < seen.sum() < 1000
    np.testing.assert_allclose(best[seen], rightwards[seen], rtol=1e-8)


@pytest.mark.parametrize("guess", [None, np.ones(4)])
def test_the_best_discount_is_nothing_behind_a_wall(guess):
    world = fo.maze(["S.#.G"], noise=0.3)
    best = best_discount(world.next_states, world.goals[0], discount=0.9, noise=0.3, guess=guess)
    assert best[:2].tolist() == [0, 0]
    assert (best[2:] > 0).all()


@pytest.mark.parametrize("narrow", [0, 64])
def test_following_actions_brings_what_the_dense_fr_says(narrow, monkeypatch):
    monkeypatch.setattr(noisy_mazes, "NARROW", narrow)  # Sparse LU, then LU of the band.
    world = fo.maze(ROOMS, noise=0.4)
    action, goal = np.arange(world.num_states) % 5 - 1, world.goals[0]
    policy = np.where((action < 0)[:, None], 0.25, np.eye(4)[action])
    fr = fo.first_occupancy.solve(fo.chain(world.mdp, jnp.asarray(policy)), discount=0.9)
    found = follow_actions(world.next_states, action, goal, discount=0.9, noise=0.4)
    np.testing.assert_allclose(found, fr[:, goal], rtol=1e-12)


def test_sparse_chains_of_actions_are_the_dense_ones():
    world = fo.maze(ROOMS, noise=0.4)
    action = np.arange(world.num_states) % 5 - 1
    policy = np.where((action < 0)[:, None], 0.25, np.eye(4)[action])
    dense = fo.chain(world.mdp, jnp.asarray(policy))
    sparse = chain_of(world.next_states, action, noise=0.4).toarray()
    np.testing.assert_allclose(sparse, dense, rtol=1e-12)


def test_banded_and_sweeps_say_what_they_need(as_users_run_it):
    with pytest.raises(fo.InputError, match=r"width must divide the number of states, 3, got 2"):
        banded.solve(np.eye(3), discount=0.9, width=2)
    with pytest.raises(fo.InputError, match=r"same or a neighbouring row, got one over 2 rows"):
        banded.solve(np.eye(3)[::-1], discount=0.9, width=1)
    with pytest.raises(fo.InputError, match=r"sweeps must be at least 0 or None, got -1"):
        sweep_to_goal(np.array([[0]]), 0, discount=0.9, sweeps=-1)
    with pytest.raises(fo.InputError, match=r"noise must be at least 0 and at most 1, got 2"):
        sweep_to_goal(np.array([[0]]), 0, discount=0.9, noise=2)


@pytest.mark.usefixtures("as_users_run_it")
def test_impossible_worlds_are_refused_with_a_guess_and_without():
    table, here = np.array([[1, 1]]), "best_discount: "
    for changes, text in (
        ({"noise": -0.1}, here + "noise must be at least 0 and at most 1, got -0.1"),
        ({"goal": -1, "guess": np.ones(2)}, here + r"goal must be in 0\.\.1, got -1"),
        ({"discount": 1.0, "guess": np.ones(2)}, here + "discount must be .* below 1, got 1.0"),
        ({"guess": np.ones(3)}, here + r"guess must have one number .* 2 states, got \[3\]"),
    ):
        with pytest.raises(fo.InputError, match=text):
            best_discount(table, **{"goal": 1, "discount": 0.9, "noise": 0.1} | changes)
    with pytest.raises(fo.InputError, match=r"follow_actions: discount must be .* got 1.0"):
        follow_actions(table, np.zeros(2, int), 1, discount=1.0)
    with pytest.raises(fo.InputError, match=r"follow_actions: action must have one .* got \[1\]"):
        follow_actions(table, np.zeros(1, int), 1, discount=0.9)


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
