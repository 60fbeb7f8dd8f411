"""Beliefs about walls along a subject's own path.

A subject knows each cell that it has seen as it was last seen, and takes all others for free. It
sees the cell in which it is and those that one action would lead to. Beliefs carry over from trial
to trial and from layout to layout, so that a wall that was taken away stays believed until the
subject comes near it again.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from first_occupancy.behaviour.subjects import Choices, Layouts
from first_occupancy.core.axes import Index


def everything_free(layouts: Layouts) -> Bool[Array, " S"]:
    """Return the belief of a subject that has seen nothing."""
    return jnp.ones(layouts.num_states, bool)


def look_around(
    believed: Bool[Array, " S"], layouts: Layouts, state: Index, layout: Index
) -> Bool[Array, " S"]:
    """Return which cells are believed to be free after looking at those within one step."""
    seen = jnp.append(layouts.next_states[state], state)
    return believed.at[seen].set(layouts.free[layout][seen])


def believed_maps(
    choices: Choices, layouts: Layouts
) -> tuple[Bool[np.ndarray, "M S"], Int[np.ndarray, "I T"]]:
    """Return the different beliefs of all subjects, and which of them holds at each choice."""
    held = np.asarray(_held(choices, layouts))
    number, steps, size = held.shape
    packed = np.packbits(held.reshape(-1, size), axis=1)
    _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    return held.reshape(-1, size)[first], which.reshape(number, steps)


@jax.jit
def _held(choices: Choices, layouts: Layouts) -> Bool[Array, "I T S"]:
    def along(own: Choices) -> Bool[Array, "T S"]:
        def step(believed: Bool[Array, " S"], now: tuple[Index, Index]) -> tuple[Array, Array]:
            believed = look_around(believed, layouts, *now)
            return believed, believed

        return jax.lax.scan(step, everything_free(layouts), (own.states, own.layouts))[1]

    return jax.vmap(along)(choices)
