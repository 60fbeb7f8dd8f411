"""Learning the base policies' representations by TD, as the paper's appendix describes it.

The paper runs each policy "for multiple start states" for 50 episodes. We take all free
cells as starts: an *episode* is one walk from each of them, in random order.

Walks are simulated in NumPy, which takes less time than compiling them in JAX would.

How the TD errors of FRs and SRs fall while the base policies are run (Fig. "4rooms_curves").
"""

from collections.abc import Iterator
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core import PRNGKey, Scalar
from first_occupancy.environments import four_rooms
from first_occupancy.representations import LambdaRepresentation
from first_occupancy_paper.rows.row import Row

from .config import Config


def uniforms(key: PRNGKey, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Return arrays of numbers uniform in [0, 1), cut from a single draw.

    JAX takes a second to compile a draw, whatever its size.
    """
    ends = np.cumsum([np.prod(shape, dtype=int) for shape in shapes])
    pieces = np.split(np.asarray(jax.random.uniform(key, (int(ends[-1]),))), ends[:-1])
    return [piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True)]


def slip(
    wanted: Int[np.ndarray, "*B"], luck: Float[np.ndarray, "*B"], noise: float
) -> Int[np.ndarray, "*B"]:
    """Return the intended moves, some of them replaced by one of the four moves at random.

    A move slips if its luck is below the noise. Then luck / noise is uniform again and selects
    the move. So one number decides both, and can be the same for all planners compared.

    Args:
        wanted: intended moves.
        luck: number uniform in [0, 1) for each move.
        noise: probability that a move is replaced by a random one.
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
    """Return the walks of a policy that always takes one action, in the order of learning.

    Args:
        next_states: state that each action leads to.
        action: action that the policy takes.
        order: numbers by which the starts of each episode are sorted.
        luck: numbers uniform in [0, 1) that decide which moves slip.
        noise: probability that a move is replaced by a random one.
    """
    states = [order.argsort(axis=1)]
    for lucks in luck:
        wanted = np.full(states[-1].shape, action)
        states.append(next_states[slip(wanted, lucks, noise), states[-1]])
    return np.stack(states, axis=-1)


def no_luck(steps: int, order: Float[np.ndarray, "E S"]) -> Float[np.ndarray, "T E S"]:
    """Return the luck of walks without noise, as a constant that takes no memory.

    Args:
        steps: number of steps of each walk.
        order: numbers by which the starts of each episode are sorted.
    """
    return np.broadcast_to(1.0, (steps, *order.shape))


FR, SR = 0.0, 1.0
"""The decays at which the lambda-representation is the FR and the SR; one program learns both."""


@partial(jax.jit, static_argnames="keep")
def learn_all(
    walks: Int[Array, "B E W T"],
    decays: Float[Array, " B"],
    *,
    discount: Scalar,
    step_size: Scalar,
    keep: tuple[int, ...],
) -> Float[Array, "B K S S"]:
    """Return the representations that TD learns from each batch of walks.

    Args:
        walks: walks of each batch, by episode; one from every state.
        decays: decay of each batch's lambda-representation, `FR` or `SR`.
        discount: discount factor per step, from 0 to 1 (exclusive).
        step_size: share of the TD error that an update removes.
        keep: numbers of episodes after which to return the representations.
    """
    snapshots, _ = _by_episode(walks, decays, discount, step_size)
    return snapshots[:, jnp.array(keep) - 1]


@jax.jit
def learning_errors(
    walks: Int[Array, "B E W T"],
    decays: Float[Array, " B"],
    *,
    discount: Scalar,
    step_size: Scalar,
) -> Float[Array, "B E"]:
    """Return the mean L2 norm of the TD errors in each episode, for each batch of walks.

    Apart from `learn_all`, because computing the norms takes longer than learning.

    Args:
        walks: walks of each batch, by episode; one from every state.
        decays: decay of each batch's lambda-representation, `FR` or `SR`.
        discount: discount factor per step, from 0 to 1 (exclusive).
        step_size: share of the TD error that an update removes.
    """
    _, errors = _by_episode(walks, decays, discount, step_size)
    return errors


def _by_episode(
    walks: Int[Array, "B E W T"],
    decays: Float[Array, " B"],
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "B E S S"], Float[Array, "B E"]]:
    """Return the representation of each batch after each episode, and its mean error in it.

    The compiler removes the one that the caller does not use.
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
        return jax.lax.scan(take_in_episode, begin, walks)[1]

    return jax.vmap(learn_one)(walks, decays)


def rows(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for each representation and policy: every run's errors in each episode."""
    world = four_rooms()
    shape = (world.num_actions, config.runs, config.learning_episodes, world.num_states)
    (orders,) = uniforms(jax.random.key(seed), shape)
    walks = [
        walk_from_everywhere(world.next_states, action, order, no_luck(config.steps, order))
        for action in range(world.num_actions)
        for order in orders[action]
    ]
    # The FR and the SR learn from the same walks.
    errors = learning_errors(
        jnp.asarray(np.stack(walks * 2)),
        jnp.asarray(np.repeat([FR, SR], len(walks))),
        discount=config.discount,
        step_size=config.step_size,
    )
    curves = np.asarray(errors).reshape(2, *shape[:3])
    for name, by_policy in zip(("FR", "SR"), curves, strict=True):
        for policy, runs in zip(world.action_names, by_policy, strict=True):
            yield {"representation": name, "policy": policy, "errors": runs.tolist()}
