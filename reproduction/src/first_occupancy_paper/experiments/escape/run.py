"""Exploration from the shelter, a first escape, more exploration, a second escape.

The paper does not specify the following, so we chose: the length of an exploration episode
(swept); FRP runs to convergence at every step; where no plan is known the default move is
'down'; FRs and SRs are float32. Under the printed update a bump cannot lead round the barrier
(see `find`), so there are several variants:

- printed: one TD update per step; the default is always 'down'.
- feeling: from the first bump of a trial on, the default is the most downward move that is not
  blocked; which of left and right is preferred is drawn at random. Plans take precedence.
- new barrier: the barrier is put up after the first exploration, and a bump updates the row of
  the policy until it converges; the default is always 'down'.
- open: the control without barrier, otherwise as printed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from first_occupancy.core.arguments import Discount, Limits, PositiveInt, Share
from first_occupancy.representations import LambdaRepresentation
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.rows.settings import Settings

from . import arena
from .agent import Learning, Rule, Steps, escape, explore, initial

Variant = Literal["printed", "feeling", "new barrier", "open"]
Representation = Literal["FR", "SR"]
Agent = tuple[Variant, Representation]
DECAYS: dict[Representation, float] = {"FR": 0.0, "SR": 1.0}
EPISODE_STEPS = (25, 50, 100, 200, 300, 400, 700, 1000)
SHOWN = ("variant", "representation", "episode_steps", "detailed")
"""Settings that are part of every row, by which figures and findings select rows."""
EXAMPLE_STEPS = 200
"""The length in the figures: of those swept, the one with most of the behaviour described."""


@dataclass(frozen=True)
class Config(Settings):
    """One agent and one length of exploration.

    Attributes:
        variant: what the agent does at the barrier, as listed in this module.
        representation: "FR", with which the agent plans, or "SR", with which it uses GPI.
        episode_steps: number of steps of an exploration episode.
        runs: number of independent runs.
        detailed: whether rows include what the figures of single runs need.
        size: number of cells along each side of the arena, including the outer wall.
        episodes: number of exploration episodes before each trial.
        max_steps: largest number of steps of a trial.
        discount: discount factor per step, from 0 to 1 (exclusive).
        step_size: share of the TD error that an update removes.
    """

    variant: Variant
    representation: Representation
    episode_steps: PositiveInt
    runs: PositiveInt = 25
    detailed: bool = False
    size: Annotated[int, Limits(least=5)] = 25
    episodes: PositiveInt = 5
    max_steps: PositiveInt = 50
    discount: Discount = 0.99
    step_size: Share = 0.05


def settings(quick: bool) -> Sequence[tuple[Config, int]]:
    """Return the examples of the figures (10 runs), and the sweep over lengths (100 runs)."""
    planners: list[Agent] = [("printed", "FR"), ("feeling", "FR")]
    others: list[Agent] = [("printed", "SR"), ("feeling", "SR"), ("open", "FR"), ("open", "SR")]
    shown, runs, seeds = (4, 4, 1) if quick else (10, 25, 4)
    examples = [
        (Config(*agent, EXAMPLE_STEPS, runs=shown, detailed=True), 1) for agent in planners + others
    ]
    swept, few = ((50, EXAMPLE_STEPS, 400), (400,)) if quick else (EPISODE_STEPS, (50, 400, 1000))
    settling: Agent = ("new barrier", "FR")
    between = () if quick else (100, 200, 300)
    wanted = [(*agent, steps) for agent in planners for steps in swept]
    wanted += [(*settling, steps) for steps in sorted({*few, *between})]
    wanted += [(*agent, EXAMPLE_STEPS) for agent in others]
    sweep = [(Config(*setting, runs=runs), seeds) for setting in wanted]
    # These behave alike at every length, so fewer runs are enough.
    sweep += [(Config(*agent, steps, runs=runs), 1) for agent in others[:3] for steps in few]
    return examples + sweep


def run(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each run: both trials and, in detailed rows, what was learned on the way."""
    for number in range(config.runs):
        key = jax.random.fold_in(jax.random.key(seed), number)
        row = _one_run(config, key) | {"run": number, "seed": seed}
        yield row | (_exact(config) if config.detailed and number == 0 else {})


