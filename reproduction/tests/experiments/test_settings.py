"""Configs refuse what their experiment cannot run, whether they come from texts or from Python."""

import pytest

from first_occupancy.core.errors import InputError
from first_occupancy.environments import four_rooms
from first_occupancy_paper.experiments.planned_exploration.run import MOST_GOALS
from first_occupancy_paper.experiments.registry import experiment
from first_occupancy_paper.sweeps.grid import grid, read_values

ESCAPE = "variant=open representation=FR episode_steps=20"
TASKS = "RiverSwim-6, RiverSwim-12, RiverSwim-24, SixArms"


@pytest.mark.parametrize(
    ("name", "texts", "message"),
    [
        (
            "escape",
            "variant=new_barrier representation=FR episode_steps=20",
            "variant of escape must be one of printed, feeling, new barrier, open, "
            "got 'new_barrier'",
        ),
        (
            "escape",
            "variant=open representation=XX episode_steps=20",
            "representation of escape must be one of FR, SR, got 'XX'",
        ),
        ("escape", f"{ESCAPE} size=3", "size must be at least 5, got 3"),
        ("escape", f"{ESCAPE} runs=0", "runs must be at least 1, got 0"),
        (
            "escape",
            f"{ESCAPE} step_size=-1",
            "step_size must be at least 0 and at most 1, got -1.0",
        ),
        ("escape", f"{ESCAPE} discount=1", "discount must be at least 0 and below 1, got 1.0"),
        (
            "claims",
            "part=chians",
            "part of claims must be one of bounds, chains, improvement, representations, rooms, "
            "shortest_paths, "
            "got 'chians'",
        ),
        ("claims", "part=chains num_states=3", "trials must be at least 2, got 1"),
        ("claims", "part=rooms discount=0", "discount must be above 0 and below 1, got 0.0"),
        (
            "many_goals",
            "part=tuor",
            "part of many_goals must be one of tour, orders, options, worth, got 'tuor'",
        ),
        ("many_goals", "part=options", "trials must be at least 2, got 1"),
        ("many_goals", "part=tour noises=0:2", "noises must be at least 0 and at most 1, got 2.0"),
        ("exploration", "task=River", f"task of exploration must be one of {TASKS}, got 'River'"),
        (
            "exploration",
            "task=SixArms bonus=printd",
            "bonus of exploration must be one of printed, inverse, negative, \"\", got 'printd'",
        ),
        (
            "exploration",
            "task=SixArms bonus=printed",
            "bonus is for part=search only, got printed for shown",
        ),
        (
            "exploration",
            "task=SixArms part=search",
            "part=search needs a bonus, one of printed, inverse, negative, got none",
        ),
        ("exploration", "task=SixArms steps=0", "steps must be at least 1, got 0"),
        (
            "planned_exploration",
            "task=River",
            f"task of planned_exploration must be one of {TASKS}, got 'River'",
        ),
        ("planned_exploration", "goals=68", "goals must be at least 1 and at most 67, got 68"),
        ("shorter_paths", "steps=7", "steps must be at least 8, got 7"),
        ("planning_in_a_room", "discount=0", "discount must be above 0 and below 1, got 0.0"),
        (
            "four_rooms",
            "part=returns switches=1:3",
            "switches must include 0 and 3 for part=returns, which shows their walks, got (1, 3)",
        ),
        (
            "four_rooms",
            "part=noise noises=0.5",
            "noises must begin with 0 for part=noise, which also plans with FRs learned "
            "without noise, got (0.5,)",
        ),
        ("mountain_car", "part=network", "updates must be at least 1, got 0"),
        ("mountain_car", "part=choice basis=0:3", "basis must be at least 1, got 0"),
    ],
)
@pytest.mark.usefixtures("as_users_run_it")
def test_what_cannot_be_run_is_said_before_it_runs(name, texts, message):
    chosen = experiment(name)
    with pytest.raises(InputError) as error:
        grid(chosen, **read_values(chosen, texts.split()))
    begin = "" if f" of {name} must" in message else f"{name} rejects these values: "
    assert str(error.value) == f"grid: {begin}{message}"


def test_lists_of_planned_exploration_are_whole():
    assert four_rooms().num_states - 1 == MOST_GOALS
