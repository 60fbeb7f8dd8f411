"""The settings of a training run and of its two phases, as data."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any

from first_occupancy.core.arguments import Limits, NonNegativeInt, PositiveInt
from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.settings import OneOf, check_settings

from ..learner import ddpg, pretraining
from ..learner.agent_state import AGENTS, PRECISIONS, AgentConfig
from ..learner.finetuning import HAND_OVERS
from ..training.training_step import Phase
from ..world import NUM_ACTIONS, NUM_OBSERVATIONS, TASKS

PRETRAINING, FINETUNING = PHASES = ("pretraining", "finetuning")
MAX_ENVIRONMENTS = 1000
"""Limit for one run and one purpose, so that no two environments have the same seed."""
PAYING = tuple(name for name, task in TASKS.items() if task.pays)
EnvironmentCount = Annotated[int, Limits(least=1, most=MAX_ENVIRONMENTS)]


@dataclass(frozen=True)
class RunConfig:
    """Everything that rows depend on, except the code; the defaults are the paper's sizes.

    Steps are those of one run, its environments counted together. Numbers that the paper does not
    give are those of the code it refers to.
    """

    agents: tuple[Annotated[str, OneOf(AGENTS)], ...] = ("apf", "aps")
    """Agents to train; see `AgentConfig.agent`."""
    seeds: tuple[Annotated[int, Limits(least=0, below=2**31)], ...] = tuple(range(10))
    """Seeds of the runs, the same for every agent."""
    task: Annotated[str, OneOf(PAYING)] = "reach_top_left"
    """The task of fine-tuning, one of `arm.world.TASKS` with rewards."""
    hand_over: Annotated[str, OneOf(tuple(HAND_OVERS))] = "as_published"
    """How fine-tuning takes over: "as_published" or "repaired"; see `arm.learner.finetuning`."""
    pretraining_steps: PositiveInt = 1_000_000
    """Steps of pre-training."""
    finetuning_steps: NonNegativeInt = 1_000_000
    """Steps of fine-tuning; 0: pre-training only, to fine-tune later (`pretrained_runs`)."""
    first_steps: PositiveInt = 4_000
    """First steps of each phase, with random actions and without learning. In fine-tuning the task
    is fitted to their rewards, since the pre-trained actor may avoid everything rewarding."""
    steps_per_update: PositiveInt = 2
    """Steps of a run per update."""
    environments: EnvironmentCount = 2
    """Environments of each run, which are stepped together."""
    replay: PositiveInt = 1_000_000
    """Maximum number of rows in each run's replay."""
    evaluate_every: PositiveInt = 10_000
    """Steps between rows, and in fine-tuning between evaluations."""
    episodes: EnvironmentCount = 10
    """Episodes of each evaluation, without noise."""
    width: PositiveInt = 1024
    """Units of each hidden layer."""
    batch: PositiveInt = 1024
    """Windows per update."""
    threshold: float | None = 0.3
    """Size from which a feature counts as reached; see `AgentConfig.threshold`."""
    precision: Annotated[str, OneOf(PRECISIONS)] = "tensorfloat32"
    """Precision of matrix products; see `AgentConfig.precision`."""
    bounded: bool = False
    """Whether values are clipped to their possible range; see `arm.learner.value_bounds`."""

    def __post_init__(self) -> None:
        """Raise for settings that cannot be run."""
        check_settings(self, "RunConfig")
        for name in ("agents", "seeds"):
            values = getattr(self, name)
            if not values or len(set(values)) < len(values):
                raise InputError(f"RunConfig: {name} must be one or more, none twice, got {values}")
        for name in ("pretraining_steps", "finetuning_steps", "first_steps", "evaluate_every"):
            if getattr(self, name) % self.environments:
                raise InputError(
                    f"RunConfig: {name} must be a multiple of the {self.environments} "
                    f"environments, got {getattr(self, name)}"
                )
        for agent in self.agents:
            self.agent_config(agent)
        if not self.finetuning_steps and not self.agents_in(PRETRAINING):
            raise InputError(
                "RunConfig: finetuning_steps must be at least 1 for ddpg, which has no "
                "pre-training, got 0"
            )

    def agent_config(self, agent: str) -> AgentConfig:
        """Return the settings of one of the agents."""
        return AgentConfig(
            agent,
            observation_size=NUM_OBSERVATIONS,
            action_size=NUM_ACTIONS,
            width=self.width,
            batch=self.batch,
            threshold=self.threshold,
            precision=self.precision,
            bounded=self.bounded,
        )

    def phase(self, name: str, agent: str) -> Phase:
        """Return the settings of a phase for one of the agents."""
        config = self.agent_config(agent)
        return Phase(
            config,
            pretraining.update if name == PRETRAINING else ddpg.update,
            first_steps=self.first_steps // self.environments,
            way=HAND_OVERS[self.hand_over] if name == FINETUNING and config.has_features else None,
            steps_per_update=self.steps_per_update,
        )

    def agents_in(self, phase: str) -> tuple[str, ...]:
        """Return the agents that take part in a phase: DDPG skips pre-training."""
        if phase == FINETUNING:
            return self.agents
        return tuple(agent for agent in self.agents if self.agent_config(agent).has_features)

    def steps_in(self, phase: str) -> int:
        """Return the steps of each run in a phase; 0 if no agent takes part."""
        steps = self.pretraining_steps if phase == PRETRAINING else self.finetuning_steps
        return steps if self.agents_in(phase) else 0


OF_FINETUNING = ("task", "hand_over", "finetuning_steps", "evaluate_every", "episodes")
"""Settings that pre-training does not depend on, except for when it writes rows."""


def quick() -> RunConfig:
    """Return a small run of a few minutes on two cores, to see that everything works."""
    return RunConfig(
        seeds=(0,),
        pretraining_steps=4_000,
        finetuning_steps=12_000,
        first_steps=1_000,
        evaluate_every=2_000,
        episodes=4,
        width=64,
        batch=128,
    )


def as_data(config: RunConfig) -> dict[str, Any]:
    """Return the config as it is stored: plain JSON."""
    return json.loads(json.dumps(asdict(config)))


def pretraining_data(config: RunConfig) -> dict[str, Any]:
    """Return the settings that pre-training depends on, as they are stored."""
    data = {name: value for name, value in as_data(config).items() if name not in OF_FINETUNING}
    return data | {"agents": list(config.agents_in(PRETRAINING))}


def from_data(data: dict[str, Any]) -> RunConfig:
    """Return the config of stored data, or raise if it is invalid."""
    known = {field.name for field in fields(RunConfig)}
    if set(data) != known:
        odd = sorted(set(data) ^ known)
        raise InputError(f"RunConfig: settings of another version, they differ in {', '.join(odd)}")
    values: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in data.items()}
    return RunConfig(**values)


def environment_seeds(seed: int, purpose: int, number: int) -> list[int]:
    """Return seeds of a run's environments, which no other run or purpose shares.

    They do not depend on the agent, so runs of one seed have the same starts for all agents.

    Args:
        seed: the run's seed.
        purpose: number of the world, below `NUM_PURPOSES`.
        number: number of environments.
    """
    first = (seed * NUM_PURPOSES + purpose) * MAX_ENVIRONMENTS
    return list(range(first, first + number))


NUM_PURPOSES = 6
"""Two alternating worlds for each phase, and two for evaluation."""
