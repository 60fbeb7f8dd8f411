"""FRP compared with value iteration at growing levels of noise (Fig. "4room_planning" c)."""

from collections.abc import Iterator, Mapping
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
from .learning import learn_frs, uniforms, walks_of_moves

UNDER_NOISE = "FRP, FRs learned under the noise"
WITHOUT_NOISE = "FRP, FRs learned without noise"
THREE_SWEEPS = "FRP with 3 sweeps, FRs learned under the noise"
EXACT = "FRP, exact FRs"
VI = "VI"
QUICKEST = "VI, bumps ignored"


def rows(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each noise level and planner; all planners share goals and slips."""
    worlds = [four_rooms(noise=noise) for noise in config.noises]
    num_actions, num_states = worlds[0].next_states.shape
    batch, walks = (len(worlds), num_actions), (config.learning_episodes, num_states)
    orders, lucks, goal_luck, luck = uniforms(
        jax.random.key(seed),
        (*batch, *walks),
        (*batch, config.steps, *walks),
        (config.episodes, config.steps + 1),
        (config.episodes, config.steps),
    )
    walked = map(walks_of_moves, worlds, orders, lucks.swapaxes(1, 2))
    (learned,) = learn_frs(np.stack([*walked]), [config.learning_episodes], config)
    without_noise = planners.frp_policies(learned[0])
    for world, frs in zip(worlds, learned, strict=True):
        exact = np.asarray(planners.exact_frs(world.mdp, config.discount))
        policies = {
            UNDER_NOISE: planners.frp_policies(frs),
            WITHOUT_NOISE: without_noise,
            THREE_SWEEPS: planners.frp_policies(frs, 3),
            EXACT: planners.frp_policies(exact),
            **_by_vi(world.noise, config.discount),
        }
        missed = float(np.abs(frs - exact).max())
        scores = _scores(world, policies, goal_luck, luck, config)
        for planner, score in zip(policies, scores, strict=True):
            yield {"noise": world.noise, "planner": planner, "largest_miss": missed, **score}


@cache
def _by_vi(noise: float, discount: float) -> dict[str, Float[np.ndarray, "G S A"]]:
    """Return the policies of `VI` and `QUICKEST`, cached because all seeds share them."""
    mdp = four_rooms(noise=noise).mdp.unnamed()
    worlds = {VI: mdp, QUICKEST: planners.without_costs(mdp)}
    limit = jnp.array([NO_LIMIT])
    return {
        name: np.asarray(planners.vi_policies(world, limit, discount)[0])
        for name, world in worlds.items()
    }


def _scores(
    world: Maze,
    policies: Mapping[str, Float[np.ndarray, "G S A"]],
    goal_luck: Float[np.ndarray, "E U"],
    luck: Float[np.ndarray, "E T"],
    config: Config,
) -> Iterator[Row]:
    """Yield each planner's returns, expected return, and expected discount to the goals."""
    assert world.start is not None
    actions = np.stack([*policies.values()]).argmax(axis=-1)
    goals = task.goal_sequences(goal_luck, world.num_states, world.start)
    returns = task.play(world, actions, goals, luck).returns(config.discount)
    expected = task.expected_returns(
        world.mdp,
        jnp.asarray(np.eye(world.num_actions)[actions]),
        discount=config.discount,
        steps=config.steps,
    )
    found = planners.discounts(world.mdp, actions, config.discount)
    best = found[[*policies].index(QUICKEST)]
    for played, mean, each in zip(returns, expected, found, strict=True):
        yield {
            "returns": played.tolist(),
            "expected_return": float(mean),
            "discount": planners.mean_over_pairs(each),
            "discount_gap": planners.mean_over_pairs(best - each),
        }
