"""The agent: it explores from the shelter, and escapes to it while it keeps learning.

Representations are stored as [S N S] (state, policy, occupied state), so that a step reads
and writes one state's rows.
"""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Bool, Float, Int

from first_occupancy.core.axes import Index, PRNGKey, Scalar
from first_occupancy.planning.plans import NOTHING
from first_occupancy.representations import LambdaRepresentation
from first_occupancy.representations.td import move_row

from .replanning import legs_from, legs_of, policy_towards


class Learning(NamedTuple):
    """How rows are updated.

    Attributes:
        discount: discount factor per step, from 0 to 1 (exclusive).
        step_size: share of the TD error that an update removes.
        decay: decay of the `LambdaRepresentation`: 0 learns the FR, 1 the SR.
    """

    discount: Scalar
    step_size: Scalar
    decay: Scalar


class Rule(NamedTuple):
    """What the agent does beyond the printed protocol when it bumps into a wall."""

    settles: Bool[Array, ""]
    """Whether a bump updates the row of the policy until it converges, instead of once."""
    feels: Bool[Array, ""]
    """Whether, from the first bump on, the default move avoids moves that are blocked."""
    preference: Int[Array, " A"]
    """The default moves, most preferred first; unless `feels`, only the first is taken."""


class Steps(eqx.Module):
    """The steps of an exploration or of a trial, padded with -1 (errors with 0).

    Attributes:
        states: state before each step; after the last step of a trial, the state in which it ends.
        policies: policy followed at each step.
        planned: whether a plan was known at each step.
        errors: norm of each step's TD error.
    """

    states: Int[Array, " T"]
    policies: Int[Array, " T"]
    planned: Bool[Array, " T"]
    errors: Float[Array, " T"]

    @property
    def num_steps(self) -> int:
        """The number of steps taken."""
        return int((self.policies != NOTHING).sum())


@partial(jax.jit, static_argnums=(0, 1))
def initial(num_states: int, num_policies: int) -> Float[Array, "S N S"]:
    """Return the FR or SR of every policy before any experience, in float32 for speed."""
    return jnp.repeat(jnp.eye(num_states, dtype=jnp.float32)[:, None, :], num_policies, axis=1)


@partial(jax.jit, static_argnames="most_steps", donate_argnums=0)
def explore(
    reps: Float[Array, "S N S"],
    key: PRNGKey,
    next_states: Int[Array, "A S"],
    shelter: Index,
    steps: Index,
    episodes: Index,
    learning: Learning,
    *,
    most_steps: int,
) -> tuple[Float[Array, "S N S"], Steps]:
    """Return the representations after exploration by random policies, and its steps.

    Args:
        reps: FR or SR of every policy; the buffer is donated.
        key: JAX random key.
        next_states: state that each move leads to.
        shelter: state in which every episode begins.
        steps: number of steps of each episode.
        episodes: number of episodes.
        learning: how rows are updated.
        most_steps: size of the result, at least `steps * episodes`; the function is compiled once
            for each value, so it should be the same for all lengths.
    """

    def advance(time: Array, carry: tuple[Array, Array, Steps]):
        reps, state, log = carry
        state = jnp.where(time % steps == 0, shelter, state)
        policy = policies[time]
        following = next_states[policy, state]
        reps, norm = _learn(reps, (state, policy, following), learning)
        return reps, following, _noted(log, time, state, policy, norm)

    policies = jax.random.randint(key, (most_steps,), 0, reps.shape[1])
    log = _empty(most_steps, reps.dtype)
    begin = (reps, jnp.asarray(shelter, log.states.dtype), log)
    reps, _, log = jax.lax.fori_loop(0, steps * episodes, advance, begin)
    return reps, log


class _Moment(NamedTuple):
    reps: Float[Array, "S N S"]
    legs: Float[Array, "S S"]
    state: Int[Array, ""]
    time: Int[Array, ""]
    touched: Bool[Array, ""]
    changed: Bool[Array, ""]
    choice: Int[Array, ""]
    log: Steps


