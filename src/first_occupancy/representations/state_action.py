"""Representations with one row per state-action pair; one class serves all representations."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from first_occupancy.core.arguments import PositiveInt, check_arguments
from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import check_discount, check_probabilities, check_shape
from first_occupancy.representations import td


class StateActionRepresentation(eqx.Module):
    r"""A representation with one row per state-action pair, $F^\pi(s, a, s')$.

    The first action is given and the policy chooses all later ones, so that
    $Q(s, a) = \sum_{s'} F^\pi(s, a, s')\, r(s')$ compares actions, as generalised policy
    improvement needs. `fo.first_occupancy.state_action` is that of the FR.
    """

    representation: Any  # a `Representation`, which imports this module

    @check_arguments
    def initial(self, num_states: PositiveInt, num_actions: PositiveInt) -> Float[Array, "S A S"]:
        """Return the table before any experience: each state reaches only itself, by any action.

        Args:
            num_states: number of states, S.
            num_actions: number of actions, A.
        """
        rows = self.representation.initial(num_states)
        return jnp.repeat(rows[:, None, :], num_actions, axis=1)

    @check_arguments
    def solve(
        self,
        transition: Float[Array, "S A S"],
        policy: Float[Array, "S A"],
        *,
        discount: Scalar,
    ) -> Float[Array, "S A S"]:
        """Return the exact table: one step with each action, then the policy's exact rows.

        Args:
            transition: transition probabilities $p(s' | s, a)$, as in `MDP.transition`.
            policy: probability of each action in each state.
            discount: discount factor per step, from 0 to 1 (exclusive).
        """
        check_shape("solve", "transition", transition, "S A S")
        (size, count), like = transition.shape[:2], "transition"
        check_shape("solve", "policy", policy, "S A", like=like, S=size, A=count)
        check_probabilities("solve", "transition", transition, ("state", "action"))
        check_probabilities("solve", "policy", policy, ("state",))
        chain = jnp.einsum("sa,sat->st", policy, transition, precision="highest")
        following = self.representation.solve(chain, discount=discount)
        return self._act_first(transition, following, discount)

    @check_arguments
    def backup(
        self,
        rep: Float[Array, "S A S"],
        transition: Float[Array, "S A S"],
        policy: Float[Array, "S A"],
        *,
        discount: Scalar,
    ) -> Float[Array, "S A S"]:
        """Return the Bellman operator applied to a table.

        Args:
            rep: table.
            transition: transition probabilities $p(s' | s, a)$, as in `MDP.transition`.
            policy: probability of each action in each state.
            discount: discount factor per step, from 0 to 1 (exclusive).
        """
        check_discount("backup", discount)
        following = jnp.einsum("sa,sat->st", policy, rep, precision="highest")
        return self._act_first(transition, following, discount)

    @check_arguments
    def td_step(
        self,
        rep: Float[Array, "S A S"],
        state: Index,
        action: Index,
        next_state: Index,
        next_action: Index,
        *,
        discount: Scalar,
        step_size: Scalar,
    ) -> tuple[Float[Array, "S A S"], Float[Array, " S"]]:
        """Move the row of (state, action) towards its target after one transition (Sarsa-like).

        Args:
            rep: table to update.
            state: state that was left.
            action: action taken in `state`.
            next_state: state that was entered.
            next_action: action taken in `next_state`.
            discount: discount factor per step, from 0 to 1 (exclusive).
            step_size: fraction of the TD error by which the row moves, from 0 to 1.

        Returns:
            The new table, and the TD error of the row.
        """
        following = td.following_row(rep, (next_state, next_action), discount)
        target = self.representation.target(state, following, discount=discount)
        return td.move_row(rep, (state, action), target, step_size)

    @check_arguments
    def td_learn(
        self,
        rep: Float[Array, "*N S A S"],
        states: Int[Array, "*N T"],
        actions: Int[Array, "*N U"],
        *,
        discount: Scalar,
        step_size: Scalar,
    ) -> tuple[Float[Array, "*N S A S"], Float[Array, "*N U-1"]]:
        """Run `td_step` along a walk.

        Each update needs the next action, so the row of the last action is not updated. If the
        last state has no action, as in a `Trajectory`, that state is ignored.

        Args:
            rep: table to update, or a stack of tables with one walk each.
            states: states of the walk in order; or a stack of walks.
            actions: action taken in each state, at least 2; the last state may lack one.
            discount: discount factor per step, from 0 to 1 (exclusive).
            step_size: fraction of the TD error by which the row moves, from 0 to 1.

        Returns:
            The new table, and the L2 norm of each TD error.
        """
        ends_without_action = actions.shape[-1] == states.shape[-1] - 1
        states = states[..., :-1] if ends_without_action else states
        rows = (states, actions)
        return td.learn(self.representation, rep, rows, discount=discount, step_size=step_size)

    def _act_first(
        self,
        transition: Float[Array, "S A S"],
        following: Float[Array, "S S"],
        discount: Scalar,
    ) -> Float[Array, "S A S"]:
        ahead = jnp.einsum("sat,tg->sag", transition, following, precision="highest")

        def target(state: Array, row: Array) -> Array:
            return self.representation.target(state, row, discount=discount)

        per_state = jax.vmap(jax.vmap(target, in_axes=(None, 0)))
        return per_state(jnp.arange(len(following)), ahead)
