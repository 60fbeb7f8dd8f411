r"""Policies that head for a goal, by regression on segments of a log.

A recorded action is taken as a good one for whatever the episode came to a little later: for a step
t and a later step t + k of the same episode, the policy $\pi(s_t, s_{t+k})$ is fitted to $a_t$ by
least squares. With any k up to the end of the episode this is goal-conditioned behaviour cloning.
With k up to a short horizon it is a skill, "reach that observation nearby".
"""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PyTree

from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError
from first_occupancy.representations.features.networks import (
    Network,
    Training,
    initial,
    predict_at,
)

SAMPLED = 20_000
"""Pairs from which the mean and the deviation of the inputs are computed."""


class GoalPolicy(eqx.Module):
    """A network from observations and goals to actions; made by `goal_policy`.

    Attributes:
        network: perceptron over the observation and the difference to the goal.
    """

    network: Network

    def __call__(
        self, observations: Float[np.ndarray, "B O"], goals: Float[np.ndarray, "B O"]
    ) -> Float[np.ndarray, "B A"]:
        """Return an action for each pair of an observation and a goal."""
        pairs = jnp.asarray(np.hstack([observations, goals - observations]), jnp.float32)
        return np.asarray(predict_at(self.network, pairs), np.float64)


class Segments(eqx.Module):
    """A log as arrays for drawing steps and what came after them.

    Attributes:
        observations: all observations, in single precision.
        actions: all actions, in single precision.
        steps: rows from which a transition leads on.
        ends: for each row, the last row of its episode.
    """

    observations: Float[Array, "T O"]
    actions: Float[Array, "T A"]
    steps: Int[Array, " L"]
    ends: Int[Array, " T"]

    def draw(self, key: PRNGKey, size: int) -> Int[Array, " B"]:
        """Return rows of random steps."""
        return self.steps[jax.random.randint(key, (size,), 0, len(self.steps))]

    def later(
        self, key: PRNGKey, rows: Int[Array, " B"], horizon: int | None = None
    ) -> Int[Array, " B"]:
        """Return for each row a random later one of its episode.

        Args:
            horizon: most steps between the two; None for any number up to the end.
        """
        left = self.ends[rows] - rows
        left = left if horizon is None else jnp.minimum(left, horizon)
        share = jax.random.uniform(key, rows.shape, jnp.float32)
        return rows + 1 + jnp.minimum(jnp.floor(share * left).astype(rows.dtype), left - 1)


def segments(log: Episodes) -> Segments:
    """Return a log as arrays for drawing, in single precision: networks do not need more."""
    lasts = np.flatnonzero(log.last)
    ends = lasts[np.searchsorted(lasts, np.arange(len(log.last)))]
    return Segments(
        jnp.asarray(log.observations, jnp.float32),
        jnp.asarray(log.actions, jnp.float32),
        jnp.asarray(log.steps, jnp.int32),
        jnp.asarray(ends, jnp.int32),
    )


def joined(observations: Float[Array, "B O"], goals: Float[Array, "B O"]) -> Float[Array, "B I"]:
    """Return the inputs of a network: the observation, and the way from there to the goal."""
    return jnp.concatenate([observations, goals - observations], axis=-1)


def untrained(
    inputs: Float[Array, "B I"], num_outputs: int, key: PRNGKey, training: Training
) -> Network:
    """Return a network in single precision that standardises its inputs."""
    network = initial(inputs, num_outputs, key, training=training)
    return jax.tree.map(lambda x: jnp.asarray(x, jnp.float32) if eqx.is_array(x) else x, network)


def with_layers(network: Network, layers: PyTree) -> Network:
    """Return a network with other layers."""
    return Network(network.mean, network.deviation, layers)


def descend(
    loss: Callable[[PyTree, PyTree, PRNGKey], Array],
    layers: PyTree,
    key: PRNGKey,
    training: Training,
) -> PyTree:
    """Return layers after stochastic gradient descent (Adam).

    Args:
        loss: function of the layers, of a copy that follows them slowly, and of the key of a batch.
    """
    learned, fixed = eqx.partition(layers, eqx.is_inexact_array)
    optimiser = training.optimiser

    def error(learned: PyTree, slow: PyTree, key: Array) -> Array:
        return loss(eqx.combine(learned, fixed), eqx.combine(slow, fixed), key)

    def follow(new: Array, old: Array) -> Array:
        return old + training.copy_rate * (new - old)

    def update(carry: tuple[PyTree, PyTree, PyTree], key: Array) -> tuple[PyTree, None]:
        learned, slow, state = carry
        change, state = optimiser.update(jax.grad(error)(learned, slow, key), state)
        learned = eqx.apply_updates(learned, change)
        return (learned, jax.tree.map(follow, learned, slow), state), None

    keys = jax.random.split(key, training.num_updates)
    begin = (learned, learned, optimiser.init(learned))
    (learned, _, _), _ = jax.lax.scan(update, begin, keys)
    return eqx.combine(learned, fixed)


def goal_policy(
    log: Episodes,
    *,
    horizon: int | None = None,
    training: Training | None = None,
    seed: int = 0,
) -> GoalPolicy:
    """Return a policy for any goal, fitted to what recorded episodes did before they got there.

    Args:
        horizon: most steps from an observation to its goal; None for any number up to the end of
            the episode, which is goal-conditioned behaviour cloning.
        training: sizes and rates; None uses the defaults of `Training`.

    Raises:
        InputError: if the horizon is below 1.
    """
    if horizon is not None and horizon < 1:
        raise InputError(f"goal_policy: horizon must be at least 1, got {horizon}")
    training = Training() if training is None else training
    return GoalPolicy(_fitted(segments(log), jax.random.key(seed), horizon, training))


@eqx.filter_jit
def _fitted(parts: Segments, key: PRNGKey, horizon: int | None, training: Training) -> Network:
    first_key, sample_key, batch_key = jax.random.split(key, 3)

    def batch(key: PRNGKey, size: int) -> tuple[Array, Array]:
        row_key, goal_key = jax.random.split(key)
        rows = parts.draw(row_key, size)
        goals = parts.later(goal_key, rows, horizon)
        return joined(parts.observations[rows], parts.observations[goals]), parts.actions[rows]

    sample = batch(sample_key, SAMPLED)[0]
    network = untrained(sample, parts.actions.shape[1], first_key, training)

    def loss(layers: PyTree, slow: PyTree, key: PRNGKey) -> Array:
        del slow
        inputs, actions = batch(key, training.batch_size)
        found = jax.vmap(with_layers(network, layers))(inputs)
        return jnp.mean(jnp.sum(jnp.square(found - actions), axis=-1))

    return with_layers(network, descend(loss, network.layers, batch_key, training))
