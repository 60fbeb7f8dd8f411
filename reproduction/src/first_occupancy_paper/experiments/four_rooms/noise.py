"""FRP compared with value iteration at growing levels of noise (Fig. "4room_planning" c)."""

from collections.abc import Iterator, Sequence
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from first_occupancy.environments import Maze, four_rooms
from first_occupancy.planning.dynamic_programming.value_iteration import NO_LIMIT
from first_occupancy_paper.rows.row import Row

from . import planners, task
from .config import Config
from .learning import FR, learn_all, uniforms, walk_from_everywhere

UNDER_NOISE = "FRP, FRs learned under the noise"
WITHOUT_NOISE = "FRP, FRs learned without noise"
THREE_SWEEPS = "FRP with 3 sweeps, FRs learned under the noise"
EXACT = "FRP, exact FRs"
VI = "VI"
QUICKEST = "VI, bumps ignored"
PLANNERS = (UNDER_NOISE, WITHOUT_NOISE, THREE_SWEEPS, EXACT, VI, QUICKEST)


def rows(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each noise level and planner; all planners share goals and slips."""
    worlds = [four_rooms(noise=noise) for noise in config.noises]
    orders, lucks, goal_luck, luck = uniforms(jax.random.key(seed), *_shapes(worlds, config))
    learned = _learn(worlds, orders, lucks, config)
    exact = np.stack([planners.exact_frs(each.mdp, config.discount) for each in worlds])
    choices = _choices(learned, exact, config)
    for level, world in enumerate(worlds):
        scores = _score(world, choices[level], goal_luck, luck, config)
        missed = float(np.abs(learned[level] - exact[level]).max())
        for planner, score in zip(PLANNERS, scores, strict=True):
            yield {"noise": world.noise, "planner": planner, "largest_miss": missed, **score}


def _shapes(worlds: Sequence[Maze], config: Config) -> list[tuple[int, ...]]:
    """Return the shapes of all random numbers: two for learning, two for playing."""
    num_actions, num_states = worlds[0].next_states.shape
    batch, walks = (len(worlds), num_actions), (config.learning_episodes, num_states)
    return [
        (*batch, *walks),
        (*batch, config.steps, *walks),
        (config.episodes, config.steps + 1),
        (config.episodes, config.steps),
    ]


def _learn(
    worlds: Sequence[Maze],
    orders: Float[np.ndarray, "L A E S"],
    lucks: Float[np.ndarray, "L A T E S"],
    config: Config,
) -> Float[np.ndarray, "L A S S"]:
    """Return the four FRs learned at each noise level."""
    walks = [
        walk_from_everywhere(
            world.next_states, action, orders[level, action], lucks[level, action], world.noise
        )
        for level, world in enumerate(worlds)
        for action in range(world.num_actions)
    ]
    learned = learn_all(
        jnp.asarray(np.stack(walks)),
        jnp.full(len(walks), FR),
        discount=config.discount,
        step_size=config.step_size,
        keep=(config.learning_episodes,),
    )
    return np.asarray(learned).reshape(*lucks.shape[:2], *learned.shape[2:])


def _choices(
    learned: Float[np.ndarray, "L A S S"],
    exact: Float[np.ndarray, "L A S S"],
    config: Config,
) -> Float[np.ndarray, "L P G S A"]:
    """Return the policies of `PLANNERS` at each noise level; level 0 has no noise."""
    without_noise = planners.frp_policies(learned[0])
    by_frp = [
        [
            planners.frp_policies(mine),
            without_noise,
            planners.frp_policies(mine, 3),
            planners.frp_policies(true),
        ]
        for mine, true in zip(learned, exact, strict=True)
    ]
    return np.concatenate([np.array(by_frp), _by_vi(config.noises, config.discount)], axis=1)


@cache
def _by_vi(noises: tuple[float, ...], discount: float) -> Float[np.ndarray, "L 2 G S A"]:
    """Return the policies of `VI` and `QUICKEST`, cached because all seeds share them."""
    mdps = [four_rooms(noise=noise).mdp for noise in noises]
    cases = planners.stack([*mdps, *map(planners.without_costs, mdps)])
    limits = jnp.full(2 * len(mdps), NO_LIMIT)
    found = np.asarray(planners.vi_policies(cases, limits, discount))
    return found.reshape(2, len(mdps), *found.shape[1:]).swapaxes(0, 1)


def _score(
    world: Maze,
    policies: Float[np.ndarray, "P G S A"],
    goal_luck: Float[np.ndarray, "E U"],
    luck: Float[np.ndarray, "E T"],
    config: Config,
) -> Iterator[Row]:
    """Yield each planner's returns, expected return, and expected discount to the goals."""
    assert world.start is not None
    actions = planners.first_of_best(policies)
    goals = task.goal_sequences(goal_luck, world.num_states, world.start)
    episodes = task.play(world.next_states, actions, world.start, goals, luck, world.noise)
    expected = planners.expected_returns(
        world.mdp,
        jnp.asarray(np.eye(world.num_actions)[actions]),
        world.start,
        discount=config.discount,
        steps=config.steps,
    )
    found = planners.discounts(world.mdp, actions, config.discount)
    best = found[PLANNERS.index(QUICKEST)]
    for returns, mean, each in zip(episodes.returns(config.discount), expected, found, strict=True):
        yield {
            "returns": returns.tolist(),
            "expected_return": float(mean),
            "discount": planners.mean_over_pairs(each),
            "discount_gap": planners.mean_over_pairs(best - each),
        }
