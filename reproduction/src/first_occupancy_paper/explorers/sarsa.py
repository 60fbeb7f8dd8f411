r"""Tabular Sarsa with an exploration bonus from a representation learned alongside.

$$Q(s, a) \leftarrow Q(s, a) + \alpha\,[\,r + b + \gamma\, Q(s', a') - Q(s, a)\,]$$

The bonus b is a function of a row of the FR or the SR, which TD learns from the same steps
(section 4.1). Details that the formula leaves open change results by more than the differences the
paper reports, so all of them are settings here: which row the bonus depends on, before or after its
update, the initial values of both tables, and whether a' is the action taken next.

`init`, `act` and `update` are pure. Randomness is passed in as uniform numbers, one for each draw.
"""

import math
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core.axes import Index, PRNGKey, Scalar
from first_occupancy.core.errors import InputError, check_discount, is_known
from first_occupancy.core.mdp import MDP
from first_occupancy.representations import LambdaRepresentation

from .bonuses import Bonus, NormBonus
from .draws import outcome_at

Switch = bool | Bool[Array, ""]
Pair = tuple[Int[Array, ""], Int[Array, ""]]
"""A state and an action."""


class Learner(eqx.Module):
    """How the representation is learned by TD, and which row of it the bonus depends on."""

    decay: Scalar = 0.0
    """Weight of a second visit relative to the first: 0 learns the FR, 1 the SR."""
    discount: Scalar = 0.95
    """Discount factor per step of the representation."""
    step_size: Scalar = 0.01
    """Learning rate of the representation."""
    initial_diagonal: Scalar = 1.0
    """The initial table is this multiple of the identity: 1 for I, 0 for zeros."""
    of_next_state: Switch = False
    """Whether the bonus depends on the row of s' rather than that of s."""
    after_update: Switch = True
    """Whether the bonus depends on the row after its update rather than before."""
    of_pairs: Switch = False
    """Whether there is a row for each pair (s, a) rather than for each state s."""


class Sarsa(eqx.Module):
    """Settings of an agent, which do not change while it learns. Every number may be traced."""

    step_size: Scalar = 0.25
    r"""Learning rate $\alpha$ of Q."""
    discount: Scalar = 0.95
    r"""Discount factor $\gamma$ per step of Q, from 0 to 1 (exclusive)."""
    epsilon: Scalar = 0.1
    """Probability of a random action, from 0 to 1."""
    bonus: Bonus = NormBonus()
    """Exploration bonus, a function of a row of the representation; none by default."""
    learner: Learner = Learner()
    """How the representation is learned."""
    redraws: Switch = False
    """Whether each step draws its action anew, so that it may differ from the bootstrap's a'."""
    initial_values: Scalar = 0.0
    """Q is initialised by uniform random numbers between 0 and this."""


class Progress(eqx.Module):
    """What an agent has learned, its state, and the next action."""

    values: Float[Array, "S A"]
    """Table Q of action values."""
    representation: Float[Array, "S A S"]
    """One row for each state and action; without `of_pairs`, those of action 0 are used."""
    state: Int[Array, ""]
    """State of the agent."""
    action: Int[Array, ""]
    """Action a' of the last bootstrap, which is taken next unless the agent redraws."""


def init(agent: Sarsa, state: Index, values: Float[Array, "S A"], noise: Scalar) -> Progress:
    """Return the progress before the first step.

    Args:
        noise: uniform random number from 0 to 1 (exclusive), which draws the first action.
    """
    identity = jnp.eye(len(values), dtype=values.dtype)
    diagonal = jnp.repeat(identity[:, None], values.shape[1], axis=1)
    representation = jnp.asarray(agent.learner.initial_diagonal * diagonal)
    state = jnp.asarray(state)
    return Progress(values, representation, state, choose(values[state], agent.epsilon, noise))


