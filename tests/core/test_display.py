"""Records show themselves: in words without matplotlib, in notebooks as a picture."""

import base64
import subprocess
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.core import display
from first_occupancy.interop.data.corrected_intervals import (
    CorrectedInterval,
    corrected_interval,
    plan_interval,
)
from first_occupancy.interop.data.resampled_logs import resample_transitions
from first_occupancy.plotting import painters

WORLD = fo.maze(["S.#", "..G"], noise=0.1)
POLICIES = fo.constant_policies(WORLD)


def things():
    """Return one of each kind of record that shows itself."""
    frs = fo.occupancies(WORLD, POLICIES, discount=0.5)
    plan = fo.plan(WORLD, (1, 2), discount=0.5)
    plans = planning.plan_to_every_goal(frs)
    log = fo.transition_log([0, 1, 0, 1], [1, 2, 1, 2], num_states=4)
    counted = fo.count_transitions(log)
    resampled = resample_transitions(counted, jax.random.key(0), discount=0.5, num_resamples=40)
    log_plan = fo.plan(counted, 2, discount=0.5)
    return {
        "Maze": WORLD,
        "MDP": WORLD.mdp,
        "Plan": plan,
        "many": plans,
        "PlansOnHost": plans.on_host(),
        "Leg": plan.legs(0)[0],
        "Occupancies": frs,
        "Evaluation": fo.evaluate(plan, WORLD, POLICIES, discount=0.5),
        "Log": log,
        "EmpiricalChains": counted,
        "CorrectedInterval": corrected_interval(
            fo.first_occupancy.solve(counted.chains, discount=0.5), resampled
        ),
        "PlanInterval": plan_interval(log_plan, resampled),
    }


@pytest.mark.parametrize("name", things())
def test_a_notebook_gets_the_text_and_a_picture(name):
    thing = things()[name]
    data, about = thing._repr_mimebundle_(include=None, exclude=None)
    assert data["text/plain"] == repr(thing)
    assert len(repr(thing).splitlines()) <= 6
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert 50 < about["image/png"]["width"] < 1200


def test_texts_name_what_matters():
    shown = {name: repr(thing) for name, thing in things().items()}
    assert shown["Maze"] == (
        "Maze: 2 x 3, 5 free cells; moves up, right, down, left; noise 0.1; start (0, 0); "
        "goals (1, 2)"
    )
    assert shown["MDP"].startswith("MDP: 5 states, 4 actions, float64\n")
    assert "no rewards; absorbing states: none; starts in 0 '(0, 0)'" in shown["MDP"]
    assert shown["Plan"].startswith("Plan to 4 '(1, 2)' (engine: dense)\n  reached from 4 of 4")
    assert shown["many"].startswith("Plan to 5 goals over 5 states\n  goals: 0 '(0, 0)', 1")
    assert shown["PlansOnHost"].startswith("PlansOnHost to 5 goals over 5 states")
    assert shown["Occupancies"].startswith(
        "Occupancies: first_occupancy of 4 policies (up, right, down, left)\n  over 5 states"
    )
    assert "re-choosing" in shown["Evaluation"]
    assert shown["Log"] == (
        "Log: 4 transitions of 1 policy\n  2 of 4 states left at least once\n  0 terminal states"
    )
    assert "2 of 4 pairs" in shown["EmpiricalChains"]


def test_absorbing_states_and_rewards_are_told():
    ending = fo.maze("..G").mdp
    text = repr(fo.core.absorbing(ending, 2))
    assert "rewards 0 to 1; absorbing states: 2 '(0, 2)'; starts anywhere" in text


def test_a_maze_shows_its_drawing_when_it_is_printed_unless_it_is_large():
    assert str(fo.maze("S.G")).splitlines() == [repr(fo.maze("S.G")), "S.G"]
    world = fo.maze(["." * 100] * 100)
    assert repr(world) == "Maze: 100 x 100, 10,000 free cells; moves up, right, down, left"
    assert str(world) == repr(world)


def test_legs_hold_plain_numbers():
    leg = fo.Leg(np.int64(9), jnp.array(4))
    assert repr(leg) == "Leg(policy=9, subgoal=4)"
    assert [type(number) for number in leg] == [int, int]
    assert str((fo.Leg(np.int32(1), np.int64(2)),)) == "(Leg(policy=1, subgoal=2),)"


