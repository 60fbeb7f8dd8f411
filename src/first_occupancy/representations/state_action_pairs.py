r"""The same representations with a row per state-action pair, $F^\pi(s, a, s')$.

The first action is given and the policy takes over after it, so that
$Q(s, a) = \sum_{s'} F^\pi(s, a, s')\, r(s')$ compares actions, as generalised policy
improvement needs. Each function takes the representation it is to work with:
`first_occupancy`, `successor` or `lambda_occupancy.WithDecay(...)`.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.representations.representation import (
    Representation,
    following_row,
    learn,
    move_row,
)


def initial(num_states: int, num_actions: int) -> Float[Array, "S A S"]:
    """Return the array before any experience: each state reaches itself, whatever is done."""
    return jnp.repeat(jnp.eye(num_states)[:, None, :], num_actions, axis=1)


def solve(
    representation: Representation,
    transition: Float[Array, "S A S"],
    policy: Float[Array, "S A"],
    discount: Scalar,
) -> Float[Array, "S A S"]:
    """Return the exact array: one step with each action, then `representation.solve`."""
    chain = jnp.einsum("sa,sat->st", policy, transition, precision="highest")
    return _act_first(representation, transition, representation.solve(chain, discount), discount)


def backup(
    representation: Representation,
    rep: Float[Array, "S A S"],
    transition: Float[Array, "S A S"],
    policy: Float[Array, "S A"],
    discount: Scalar,
) -> Float[Array, "S A S"]:
    """Return the Bellman operator applied to the array."""
    following = jnp.einsum("sa,sat->st", policy, rep, precision="highest")
    return _act_first(representation, transition, following, discount)


def td_step(
    representation: Representation,
    rep: Float[Array, "S A S"],
    state: Index,
    action: Index,
    next_state: Index,
    next_action: Index,
    *,
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "S A S"], Float[Array, " S"]]:
    """Update one pair's row from one transition; return the new array and the TD error."""
    following = following_row(rep, (next_state, next_action), discount)
    target = representation.target(state, following, discount)
    return move_row(rep, (state, action), target, step_size)


def td_learn(
    representation: Representation,
    rep: Float[Array, "*N S A S"],
    states: Int[Array, "*N T"],
    actions: Int[Array, "*N U"],
    *,
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "*N S A S"], Float[Array, "*N U-1"]]:
    """Run `td_step` along a walk; return the array and the L2 norm of each TD error.

    Each step needs the action taken next, so the last action only closes the walk; where
    the last state has none, as in a `Trajectory`, that state is left out. A stack of
    arrays learns along a stack of walks.
    """
    ends_without_action = actions.shape[-1] == states.shape[-1] - 1
    states = states[..., :-1] if ends_without_action else states
    rows = (states, actions)
    return learn(representation.target, rep, rows, discount=discount, step_size=step_size)


def _act_first(
    representation: Representation,
    transition: Float[Array, "S A S"],
    following: Float[Array, "S S"],
    discount: Scalar,
) -> Float[Array, "S A S"]:
    ahead = jnp.einsum("sat,tg->sag", transition, following, precision="highest")
    per_action = jax.vmap(representation.target, in_axes=(None, 0, None))
    per_state = jax.vmap(per_action, in_axes=(0, 0, None))
    return per_state(jnp.arange(len(following)), ahead, discount)
