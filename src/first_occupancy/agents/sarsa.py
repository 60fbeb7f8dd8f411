r"""Tabular Sarsa with an exploration bonus from a representation learned alongside.

$$Q(s, a) \leftarrow Q(s, a) + \alpha\,[\,r + b + \gamma\, Q(s', a') - Q(s, a)\,]$$

The bonus b is a function of a row of the FR or the SR, which TD learns from the same
steps (section 4.1). What the formula leaves open changes results by more than the
differences the paper reports, so all of it is a setting here: which row the bonus looks
at, before or after its update, what both tables begin with, and whether a' is the
action taken next.

`init`, `act` and `update` are pure. Chance enters as uniform numbers, one for each draw.
"""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.agents.bonuses import Bonus, none
from first_occupancy.core.axes import Index, PRNGKey, Scalar
from first_occupancy.core.errors import InputError, check_discount, is_known
from first_occupancy.core.mdp import MDP
from first_occupancy.core.rollouts import outcome_at
from first_occupancy.representations import LambdaRepresentation

Switch = bool | Bool[Array, ""]
Pair = tuple[Int[Array, ""], Int[Array, ""]]
"""A state and an action."""


class Learner(eqx.Module):
    """How a representation is learned from the steps, and what of it the bonus sees."""

    decay: Scalar = 0.0
    """What a second visit is worth: 0 learns the FR, 1 the SR."""
    discount: Scalar = 0.95
    step_size: Scalar = 0.01
    initial_diagonal: Scalar = 1.0
    """The table begins as this multiple of the identity: 1 for I, 0 for zeros."""
    of_next_state: Switch = False
    """Whether the bonus looks at the row of s' rather than that of s."""
    after_update: Switch = True
    """Whether it looks after the step has been learned from."""
    of_pairs: Switch = False
    """Whether there is a row for each pair (s, a) rather than for each state s."""


class Sarsa(eqx.Module):
    """An agent: what does not change while it learns. Every number may be traced."""

    step_size: Scalar = 0.25
    discount: Scalar = 0.95
    epsilon: Scalar = 0.1
    bonus: Bonus = eqx.field(default_factory=none)
    learner: Learner = eqx.field(default_factory=Learner)
    redraws: Switch = False
    """Whether each step draws its action anew, so that it may not be the bootstrap's a'."""
    initial_values: Scalar = 0.0
    """Q begins uniform between 0 and this."""


class Progress(eqx.Module):
    """What an agent has learned, where it is, and what it means to do there."""

    values: Float[Array, "S A"]
    representation: Float[Array, "S A S"]
    """One row for each state and action; a learner of states uses those of action 0."""
    state: Int[Array, ""]
    action: Int[Array, ""]


def init(agent: Sarsa, state: Index, values: Float[Array, "S A"], noise: Scalar) -> Progress:
    """Return the progress at the start, with these values; `noise` draws the first action."""
    identity = jnp.eye(len(values), dtype=values.dtype)
    diagonal = jnp.repeat(identity[:, None], values.shape[1], axis=1)
    representation = jnp.asarray(agent.learner.initial_diagonal * diagonal)
    state = jnp.asarray(state)
    return Progress(values, representation, state, choose(values[state], agent.epsilon, noise))


def act(agent: Sarsa, progress: Progress, noise: Scalar) -> Int[Array, ""]:
    """Return the action to take now: the planned one, or one drawn anew by `noise`."""
    # Not `where`: drawing takes a third of a step's time, and most agents do as planned.
    return jax.lax.cond(agent.redraws, _draw_anew, _as_planned, progress, agent.epsilon, noise)


def update(
    agent: Sarsa,
    progress: Progress,
    action: Index,
    reward: Scalar,
    next_state: Index,
    noise: Scalar,
) -> Progress:
    """Return the progress after a step; `noise` draws the bootstrap's action a'.

    The representation learns first, then Q: the bonus may look at either side of that.
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
    """Return an epsilon-greedy action, ties broken at random, drawn by one uniform number.

    >>> [int(choose(jnp.array([1.0, 3.0, 3.0]), 0.3, noise)) for noise in (0.05, 0.4, 0.6)]
    [0, 1, 2]
    """
    best = values == values.max()
    chances = epsilon / len(values) + (1 - epsilon) * best / best.sum()
    return outcome_at(_running_sums(jnp.asarray(chances)), noise)


def run_trials(
    agent: Sarsa, mdp: MDP, key: PRNGKey, *, num_trials: int, num_steps: int
) -> Float[Array, "B T"]:
    """Return the world's rewards (no bonus among them) on each step of independent trials.

    Agents that differ in numbers only share one compiled program for each world's size.
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
    return _run(_as_arrays(agent, mdp.transition.dtype), mdp.unnamed(), begin, walk)