def _one_run(config: Config, key: Array) -> dict[str, Any]:
    start, _ = arena.ends(config.size)
    first_key, second_key, side_key = jax.random.split(key, 3)
    barrier = config.variant != "open"
    rule = _rule(config, int(jax.random.randint(side_key, (), 0, 2)))
    num_states = arena.arena(config.size, False).num_states
    reps = initial(num_states, len(arena.NAMES))
    explored_with = barrier and config.variant != "new barrier"
    reps, first = _explore(config, reps, first_key, explored_with)
    learned = {"before": reps[start, arena.DOWN]}
    reps, trial_1 = _escape(config, reps, rule, barrier)
    wall = arena.above_barrier(config.size)
    learned["at_barrier"] = reps[wall, arena.DOWN, wall]
    reps, second = _explore(config, reps, second_key, barrier)
    learned["after"] = reps[start, arena.DOWN]
    reps, trial_2 = _escape(config, reps, rule, barrier)
    row = {name: getattr(config, name) for name in SHOWN} | {
        "trial_1": _trial_row(config, trial_1, barrier),
        "trial_2": _trial_row(config, trial_2, barrier),
    }
    if not config.detailed:
        return row
    return row | _details(config, (first, second), trial_1, learned)


def _exact(config: Config) -> dict[str, Any]:
    """Return the exact row of 'down' from the start, which learning should approach."""
    moves = arena.next_states(config.size, config.variant != "open")[arena.DOWN]
    path = [arena.ends(config.size)[0]]
    while moves[path[-1]] != path[-1]:
        path.append(int(moves[path[-1]]))
    # Only the states on the path matter: each leads to the next, the last to itself.
    following = jnp.minimum(jnp.arange(len(path)) + 1, len(path) - 1)
    chain = jax.nn.one_hot(following, len(path))
    reached = LambdaRepresentation(DECAYS[config.representation]).solve(
        chain, discount=config.discount
    )
    exact = np.zeros(len(moves))
    exact[path] = np.asarray(reached[0])
    return {"exact": exact.tolist()}


def _explore(config: Config, reps: Array, key: Array, barrier: bool) -> tuple[Array, Steps]:
    return explore(
        reps,
        key,
        jnp.asarray(arena.next_states(config.size, barrier)),
        arena.ends(config.size)[1],
        config.episode_steps,
        config.episodes,
        _learning(config),
        most_steps=config.episodes * max(config.episode_steps, *EPISODE_STEPS),
    )


def _escape(config: Config, reps: Array, rule: Rule, barrier: bool) -> tuple[Array, Steps]:
    start, shelter = arena.ends(config.size)
    return escape(
        reps,
        jnp.asarray(arena.next_states(config.size, barrier)),
        start,
        shelter,
        rule,
        _learning(config),
        plans=config.representation == "FR",
        max_steps=config.max_steps,
    )


def _learning(config: Config) -> Learning:
    return Learning(config.discount, config.step_size, DECAYS[config.representation])


def _rule(config: Config, side: int) -> Rule:
    return Rule(
        settles=jnp.array(config.variant == "new barrier"),
        feels=jnp.array(config.variant == "feeling"),
        preference=jnp.asarray(arena.moves_by_preference(side)),
    )


def _trial_row(config: Config, trial: Steps, barrier: bool) -> dict[str, Any]:
    """Return a trial as plain values: the walk, hits of the barrier, and how far it got."""
    steps = trial.num_steps
    walk = np.asarray(trial.states)[: steps + 1].tolist()
    policies = np.asarray(trial.policies)[:steps].tolist()
    at_barrier = _hits(config.size, walk, policies) if barrier else []
    return {
        "walk": walk,
        "steps": steps,
        "planned_steps": int(np.asarray(trial.planned)[:steps].sum()),
        "first_hit": at_barrier[0] if at_barrier else -1,
        "hits": len(at_barrier),
        "past_barrier": arena.past_barrier(config.size, walk),
        "reached": walk[-1] == arena.ends(config.size)[1],
    }


def _hits(size: int, walk: list[int], policies: list[int]) -> list[int]:
    """Return the steps that ran into the barrier: those that would be free without it."""
    free = arena.next_states(size, False)
    steps = zip(walk, walk[1:], policies, strict=False)
    return [time for time, (here, there, move) in enumerate(steps) if free[move, here] != there]


def _details(
    config: Config,
    explorations: tuple[Steps, Steps],
    trial: Steps,
    rows: dict[str, Array],
) -> dict[str, Any]:
    """Return one exploration episode, the TD errors of 'down', and its rows as given."""
    first, second = explorations
    return {
        "explored": np.asarray(first.states)[: config.episode_steps].tolist(),
        "errors_1": _down_errors(first),
        "trial_errors": _down_errors(trial),
        "trial_times": np.flatnonzero(np.asarray(trial.policies) == arena.DOWN).tolist(),
        "errors_2": _down_errors(second),
    } | {name: np.asarray(row, dtype=float).tolist() for name, row in rows.items()}


def _down_errors(log: Steps) -> list[float]:
    down = np.asarray(log.policies) == arena.DOWN
    return np.asarray(log.errors, dtype=float)[down].tolist()
