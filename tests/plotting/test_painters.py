"""The one front: what it draws, where, and what it says of anything else."""

import jax
import numpy as np
import pytest
from matplotlib.cbook import is_math_text
from matplotlib.text import Text

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.plotting.figure_files import save

WORLD = fo.maze(["S.", ".G"])


def test_a_figure_is_new_or_that_of_the_axes():
    assert isinstance(fo.plot(WORLD), plotting.NotebookFigure)
    figure, grid = plotting.figure(1, 2)
    assert fo.plot(WORLD, grid[0, 1]) is figure
    assert len(grid[0, 1].texts) == 2
    assert not grid[0, 0].texts
    plan = fo.plan(WORLD, 3, discount=0.5)
    assert fo.plot(plan, ax=grid[0, 0], world=WORLD) is figure
    assert fo.plot is plotting.plot


@pytest.mark.parametrize("thing", [3, "maze", [1, 2], (3, 4), None])
def test_other_things_are_told_what_can_be_drawn(thing, error_of):
    said = error_of(lambda: fo.plot(thing))
    assert said.startswith("plot: can draw Arena, ")
    assert ", Maze, Occupancies, Plan, " in said
    assert said.endswith(f", got {type(thing).__name__}")


def test_unknown_options_are_told_those_there_are(error_of):
    said = error_of(lambda: fo.plot(WORLD, goal=3))
    assert said == "plot: options for a Maze must be among none, got goal"
    said = error_of(lambda: fo.plot(fo.plan(WORLD, 3, discount=0.5), colour="red"))
    assert said == (
        "plot: options for a Plan must be among world, start, goal, policies, got colour"
    )


def test_traced_values_are_refused(error_of):
    mdp = WORLD.mdp.unnamed()
    said = error_of(lambda: jax.jit(lambda traced: fo.plot(traced) and 0)(mdp))
    assert said == "plot: values must be concrete, got traced ones, as inside jit"


NAMES = [r"$\frac{$", "$x$", r"\$", "$", "_"]
NOISY = fo.MDP(0.5 * np.eye(5)[:, None] + 0.1, state_names=NAMES, action_names=NAMES[:1])
PLAN = fo.plan(NOISY, NAMES[0], discount=0.9)
LINE = fo.maze(["....."], moves=((NAMES[0], (0, 1)),))
DRAWINGS = {
    "graph": lambda: fo.plot(fo.MDP(np.eye(5)[[1, 2, 3, 4, 0], None], state_names=NAMES)),
    "actions": lambda: fo.plot(fo.MDP(np.eye(1)[:, None], action_names=NAMES[:1])),
    "matrix": lambda: fo.plot(
        fo.MDP(np.eye(13)[:, None], state_names=[f"${n}$" for n in range(13)])
    ),
    "table": lambda: fo.plot(PLAN),
    "legs": lambda: fo.plot(PLAN, start=NAMES[1]),
    "FRs": lambda: fo.plot(
        fo.occupancies(NOISY, fo.constant_policies(NOISY), discount=0.9, policy_names=NAMES[:1])
    ),
    "legend": lambda: fo.plot(fo.plan(LINE, 4, discount=0.9), world=LINE, start=0),
}


@pytest.mark.parametrize("kind", DRAWINGS)
def test_names_are_drawn_as_they_are_also_if_they_look_like_formulas(kind, tmp_path):
    figure = DRAWINGS[kind]()
    save(figure, tmp_path / "figure.svg")
    texts = {each.get_text() for each in figure.findobj(Text)}
    named = [text for text in texts if "$" in text]
    assert named
    assert not any(is_math_text(text) for text in named)
