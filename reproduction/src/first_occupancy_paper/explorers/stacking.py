"""Several worlds of one size as one, so that trials in all of them run side by side."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.core.errors import is_known
from first_occupancy.core.mdp import MDP


def stacked(mdps: Sequence[MDP]) -> MDP:
    """Return worlds as one whose arrays have a first axis over the worlds; names are left out.

    Args:
        mdps: worlds with the same numbers of states and actions.
    """
    worlds = [mdp.unnamed() for mdp in mdps]
    # JAX would compile a program for every number of worlds, which takes seconds for hundreds.
    stack = np.stack if is_known(worlds) else jnp.stack
    return jax.tree.map(lambda *arrays: jnp.asarray(stack(arrays)), *worlds)