@partial(jax.jit, static_argnames=("plans", "max_steps"), donate_argnums=0)
def escape(
    reps: Float[Array, "S N S"],
    next_states: Int[Array, "A S"],
    start: Index,
    shelter: Index,
    rule: Rule,
    learning: Learning,
    *,
    plans: bool,
    max_steps: int,
) -> tuple[Float[Array, "S N S"], Steps]:
    """Return the representations after a trial, and the trial.

    At every step the agent replans, follows the policy chosen for its state for one step, and
    updates that policy's row. Where no plan is known it takes the default move.

    Args:
        reps: FR or SR of every policy; the buffer is donated.
        next_states: state that each move leads to.
        start: state in which the trial begins.
        shelter: state to reach, where the trial ends.
        rule: what the agent does when it bumps into a wall.
        learning: how rows are updated.
        plans: whether the agent uses FRP; otherwise it uses GPI.
        max_steps: largest number of steps.
    """

    def unfinished(now: _Moment) -> Array:
        return (now.state != shelter) & (now.time < max_steps)

    def choose(now: _Moment) -> Array:
        rows = now.reps[now.state]
        if not plans:
            worth = rows[:, shelter]
            return jnp.where(worth.max() > 0, worth.argmax(), NOTHING)
        return policy_towards(now.legs, rows, shelter, now.state)

    def advance(now: _Moment) -> _Moment:
        # If nothing has changed since the last plan, a new one would be the same.
        choice = jax.lax.cond(now.changed, choose, lambda now: now.choice, now)
        default = _default(next_states[:, now.state] == now.state, now.touched, rule)
        policy = jnp.where(choice == NOTHING, default, choice)
        following = next_states[policy, now.state]
        bumped = following == now.state
        reps, norm = _learn(
            now.reps,
            (now.state, policy, following),
            learning,
            settle=bumped & rule.settles,
        )
        legs = now.legs
        if plans:
            legs = legs.at[:, now.state].set(legs_from(reps[now.state], now.state))
        return _Moment(
            reps,
            legs,
            following,
            now.time + 1,
            now.touched | bumped,
            ~bumped | (norm > 0),
            choice,
            _noted(now.log, now.time, now.state, policy, norm, choice != NOTHING),
        )

    legs = legs_of(reps) if plans else jnp.zeros((1, 1), reps.dtype)
    log = _empty(max_steps + 1, reps.dtype)
    no, yes, nothing = jnp.array(False), jnp.array(True), jnp.array(NOTHING)
    begin = _Moment(reps, legs, jnp.asarray(start), jnp.array(0), no, yes, nothing, log)
    end = jax.lax.while_loop(unfinished, advance, begin)
    states = end.log.states.at[end.time].set(end.state)
    return end.reps, eqx.tree_at(lambda log: log.states, end.log, states)


def _learn(
    reps: Float[Array, "S N S"],
    transition: tuple[Index, Index, Index],
    learning: Learning,
    *,
    settle: Bool[ArrayLike, ""] = False,
) -> tuple[Float[Array, "S N S"], Float[Array, ""]]:
    """Return the representations after one TD step, and the norm of the TD error.

    `transition` is (state, policy, next state). With `settle` the row becomes the limit of
    repeated updates from a bump: a policy that never leaves its state reaches only that state.
    """
    state, policy, following = transition
    ahead = reps[following, policy]
    representation = LambdaRepresentation(learning.decay)
    target = representation.target(state, ahead, discount=learning.discount)
    norm = jnp.linalg.norm(target - reps[state, policy])
    itself = jax.nn.one_hot(state, len(reps), dtype=reps.dtype)
    target = jnp.where(settle, itself, target)
    step_size = jnp.where(settle, 1.0, learning.step_size).astype(reps.dtype)

    def write(reps: Array) -> Array:
        return move_row(reps, (state, policy), target, step_size)[0]

    # A write that depends on the norm happens in place. Otherwise XLA keeps the old rows to
    # compute the norm from, and copies all of `reps` at every step.
    return jax.lax.cond(norm > 0, write, lambda reps: reps, reps), norm


def _default(blocked: Bool[Array, " A"], touched: Bool[Array, ""], rule: Rule) -> Int[Array, ""]:
    """Return the most preferred move; after a bump, if the agent feels, one that is not blocked."""
    avoided = blocked & touched & rule.feels
    return rule.preference[jnp.argmin(avoided[rule.preference])]


def _empty(length: int, dtype: jnp.dtype) -> Steps:
    nothing = jnp.full(length, NOTHING)
    return Steps(nothing, nothing, jnp.zeros(length, bool), jnp.zeros(length, dtype))


def _noted(
    log: Steps, time: Array, state: Array, policy: Array, norm: Array, planned: ArrayLike = False
) -> Steps:
    """Return the log with one more step."""
    return Steps(
        log.states.at[time].set(state),
        log.policies.at[time].set(policy),
        log.planned.at[time].set(planned),
        log.errors.at[time].set(norm),
    )
