"""The task: reach one goal after another for 75 steps; simulated, and in expectation."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core import MDP, Index, Scalar, absorbing
from first_occupancy.environments import Maze

from .learning import slip

GOAL_REWARD = 50.0


class Episodes(NamedTuple):
    """Episodes of T steps through U = T + 1 states, by planner and episode.

    Attributes:
        states: states visited, from the start on.
        arrived: 1 for each step that reaches the goal, else 0.
        rewards: reward of each step.
    """

    states: Int[np.ndarray, "P E U"]
    arrived: Int[np.ndarray, "P E T"]
    rewards: Float[np.ndarray, "P E T"]

    def returns(self, discount: float) -> Float[np.ndarray, "P E"]:
        """Return the discounted sum of the rewards of each episode."""
        return (self.rewards * discount ** np.arange(self.rewards.shape[-1])).sum(axis=-1)

    def ended_after(self, goals: int) -> "Episodes":
        """Return the same episodes without the rewards after a number of goals."""
        before = np.cumsum(self.arrived, axis=-1) - self.arrived
        return self._replace(rewards=np.where(before < goals, self.rewards, 0))


def goal_sequences(
    luck: Float[np.ndarray, "E T"], num_states: int, start: int
) -> Int[np.ndarray, "E T"]:
    """Return each episode's goals in order, each uniform over the states but the previous goal.

    Args:
        luck: number uniform in [0, 1) for each goal.
        num_states: number of states.
        start: state in which episodes begin, which is never the first goal.
    """
    # A uniform offset of 1 to S - 1, modulo S, leads to every other state equally often.
    offsets = 1 + (luck * (num_states - 1)).astype(int)
    return (start + np.cumsum(offsets, axis=1)) % num_states


def play(
    world: Maze,
    actions: Int[np.ndarray, "P G S"],
    goals: Int[np.ndarray, "E U"],
    luck: Float[np.ndarray, "E T"],
) -> Episodes:
    """Return the episodes of planners that choose actions by goal and state at every step.

    All planners get the same goals in the same order, and the same luck; only their actions differ.

    Args:
        world: world whose start episodes begin in.
        actions: action of each planner, for each goal and state.
        goals: goals of each episode, in order.
        luck: number uniform in [0, 1) for each step, which decides whether the move slips.
    """
    assert world.start is not None
    planners, episodes = np.arange(len(actions))[:, None], np.arange(len(goals))[None, :]
    state = np.full((len(actions), len(goals)), world.start)
    reached = np.zeros_like(state)
    states, arrivals, rewards = [state], [], []
    for lucks in luck.T:
        goal = goals[episodes, reached]
        move = slip(actions[planners, goal, state], np.broadcast_to(lucks, goal.shape), world.noise)
        following = world.next_states[move, state]
        arrived = following == goal
        rewards.append(GOAL_REWARD * arrived - (following == state))
        reached, state = reached + arrived, following
        states.append(state)
        arrivals.append(arrived.astype(int))
    return Episodes(*(np.stack(each, axis=-1) for each in (states, arrivals, rewards)))


def worth_of_arriving(mdp: MDP, goal: Index) -> MDP:
    """Return the world for value iteration: 50 for reaching the goal, where it ends, -1 a bump.

    Args:
        mdp: world whose rewards are the costs of bumps.
        goal: state to reach.
    """
    arriving = absorbing(mdp, goal)
    elsewhere = (jnp.arange(mdp.num_states) != goal)[:, None, None]
    reward = GOAL_REWARD * arriving.reward + jnp.where(elsewhere, mdp.reward, 0)
    return MDP(arriving.transition, reward, mdp.start_distribution)


@partial(jax.jit, static_argnames="steps")
def expected_returns(
    mdp: MDP, policies: Float[Array, "P G S A"], *, discount: Scalar, steps: int
) -> Float[Array, " P"]:
    r"""Return each planner's exact mean of `Episodes.returns`, over goals, noise, random choices.

    With t steps to go, $V_t(g, s)$ is the expected return from s while g is the goal:

    $$V_{t+1}(g, s) = \sum_{s'} P_g(s, s') \begin{cases}
      50 + \gamma\, \overline{V_t(\cdot, g)} & s' = g \\
      \gamma V_t(g, s') - 1(s' = s) & \text{else}\end{cases}$$

    where the bar is the mean over the goals that may follow g.

    Args:
        mdp: world of the episode with its start, whose rewards are the costs of bumps.
        policies: policies of each planner, for each goal.
        discount: discount factor per step, from 0 to 1 (exclusive).
        steps: number of steps of the episode.
    """
    num_states = mdp.num_states
    expected_cost = jnp.einsum("sat,sat->sa", mdp.transition, mdp.reward, precision="highest")

    def mean_over_others(values: Array) -> Array:
        return (values.sum(axis=0) - jnp.diagonal(values)) / (num_states - 1)

    def one(policies: Array) -> Array:
        chains = jnp.einsum("gsa,sat->gst", policies, mdp.transition, precision="highest")
        costs = jnp.einsum("gsa,sa->gs", policies, expected_cost, precision="highest")

        def one_step_more(_: Index, values: Array) -> Array:
            arriving = jnp.diag(GOAL_REWARD + discount * mean_over_others(values))
            onward = jnp.where(jnp.eye(num_states) > 0, arriving, discount * values)
            return costs + jnp.einsum("gst,gt->gs", chains, onward, precision="highest")

        values = jax.lax.fori_loop(0, steps, one_step_more, jnp.zeros_like(costs))
        return mdp.start_distribution @ mean_over_others(values)

    return jax.lax.map(one, policies)
