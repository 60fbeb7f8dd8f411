"""Trials of Sarsa without bonus, with the SR's and with the FR's, under every reading shown.

A seed is one run at the paper's size: 100 trials of 5,000 steps. Four seeds make the estimates
more precise than the paper's; where their spread leaves verdicts open, part "more" adds trials.
The search tries other readings with random numbers of its own, so that the reading it found is
confirmed by trials that were not used to choose it.

How the norms behind the bonuses change from step to step (section 4.1).

The paper says that the SR's bonus falls with every visit, and that the FR's norm grows only when a
new state or a shorter way is found. A step whose transition was seen before finds neither.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import jax
import numpy as np
from jaxtyping import Array

from first_occupancy.core.arguments import PositiveInt
from first_occupancy.core.errors import InputError
from first_occupancy_paper.explorers.sarsa import Progress, draw_noise, run_trials, walk_trials
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import Settings

from . import published
from .protocols import (
    RIVERS,
    SEARCHED_BONUSES,
    TASKS,
    Protocol,
    SearchedBonus,
    Task,
    larger_beta_protocols,
    protocols,
    search_protocols,
    world,
)

Part = Literal["shown", "more", "search", "published", "larger_beta", "norms"]

SEEDS = 4
MORE = ("sarsa", "sr_drawn_anew", "fr_printed", "fr_inverse_pairs")
"""The readings with more trials: those in the tables' cells, and the one found by search."""
NORMS = ("sr_drawn_anew", "fr_printed")
CURVE_POINTS = 50
OWN_NUMBERS = {"search": 1, "more": 2}
"""Parts with random numbers of their own."""


@dataclass(frozen=True)
class Config(Settings):
    """One task and the protocols to run on it.

    Attributes:
        task: name of the task.
        part: "shown" for the readings of `protocols`, "more" for more trials of some of them,
            "search" for all combinations of what the paper leaves open, "published" for the rules
            of the authors' code, "larger_beta" for the SR's bonus with larger coefficients, and
            "norms" for how bonuses change from step to step.
        bonus: form of the bonus that a search tries, one for each job to keep jobs short; empty
            in other parts.
        trials: number of trials.
        steps: number of steps of each trial.
    """

    task: Task
    part: Part = "shown"
    bonus: Literal[SearchedBonus, ""] = ""
    trials: PositiveInt = 100
    steps: PositiveInt = 5_000

    def __post_init__(self) -> None:
        """Raise an `InputError` unless all settings are valid."""
        super().__post_init__()
        if self.part == "search" and not self.bonus:
            raise InputError(
                f"part=search needs a bonus, one of {', '.join(SEARCHED_BONUSES)}, got none"
            )
        if self.part != "search" and self.bonus:
            raise InputError(f"bonus is for part=search only, got {self.bonus} for {self.part}")

    @property
    def size(self) -> dict[str, int]:
        """The number of trials and of their steps."""
        return {"num_trials": self.trials, "num_steps": self.steps}


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return every task at the paper's size; if quick, with few and short trials."""
    if quick:
        return [(Config(task, trials=20, steps=1_000), 1) for task in TASKS]
    return [
        *((Config(task), SEEDS) for task in TASKS),
        *((Config(task, "more", trials=400), SEEDS) for task in ("RiverSwim-6", "SixArms")),
        (Config("RiverSwim-6", "published", trials=500), SEEDS),
        *((Config(task, "larger_beta", trials=400), 1) for task in RIVERS[1:]),
        (Config("RiverSwim-6", "norms"), 1),
        *((Config(task, "search", bonus), 1) for task in RIVERS for bonus in SEARCHED_BONUSES),
    ]


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each protocol: the total rewards of its trials and, if shown, their curve."""
    key = jax.random.key(seed)
    if config.part == "published":
        rows = _published(config, key)
    elif config.part == "norms":
        rows = _norms(config, key)
    else:
        rows = _trials(config, key)
    for row in rows:
        yield {"part": config.part, "task": config.task, **row}


def _trials(config: Config, key: Array) -> Iterator[Row]:
    if config.part in OWN_NUMBERS:
        key = jax.random.fold_in(key, OWN_NUMBERS[config.part])
    for protocol in _readings(config):
        rewards = run_trials(protocol.agent, world(config.task), key, **config.size)
        growing = np.asarray(rewards).cumsum(axis=1)
        row = {
            "protocol": protocol.text,
            "settings": asdict(protocol),
            "totals": growing[:, -1].tolist(),
        }
        if config.part == "search":
            row |= {"bonus": protocol.bonus}
        else:
            row |= {"variant": protocol.name, "method": protocol.method}
        if config.part == "shown":
            # Short trials have a point at each step, and none has one at step 0.
            steps = np.unique(np.linspace(0, config.steps, CURVE_POINTS + 1).astype(int))[1:]
            means = growing[:, steps - 1].mean(axis=0)
            row |= {"curve_steps": steps.tolist(), "curve_means": means.tolist()}
        yield row


def _readings(config: Config) -> Sequence[Protocol]:
    match config.part:
        case "search":
            return search_protocols(config.task, config.bonus)
        case "larger_beta":
            return larger_beta_protocols()
        case "more":
            return [each for each in protocols(config.task) if each.name in MORE]
        case "norms":
            return [each for each in protocols(config.task) if each.name in NORMS]
    return protocols(config.task)


def _published(config: Config, key: Array) -> Iterator[Row]:
    worlds = {"published": published.published_river_swim(), "paper's": world(config.task)}
    for name, mdp in worlds.items():
        for method in published.BETAS:
            rewards = published.run_published(mdp, key, method=method, **config.size)
            totals = np.asarray(rewards).sum(axis=1).tolist()
            about = {"method": method, "protocol": published.text(method)}
            yield {"world": name, **about, "totals": totals}


def _norms(config: Config, key: Array) -> Iterator[Row]:
    """Yield shares of the steps of each trial, by what happens to the norm of the row of s.

    `grows` is the share of steps that raise the norm, and `grows_on_known` is, of these steps, the
    share whose transition was seen before. `mean_norm` is the mean norm after the update,
    `mean_inverse` the mean of its inverse.
    """
    mdp = world(config.task)
    noise = draw_noise(mdp, key, **config.size)
    for protocol in _readings(config):
        steps = walk_trials(protocol.agent, mdp.unnamed(), *noise, _norms_of_step)
        before, after, transitions = map(np.asarray, steps)
        grows = after > before * (1 + 1e-12)
        known = np.array([_seen_before(each) for each in transitions])
        yield {
            "variant": protocol.name,
            "protocol": protocol.text,
            "grows": grows.mean(axis=1).tolist(),
            "grows_on_known": ((grows & known).sum(axis=1) / grows.sum(axis=1)).tolist(),
            "mean_norm": after.mean(axis=1).tolist(),
            "mean_inverse": (1 / after).mean(axis=1).tolist(),
        }


def _norms_of_step(before: Progress, reward: Array, after: Progress) -> tuple[Array, Array, Array]:
    """Return the norm of the row of s before and after a step, and a number of the transition."""
    old, new = (each.representation[before.state, 0].sum() for each in (before, after))
    return old, new, before.state * len(before.values) + after.state


def _seen_before(numbers: np.ndarray) -> np.ndarray:
    """Return for each number whether it occurred before."""
    return ~np.isin(np.arange(len(numbers)), np.unique(numbers, return_index=True)[1])
