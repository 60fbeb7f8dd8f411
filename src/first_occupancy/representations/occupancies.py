"""Representations of several policies together with their metadata.

`Occupancies` keeps the kind of representation, discount, policies and names beside the values, so
that a saved file has all that planning needs.
"""

from collections.abc import Sequence

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Int

from first_occupancy.core.action_worlds import KnownByActions
from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.display import Displayed, count, listed
from first_occupancy.core.errors import (
    InputError,
    as_given,
    check_discount,
    check_probabilities,
    check_range,
    check_shape,
)
from first_occupancy.core.mdp import MDP, HasMDP, as_mdp, as_policies, chain, floats
from first_occupancy.core.names import Names, checked_names
from first_occupancy.representations.fr import first_occupancy
from first_occupancy.representations.representation import Representation, named


class Occupancies(Displayed, eqx.Module):
    """FRs, SRs or other representations of N policies, with discount, policies and names.

    Planners accept it in place of FRs, and their plans inherit its names.

    Args:
        values: one table per policy; non-negative and finite, and for FRs at most 1.
        discount: discount factor with which the tables were computed, from 0 to 1 (exclusive).
        representation: kind of the tables: `fo.first_occupancy`, `fo.successor` or
            `fo.LambdaRepresentation(decay)`.
        policies: probabilities of actions; None if unknown, as for a log of transitions.
        state_names: one name per state; None for no names.
        policy_names: one name per policy; None for no names.
    """

    values: Float[Array, "N S S"]
    policies: Float[Array, "N S A"] | None
    representation: Representation = eqx.field(static=True)
    discount: float = eqx.field(static=True)
    state_names: Names | None = eqx.field(static=True)
    policy_names: Names | None = eqx.field(static=True)

    @check_arguments
    def __init__(
        self,
        values: Float[ArrayLike, "N S S"],
        *,
        discount: float,
        representation: Representation = first_occupancy,
        policies: Float[ArrayLike, "N S A"] | None = None,
        state_names: Sequence[str] | None = None,
        policy_names: Sequence[str] | None = None,
    ):
        """Check and keep everything."""
        self.values = jnp.asarray(values)
        check_shape("Occupancies", "values", self.values, "N S S")
        self.policies = None if policies is None else jnp.asarray(policies)
        check_representation("Occupancies", representation)
        # Parameters become plain numbers, which can be hashed and saved.
        self.representation = named(representation.name, **representation.parameters)
        check_discount("Occupancies", discount)
        self.discount = float(discount)
        self.state_names = checked_names(
            "Occupancies", "state_names", state_names, self.values.shape[-1]
        )
        self.policy_names = checked_names(
            "Occupancies", "policy_names", policy_names, len(self.values)
        )
        _check_values(self)
        _check_policies(self)

    def _summary(self) -> str | None:
        if self.values.ndim != 3:
            return None
        policies = f"{len(self.values):,} polic{'y' if len(self.values) == 1 else 'ies'}"
        names = f" ({listed(self.policy_names)})" if self.policy_names else ""
        size, dtype = self.values.shape[-1], self.values.dtype
        lines = [
            f"Occupancies: {self.representation.name} of {policies}{names}",
            f"over {count(size, 'state')}, discount {self.discount:g}, {dtype}",
        ]
        if self.state_names is not None:
            lines.append(f"states: {listed(self.state_names)}")
        return "\n  ".join(lines)


@check_arguments
def occupancies(
    world: MDP | HasMDP | KnownByActions,
    policies: Float[Array, "N S A"] | Int[Array, "N S"],
    *,
    discount: float,
    representation: Representation = first_occupancy,
    policy_names: Sequence[str] | None = None,
) -> Occupancies:
    """Return the exact representations of policies in a world, with the world's names.

    Args:
        world: an MDP, or anything that has one, such as a maze.
        policies: probabilities of actions, or the action that each policy takes in each state.
        discount: discount factor per step, from 0 to 1 (exclusive).
        representation: kind of the tables: `fo.first_occupancy`, `fo.successor` or
            `fo.LambdaRepresentation(decay)`.
        policy_names: one name per policy. None uses the names of the actions if there are as many
            policies as actions, and no names otherwise.
    """
    mdp = as_mdp("occupancies", world)
    policies = as_policies("occupancies", mdp, policies)
    check_shape("occupancies", "policies", policies, "N S A")
    check_representation("occupancies", representation)
    own = mdp.action_names if policies.shape[0] == mdp.num_actions else None
    return Occupancies(
        representation.solve(chain(mdp, policies), discount=discount),
        discount=discount,
        representation=representation,
        policies=policies,
        state_names=mdp.state_names,
        policy_names=own if policy_names is None else policy_names,
    )


@check_arguments
def expected_returns(
    rep: Float[Array, "*rows S"] | Occupancies, reward: Float[Array, " S"]
) -> Float[Array, "*rows"]:
    r"""Return the value of a reward, $\sum_{s'} \mathrm{rep}(\cdot, s')\, r(s')$.

    The representation decides which visits are rewarded. With the FR, a state gives its reward on
    the first visit only, with the SR on every visit. With the λ-representation, each visit gives λ
    times the reward of the visit before.

    Args:
        rep: table whose rows belong to states or to state-action pairs, a stack of such tables, or
            `Occupancies`, which have one row per policy and state.
        reward: reward of each state.

    Returns:
        One value per row, in single precision if `rep` and `reward` are in half.

    Raises:
        InputError: if `reward` does not have one entry per state of the representation.
    """
    if isinstance(rep, Occupancies):
        rep = rep.values
    check_shape("expected_returns", "reward", reward, "S", like="rep", S=np.shape(rep)[-1])
    return jnp.einsum("...s,s->...", floats(rep), floats(reward), precision="highest")


def check_representation(caller: str, representation: object) -> None:
    """Raise unless `representation` is an instance of `Representation`.

    Args:
        caller: name of the calling function, for error messages.
        representation: object to check.

    Raises:
        InputError: if it is anything else, such as a class or a module.
    """
    if not isinstance(representation, Representation):
        raise InputError(
            f"{caller}: representation must be fo.first_occupancy, fo.successor or "
            f"fo.LambdaRepresentation(decay), got {as_given(representation)}"
        )


def _check_values(self: Occupancies) -> None:
    if not jnp.issubdtype(self.values.dtype, jnp.floating):
        raise InputError(f"Occupancies: values must be real numbers, got {self.values.dtype}")
    most, are = float(jnp.finfo(self.values.dtype).max), "finite numbers from 0 up"
    if self.representation.largest_entry is not None:
        most = self.representation.largest_entry + 1e-5
        are = f"expected discounts in [0, {self.representation.largest_entry:g}]"
    check_range("Occupancies", "values", self.values, lowest=0.0, highest=most, are=are)


def _check_policies(self: Occupancies) -> None:
    if self.policies is None:
        return
    count, size, _ = self.values.shape
    check_shape("Occupancies", "policies", self.policies, "N S A", like="values", N=count, S=size)
    labels = {"state": self.state_names, "policy": self.policy_names}
    check_probabilities("Occupancies", "policies", self.policies, ("state",), labels=labels)
