"""What calls that are mistakes say, in one table: function, what it needs, what it got."""

import jax
import pytest

from ant_models import write_ant
from first_occupancy.core import MDP
from first_occupancy.environments import river_swim
from first_occupancy_paper.arm.learner import ddpg
from first_occupancy_paper.arm.learner.agent_state import AgentConfig
from first_occupancy_paper.arm.training import lockstep
from first_occupancy_paper.arm.training.training_step import Phase
from first_occupancy_paper.experiments.escape.run import Config as EscapeConfig
from first_occupancy_paper.experiments.mountain_car.config import READINGS
from first_occupancy_paper.experiments.mountain_car.config import Config as MountainCarConfig
from first_occupancy_paper.experiments.offline_goals.run import Config as GoalsConfig
from first_occupancy_paper.explorers import explorer_trials
from first_occupancy_paper.explorers.explorer import Explorer
from first_occupancy_paper.explorers.peers import trials
from first_occupancy_paper.explorers.peers.optimism import OptimisticPlanner
from first_occupancy_paper.worlds import ogbench_ants
from first_occupancy_paper.worlds.ant_batch import AntBatch
from first_occupancy_paper.worlds.ant_mazes import ant_maze_log
from first_occupancy_paper.worlds.point_mazes import MEDIUM, TELEPORT

KEY, RIVER = jax.random.key(0), river_swim(6)
COSTLY = MDP(RIVER.transition, -RIVER.reward, RIVER.start_distribution)
AGENT = AgentConfig("ddpg", observation_size=2, action_size=1)


def run(runner, agent, worlds, num_steps):
    return runner.run_trials(agent, worlds, KEY, num_steps=num_steps)


TABLE = {
    "init_replay: capacity must be at least 2 rows for each of at least 1 environment, got 3": (
        lambda: lockstep.init_replay(AGENT, 1, capacity=3, num_environments=2)
    ),
    "init_replay: num_runs must be at least 1, got 0": (
        lambda: lockstep.init_replay(AGENT, 0, capacity=8)
    ),
    "Phase: first_steps must be at least 1, got 0": (
        lambda: Phase(AGENT, ddpg.update, first_steps=0)
    ),
    "AgentConfig: bounded is not for apf_printed": (
        lambda: AgentConfig("apf_printed", observation_size=2, action_size=1, bounded=True)
    ),
    "AgentConfig: largest_reward must be above 0, got 0.0": (
        lambda: AgentConfig("apf", observation_size=2, action_size=1, largest_reward=0.0)
    ),
    "pairs must be 0 for mined skills, whose plans have no bounds, got 3": (
        lambda: GoalsConfig("giant", "stitch", "mined skills instead of displacements", pairs=3)
    ),
    "variant must be one of printed, feeling, new barrier, open, got 'new_barrier'": (
        lambda: EscapeConfig("new_barrier", "FR", 20)
    ),
    f"other_readings must be one of {', '.join(READINGS)}, got 'another'": (
        lambda: MountainCarConfig("readings", other_readings=(READINGS[0], "another"))
    ),
    "multiple of the agent's stretch, 10, got 15": (
        lambda: run(trials, OptimisticPlanner(bonus=0.1), [RIVER], 15)
    ),
    "at least one world, got none": lambda: run(explorer_trials, Explorer(), [], 10),
    "must not be negative, got -10000": lambda: run(explorer_trials, Explorer(), [COSTLY], 10),
    "ant_maze: name must be one of medium, large": lambda: ogbench_ants.ant_maze("tiny"),
}

ANTS = {
    "AntBatch: model must be an ant with 15 positions": (
        lambda folder: AntBatch(folder / "other.xml", 2, seed=0)
    ),
    "AntBatch: model must be a file of MuJoCo": (
        lambda folder: AntBatch(folder / "none.xml", 2, seed=0)
    ),
    "AntBatch: num and threads must be at least 1, got 0": (
        lambda folder: AntBatch(folder / "ant.xml", 0, seed=0)
    ),
    "ant_maze_log: num_episodes must be at least 1, got 0": (
        lambda folder: ant_maze_log(MEDIUM, None, None, "stitch", seed=0, num_episodes=0)
    ),
    "ant_maze_log: maze must be without teleporters": (
        lambda folder: ant_maze_log(TELEPORT, None, None, "stitch", seed=0)
    ),
}


@pytest.mark.parametrize("text", TABLE)
def test_mistakes_are_told_in_one_sentence(error_of, monkeypatch, text):
    monkeypatch.setattr(ogbench_ants, "optional", lambda package: pytest)  # as if it were there
    assert text in error_of(TABLE[text])


@pytest.mark.parametrize("text", ANTS)
def test_what_is_no_ant_is_refused(error_of, tmp_path, text):
    pytest.importorskip("mujoco")
    write_ant(tmp_path / "ant.xml")
    (tmp_path / "other.xml").write_text("<mujoco><worldbody/></mujoco>")
    assert text in error_of(lambda: ANTS[text](tmp_path))


def test_without_ogbench_it_says_how_to_install_it(error_of, monkeypatch):
    monkeypatch.setattr(ogbench_ants, "optional", lambda package: None)
    text = "ant_maze: needs OGBench: pip install"
    assert text in error_of(lambda: ogbench_ants.ant_maze("medium"))
