"""From representations to values."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.core.errors import InputError
from first_occupancy.representations.occupancies import Occupancies


def value(
    rep: Float[Array, "*rows S"] | Occupancies, reward: Float[Array, " S"]
) -> Float[Array, "*rows"]:
    r"""Return the worth of a reward per state, $\sum_{s'} \mathrm{rep}(\cdot, s')\, r(s')$.

    What is worth depends on the representation. With the FR each state pays on its
    first visit only; with the SR on every visit; with the lambda-representation each
    visit pays lambda times the one before. A row may stand for a state or for a
    state-action pair, and so does the value. `Occupancies`, as logs give them, have a row for each
    policy and state.
    """
    if isinstance(rep, Occupancies):
        rep = rep.values
    if np.shape(reward) != np.shape(rep)[-1:]:
        raise InputError(
            "value: reward must be one number for each of the representation's states, "
            f"got shapes {list(np.shape(reward))} and {list(np.shape(rep))}"
        )
    return jnp.einsum("...s,s->...", rep, reward, precision="highest")