def act(agent: Sarsa, progress: Progress, noise: Scalar) -> Int[Array, ""]:
    """Return the action to take now: that of the last bootstrap, or a new one if the agent redraws.

    Args:
        noise: uniform random number from 0 to 1 (exclusive), which draws a new action.
    """
    # Not `where`: drawing takes a third of a step's time, and most agents do not redraw.
    return jax.lax.cond(
        agent.redraws,
        lambda: choose(progress.values[progress.state], agent.epsilon, noise),
        lambda: progress.action.astype(int),  # the dtype of a drawn action
    )


def update(
    agent: Sarsa,
    progress: Progress,
    action: Index,
    reward: Scalar,
    next_state: Index,
    noise: Scalar,
) -> Progress:
    """Return the progress after a step.

    The representation is updated first, then Q, so that the bonus can depend on the row before or
    after its update.

    Args:
        reward: reward of the step, without the bonus.
        noise: uniform random number from 0 to 1 (exclusive), which draws the bootstrap's action a'.
    """
    state, values = progress.state, progress.values
    next_action = choose(values[next_state], agent.epsilon, noise)
    here, ahead = (state, jnp.asarray(action)), (jnp.asarray(next_state), next_action)
    representation, row = _learn(agent.learner, progress.representation, here, ahead)
    target = reward + agent.bonus(row) + agent.discount * values[next_state, next_action]
    error = target - values[state, action]
    values = values.at[state, action].add(agent.step_size * error)
    return Progress(values, representation, *ahead)


def choose(values: Float[Array, " A"], epsilon: Scalar, noise: Scalar) -> Int[Array, ""]:
    """Return an epsilon-greedy action; ties are broken at random.

    >>> [int(choose(jnp.array([1.0, 3.0, 3.0]), 0.3, noise)) for noise in (0.05, 0.4, 0.6)]
    [0, 1, 2]

    Args:
        epsilon: probability of a random action, from 0 to 1.
        noise: uniform random number from 0 to 1 (exclusive), which draws the action.
    """
    best = values == values.max()
    chances = epsilon / len(values) + (1 - epsilon) * best / best.sum()
    return outcome_at(_running_sums(jnp.asarray(chances)), noise)


def run_trials(
    agent: Sarsa, mdp: MDP, key: PRNGKey, *, num_trials: int, num_steps: int
) -> Float[Array, "B T"]:
    """Return the rewards, without bonuses, of each step of independent trials.

    For worlds of one size, agents that differ in numbers only share one compiled program.

    Args:
        num_trials: number of trials, at least 1.
        num_steps: number of steps of a trial, at least 1.

    Raises:
        InputError: if there are no trials or steps, or the agent's discount or epsilon is out of
            range.
    """
    if num_trials < 1 or num_steps < 1:
        raise InputError(
            f"run_trials: num_trials and num_steps must be at least 1, "
            f"got {num_trials} and {num_steps}"
        )
    check_discount("run_trials", agent.discount)
    if is_known(agent.epsilon) and not 0 <= float(np.asarray(agent.epsilon)) <= 1:
        raise InputError(f"run_trials: epsilon must be in [0, 1], got {agent.epsilon}")
    begin, walk = draw_noise(mdp, key, num_trials=num_trials, num_steps=num_steps)
    agent = _as_arrays(agent, mdp.transition.dtype)
    return walk_trials(agent, mdp.unnamed(), begin, walk, _reward)


