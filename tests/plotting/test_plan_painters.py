from dataclasses import replace

import jax.numpy as jnp
import numpy as np
from matplotlib.quiver import Quiver

import first_occupancy as fo
from first_occupancy import planning, plotting

WORLD = fo.four_rooms()
PLAN = fo.plan(WORLD, (1, 9), discount=0.95)


def lines_on(ax):
    return [line.get_xydata()[:, ::-1].tolist() for line in ax.lines if len(line.get_xdata()) > 1]


def arrows_on(ax):
    return sum(len(each.X) for each in ax.get_children() if isinstance(each, Quiver))


def walked(world, plan, start):
    paths = planning.follow(plan.legs(start), start, world.next_states)
    return [world.cells[path].tolist() for path in paths]


def test_a_plan_from_a_start_needs_no_maze_if_its_names_are_cells():
    expected = walked(WORLD, PLAN, WORLD.start)
    for options in ({"start": (9, 1)}, {"start": WORLD.start}, {"world": WORLD}):
        (ax,) = fo.plot(PLAN, **options).axes
        assert lines_on(ax) == expected
        assert arrows_on(ax) == WORLD.num_states - len(
            {tuple(c) for path in expected for c in path}
        )


def test_a_plan_without_a_start_shows_the_discount_from_everywhere():
    ax, bar = fo.plot(PLAN).axes
    drawn = ax.collections[2].get_array()
    np.testing.assert_allclose(drawn.compressed(), PLAN.expected_discount)
    assert bar.get_ylabel() == "expected discount"
    assert arrows_on(ax) == WORLD.num_states - 1


def test_a_plan_of_other_policies_is_walked_only_if_they_are_given():
    chosen = jnp.stack([jnp.full(WORLD.num_states, move) for move in (1, 0)])
    plan = fo.plan(WORLD, (1, 9), policies=chosen, discount=0.95)
    (ax,) = fo.plot(plan, start=(9, 1), policies=chosen).axes
    legs = plan.legs(WORLD.start)
    paths = planning.follow(legs, WORLD.start, np.asarray(WORLD.next_states)[[1, 0]])
    assert lines_on(ax) == [WORLD.cells[path].tolist() for path in paths]
    (ax,) = fo.plot(plan, start=(9, 1)).axes
    begins = [WORLD.start, *(leg.subgoal for leg in legs[:-1])]
    ends = [[begin, leg.subgoal] for begin, leg in zip(begins, legs, strict=True)]
    assert lines_on(ax) == [WORLD.cells[pair].tolist() for pair in ends]
    long = [line for line in ax.lines if len(line.get_xdata()) > 1]
    # The last leg is a single step, which some move makes.
    assert [line.get_linestyle() for line in long] == ["--", "--", "-"]
    assert arrows_on(ax) == 0


def test_a_start_must_reach_the_goal_but_the_mazes_own_need_not(error_of):
    world = fo.maze(["S#G."])
    plan = fo.plan(world, (0, 2), discount=0.5)
    said = error_of(lambda: fo.plot(plan, world=world, start=(0, 0)))
    assert said.startswith("legs: goal 1 '(0, 2)' must be reachable from start")
    ax, _ = fo.plot(plan, world=world).axes
    assert not lines_on(ax)


def test_plans_to_many_goals_are_a_matrix_or_one_of_them(error_of):
    frs = fo.occupancies(WORLD, fo.constant_policies(WORLD), discount=0.95)
    plans = planning.plan_to_every_goal(frs)
    for many in (plans, plans.on_host()):
        ax, _ = fo.plot(many).axes
        np.testing.assert_allclose(ax.images[0].get_array(), plans.promised)
        (ax,) = fo.plot(many, goal=(1, 9), world=WORLD).axes
        assert lines_on(ax) == walked(WORLD, plans.to(7), WORLD.start)
    assert error_of(lambda: fo.plot(PLAN, goal=7)) == (
        "plot: goal must be left out for a plan to one goal"
    )


def test_without_a_maze_there_are_legs_a_table_or_curves():
    river = fo.plan(fo.river_swim(6), 5, discount=0.95)
    (ax,) = fo.plot(river).axes
    assert len(ax.patches) == 6
    (ax,) = fo.plot(river, start=0).axes
    assert [text.get_text() for text in ax.texts if text.get_text()][-1] == "state 5"
    unnamed = fo.plan(fo.MDP(np.eye(30)[:, None]), 3, discount=0.5)
    (ax,) = fo.plot(unnamed).axes
    assert [line.get_label() for line in ax.lines] == ["expected"]
    unnamed = replace(unnamed, achieved=unnamed.promised.at[0].set(0.5))
    (ax,) = fo.plot(unnamed).axes
    assert [line.get_label() for line in ax.lines] == ["expected", "promised"]


def test_a_leg_is_an_arrow_or_a_way_in_a_maze(error_of):
    leg = PLAN.legs(WORLD.start)[0]
    (ax,) = fo.plot(leg).axes
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["up", "(2, 1)"]
    figure, grid = plotting.figure()
    assert fo.plot(leg, grid[0, 0], world=WORLD, start=WORLD.start) is figure
    assert lines_on(grid[0, 0]) == walked(WORLD, PLAN, WORLD.start)[:1]
    said = error_of(lambda: fo.plot(leg, world=WORLD))
    assert said == "plot: world and start of a leg must be given together"


def test_many_legs_on_given_axes_are_few_lines():
    rows = ["." * 60 if row % 2 == 0 else "#" * 60 for row in range(60)]
    for row in range(1, 60, 2):
        rows[row] = "#" * 59 + "." if row % 4 == 1 else "." + "#" * 59
    world = fo.maze(rows)
    _, grid = plotting.figure()
    plan = fo.plan(world, world.num_states - 1, discount=0.999)
    fo.plot(plan, grid[0, 0], start=0)
    assert len(plan.legs(0)) > 50
    assert len(grid[0, 0].lines) == 16