@pytest.mark.parametrize("name", ["MDP", "Plan", "many", "Occupancies", "Evaluation"])
def test_values_that_cannot_be_read_are_shown_as_fields(name):
    thing = things()[name]
    seen = []

    @jax.jit
    def look(traced):
        seen.append(repr(traced))
        seen.append(traced._repr_mimebundle_()[0].keys())
        return 0

    look(thing)
    kind = type(thing).__name__
    assert seen[0].startswith(f"{kind}(")
    assert seen[1] == {"text/plain"}
    shapes = jax.eval_shape(lambda: jax.tree.map(jnp.asarray, thing))
    assert repr(shapes).startswith(f"{kind}(")
    without = jax.tree.map(lambda _: None, thing)
    assert repr(without).startswith(f"{kind}(")


def test_stacks_of_records_are_shown_as_fields():
    stacks = (WORLD.mdp, things()["many"], things()["Evaluation"])
    for thing in stacks:
        stacked = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf, leaf]), thing)
        assert repr(stacked).startswith(f"{type(thing).__name__}(")
        assert stacked._repr_mimebundle_()[0].keys() == {"text/plain"}


def test_deleted_arrays_do_not_break_the_text():
    plan = jax.tree.map(jnp.copy, things()["Plan"])
    plan.policy.delete()
    assert repr(plan).startswith("Plan(\n")
    assert plan._repr_mimebundle_()[0].keys() == {"text/plain"}


def test_showing_changes_neither_structure_nor_equality():
    mdp = WORLD.mdp
    assert jax.tree.structure(mdp) == jax.tree.structure(WORLD.mdp)
    assert len(jax.tree.leaves(mdp)) == 3
    assert bool(eqx.tree_equal(mdp, jax.tree.map(jnp.copy, mdp)))


def test_half_made_records_do_not_break_the_text():
    half_made = object.__new__(CorrectedInterval)
    assert repr(half_made).startswith("CorrectedInterval(")


def test_lists_leave_out_the_middle():
    assert display.listed([1, 2]) == "1, 2"
    assert display.numbered_names(np.arange(1000), None) == "0, 1, 2, 3, 4, ... 999"
    assert display.span(np.array([])) == "none"
    assert display.span(np.array([0.5, 0.5])) == "0.5"


def test_painters_are_found_by_the_names_of_classes(monkeypatch):
    assert display.painter_of(3) is None

    class Lamp(display.Displayed):
        def _summary(self):
            return "a lamp"

    class Torch(Lamp):
        pass

    assert display.painter_of(Torch()) is None
    monkeypatch.setitem(painters.PAINTERS, "Lamp", print)
    assert display.painter_of(Torch()) is print


def test_text_needs_no_matplotlib_and_a_picture_no_pyplot():
    code = """
import sys
import first_occupancy as fo
world = fo.maze(["S.", ".G"])
plan = fo.plan(world, 3, discount=0.5)
print(repr(world), repr(world.mdp), repr(plan), repr(fo.Leg(0, 1)))
loaded = ["matplotlib" in sys.modules]
plan._repr_mimebundle_()
loaded += ["matplotlib" in sys.modules, "matplotlib.pyplot" in sys.modules]
print(loaded)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[False, True, False]"


def test_records_that_hold_much_show_little():
    rooms = fo.four_rooms()
    plan = fo.plan(rooms, (1, 9), discount=0.9)
    graph = fo.from_edges([(n, n + 1) for n in range(3000)])
    things = {
        "SparseMDP: 68 states, 4 actions, 272 transitions": rooms.sparse_mdp,
        "Graph: 3,001 nodes, 3,000 edges, times 1\n  nodes: 0, 1, 2, 3, 4, ... 3000": graph,
        "Trial(layout 0, 500 cells)": fo.behaviour.Trial(0, np.arange(500)),
        "PolicyFunction(68 states, 4 base policies)": plan.policy_function(),
        "Planner(Maze, 68 states, discount 0.9)": fo.Planner(rooms, discount=0.9),
        f"Agent of {plan!r}": plan.agent(),
    }
    for text, thing in things.items():
        assert repr(thing).startswith(text)
        assert len(repr(thing).splitlines()) <= 10
    assert fo.__version__.count(".") == 2
