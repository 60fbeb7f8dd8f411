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

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from first_occupancy.core import MDP, PRNGKey
from first_occupancy.core.arguments import PositiveInt
from first_occupancy.core.errors import InputError
from first_occupancy_paper.explorers.draws import outcome_at
from first_occupancy_paper.explorers.sarsa import (
    Progress,
    Sarsa,
    act,
    draw_noise,
    init,
    run_trials,
    update,
)
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


def changes(
    agent: Sarsa, mdp: MDP, key: PRNGKey, *, num_trials: int, num_steps: int
) -> dict[str, list[float]]:
    """Return shares of the steps of each trial, by what happens to the norm of the row of s.

    Args:
        agent: settings of the agent; its representation has a row for each state.
        mdp: world of the trials.
        key: JAX random key.
        num_trials: number of trials.
        num_steps: number of steps of each trial.

    Returns:
        For each trial: `grows`, the share of steps that raise the norm of the row of s;
        `grows_on_known`, the share of those whose transition was seen before; `mean_norm`, the
        mean norm after the update; and `mean_inverse`, the mean of its inverse.
    """
    begin, walk = draw_noise(mdp, key, num_trials=num_trials, num_steps=num_steps)
    before, after, known = (np.asarray(each) for each in _run(agent, mdp.unnamed(), begin, walk))
    grows = after > before * (1 + 1e-12)
    return {
        "grows": grows.mean(axis=1).tolist(),
        "grows_on_known": ((grows & known).sum(axis=1) / grows.sum(axis=1)).tolist(),
        "mean_norm": after.mean(axis=1).tolist(),
        "mean_inverse": (1 / after).mean(axis=1).tolist(),
    }


@eqx.filter_jit
def _run(agent: Sarsa, mdp: MDP, begin: Array, walk: Array) -> tuple[Array, ...]:
    outcomes = jnp.cumsum(mdp.transition, axis=-1)

    def advance(carry: tuple[Progress, Array], noise: Array) -> tuple[tuple, tuple]:
        progress, seen = carry
        state, action = progress.state, act(agent, progress, noise[0])
        next_state = outcome_at(outcomes[state, action], noise[1])
        reward = mdp.reward[state, action, next_state]
        following = update(agent, progress, action, reward, next_state, noise[2])
        norms = [each.representation[state, 0].sum() for each in (progress, following)]
        known = seen[state, next_state]
        return (following, seen.at[state, next_state].set(True)), (*norms, known)

    def run_trial(begin: Array, walk: Array) -> tuple[Array, ...]:
        start = outcome_at(jnp.cumsum(mdp.start_distribution), begin[-1, 0])
        progress = init(agent, start, jnp.zeros_like(begin[:-1]), begin[-1, 1])
        seen = jnp.zeros((mdp.num_states, mdp.num_states), bool)
        return jax.lax.scan(advance, (progress, seen), walk)[1]

    return jax.vmap(run_trial)(begin, walk)


Part = Literal["shown", "more", "search", "published", "larger_beta", "norms"]

SEEDS = 4
MORE = ("sarsa", "sr_drawn_anew", "fr_printed", "fr_inverse_pairs")
"""The readings with more trials: those in the tables' cells, and the one found by search."""
CURVE_POINTS = 50


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
    parts = {
        "shown": _shown,
        "more": _more,
        "search": _search,
        "published": _published,
        "larger_beta": _larger_beta,
        "norms": _norms,
    }
    for row in parts[config.part](config, jax.random.key(seed)):
        yield {"part": config.part, "task": config.task, **row}


def _shown(config: Config, key: Array) -> Iterator[Row]:
    for protocol in protocols(config.task):
        rewards = _rewards(config, protocol, key)
        growing = np.cumsum(rewards, axis=1)
        # Short trials have a point at each step, and none has one at step 0.
        steps = np.unique(np.linspace(0, config.steps, CURVE_POINTS + 1).astype(int))[1:]
        yield {
            "variant": protocol.name,
            "method": protocol.method,
            "protocol": protocol.text,
            "settings": asdict(protocol),
            "totals": growing[:, -1].tolist(),
            "curve_steps": steps.tolist(),
            "curve_means": growing[:, steps - 1].mean(axis=0).tolist(),
        }


def _search(config: Config, key: Array) -> Iterator[Row]:
    other_key = jax.random.fold_in(key, 1)
    for protocol in search_protocols(config.task, config.bonus):
        yield {
            "bonus": protocol.bonus,
            "protocol": protocol.text,
            "settings": asdict(protocol),
            "totals": _rewards(config, protocol, other_key).sum(axis=1).tolist(),
        }


def _more(config: Config, key: Array) -> Iterator[Row]:
    other_key = jax.random.fold_in(key, 2)
    wanted = [each for each in protocols(config.task) if each.name in MORE]
    yield from _totals(config, wanted, other_key)


def _larger_beta(config: Config, key: Array) -> Iterator[Row]:
    yield from _totals(config, larger_beta_protocols(), key)


def _totals(config: Config, wanted: Sequence[Protocol], key: Array) -> Iterator[Row]:
    for protocol in wanted:
        totals = _rewards(config, protocol, key).sum(axis=1).tolist()
        about = {"protocol": protocol.text, "settings": asdict(protocol)}
        yield {"variant": protocol.name, "method": protocol.method, "totals": totals, **about}


def _published(config: Config, key: Array) -> Iterator[Row]:
    worlds = {"published": published.published_river_swim(), "paper's": world(config.task)}
    size = {"num_trials": config.trials, "num_steps": config.steps}
    for name, mdp in worlds.items():
        for method in published.BETAS:
            rewards = published.run_published(mdp, key, method=method, **size)
            totals = np.asarray(rewards).sum(axis=1).tolist()
            about = {"method": method, "protocol": published.text(method)}
            yield {"world": name, **about, "totals": totals}


def _norms(config: Config, key: Array) -> Iterator[Row]:
    wanted = {each.name: each for each in protocols(config.task)}
    for name in ("sr_drawn_anew", "fr_printed"):
        protocol = wanted[name]
        size = {"num_trials": config.trials, "num_steps": config.steps}
        found = changes(protocol.agent, world(config.task), key, **size)
        yield {"variant": name, "protocol": protocol.text, **found}


def _rewards(config: Config, protocol: Protocol, key: Array) -> np.ndarray:
    size = {"num_trials": config.trials, "num_steps": config.steps}
    return np.asarray(run_trials(protocol.agent, world(config.task), key, **size))
