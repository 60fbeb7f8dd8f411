"""Learning the base policies' representations by TD, as the paper's appendix describes it.

The paper runs each policy "for multiple start states" for 50 episodes. We take all free
cells as starts: an *episode* is one walk from each of them, in random order.

Walks are simulated in NumPy, which takes less time than compiling them in JAX would.

How the TD errors of FRs and SRs fall while the base policies are run (Fig. "4rooms_curves").
"""

from collections.abc import Iterator, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core import PRNGKey, Scalar
from first_occupancy.environments import Maze, four_rooms
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


def walks_of_moves(
    world: Maze, orders: Float[np.ndarray, "A *R E S"], lucks: Float[np.ndarray, "T A *R E S"]
) -> Int[np.ndarray, "A *R E S T+1"]:
    """Return the walks of the policies that always take one action, in the order of learning.

    Args:
        world: world to walk in.
        orders: numbers by which the starts of each episode are sorted.
        lucks: numbers uniform in [0, 1) that decide which moves slip.
    """
    action = np.indices(orders.shape, sparse=True)[0]
    wanted = np.broadcast_to(action, orders.shape)
    states = [orders.argsort(axis=-1)]
    for luck in lucks:
        states.append(world.next_states[slip(wanted, luck, world.noise), states[-1]])
    return np.stack(states, axis=-1)


def no_luck(steps: int, orders: Float[np.ndarray, "A *R E S"]) -> Float[np.ndarray, "T A *R E S"]:
    """Return the luck of walks without noise, as a constant that takes no memory.

    Args:
        steps: number of steps of each walk.
        orders: numbers by which the starts of each episode are sorted.
    """
    return np.broadcast_to(1.0, (steps, *orders.shape))


FR, SR = 0.0, 1.0
"""The decays at which the lambda-representation is the FR and the SR; one program learns both."""


def learn_frs(
    walks: Int[np.ndarray, "*B E S T"], after: Sequence[int], config: Config
) -> Float[np.ndarray, "K *B S S"]:
    """Return the FRs that TD learns from each batch of walks, after some numbers of episodes."""
    learned = _snapshots(
        jnp.asarray(walks.reshape(-1, *walks.shape[-3:])),
        jnp.array(after) - 1,
        discount=config.discount,
        step_size=config.step_size,
    )
    num_states = learned.shape[-1]
    return np.asarray(learned).reshape(-1, *walks.shape[:-3], num_states, num_states)


@jax.jit
def _snapshots(
    walks: Int[Array, "B E S T"], episodes: Int[Array, " K"], *, discount: Scalar, step_size: Scalar
) -> Float[Array, "K B S S"]:
    """Return the FRs of each batch after some of the episodes.

    The compiler removes the errors, whose norms would take longer than learning.
    """
    decays = jnp.full(len(walks), FR)
    frs, _ = learn_all(walks, decays, discount=discount, step_size=step_size)
    return frs[:, episodes].swapaxes(0, 1)


@jax.jit
def learn_all(
    walks: Int[Array, "B E S T"], decays: Float[Array, " B"], *, discount: Scalar, step_size: Scalar
) -> tuple[Float[Array, "B E S S"], Float[Array, "B E"]]:
    """Return the representation of each batch after each episode, and its mean L2 TD error in it.

    Args:
        walks: walks of each batch, by episode; one from every state.
        decays: decay of each batch's lambda-representation, `FR` or `SR`.
        discount: discount factor per step, from 0 to 1 (exclusive).
        step_size: share of the TD error that an update removes.
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
    walks = walks_of_moves(world, orders, no_luck(config.steps, orders))
    batches = walks.reshape(-1, *walks.shape[2:])
    # The FR and the SR learn from the same walks.
    _, errors = learn_all(
        jnp.asarray(np.concatenate([batches, batches])),
        jnp.asarray(np.repeat([FR, SR], len(batches))),
        discount=config.discount,
        step_size=config.step_size,
    )
    curves = np.asarray(errors).reshape(2, *shape[:3])
    for name, by_policy in zip(("FR", "SR"), curves, strict=True):
        for policy, runs in zip(world.action_names, by_policy, strict=True):
            yield {"representation": name, "policy": policy, "errors": runs.tolist()}
