"""Representations of several policies together with what they are of.

Arrays alone do not say whose they are. `Occupancies` keeps kind, discount, policies and names
beside the values, so that they can be saved, and planned with later, without remembering any of it.
"""

from collections.abc import Sequence
from types import ModuleType

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float

from first_occupancy.core.errors import (
    InputError,
    check_discount,
    check_probabilities,
    check_range,
    check_shape,
)
from first_occupancy.core.mdp import MDP, chain
from first_occupancy.core.names import Names, checked_names
from first_occupancy.representations import first_occupancy, lambda_occupancy, successor
from first_occupancy.representations.representation import Representation

KINDS = ("first_occupancy", "successor", "lambda_occupancy")


class Occupancies(eqx.Module):
    """FRs, SRs or lambda-representations of N policies, and what they are of.

    `kind` names the module whose they are; `decay` is the lambda-representation's. `policies`
    and names may be unknown (None): a log does not tell them. Planners take it in place of FRs.
    """

    values: Float[Array, "N S S"]
    policies: Float[Array, "N S A"] | None
    kind: str = eqx.field(static=True)
    discount: float = eqx.field(static=True)
    decay: float | None = eqx.field(static=True)
    state_names: Names | None = eqx.field(static=True)
    policy_names: Names | None = eqx.field(static=True)

    def __init__(
        self,
        values: Float[ArrayLike, "N S S"],
        *,
        discount: float,
        kind: str = "first_occupancy",
        decay: float | None = None,
        policies: Float[ArrayLike, "N S A"] | None = None,
        state_names: Sequence[str] | None = None,
        policy_names: Sequence[str] | None = None,
    ):
        """Check and keep everything."""
        self.values = jnp.asarray(values)
        check_shape("Occupancies", "values", self.values, "N S S")
        self.policies = None if policies is None else jnp.asarray(policies)
        self.kind, self.decay = kind, _checked_decay(kind, decay)
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

    @property
    def representation(self) -> Representation | ModuleType:
        """The module whose the values are, or the lambda-representation at their decay."""
        if self.decay is not None:
            return lambda_occupancy.WithDecay(self.decay)
        return {"first_occupancy": first_occupancy, "successor": successor}[self.kind]


def of(
    mdp: MDP,
    policies: Float[Array, "N S A"],
    *,
    discount: float,
    representation: Representation | ModuleType = first_occupancy,
    policy_names: Sequence[str] | None = None,
) -> Occupancies:
    """Return the exact representations of policies in a world, with the world's names.

    `representation` is `first_occupancy`, `successor` or `lambda_occupancy.WithDecay(...)`. If
    there is a policy for each action and no names are given, they get the actions' names.
    """
    check_shape("of", "policies", policies, "N S A")
    decay = getattr(representation, "decay", None)
    kinds = {first_occupancy: KINDS[0], successor: KINDS[1]}
    kind = KINDS[2] if decay is not None else kinds.get(representation)  # pyrefly: ignore
    if kind is None:
        raise InputError(
            "of: representation must be first_occupancy, successor or "
            f"lambda_occupancy.WithDecay(...), got {representation}"
        )
    own = mdp.action_names if policies.shape[0] == mdp.num_actions else None
    return Occupancies(
        representation.solve(chain(mdp, policies), discount),
        discount=discount,
        kind=kind,
        decay=None if decay is None else float(np.asarray(decay)),
        policies=policies,
        state_names=mdp.state_names,
        policy_names=own if policy_names is None else policy_names,
    )


def _checked_decay(kind: str, decay: float | None) -> float | None:
    if kind not in KINDS:
        raise InputError(f"Occupancies: kind must be one of {', '.join(KINDS)}, got {kind!r}")
    if (kind == "lambda_occupancy") != (decay is not None):
        raise InputError(
            f"Occupancies: decay must be given for lambda_occupancy and nothing else, "
            f"got {decay} for {kind}"
        )
    if decay is None:
        return None
    number = np.asarray(decay)
    if number.shape != () or number.dtype.kind not in "iuf" or not 0 <= number <= 1:
        raise InputError(f"Occupancies: decay must be at least 0 and at most 1, got {decay}")
    return float(number)


def _check_values(self: Occupancies) -> None:
    if not jnp.issubdtype(self.values.dtype, jnp.floating):
        raise InputError(f"Occupancies: values must be real numbers, got {self.values.dtype}")
    most, are = float(jnp.finfo(self.values.dtype).max), "finite numbers from 0 up"
    if self.kind == "first_occupancy":
        most, are = 1 + 1e-5, "expected discounts in [0, 1]"
    check_range("Occupancies", "values", self.values, lowest=0.0, highest=most, are=are)


def _check_policies(self: Occupancies) -> None:
    if self.policies is None:
        return
    check_shape("Occupancies", "policies", self.policies, "N S A")
    if self.policies.shape[:2] != self.values.shape[:2]:
        raise InputError(
            f"Occupancies: policies must be one for each of {len(self.values)} arrays of values, "
            f"over {self.values.shape[-1]} states, got shape {list(self.policies.shape)}"
        )
    labels = {"state": self.state_names, "policy": self.policy_names}
    check_probabilities("Occupancies", "policies", self.policies, ("state",), labels=labels)
