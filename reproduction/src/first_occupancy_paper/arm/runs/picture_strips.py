"""Pictures of trained arms: one episode of each agent, from left to right."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, UInt8

from first_occupancy_paper.arm.runs.run_config import RunConfig
from first_occupancy_paper.arm.runs.train import load_trained
from first_occupancy_paper.arm.training import lockstep
from first_occupancy_paper.arm.training.training_step import Phase, RunGroup
from first_occupancy_paper.arm.world import JacoBatch, picture_strip


def strips(config: RunConfig, folder: Path) -> UInt8[np.ndarray, "height width 3"]:
    """Return a strip of pictures for each agent, one below the other.

    Args:
        config: settings of the run.
        folder: folder of the run, whose first seed is shown at its last checkpoint.
    """
    with jax.enable_x64(False):
        stage = load_trained(config, folder)
        pairs = zip(stage.phases, stage.groups, strict=True)
        trajectories = [_trajectory(config, phase, group) for phase, group in pairs]
        stage.close()
    return np.concatenate([picture_strip(positions) for positions in trajectories])


def _trajectory(config: RunConfig, phase: Phase, group: RunGroup) -> Float[np.ndarray, "T 16"]:
    """Return the joint positions of an episode without noise."""
    first = jax.tree.map(lambda leaf: leaf[:1], group.learner.actor)
    world = JacoBatch(config.task, [0])
    observations, positions = world.reset(), [world.positions[0]]
    while not world.ended:
        seen = jnp.asarray(observations)[None]
        actions = lockstep.act_at_best(phase.config, first, seen, group.tasks[:1, :1])
        observations, _ = world.step(np.asarray(actions[0]))
        positions.append(world.positions[0])
    return np.stack(positions)
