"""Returns by number of sweeps, and an example episode (Fig. "4room_planning" a and b)."""

from collections.abc import Iterator, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core import MDP
from first_occupancy.environments import Maze, four_rooms
from first_occupancy.planning.dynamic_programming.value_iteration import NO_LIMIT
from first_occupancy_paper.rows.row import Row

from . import planners, task
from .config import Config
from .learning import learn_frs, no_luck, uniforms, walks_of_moves

CONVERGED = "converged"
GOAL_ONLY = "VI, goal reward only"
GOALS_IN_REFERENCE = 5
"""Number of goals after which the reference code ends an episode; the paper does not say so."""

Policies = Float[np.ndarray, "G S A"]
Planners = Mapping[tuple[str, int | str], Policies]
"""Policies by name of the planner and number of sweeps, or `CONVERGED`."""


def rows(config: Config, seed: int) -> Iterator[Row]:
    """Yield the FRs' accuracy, a row for each planner and number of sweeps, and two walks."""
    world = four_rooms()
    assert world.start is not None
    exact = np.asarray(planners.exact_frs(world.mdp, config.discount))
    measured = sorted({config.learning_episodes, *config.also_after})
    shape = (world.num_actions, measured[-1], world.num_states)
    orders, luck = uniforms(jax.random.key(seed), shape, (config.episodes, config.steps + 1))
    walks = walks_of_moves(world, orders, no_luck(config.steps, orders))
    found = learn_frs(walks, measured, config)
    learned = dict(zip(map(str, measured), found, strict=True))
    yield from _accuracy(world, {**learned, "exact": exact}, config)
    frs = learned[str(config.learning_episodes)]
    choices = _choices(world.mdp, frs, config)
    goals = task.goal_sequences(luck, world.num_states, world.start)
    actions = np.stack(list(choices.values())).argmax(axis=-1)
    episodes = task.play(world, actions, goals, luck[:, 1:])
    yield from _scores(world, choices, episodes, config)
    yield {"gpi_differs_from_frp_0": _differences(frs, choices["FRP", 0])}
    yield from _walks(list(choices), episodes, goals)


def _accuracy(world: Maze, kinds: Mapping[str, np.ndarray], config: Config) -> Iterator[Row]:
    """Yield the errors of the FRs, and the share of pairs for which the plan is a shortest path."""
    exact = kinds["exact"]
    planned = np.stack(
        [planners.frp_policies(frs, k) for frs in kinds.values() for k in (*config.switches, None)]
    )
    found = planners.discounts(world.mdp, planned.argmax(axis=-1), config.discount)
    by_kind = found.reshape(len(kinds), -1, *found.shape[1:])
    # FRP with exact FRs finds all shortest paths (Prop. 4.1); a detour adds at least two steps.
    shortest = by_kind[:, :-1] > 0.99 * by_kind[-1, -1]
    for (name, frs), found in zip(kinds.items(), shortest, strict=True):
        missed = np.abs(frs - exact)
        yield {
            "learned_for": name,
            "largest_miss": float(missed.max()),
            "mean_miss": float(missed.mean()),
            "switches": list(config.switches),
            "shortest": [planners.mean_over_pairs(each.astype(float)) for each in found],
        }


def _choices(mdp: MDP, frs: np.ndarray, config: Config) -> Planners:
    """Return the policies of every planner after each number of sweeps, and once converged."""
    names, limits = [*config.switches, CONVERGED], jnp.array([*config.switches, NO_LIMIT])
    found = {"FRP": [planners.frp_policies(frs, k) for k in (*config.switches, None)]}
    for planner, world in (("VI", mdp.unnamed()), (GOAL_ONLY, planners.without_costs(mdp))):
        found[planner] = [*np.asarray(planners.vi_policies(world, limits, config.discount))]
    return {
        (planner, name): policies
        for planner, by_sweeps in found.items()
        for name, policies in zip(names, by_sweeps, strict=True)
    }


def _scores(
    world: Maze, choices: Planners, episodes: task.Episodes, config: Config
) -> Iterator[Row]:
    """Yield each planner's returns and expected returns."""
    returns = episodes.returns(config.discount)
    ended = episodes.ended_after(GOALS_IN_REFERENCE).returns(config.discount)
    undecided = np.stack(list(choices.values()))
    decided = np.eye(world.num_actions)[undecided.argmax(axis=-1)]
    expected = task.expected_returns(
        world.mdp,
        jnp.asarray(np.concatenate([decided, undecided])),
        discount=config.discount,
        steps=config.steps,
    )
    for number, (planner, sweeps) in enumerate(choices):
        yield {
            "planner": planner,
            "sweeps": sweeps,
            "returns": returns[number].tolist(),
            "returns_to_five_goals": ended[number].tolist(),
            "goals": episodes.arrived[number].sum(axis=1).tolist(),
            "expected_return": float(expected[number]),
            "expected_return_undecided": float(expected[number + len(choices)]),
        }


def _differences(frs: np.ndarray, by_frp: Policies) -> int:
    """Return for how many pairs of goal and state GPI and FRP without switches differ."""
    differ = np.asarray(planners.gpi_actions(jnp.asarray(frs))) != by_frp.argmax(axis=-1)
    return int(differ[~np.eye(len(differ), dtype=bool)].sum())


def _walks(
    names: list[tuple[str, int | str]], episodes: task.Episodes, goals: Int[np.ndarray, "E U"]
) -> Iterator[Row]:
    """Yield FRP's walks without and with three switches, in the first episode where GPI arrives.

    In most episodes GPI never arrives, and its walk ends at a wall.
    """
    episode = int((episodes.arrived[names.index(("FRP", 0))].sum(axis=1) > 0).argmax())
    for switches in (0, 3):
        number = names.index(("FRP", switches))
        arrivals = np.flatnonzero(episodes.arrived[number, episode]) + 1
        yield {
            "walk_with_switches": switches,
            "episode": episode,
            "walk": episodes.states[number, episode].tolist(),
            "arrivals": arrivals.tolist(),
            "walk_goals": goals[episode, : len(arrivals) + 1].tolist(),
        }
