r"""Tasks: directions in the space of features, drawn at random or fitted to rewards."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from first_occupancy.arm.learner.agent_state import AgentConfig
from first_occupancy.core.axes import Index, PRNGKey

SHORTEST = 1e-12
"""Vectors shorter than this have no direction; they stay as they are."""

TINY = 1e-30
"""Nothing is divided by less."""


def unit(vectors: Float[Array, "*B D"]) -> Float[Array, "*B D"]:
    """Return vectors at length one; zero stays zero, with a finite derivative."""
    squares = (vectors**2).sum(axis=-1, keepdims=True)
    return vectors * jax.lax.rsqrt(jnp.maximum(squares, SHORTEST**2))


def draw(config: AgentConfig, key: PRNGKey, num_environments: int) -> Float[Array, "E D"]:
    """Return a task for each environment, every direction with equal chance.

    The paper says "uniformly randomly drawn"; on the unit sphere, as in the code it refers to.
    """
    return unit(jax.random.normal(key, (num_environments, config.task_size)))


def renew(
    config: AgentConfig,
    tasks: Float[Array, "E D"],
    first: Bool[Array, " E"],
    step: Index,
    key: PRNGKey,
) -> Float[Array, "E D"]:
    """Return the tasks from here on: new ones every `task_steps` steps and for new episodes."""
    is_due = first | (jnp.asarray(step) % config.task_steps == 0)
    return jnp.where(is_due[:, None], draw(config, key, len(tasks)), tasks)


def least_squares(features: Float[Array, "B D"], rewards: Float[Array, " B"]) -> Float[Array, " D"]:
    r"""Return the task whose product with features is nearest to the rewards.

    $$\arg\min_w |\Phi w - r|^2$$

    By conjugate gradients from zero, so of all such tasks the shortest. They need D steps but for
    roundings, hence twice as many here, and on a GPU far less time than a factorisation.
    """

    def step(_: Index, carry: tuple) -> tuple:
        task, left, way, square = carry
        along = features @ way
        size = square / jnp.maximum(along @ along, TINY)
        left = left - size * along
        slope = left @ features
        after = slope @ slope
        return task + size * way, left, slope + after / jnp.maximum(square, TINY) * way, after

    with jax.default_matmul_precision("float32"):
        slope = rewards @ features
        begun = (jnp.zeros_like(slope), rewards, slope, slope @ slope)
        return jax.lax.fori_loop(0, 2 * len(slope), step, begun)[0]


def swapped_least_squares(
    features: Float[Array, "B D"], rewards: Float[Array, " B"]
) -> Float[Array, " D"]:
    r"""Return what the published fine-tuning takes for the task, $\Phi^\top r / r^\top r$.

    It is the least-squares fit with its arguments swapped, of features by rewards: each feature's
    weight ignores what the others explain. Without any reward there is no such fit; zero.
    """
    squares = (rewards**2).sum()
    return (features * rewards[:, None]).sum(axis=0) / jnp.where(squares > 0, squares, 1)