def draw_noise(
    mdp: MDP, key: PRNGKey, *, num_trials: int, num_steps: int
) -> tuple[Float[Array, "B rows A"], Float[Array, "B T 3"]]:
    """Return the uniform random numbers of all trials.

    They are drawn in advance, because a generator inside the loop would take longer than all the
    rest, and in one array whose size is the same for all small worlds, because the generator is
    slow to compile.

    Returns:
        The numbers for the beginning of each trial, S + 1 rows of which the first S initialise Q
        and the last draws the first state and action; and three numbers for each step.
    """
    shape = (mdp.num_states + 1, mdp.num_actions)
    room = -(-math.prod(shape) // NOISE_ROOM) * NOISE_ROOM
    size = (num_trials, room + 3 * num_steps)
    noise = jax.random.uniform(key, size, mdp.transition.dtype)
    begin = noise[:, : math.prod(shape)].reshape(num_trials, *shape)
    return begin, noise[:, room:].reshape(num_trials, num_steps, 3)


NOISE_ROOM = 256
"""The numbers reserved for the beginning of a trial are a multiple of this."""


@eqx.filter_jit
def walk_trials(
    agent: Sarsa,
    mdp: MDP,
    begin: Float[Array, "B rows A"],
    walk: Float[Array, "B T 3"],
    observe: Callable[[Progress, Array, Progress], Any],
) -> Any:
    """Return what is observed of each step of independent trials, in arrays [B, T].

    Args:
        agent: settings of the agent.
        mdp: the world, without names.
        begin: random numbers for the beginning of each trial, as `draw_noise` returns them.
        walk: random numbers for each step.
        observe: function of the progress before a step, its reward, and the progress after it.
    """
    outcomes = jnp.cumsum(mdp.transition, axis=-1)

    def advance(progress: Progress, noise: Array) -> tuple[Progress, Any]:
        state, action = progress.state, act(agent, progress, noise[0])
        next_state = outcome_at(outcomes[state, action], noise[1])
        reward = mdp.reward[state, action, next_state]
        following = update(agent, progress, action, reward, next_state, noise[2])
        return following, observe(progress, reward, following)

    def run_trial(begin: Array, walk: Array) -> Any:
        start = outcome_at(jnp.cumsum(mdp.start_distribution), begin[-1, 0])
        values = jnp.asarray(agent.initial_values * begin[:-1])
        progress = init(agent, start, values, begin[-1, 1])
        return jax.lax.scan(advance, progress, walk)[1]

    return jax.vmap(run_trial)(begin, walk)


def _reward(before: Progress, reward: Array, after: Progress) -> Array:
    return reward


def _learn(
    learner: Learner, representation: Float[Array, "S A S"], here: Pair, ahead: Pair
) -> tuple[Float[Array, "S A S"], Float[Array, " S"]]:
    """Return the representation after a step, and the row that the bonus depends on."""
    # Without rows for pairs, the row of a state is that of its first action.
    here, ahead = (
        (state, jnp.where(learner.of_pairs, action, 0)) for state, action in (here, ahead)
    )
    own, following = representation[here], representation[ahead]
    # Reads must come before the write, or XLA would copy the whole table on each step.
    representation, own, following = jax.lax.optimization_barrier((representation, own, following))
    kind = LambdaRepresentation(learner.decay)
    target = kind.target(here[0], following, discount=learner.discount)
    change = learner.step_size * (target - own)
    is_own = ~jnp.asarray(learner.of_next_state) | ((here[0] == ahead[0]) & (here[1] == ahead[1]))
    seen = jnp.where(is_own, own, following) + (is_own & learner.after_update) * change
    return representation.at[here].add(change), seen


def _running_sums(numbers: Float[Array, " K"]) -> Float[Array, " K"]:
    """Return cumulative sums; on CPUs `jnp.cumsum` computes each sum from scratch."""
    return jax.lax.scan(_add, jnp.zeros((), numbers.dtype), numbers, unroll=8)[1]


def _add(total: Array, number: Array) -> tuple[Array, Array]:
    return total + number, total + number


def _as_arrays(agent: Sarsa, dtype: jnp.dtype) -> Sarsa:
    """Return the agent with arrays for numbers, so that new numbers need no recompilation."""

    def convert(leaf: object) -> object:
        if not eqx.is_array_like(leaf):
            return leaf
        array = jnp.asarray(leaf)
        return array.astype(dtype) if jnp.issubdtype(array.dtype, jnp.floating) else array

    return jax.tree.map(convert, agent)
