r"""Tasks: directions in the space of features, drawn at random or fitted to rewards."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from first_occupancy.core.axes import Index, PRNGKey

from .agent_state import AgentConfig

SHORTEST = 1e-12
"""Shorter vectors are not normalised."""

TINY = 1e-30
"""Lower bound on divisors, to avoid division by zero."""


def unit(vectors: Float[Array, "*B D"]) -> Float[Array, "*B D"]:
    """Return vectors scaled to length one; zero stays zero, with a finite derivative."""
    squares = (vectors**2).sum(axis=-1, keepdims=True)
    return vectors * jax.lax.rsqrt(jnp.maximum(squares, SHORTEST**2))


def draw(config: AgentConfig, key: PRNGKey, num_environments: int) -> Float[Array, "E D"]:
    """Return a task for each environment, uniform on the unit sphere.

    The paper says "uniformly randomly drawn"; the code it refers to draws from the sphere.
    """
    return unit(jax.random.normal(key, (num_environments, config.task_size)))


def renew(
    config: AgentConfig,
    tasks: Float[Array, "E D"],
    first: Bool[Array, " E"],
    step: Index,
    key: PRNGKey,
) -> Float[Array, "E D"]:
    """Return the tasks from here on: new ones every `task_steps` steps and for new episodes.

    Args:
        tasks: the tasks so far.
        first: whether each environment begins an episode.
        step: steps taken so far.
        key: random key of new tasks.
    """
    is_due = first | (jnp.asarray(step) % config.task_steps == 0)
    return jnp.where(is_due[:, None], draw(config, key, len(tasks)), tasks)


def least_squares(features: Float[Array, "B D"], rewards: Float[Array, " B"]) -> Float[Array, " D"]:
    r"""Return the task whose product with features best predicts the rewards.

    $$\arg\min_w |\Phi w - r|^2$$

    Conjugate gradients from zero find the shortest of all such tasks. Without rounding errors they
    need D steps; here they take twice as many, and on a GPU far less time than a factorisation.
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
    r"""Return the task of the published fine-tuning, $\Phi^\top r / r^\top r$.

    This is least squares with its arguments swapped, which fits features by rewards: each feature's
    weight ignores what the others explain. Without any reward it is zero.
    """
    squares = (rewards**2).sum()
    return (features * rewards[:, None]).sum(axis=0) / jnp.where(squares > 0, squares, 1)
