"""From rows to learning curves: which runs belong together, and how they did.

Runs belong together if they differ only in agent and seed. Runs of DDPG, which is not pre-trained,
belong to every setup that differs from theirs only in pre-training. A run that appears in several
files, for example because it was repeated, counts once, where it got furthest. So does pre-training
that was fine-tuned in several ways.
"""

import json
import math
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy_paper.arm.learner.agent_state import AgentConfig
from first_occupancy_paper.arm.runs.row_files import FIRST_ACTIONS, FORMAT, making_of_pretraining
from first_occupancy_paper.arm.runs.run_config import (
    FINETUNING,
    PHASES,
    PRETRAINING,
    RunConfig,
    as_data,
)

from .. import Row, grouped, where

NEARLY = 0.8
"""Fraction of all steps from which a run counts as finished: comparing all runs up to a slightly
earlier step is better than leaving most of them out."""
VARYING = ("agents", "seeds")
OF_PRETRAINING = ("first_actions", "hand_over", "pretraining_steps", "threshold")
"""Settings that make no difference to DDPG."""
Runs = dict[str, dict[int, list[Row]]]
"""The rows of runs in chronological order, by agent and seed."""


@dataclass(frozen=True)
class Setup:
    """Runs with the same settings.

    Attributes:
        config: settings of the runs, and `first_actions`: what fine-tuning starts with.
        runs: rows of the runs, by agent and seed.
        hardware: devices on which the runs were pre-trained and fine-tuned.
    """

    config: Mapping[str, Any]
    runs: Runs
    hardware: tuple[str, ...]

    def has(self, settings: Mapping[str, Any]) -> bool:
        """Return whether the runs have all of these settings."""
        return settings.items() <= self.config.items()

    @property
    def weight(self) -> tuple[bool, int, int, bool, int]:
        """Relevance to the paper: both agents, width, seeds, published hand-over, steps."""
        curves = [finetuning_curves(self, agent) for agent in ("apf", "aps")]
        seeds = min(0 if each is None else len(each.seeds) for each in curves)
        steps = min(0 if each is None else int(each.steps[-1]) for each in curves)
        published = self.config["hand_over"] == "as_published"
        return seeds > 0, self.config["width"], seeds, published, steps


@dataclass(frozen=True)
class Curves:
    """Returns of an agent's runs during fine-tuning, at the same steps for all.

    Attributes:
        seeds: seed of each run.
        steps: steps of fine-tuning at which the runs were evaluated.
        returns: return of each run at each of these steps.
    """

    seeds: tuple[int, ...]
    steps: Int[np.ndarray, " X"]
    returns: Float[np.ndarray, "R X"]

    def until(self, step: int) -> "Curves":
        """Return the curves up to a step."""
        number = int((self.steps <= step).sum())
        return Curves(self.seeds, self.steps[:number], self.returns[:, :number])


def settings_of(config: RunConfig, *free: str) -> dict[str, Any]:
    """Return the settings of runs with this config, apart from free ones, agents and seeds."""
    settings = as_data(config) | {"first_actions": FIRST_ACTIONS[FORMAT]}
    return {name: value for name, value in settings.items() if name not in (*VARYING, *free)}


def setups(rows: Sequence[Row]) -> list[Setup]:
    """Return all setups, the most relevant to the paper first."""
    origins = {row["file"]: row for row in where(rows, part="origin")}
    keys = {file: _key(origin) for file, origin in origins.items()}
    runs: dict[str, Runs] = defaultdict(dict)
    files: dict[str, set[str]] = defaultdict(set)
    for (file, agent, seed), own in grouped(rows, "file", "agent", "seed").items():
        each = sorted(own, key=_place)
        for key in _joined(agent, keys[file], set(keys.values())):
            files[key].add(file)
            known = runs[key].setdefault(agent, {})
            if seed not in known or _place(known[seed][-1]) < _place(each[-1]):
                known[seed] = each
    found = [
        Setup(
            config=json.loads(key),
            runs={agent: dict(sorted(each.items())) for agent, each in sorted(agents.items())},
            hardware=_devices(origins[file] for file in files[key]),
        )
        for key, agents in sorted(runs.items())
    ]
    found = sorted(found, key=lambda setup: (setup.weight, len(setup.runs)), reverse=True)
    return [setup for i, setup in enumerate(found) if not _repeats(setup, found[:i])]


def split(
    found: Sequence[Setup],
    settings: Mapping[str, Any],
    seeds: Container[int],
    names: Mapping[bool, str | None],
) -> list[Setup]:
    """Return the setups, each one with certain settings in two parts, without empty ones.

    Args:
        found: the setups.
        settings: settings of those that are split.
        seeds: seeds of one of the parts.
        names: names of the parts in their order, by whether seeds are among these. A name becomes
            the setting `part`; None stands for runs without a special purpose, which get none.
    """
    apart: list[Setup] = []
    for setup in found:
        if not setup.has(settings):
            apart.append(setup)
            continue
        for among, name in names.items():
            config = setup.config if name is None else {**setup.config, "part": name}
            chosen = {
                agent: {seed: rows for seed, rows in runs.items() if (seed in seeds) == among}
                for agent, runs in setup.runs.items()
            }
            runs = {agent: own for agent, own in chosen.items() if own}
            apart += [replace(setup, config=config, runs=runs)] if runs else []
    return apart


