"""All runs within one phase: a group of runs for each agent, and the worlds they act in."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy_paper.rows.row import Row

from ..learner.agent_state import AgentNetworks, networks_of
from ..training import evaluation_episodes, lockstep, tally, training_step
from ..training.simulated_worlds import AlternatingWorlds, SimulatedWorld
from ..training.training_step import Phase, RunGroup
from ..world import EPISODE_STEPS, JacoBatch
from .run_config import FINETUNING, HAND_OVERS, PHASES, PRETRAINING, RunConfig, environment_seeds

MakeWorld = Callable[[str, list[int]], SimulatedWorld]
"""Makes a world from a task and the seeds of its environments."""

JUDGING = len(PHASES)
"""The purpose of environments for evaluation; see `environment_seeds`."""

MEANINGLESS = {PRETRAINING: ("training_return",), FINETUNING: ("alignment", "exploration")}
"""Metrics that are zero throughout a phase: returns without rewards, and in fine-tuning the
metrics of pre-training."""


@dataclass
class Stage:
    """All runs at some point of a phase.

    Attributes:
        config: settings of the run.
        name: name of the phase, "pretraining" or "finetuning".
        phases: settings of the phase for each agent.
        groups: the runs of each agent.
        world: world of training.
        judges: world of evaluations; None in pre-training, which has no task to evaluate.
        last_look: the rows of the last look, whose evaluation may still be running; None before
            the first.
    """

    config: RunConfig
    name: str
    phases: list[Phase]
    groups: list[RunGroup]
    world: AlternatingWorlds
    judges: AlternatingWorlds | None
    last_look: Future[list[Row]] | None = None

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents of the groups."""
        return self.config.agents_in(self.name)

    @property
    def step(self) -> int:
        """Steps that each run has taken, its environments counted together."""
        return int(self.groups[0].step) * self.config.environments

    @property
    def num_runs(self) -> int:
        """Runs of all agents."""
        return len(self.agents) * len(self.config.seeds)

    def advance(self) -> None:
        """Take one step in all environments, and learn."""
        self.groups = training_step.advance(self.phases, self.groups, self.world)

    def look(self) -> Future[list[Row]]:
        """Start to evaluate the agents, and return a future with a row for each run.

        Rows hold the metrics since the last look and, in fine-tuning, the mean return.
        """
        evaluation = None
        if self.judges is not None:
            configs = [phase.config for phase in self.phases]
            evaluation = evaluation_episodes.evaluate(
                configs, self.groups, self.judges, episodes=self.config.episodes
            )
        learned = map(self._rows, self.agents, self.groups)
        rows = list(chain.from_iterable(learned))
        self.groups = [
            replace(group, tally=tally.fresh(group.tally.earned)) for group in self.groups
        ]

        def judged() -> list[Row]:
            if evaluation is None:
                return rows
            means = np.concatenate([each.mean(axis=1) for each in evaluation.result()])
            return [
                {**row, "evaluation_return": mean}
                for row, mean in zip(rows, means.tolist(), strict=True)
            ]

        self.last_look = evaluation_episodes.EVALUATING.submit(judged)  # after the evaluation
        return self.last_look

    def _rows(self, agent: str, group: RunGroup) -> list[Row]:
        """Return the metrics of an agent's runs since the last look."""
        numbers = {
            name: each
            for name, each in tally.summary(group.tally).items()
            if name not in MEANINGLESS[self.name]
        }
        place = {"agent": agent, "phase": self.name, "step": self.step}
        return [
            place | {"seed": seed} | {name: each[run] for name, each in numbers.items()}
            for run, seed in enumerate(self.config.seeds)
        ]

    def get_state(self) -> dict[str, Any]:
        """Return the complete state as a tree of arrays, after waiting for a running evaluation."""
        if self.last_look is not None:
            wait([self.last_look])
        judges = {} if self.judges is None else self.judges.get_state()
        return {"trainings": self.groups, "world": self.world.get_state(), "judges": judges}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state."""
        self.groups = state["trainings"]
        self.world.set_state(state["world"])
        if self.judges is not None:
            self.judges.set_state(state["judges"])

    def networks(self) -> dict[str, AgentNetworks]:
        """Return the networks of each agent's runs as they are now."""
        groups = zip(self.agents, self.groups, strict=True)
        return {agent: networks_of(group.learner) for agent, group in groups}

    def close(self) -> None:
        """Wait for threads to end."""
        self.world.close()
        if self.judges is not None:
            self.judges.close()


def begin(
    config: RunConfig,
    name: str,
    pretrained: Mapping[str, AgentNetworks],
    *,
    make_world: MakeWorld = JacoBatch,
) -> Stage:
    """Return all runs at the beginning of a phase.

    Args:
        name: "pretraining" or "finetuning".
        pretrained: pre-trained networks by agent; agents that are missing start untrained.
        make_world: makes the worlds of training and evaluation.
    """
    agents, number = config.agents_in(name), PHASES.index(name)
    keys = jax.vmap(lambda seed: jax.random.fold_in(jax.random.key(seed), number))(
        jnp.asarray(config.seeds, jnp.uint32)
    )
    task = config.task if name == FINETUNING else "rewardless"
    judges = None
    if name == FINETUNING:
        judges = _worlds(config, make_world, task, JUDGING, len(agents), config.episodes)
    # An episode writes one row more than it has steps.
    steps = config.steps_in(name)
    rows = steps + (steps // EPISODE_STEPS + 2) * config.environments
    groups = []
    for agent in agents:
        settings = config.agent_config(agent)
        if agent in pretrained:
            way = HAND_OVERS[config.hand_over].hand_over
            learner = lockstep.hand_over(settings, pretrained[agent], keys, way=way)
        else:
            learner = lockstep.init(settings, keys)
        group = training_step.begin(
            settings,
            learner,
            keys,
            num_environments=config.environments,
            capacity=min(config.replay, rows),
        )
        groups.append(group)
    return Stage(
        config=config,
        name=name,
        phases=[config.phase(name, agent) for agent in agents],
        groups=groups,
        world=_worlds(config, make_world, task, number, len(agents), config.environments),
        judges=judges,
    )


def _worlds(
    config: RunConfig, make_world: MakeWorld, task: str, purpose: int, num_groups: int, each: int
) -> AlternatingWorlds:
    """Return two alternating worlds with `each` environments for every run."""
    worlds = []
    for turn in range(2):
        seeds = [environment_seeds(seed, 2 * purpose + turn, each) for seed in config.seeds]
        worlds.append(make_world(task, list(chain.from_iterable(seeds)) * num_groups))
    return AlternatingWorlds(*worlds)
