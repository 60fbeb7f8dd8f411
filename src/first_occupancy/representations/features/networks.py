r"""First-occupancy and successor features estimated by a small neural network.

For worlds in which no suitable basis is known. The targets are those of `targets`; the estimate
$f_\vartheta(s)$ is a network of the observation. Each update descends the gradient of

$$\tfrac12 |\mathrm{target}(\phi(s), f_{\bar\vartheta}(s'), \gamma) - f_\vartheta(s)|^2$$

with respect to $\vartheta$ only (semi-gradient TD), on a minibatch of transitions. The prediction
in the next state comes from a target network $\bar\vartheta$, which follows $\vartheta$ slowly and
so stabilises learning.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Num, PyTree

from first_occupancy.core.axes import PRNGKey, Scalar
from first_occupancy.core.errors import InputError, check_discount
from first_occupancy.representations.features.maps import FeatureMap
from first_occupancy.representations.features.targets import Target
from first_occupancy.representations.features.walks import check_walks


class Network(eqx.Module):
    """A multilayer perceptron over standardised observations."""

    mean: Float[Array, " O"]
    """Mean of the training observations."""
    deviation: Float[Array, " O"]
    """Standard deviation of the training observations, 1 for constant inputs."""
    layers: eqx.nn.MLP
    """The perceptron."""

    def __call__(self, observation: Num[Array, " O"]) -> Float[Array, " D"]:
        """Return the prediction at one observation."""
        return self.layers((observation - self.mean) / self.deviation)


class Training(eqx.Module):
    """Sizes and rates of a network and its training; all must be positive, `copy_rate` up to 1.

    Attributes:
        hidden: units per hidden layer.
        depth: number of hidden layers.
        num_updates: number of gradient steps.
        batch_size: transitions per gradient step, drawn with replacement.
        learning_rate: learning rate of Adam at the start; it decays to 0 (cosine schedule).
        copy_rate: fraction by which the target network moves towards the network per update.
    """

    hidden: int = 64
    depth: int = 2
    num_updates: int = 3000
    batch_size: int = 128
    learning_rate: float = 1e-3
    copy_rate: float = 0.02

    def __check_init__(self):
        """Raise unless all sizes and rates are positive."""
        for name in ("hidden", "depth", "num_updates", "batch_size", "learning_rate", "copy_rate"):
            if not getattr(self, name) > 0:
                raise InputError(f"Training: {name} must be positive, got {getattr(self, name)}")
        if self.copy_rate > 1:  # the target network would overshoot, and diverge above 2
            raise InputError(f"Training: copy_rate must be at most 1, got {self.copy_rate}")

    @property
    def optimiser(self) -> optax.GradientTransformation:
        """Adam; the learning rate decays to 0, so that the last batches leave little noise."""
        return optax.adam(optax.cosine_decay_schedule(self.learning_rate, self.num_updates))


def initial(
    observations: Num[Array, "*T O"], num_features: int, key: PRNGKey, *, training: Training
) -> Network:
    """Return an untrained network that standardises its inputs."""
    rows = jnp.reshape(observations, (-1, observations.shape[-1]))
    deviation = jnp.std(rows, axis=0)
    layers = _layers(rows.shape[-1], num_features, key, training)
    # A constant input has deviation 0, which must not become a divisor.
    return Network(jnp.mean(rows, axis=0), jnp.where(deviation > 0, deviation, 1), layers)


def learn_networks(
    target: Target,
    observations: Num[Array, "*N E T O"],
    key: PRNGKey,
    *,
    features: FeatureMap,
    discount: Scalar,
    training: Training | None = None,
) -> tuple[Network, Float[Array, "*N updates"]]:
    """Return trained networks, one for each stack of E episodes, and their losses.

    Args:
        observations: E episodes of T observations, T at least 2. Any leading axes *N, such as
            [seeds policies], train one network each; without them there is one network.

    Returns:
        The networks, stacked along *N (`predict_at` evaluates all at once), and the loss of each
        update.
    """
    check_discount("learn_networks", discount)
    check_walks("learn_networks", (target,), observations, features=features)
    lead, training = observations.shape[:-3], training or Training()
    keys = jax.random.split(key, lead)

    def learn(walks: Array, key: Array) -> tuple[Network, Array]:
        return _learn(target, walks, key, features, discount, training)

    for _ in lead:
        learn = eqx.filter_vmap(learn)
    return learn(observations, keys)


@eqx.filter_jit
def predict_at(networks: Network, observations: Num[Array, "B O"]) -> Float[Array, "*N B D"]:
    """Return the predictions of one network, or of a stack of networks, at B observations."""

    def ask(network: Network) -> Array:
        return jax.vmap(network)(observations)

    for _ in networks.mean.shape[:-1]:
        ask = eqx.filter_vmap(ask)
    return ask(networks)


@eqx.filter_jit
def _learn(
    target: Target,
    observations: Num[Array, "E T O"],
    key: PRNGKey,
    features: FeatureMap,
    discount: Scalar,
    training: Training,
) -> tuple[Network, Float[Array, " updates"]]:
    first_key, batch_key = jax.random.split(key)
    num_features = jax.eval_shape(features, observations[0, 0]).shape[0]
    network = initial(observations, num_features, first_key, training=training)
    learned, fixed = eqx.partition(network, _is_learned(network))
    optimiser = training.optimiser

    def loss(learned: Network, slow: Network, here: Array, ahead: Array) -> Array:
        following = jax.vmap(eqx.combine(slow, fixed))(ahead)
        aims = jax.vmap(target, in_axes=(0, 0, None))(jax.vmap(features)(here), following, discount)
        errors = aims - jax.vmap(eqx.combine(learned, fixed))(here)
        return jnp.mean(jnp.sum(jnp.square(errors), axis=-1)) / 2

    def follow(new: Array, old: Array) -> Array:
        return old + training.copy_rate * (new - old)

    Carry = tuple[Network, Network, optax.OptState]

    def update(carry: Carry, key: Array) -> tuple[Carry, Array]:
        learned, slow, state = carry
        here, ahead = _draw(key, observations, training.batch_size)
        error, slope = jax.value_and_grad(loss)(learned, slow, here, ahead)
        change, state = optimiser.update(slope, state)
        learned = eqx.apply_updates(learned, change)
        slow = jax.tree.map(follow, learned, slow)
        return (learned, slow, state), error

    begin = (learned, learned, optimiser.init(learned))
    keys = jax.random.split(batch_key, training.num_updates)
    (learned, _, _), losses = jax.lax.scan(update, begin, keys)
    return eqx.combine(learned, fixed), losses


def _layers(num_inputs: int, num_outputs: int, key: PRNGKey, training: Training) -> eqx.nn.MLP:
    """Return layers initialised as in equinox: uniform within 1 / sqrt(inputs of the layer).

    All come from a single draw, because one draw per layer takes seconds to compile.
    """
    sizes = (num_inputs, num_outputs, training.hidden, training.depth)
    empty = eqx.filter_eval_shape(eqx.nn.MLP, *sizes, key=key)

    def parts(layers: eqx.nn.MLP) -> list[PyTree]:
        return [part for layer in layers.layers for part in (layer.weight, layer.bias)]

    ends = np.cumsum([part.size for part in parts(empty)])
    numbers = jnp.split(jax.random.uniform(key, (ends[-1],), minval=-1, maxval=1), ends[:-1])
    bounds = np.repeat([layer.in_features**-0.5 for layer in empty.layers], 2)
    filled = [
        bound * row.reshape(part.shape)
        for bound, row, part in zip(bounds, numbers, parts(empty), strict=True)
    ]
    return eqx.tree_at(parts, empty, filled)


def _is_learned(network: Network) -> Network:
    """Return True for the arrays of the layers, False for mean, deviation and all non-arrays."""
    nothing = jax.tree.map(lambda _: False, network)
    arrays = jax.tree.map(eqx.is_inexact_array, network.layers)
    return eqx.tree_at(lambda network: network.layers, nothing, arrays)


def _draw(
    key: PRNGKey, observations: Num[Array, "E T O"], batch_size: int
) -> tuple[Num[Array, "B O"], Num[Array, "B O"]]:
    """Return transitions drawn uniformly, with replacement, from all episodes."""
    E, T, _ = observations.shape
    episode, time = jnp.divmod(jax.random.randint(key, (batch_size,), 0, E * (T - 1)), T - 1)
    return observations[episode, time], observations[episode, time + 1]
