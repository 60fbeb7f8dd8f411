r"""Steps to a goal with at most K switches between deterministic base policies.

FRP with K switches values a cell by $\gamma^{d_K}$, where the steps $d_K$ obey Alg. 1 in the
deterministic case:

$$d_0(s) = \min_\pi \{j : s_j^\pi = g\}, \qquad
  d_k(s) = \min_{\pi, j} \; j + d_{k-1}(s_j^\pi),$$

with $s_j^\pi$ the cell after j steps of base policy $\pi$ from s. The inner minimum over j is taken
by doubling: the best of the first 2j steps is the best of the first j, or that of the next j.

This is `planning.plan_paths` for very many small worlds at once, as beliefs about walls change
along a path. It is compiled, and batches under `vmap`.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float

from first_occupancy.behaviour.subjects import Layouts


def steps_to_goal(
    layouts: Layouts,
    free: Bool[Array, " S"],
    *,
    max_switches: int | None = None,
    known: Float[Array, " S"] | None = None,
    is_known: Bool[ArrayLike, ""] = False,
) -> Float[Array, " S"]:
    """Return the number of steps to the goal with at most K switches, or infinity.

    Args:
        layouts: the worlds, of which cells, actions and goal count.
        free: cells that are believed to be free. Actions stay in front of all others.
        max_switches: largest number of switches, K; None for as many as help.
        known: result for the same cells, if it is known; None if there is none.
        is_known: whether `known` holds. Then nothing is computed; in a batch, if all are known.
    """
    size, states = layouts.num_states, jnp.arange(layouts.num_states)
    moves = jnp.where(free[layouts.next_states], layouts.next_states, states[:, None])
    here = jnp.where(states == layouts.goal, 0.0, jnp.inf)
    jumps = [moves]
    longest = size - 1 if layouts.longest_run is None else layouts.longest_run
    for _ in range(int(np.ceil(np.log2(max(longest, 1) + 1))) - 1):
        jumps.append(jnp.take_along_axis(jumps[-1], jumps[-1], axis=0))

    def sweep(now: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        count, _, steps = now
        best = jnp.broadcast_to(steps[:, None], moves.shape)
        for power, jump in enumerate(jumps):
            best = jnp.minimum(best, 2**power + jnp.take_along_axis(best, jump, axis=0))
        return count + 1, steps, best.min(axis=1)

    def going(now: tuple[Array, Array, Array]) -> Bool[Array, ""]:
        count, before, steps = now
        return (count < most) & (before != steps).any()

    most = size if max_switches is None else max_switches + 1
    before = jnp.full(size, -1.0)
    if known is not None:
        before, here = jnp.where(is_known, known, before), jnp.where(is_known, known, here)
    first = (jnp.asarray(0), before, here)
    return jax.lax.while_loop(going, sweep, first)[2]