def draw_noise(
    mdp: MDP, key: PRNGKey, *, num_trials: int, num_steps: int
) -> tuple[Float[Array, "B rows A"], Float[Array, "B T 3"]]:
    """Return all chance of some trials: uniform numbers for how they begin, and for each step.

    Of the S + 1 rows to begin with, the last draws the first state and action.

    Drawn beforehand, because a generator inside the loop would take longer than all the rest,
    and in one piece whose size is the same for all small worlds, because it is slow to compile.
    """
    shape = (mdp.num_states + 1, mdp.num_actions)
    room = -(-math.prod(shape) // NOISE_ROOM) * NOISE_ROOM
    size = (num_trials, room + 3 * num_steps)
    noise = jax.random.uniform(key, size, mdp.transition.dtype)
    begin = noise[:, : math.prod(shape)].reshape(num_trials, *shape)
    return begin, noise[:, room:].reshape(num_trials, num_steps, 3)


NOISE_ROOM = 256
"""Numbers set aside for a trial's beginning come in multiples of this."""


@eqx.filter_jit
def _run(
    agent: Sarsa, mdp: MDP, begin: Float[Array, "B rows A"], walk: Float[Array, "B T 3"]
) -> Float[Array, "B T"]:
    outcomes = jnp.cumsum(mdp.transition, axis=-1)

    def advance(progress: Progress, noise: Array) -> tuple[Progress, Array]:
        state, action = progress.state, act(agent, progress, noise[0])
        next_state = outcome_at(outcomes[state, action], noise[1])
        reward = mdp.reward[state, action, next_state]
        return update(agent, progress, action, reward, next_state, noise[2]), reward

    def run_trial(begin: Array, walk: Array) -> Array:
        start = outcome_at(jnp.cumsum(mdp.start_distribution), begin[-1, 0])
        values = jnp.asarray(agent.initial_values * begin[:-1])
        progress = init(agent, start, values, begin[-1, 1])
        return jax.lax.scan(advance, progress, walk)[1]

    return jax.vmap(run_trial)(begin, walk)


def _draw_anew(progress: Progress, epsilon: Scalar, noise: Scalar) -> Int[Array, ""]:
    return choose(progress.values[progress.state], epsilon, noise)


def _as_planned(progress: Progress, epsilon: Scalar, noise: Scalar) -> Int[Array, ""]:
    return progress.action.astype(int)  # of the type of a drawn one


def _learn(
    learner: Learner, representation: Float[Array, "S A S"], here: Pair, ahead: Pair
) -> tuple[Float[Array, "S A S"], Float[Array, " S"]]:
    """Return the representation after a step, and the row the bonus looks at."""
    here, ahead = (_row(learner, *pair) for pair in (here, ahead))
    own, following = representation[here], representation[ahead]
    # Reads come before the write, or XLA would copy the whole table on each step.
    representation, own, following = jax.lax.optimization_barrier((representation, own, following))
    kind = LambdaRepresentation(learner.decay)
    target = kind.target(here[0], following, discount=learner.discount)
    change = learner.step_size * (target - own)
    is_own = ~jnp.asarray(learner.of_next_state) | ((here[0] == ahead[0]) & (here[1] == ahead[1]))
    seen = jnp.where(is_own, own, following) + (is_own & learner.after_update) * change
    return representation.at[here].add(change), seen


def _row(learner: Learner, state: Array, action: Array) -> Pair:
    return state, jnp.where(learner.of_pairs, action, 0)


def _running_sums(numbers: Float[Array, " K"]) -> Float[Array, " K"]:
    """Return the sums up to each number; `jnp.cumsum` adds up each of them anew on CPUs."""
    return jax.lax.scan(_add, jnp.zeros((), numbers.dtype), numbers, unroll=8)[1]


def _add(total: Array, number: Array) -> tuple[Array, Array]:
    return total + number, total + number


def _as_arrays(agent: Sarsa, dtype: jnp.dtype) -> Sarsa:
    """Return the agent with arrays for numbers, so that other numbers need no compiling."""

    def convert(leaf: object) -> object:
        if not eqx.is_array_like(leaf):
            return leaf
        array = jnp.asarray(leaf)
        return array.astype(dtype) if jnp.issubdtype(array.dtype, jnp.floating) else array

    return jax.tree.map(convert, agent)
