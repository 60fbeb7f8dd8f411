"""Learning the base policies' representations by TD, as the paper's appendix describes it.

The paper runs each policy "for multiple start states" for 50 episodes. We take all free
cells as starts: an *episode* is one walk from each of them, in random order.

Walks are made with NumPy: they take less time than JAX would take to compile them.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core import PRNGKey, Scalar
from first_occupancy.representations import LambdaRepresentation


def uniforms(key: PRNGKey, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Return arrays of numbers uniform in [0, 1), cut from a single draw.

    A draw takes JAX a second to compile, whatever its size.
    """
    ends = np.cumsum([np.prod(shape, dtype=int) for shape in shapes])
    pieces = np.split(np.asarray(jax.random.uniform(key, (int(ends[-1]),))), ends[:-1])
    return [piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True)]


def slip(
    wanted: Int[np.ndarray, "*B"], luck: Float[np.ndarray, "*B"], noise: float
) -> Int[np.ndarray, "*B"]:
    """Return the wanted moves, or where luck is below `noise` one of the four at random.

    Given that it is below, luck / noise is uniform again and picks the move, so that one
    number decides both, the same for all planners that are compared.
    """
    if noise == 0:
        return wanted
    picked = np.minimum(4 * luck / noise, 3).astype(wanted.dtype)
    return np.where(luck < noise, picked, wanted)


def walk_from_everywhere(
    next_states: Int[np.ndarray, "A S"],
    action: int,
    order: Float[np.ndarray, "E S"],
    luck: Float[np.ndarray, "T E S"],
    noise: float = 0.0,
) -> Int[np.ndarray, "E S T+1"]:
    """Return the walks of the policy that always takes `action`, in the order of learning.

    In each episode the states take their turns to be the start as their `order` says.
    """
    states = [order.argsort(axis=1)]
    for lucks in luck:
        wanted = np.full(states[-1].shape, action)
        states.append(next_states[slip(wanted, lucks, noise), states[-1]])
    return np.stack(states, axis=-1)


def no_luck(steps: int, order: Float[np.ndarray, "E S"]) -> Float[np.ndarray, "T E S"]:
    """Return what `walk_from_everywhere` needs where nothing slips: no memory, no draw."""
    return np.broadcast_to(1.0, (steps, *order.shape))


FR, SR = 0.0, 1.0
"""The decays at which the lambda-representation is the FR and the SR: both in one program."""


@partial(jax.jit, static_argnames="keep")
def learn_all(
    walks: Int[Array, "B E W T"],
    decays: Float[Array, " B"],
    *,
    discount: Scalar,
    step_size: Scalar,
    keep: tuple[int, ...],
) -> tuple[Float[Array, "B K S S"], Float[Array, "B E"]]:
    """Return what TD learns from each batch of walks, and its mean error in each episode.

    The representations are those after the episodes in `keep`; the errors are L2 norms.
    """

    def learn_one(walks: Array, decay: Array) -> tuple[Array, Array]:
        representation = LambdaRepresentation(decay)

        def take_in_walk(rep: Array, walk: Array) -> tuple[Array, Array]:
            return representation.td_learn(rep, walk, discount=discount, step_size=step_size)

        def take_in_episode(rep: Array, walks: Array) -> tuple[Array, tuple[Array, Array]]:
            rep, errors = jax.lax.scan(take_in_walk, rep, walks)
            return rep, (rep, errors.mean())

        # Walks begin in every state once, so there are as many walks as states.
        begin = representation.initial(walks.shape[1])
        snapshots, errors = jax.lax.scan(take_in_episode, begin, walks)[1]
        return snapshots[jnp.array(keep) - 1], errors

    return jax.vmap(learn_one)(walks, decays)
