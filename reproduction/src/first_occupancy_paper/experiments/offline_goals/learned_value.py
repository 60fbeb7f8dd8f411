r"""A peer: a learned goal-conditioned value, and a policy that follows it.

In the manner of implicit value learning (GCIVL in OGBench). The value $V(s, g)$ is the discount at
which g is first reached from s, the first-occupancy representation as a network. Its targets come
from recorded segments of a few steps,

$$\gamma^k \text{ if the segment reaches g after k steps, else } \gamma^n V(s_{t+n}, g),$$

and since the log did not always go for g, they are fitted by an upper expectile rather than the
mean: errors count `EXPECTILE` where the target is above the value, and the rest of 1 where it is
below. Goals are the observation itself, later ones of its episode, and any others. In a stochastic
world an upper expectile is too hopeful: it also picks lucky outcomes.

The policy is regression on recorded actions, each weighted by the exponential of how much closer
to its goal the segment came, in steps per step: $\log V(s_{t+n}, g) - \log V(s_t, g)$ over
$-n \log \gamma$.
"""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.episodes import Episodes
from first_occupancy.representations.features.networks import Network, Training
from first_occupancy_paper.experiments.offline_goals.goal_regression import (
    SAMPLED,
    GoalPolicy,
    Segments,
    descend,
    joined,
    segments,
    untrained,
    with_layers,
)

DISCOUNT = 0.995
"""Discount per step: a way of 400 steps is worth .13."""

EXPECTILE = 0.9
"""Weight of targets above the value; as in GCIVL."""

AHEAD = 10
"""Most steps of a segment."""

HERE, LATER = 0.1, 0.5
"""Share of goals that are the observation itself, and that are later ones; others are random."""

SHARPNESS = 3.0
"""How much progress counts in the regression on actions: a weight of $e^3$ at full speed."""

LEAST = 1e-3
"""Values below this count as this much progress."""

TRAINING = Training(
    hidden=256, depth=2, num_updates=20_000, batch_size=256, learning_rate=1e-3, copy_rate=0.01
)
"""Sizes and rates of both networks; OGBench has three layers of 512, and a million updates on
batches of 1,024."""


class LearnedValue(GoalPolicy):
    """A value for any goal, and the policy that follows it; made by `learned_value`.

    Attributes:
        value: network of the value.
    """

    value: Network

    def discounts(
        self, observations: Float[np.ndarray, "B O"], goals: Float[np.ndarray, "B O"]
    ) -> Float[np.ndarray, " B"]:
        """Return the learned discount at which each goal is reached."""
        return GoalPolicy(self.value)(observations, goals)[:, 0]


def learned_value(
    log: Episodes,
    seed: int,
    *,
    discount: float = DISCOUNT,
    training: Training = TRAINING,
) -> LearnedValue:
    """Return a value and a policy for any goal, learned from a log.

    Args:
        log: recorded episodes.
        seed: seed of the first weights and of the batches.
        discount: discount factor per step.
        training: sizes and rates of both networks.
    """
    value, policy = _learned(segments(log), jax.random.key(seed), discount, training)
    return LearnedValue(policy, value)


def _drawn(parts: Segments, key: PRNGKey, size: int) -> tuple[Array, Array, Array, Array, Array]:
    """Return recorded segments with goals.

    Returns:
        Inputs at the first observation and at the last one, the steps between the two, the steps
        until the goal (-1 if the segment does not reach it), and the first actions.
    """
    keys = jax.random.split(key, 5)
    rows = parts.draw(keys[0], size)
    ends = parts.later(keys[1], rows, AHEAD)
    later, others = parts.later(keys[2], rows), parts.draw(keys[3], size)
    kind = jax.random.uniform(keys[4], (size,), jnp.float32)
    goals = jnp.where(kind < HERE, rows, jnp.where(kind < HERE + LATER, later, others))
    seen = parts.observations
    # Rows tell whether a segment meets its goal. Where another row shows the same observation, the
    # value there has learned to be 1.
    reached = jnp.where((rows <= goals) & (goals <= ends), goals - rows, -1)
    here, ahead = joined(seen[rows], seen[goals]), joined(seen[ends], seen[goals])
    steps, reached = (ends - rows).astype(jnp.float32), reached.astype(jnp.float32)
    return here, ahead, steps, reached, parts.actions[rows]


@eqx.filter_jit
def _learned(
    parts: Segments, key: PRNGKey, discount: float, training: Training
) -> tuple[Network, Network]:
    value_key, policy_key, sample_key, batch_key = jax.random.split(key, 4)
    sample = _drawn(parts, sample_key, SAMPLED)[0]
    value = untrained(sample, 1, value_key, training)
    policy = untrained(sample, parts.actions.shape[1], policy_key, training)

    def ask(layers: PyTree, inputs: Array) -> Array:
        return jax.vmap(with_layers(value, layers))(inputs)

    def loss(layers: PyTree, slow: PyTree, key: PRNGKey) -> Array:
        (values, actions), (old, _) = layers, slow
        first, last, steps, reached, done = _drawn(parts, key, training.batch_size)
        ahead = jnp.clip(ask(old, last)[:, 0], 0, 1)
        now = ask(values, first)[:, 0]
        target = jnp.where(reached >= 0, discount**reached, discount**steps * ahead)
        error = jax.lax.stop_gradient(target) - now
        weight = jnp.where(error > 0, EXPECTILE, 1 - EXPECTILE)
        closer = jnp.where(reached > 0, 1, _progress(now, ahead, steps, discount))
        wanted = jax.lax.stop_gradient(jnp.exp(SHARPNESS * closer))
        missed = jnp.sum(jnp.square(ask(actions, first) - done), axis=-1)
        return jnp.mean(weight * jnp.square(error)) + jnp.mean(wanted * missed) / wanted.mean()

    values, actions = descend(loss, (value.layers, policy.layers), batch_key, training)
    return with_layers(value, values), with_layers(value, actions)


def _progress(
    now: Float[Array, " B"], ahead: Float[Array, " B"], steps: Float[Array, " B"], discount: float
) -> Float[Array, " B"]:
    """Return how many steps closer to its goal a segment came, per step, from -1 to 1."""
    gained = jnp.log(jnp.maximum(ahead, LEAST)) - jnp.log(jnp.maximum(now, LEAST))
    return jnp.clip(gained / (-steps * math.log(discount)), -1, 1)
