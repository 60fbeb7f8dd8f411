r"""FourRooms with exact FRs and all 68 goals: sweeps needed, and the effect of a plain argmax.

Alg. 1 in its most direct forms: with a plain argmax, or with in-place sweeps.

Both work on whole numbers of steps, the logarithms of discounts to the base $\gamma$, so that
ties are exact and not decided by rounding.
"""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core import MDP, absorbing, chain, constant_policies
from first_occupancy.environments import Maze, four_rooms
from first_occupancy.planning import frp, gpi
from first_occupancy.planning.dynamic_programming import policy_iteration, value_iteration
from first_occupancy.representations import first_occupancy
from first_occupancy_paper.rows.row import Row

from .random_worlds import shortest_steps


def self_subgoals(steps: Float[np.ndarray, "N S S"]) -> Row:
    """Return how often Alg. 1's last sweep chooses a state as its own subgoal.

    Args:
        steps: number of steps that policy n takes from s to t; infinite if it never arrives.

    Returns:
        Over all `pairs` of start and goal: how often a state is `chosen` as its own subgoal if
        ties go to the first policy, then the first subgoal; the share `by_chance` if ties are
        broken at random; and the number of starts from which Alg. 2 never ends (`endless`).
    """
    num_states = steps.shape[1]
    chosen = endless = pairs = 0
    by_chance = 0.0
    states = np.arange(num_states)
    for goal in range(num_states):
        through = _last_sweep(steps, goal)
        others = states != goal
        subgoal = through.transpose(1, 0, 2).reshape(num_states, -1).argmin(axis=1) % num_states
        best = through == through.min(axis=(0, 2), keepdims=True)
        itself = best[:, states, states].sum(axis=0) / best.sum(axis=(0, 2))
        pairs += int(others.sum())
        chosen += int((subgoal == states)[others].sum())
        by_chance += float(itself[others].sum())
        endless += int((_follow(subgoal) != goal)[others].sum())
    return {"pairs": pairs, "chosen": chosen, "by_chance": by_chance / pairs, "endless": endless}


def _last_sweep(steps: Float[np.ndarray, "N S S"], goal: int) -> Float[np.ndarray, "N S S"]:
    """Return the steps through every policy and subgoal in the first sweep without a change."""
    to_goal = steps[:, :, goal].min(axis=0)
    while True:
        through = steps + to_goal[None, None, :]
        shorter = through.min(axis=(0, 2))
        if np.array_equal(shorter, to_goal):
            return through
        to_goal = shorter


def _follow(subgoal: Int[np.ndarray, " S"]) -> Int[np.ndarray, " S"]:
    """Return where each state's chain of subgoals leads, after more legs than there are states."""
    for _ in range(len(subgoal).bit_length()):
        subgoal = subgoal[subgoal]
    return subgoal


def in_place_sweeps(best: Float[np.ndarray, "S S"], most: int) -> list[Float[np.ndarray, "S S"]]:
    """Return the steps [state, goal] after 0, 1, ... in-place sweeps over the states, in order.

    Args:
        best: number of steps that the quickest policy takes from s to t.
        most: number of sweeps.
    """
    to_goals = best.copy()
    results = [to_goals.copy()]
    for _ in range(most):
        for state in range(len(best)):
            to_goals[state] = (best[state][:, None] + to_goals).min(axis=0)
        results.append(to_goals.copy())
    return results


def steps_walked(
    next_states: Int[np.ndarray, "A S"], policy: Int[np.ndarray, "G S"]
) -> Float[np.ndarray, "S G"]:
    """Return how many steps each goal's policy takes from every state; infinite if it fails.

    Args:
        next_states: state that each action leads to.
        policy: action in each state, for each goal.
    """
    num_goals, num_states = policy.shape
    steps = np.full((num_states, num_goals), np.inf)
    goals = np.arange(num_goals)
    here = np.tile(np.arange(num_states)[:, None], (1, num_goals))
    for time in range(num_states):
        steps = np.where((here == goals) & np.isinf(steps), time, steps)
        here = next_states[policy[goals[None, :], here], here]
    return steps


COARSE, FINE = 0.1, 1e-6
"""Tolerated errors of value iteration: the paper's epsilon, and a negligible one."""

GOAL_PAYS = 50.0
MOST_SWITCHES = 5


def measure(discount: float) -> Iterator[Row]:
    """Yield iterations by goal, optimal pairs by sweeps, switches, GPI and the plain argmax."""
    world = four_rooms()
    frs = first_occupancy.solve(chain(world.mdp, constant_policies(world.mdp)), discount=discount)
    shortest = shortest_steps(world.next_states)
    optimal = [_planned(frs, discount, k) == shortest for k in range(MOST_SWITCHES + 1)]
    needed = np.argmax(optimal, axis=0)
    assert np.all(optimal[-1])
    yield from _iterations(world, discount, needed)
    yield from _sweeps(world, frs, discount, shortest, optimal)
    yield _switches(world, frs, needed, shortest)
    yield _gpi(frs)
    yield {"kind": "plain_argmax", **self_subgoals(_steps(frs, discount))}


def _steps(frs: Float[Array, "N S S"], discount: float) -> Float[np.ndarray, "N S S"]:
    """Return FRs of a deterministic world as numbers of steps, rounded so that ties are exact."""
    with np.errstate(divide="ignore"):
        return np.round(np.log(np.asarray(frs)) / np.log(discount))


