"""Values of rewards under a representation."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.errors import InputError
from first_occupancy.core.mdp import floats
from first_occupancy.representations.occupancies import Occupancies


@check_arguments
def expected_returns(
    rep: Float[Array, "*rows S"] | Occupancies, reward: Float[Array, " S"]
) -> Float[Array, "*rows"]:
    r"""Return the value of a reward, $\sum_{s'} \mathrm{rep}(\cdot, s')\, r(s')$.

    The representation decides which visits are rewarded. With the FR, a state gives its reward on
    the first visit only; with the SR, on every visit; with the λ-representation, each visit gives λ
    times the reward of the one before.

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
    if np.shape(reward) != np.shape(rep)[-1:]:
        raise InputError(
            "expected_returns: reward must be one number for each of the representation's states, "
            f"got shapes {list(np.shape(reward))} and {list(np.shape(rep))}"
        )
    return jnp.einsum("...s,s->...", floats(rep), floats(reward), precision="highest")
