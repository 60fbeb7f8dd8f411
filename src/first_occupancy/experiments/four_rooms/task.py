"""The task: reach a goal, get the next one, for 75 steps; played out, and in expectation."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core import MDP, Index, Scalar, absorbing
from first_occupancy.experiments.four_rooms.learning import slip

GOAL_REWARD = 50.0


class Episodes(NamedTuple):
    """What happened: T steps, and the U = T + 1 states around them, by planner and episode."""

    states: Int[np.ndarray, "P E U"]
    arrived: Int[np.ndarray, "P E T"]
    rewards: Float[np.ndarray, "P E T"]

    def returns(self, discount: float) -> Float[np.ndarray, "P E"]:
        """The discounted sum of the rewards."""
        return (self.rewards * discount ** np.arange(self.rewards.shape[-1])).sum(axis=-1)

    def ended_after(self, goals: int) -> "Episodes":
        """The same episodes, paying nothing more once so many goals are reached."""
        before = np.cumsum(self.arrived, axis=-1) - self.arrived
        return self._replace(rewards=np.where(before < goals, self.rewards, 0))


def goal_sequences(
    luck: Float[np.ndarray, "E T"], num_states: int, start: int
) -> Int[np.ndarray, "E T"]:
    """Return each episode's goals in order: each uniformly one of the states but the last goal."""
    # A uniform offset that is never a full turn leads to each other state equally often.
    offsets = 1 + (luck * (num_states - 1)).astype(int)
    return (start + np.cumsum(offsets, axis=1)) % num_states


def play(
    next_states: Int[np.ndarray, "A S"],
    actions: Int[np.ndarray, "P G S"],
    start: int,
    goals: Int[np.ndarray, "E U"],
    luck: Float[np.ndarray, "E T"],
    noise: float = 0.0,
) -> Episodes:
    """Return the episodes of planners that look up goal and state at every step.

    All get the same goals in the same order, and the same luck: what differs is their doing.
    """
    planners, episodes = np.arange(len(actions))[:, None], np.arange(len(goals))[None, :]
    state = np.full((len(actions), len(goals)), start)
    reached = np.zeros_like(state)
    states, arrivals, rewards = [state], [], []
    for lucks in luck.T:
        goal = goals[episodes, reached]
        move = slip(actions[planners, goal, state], np.broadcast_to(lucks, goal.shape), noise)
        following = next_states[move, state]
        arrived = following == goal
        rewards.append(GOAL_REWARD * arrived - (following == state))
        reached, state = reached + arrived, following
        states.append(state)
        arrivals.append(arrived.astype(int))
    return Episodes(*(np.stack(each, axis=-1) for each in (states, arrivals, rewards)))


def worth_of_arriving(mdp: MDP, goal: Index) -> MDP:
    """Return the world value iteration is given: 50 for arriving, where it ends, -1 a bump."""
    arriving = absorbing(mdp, goal)
    elsewhere = (jnp.arange(mdp.num_states) != goal)[:, None, None]
    reward = GOAL_REWARD * arriving.reward + jnp.where(elsewhere, mdp.reward, 0)
    return MDP(arriving.transition, reward, mdp.start_distribution)


@partial(jax.jit, static_argnames="steps")
def expected_return(
    mdp: MDP, policies: Float[Array, "G S A"], start: Index, *, discount: Scalar, steps: int
) -> Float[Array, ""]:
    r"""Return the exact mean of `Episodes.returns`, over goals, noise and random choices.

    With t steps to go, $V_t(g, s)$ is what is still to come in s while g is the goal:

    $$V_{t+1}(g, s) = \sum_{s'} P_g(s, s') \begin{cases}
      50 + \gamma\, \overline{V_t(\cdot, g)} & s' = g \\
      \gamma V_t(g, s') - 1(s' = s) & \text{else}\end{cases}$$

    where the bar is the mean over the goals that may follow g.
    """
    num_states = mdp.num_states
    chains = jnp.einsum("gsa,sat->gst", policies, mdp.transition, precision="highest")
    expected_cost = jnp.einsum("sat,sat->sa", mdp.transition, mdp.reward, precision="highest")
    costs = jnp.einsum("gsa,sa->gs", policies, expected_cost, precision="highest")

    def mean_over_others(values: Array) -> Array:
        return (values.sum(axis=0) - jnp.diagonal(values)) / (num_states - 1)

    def one_step_more(_: Index, values: Array) -> Array:
        arriving = jnp.diag(GOAL_REWARD + discount * mean_over_others(values))
        onward = jnp.where(jnp.eye(num_states) > 0, arriving, discount * values)
        return costs + jnp.einsum("gst,gt->gs", chains, onward, precision="highest")

    values = jax.lax.fori_loop(0, steps, one_step_more, jnp.zeros_like(costs))
    return mean_over_others(values)[start]