def _planned(
    frs: Float[Array, "N S S"], discount: float, switches: int
) -> Float[np.ndarray, "S S"]:
    """Return the steps [state, goal] of FRP's plans with a limited number of switches."""
    logs = frp.plan_to_every_goal(frs, max_switches=switches).log_promised
    return np.round(np.asarray(logs).T / np.log(discount))


def _iterations(world: Maze, discount: float, needed: Int[np.ndarray, "S S"]) -> Iterator[Row]:
    """Yield a row for each goal: iterations until FRP, VI and PI stop."""
    ending, paying = (_all_goals(world.mdp, ending=ending) for ending in (True, False))

    def improve(mdp: MDP) -> value_iteration.Solution:
        return policy_iteration.solve(mdp, discount=discount)

    counts = {
        "vi_ending_coarse": _value_iteration(ending, discount, error=COARSE).iterations,
        "vi_ending_fine": _value_iteration(ending, discount, error=FINE).iterations,
        "vi_paying_coarse": _value_iteration(paying, discount, error=COARSE).iterations,
        "pi_ending": jax.vmap(improve)(ending).iterations,
        "pi_paying": jax.vmap(improve)(paying).iterations,
    }
    for goal in range(world.num_states):
        # Like VI and PI, FRP stops only after a sweep that changes nothing.
        sweeps = int(needed[:, goal].max())
        row = {name: int(count[goal]) for name, count in counts.items()}
        yield {"kind": "iterations", "goal": goal, "frp": sweeps, "frp_stops": sweeps + 1, **row}


def _all_goals(mdp: MDP, *, ending: bool) -> MDP:
    """Return a task for each goal: absorbing with a reward of 1, or continuing with one of 50."""

    def paying(goal: Array) -> MDP:
        arrives = (jnp.arange(mdp.num_states) == goal)[None, None, :]
        return MDP(mdp.transition, mdp.reward + GOAL_PAYS * arrives, mdp.start_distribution)

    task = (lambda goal: absorbing(mdp, goal)) if ending else paying
    return jax.vmap(task)(jnp.arange(mdp.num_states))


def _value_iteration(
    mdps: MDP, discount: float, *, error: float = 0.0, sweeps: int | None = None
) -> value_iteration.Solution:
    limits = {"error": error, "max_iterations": sweeps}
    return jax.vmap(lambda mdp: value_iteration.solve(mdp, discount=discount, **limits))(mdps)


def _sweeps(
    world: Maze,
    frs: Float[Array, "N S S"],
    discount: float,
    shortest: Float[np.ndarray, "S S"],
    optimal: list[Bool[np.ndarray, "S S"]],
) -> Iterator[Row]:
    """Yield, for each number of sweeps, how many pairs (start, goal) are solved optimally."""
    elsewhere = ~np.eye(world.num_states, dtype=bool)
    best = _steps(frs, discount).min(axis=0)
    in_place = in_place_sweeps(best, MOST_SWITCHES)
    tasks = _all_goals(world.mdp, ending=True)
    for sweeps in range(int(shortest.max()) + 1):
        k = min(sweeps, MOST_SWITCHES)
        policy = np.asarray(_value_iteration(tasks, discount, sweeps=sweeps).policy)
        walked = steps_walked(world.next_states, policy)
        yield {
            "kind": "sweeps",
            "sweeps": sweeps,
            "pairs": int(elsewhere.sum()),
            "frp": int(optimal[k][elsewhere].sum()),
            "in_place": int((in_place[k] == shortest)[elsewhere].sum()),
            "vi": int((walked == shortest)[elsewhere].sum()),
        }


def _switches(
    world: Maze,
    frs: Float[Array, "N S S"],
    needed: Int[np.ndarray, "S S"],
    shortest: Float[np.ndarray, "S S"],
) -> Row:
    """Return sweeps compared with path lengths, and the number of entries that a sweep reads."""
    elsewhere = ~np.eye(world.num_states, dtype=bool)
    return {
        "kind": "switches",
        "pairs": int(elsewhere.sum()),
        "num_states": world.num_states,
        "num_policies": len(frs),
        "num_actions": world.num_actions,
        "most_sweeps": int(needed.max()),
        "above_path_length": int((needed > shortest)[elsewhere].sum()),
        "longest_path": int(shortest.max()),
        "entries_of_frs": int((np.asarray(frs) > 0).sum()),
        "entries_of_transition": int((np.asarray(world.mdp.transition) > 0).sum()),
    }


def _gpi(frs: Float[Array, "N S S"]) -> Row:
    """Return how often GPI and FRP without a switch choose the same policy."""
    plans = frp.plan_to_every_goal(frs, max_switches=0)
    rewards = jnp.eye(frs.shape[1], dtype=frs.dtype)
    chosen = np.asarray(jax.vmap(lambda reward: gpi.choose_policy(frs, reward))(rewards))
    followed = np.asarray(plans.policy)
    elsewhere = ~np.eye(len(followed), dtype=bool)
    reached = np.asarray(plans.reachable) & elsewhere
    return {
        "kind": "gpi",
        "reached": int(reached.sum()),
        "same": int((chosen == followed)[reached].sum()),
        "out_of_reach": int((elsewhere & ~reached).sum()),
    }