def distinct_pretraining(found: Sequence[Setup]) -> list[Setup]:
    """Return the setups without those that share all of their pre-training with another one."""
    trained = [_pretraining(setup) for setup in found]

    def repeats(i: int, j: int) -> bool:
        own, other = trained[i], trained[j]
        within = all(other.get(run) == rows for run, rows in own.items())
        return within and (j < i or len(other) > len(own))

    everyone = range(len(found))
    return [found[i] for i in everyone if not any(repeats(i, j) for j in everyone if j != i)]


def finetuning_curves(setup: Setup, agent: str) -> Curves | None:
    """Return an agent's curves, up to the last step that all its nearly finished runs have.

    If no run is nearly finished, all runs that have started to fine-tune count; if there are none,
    the result is None.
    """
    points = {
        seed: {row["step"]: row["evaluation_return"] for row in where(rows, phase=FINETUNING)}
        for seed, rows in setup.runs.get(agent, {}).items()
    }
    begun = {seed: each for seed, each in points.items() if len(each) > 1}
    enough = NEARLY * setup.config["finetuning_steps"]
    chosen = {seed: each for seed, each in begun.items() if max(each) >= enough} or begun
    if not chosen:
        return None
    steps = sorted(set.intersection(*(set(points) for points in chosen.values())))
    returns = [[points[step] for step in steps] for points in chosen.values()]
    return Curves(tuple(chosen), np.array(steps), np.array(returns, dtype=float))


Points = list[tuple[int, float | None]]
"""Steps and numbers, None for those that are not finite."""


def largest_targets(setup: Setup, agent: str) -> dict[int, Points]:
    """Return the largest targets during pre-training, for each seed that has any."""
    points = {
        seed: [
            (row["step"], row["largest_target"])
            for row in where(rows, "largest_target", phase=PRETRAINING)
        ]
        for seed, rows in setup.runs.get(agent, {}).items()
    }
    return {seed: each for seed, each in points.items() if each}


def last_targets(setup: Setup, agent: str) -> dict[int, float | None]:
    """Return the largest target when pre-training ends, for each seed that has one."""
    return {seed: points[-1][1] for seed, points in largest_targets(setup, agent).items()}


def span_of(targets: Iterable[float | None]) -> dict[str, Any]:
    """Return the least and the largest of the targets that are finite."""
    finite = [target for target in targets if target is not None]
    return {
        "finite": bool(finite),
        "least": min(finite, default=None),
        "most": max(finite, default=None),
    }


def relative_values(setup: Setup, agent: str) -> list[float]:
    r"""Return each seed's mean target at the end of pre-training, relative to the largest value.

    $$\frac{1 + e}{1 - \gamma^n}$$

    is the value of receiving forever a feature reward of 1, its maximum, and the mean exploration
    reward e. Targets that are not finite count as infinite.
    """
    settings = AgentConfig(agent)
    found = []
    for rows in setup.runs.get(agent, {}).values():
        told = where(rows, "target", phase=PRETRAINING)
        if told and told[-1]["target"] is None:
            found.append(math.inf)
        elif told:
            most = (1 + told[-1]["exploration"]) / (1 - settings.discount**settings.n_step)
            found.append(told[-1]["target"] / most)
    return found


class End(NamedTuple):
    """A run at its last evaluation of fine-tuning."""

    earned: float
    """Return of that evaluation."""
    aimed_at: float
    """Mean target of its critics, relative to the value of a reward of 1 forever."""


def ends(setup: Setup, agent: str) -> list[End]:
    """Return each of an agent's runs at its last evaluation of fine-tuning."""
    most = 1 / (1 - AgentConfig(agent).discount)
    found = []
    for rows in setup.runs.get(agent, {}).values():
        if rows[-1]["phase"] == FINETUNING and "target" in rows[-1]:
            target = rows[-1]["target"]
            aimed_at = math.inf if target is None else target / most
            found.append(End(rows[-1]["evaluation_return"], aimed_at))
    return found


def _key(origin: Row) -> str:
    # Runs older than the setting were not bounded.
    settings = {"bounded": False, **origin["config"]}
    settings["first_actions"] = FIRST_ACTIONS[origin["format"]]
    return json.dumps({k: v for k, v in settings.items() if k not in VARYING}, sort_keys=True)


def _joined(agent: str, own: str, keys: set[str]) -> list[str]:
    """Return the keys of all setups that an agent's run belongs to."""
    if agent != "ddpg":
        return [own]
    settings = _without_pretraining(json.loads(own))
    return [key for key in keys if _without_pretraining(json.loads(key)) == settings]


def _repeats(setup: Setup, before: Sequence[Setup]) -> bool:
    """Return whether a setup consists only of runs of DDPG that other setups include as well."""
    own = _without_pretraining(setup.config)
    return set(setup.runs) == {"ddpg"} and any(
        _without_pretraining(other.config) == own for other in before
    )


def _without_pretraining(config: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name not in OF_PRETRAINING}


def _place(row: Row) -> tuple[int, int]:
    return PHASES.index(row["phase"]), row["step"]


def _pretraining(setup: Setup) -> dict[tuple[str, int], list[Row]]:
    """Return the rows of each run's pre-training, without the names of their files."""
    found: dict[tuple[str, int], list[Row]] = {
        (agent, seed): [
            {name: value for name, value in row.items() if name != "file"}
            for row in where(rows, phase=PRETRAINING)
        ]
        for agent, runs in setup.runs.items()
        for seed, rows in runs.items()
    }
    return {run: rows for run, rows in found.items() if rows}


def _devices(origins: Iterable[Row]) -> tuple[str, ...]:
    """Return the devices that made the rows of some files, or did their pre-training."""
    makings = [making for each in origins for making in (each, making_of_pretraining(each))]
    return tuple(sorted({making["hardware"]["device"] for making in makings}))
