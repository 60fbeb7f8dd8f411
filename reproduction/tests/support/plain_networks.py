"""The networks and what is learned with them, written again in plain NumPy: the oracle."""

import jax
import numpy as np


def trunk(net, inputs):
    raw = inputs @ net.dense.weight + net.dense.bias
    deviation = np.sqrt(raw.var(axis=1, keepdims=True) + 1e-5)
    return np.tanh((raw - raw.mean(axis=1, keepdims=True)) / deviation * net.scale + net.offset)


def relu(x):
    return np.maximum(x, 0)


def actor(net, observation, task):
    hidden = relu(
        trunk(net.trunk, np.hstack([observation, task])) @ net.hidden.weight + net.hidden.bias
    )
    return np.tanh(hidden @ net.output.weight + net.output.bias)


def critic(net, observation, task, action):
    """Return outputs [B 2 H]; twins one after the other."""
    shared, twins = trunk(net.trunk, np.hstack([observation, task, action])), []
    width = net.hidden.weight.shape[1] // 2
    for twin in range(2):
        mine = slice(twin * width, (twin + 1) * width)
        hidden = relu(shared @ net.hidden.weight[:, mine] + net.hidden.bias[mine])
        twins.append(hidden @ net.output_weight[twin] + net.output_bias[twin])
    return np.stack(twins, axis=1)


def features(net, observation):
    first = relu(observation @ net.first.weight + net.first.bias)
    hidden = relu(first @ net.hidden.weight + net.hidden.bias)
    return hidden @ net.output.weight + net.output.bias


def unit(vectors):
    # With a width of five, some observation may pass no ReLU.
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def exploration(points, neighbours, clip):
    """Return the rewards of a first batch, one pair of points after the other."""
    nearest = [sorted(np.linalg.norm(x - y) for y in points)[:neighbours] for x in points]
    mean = np.mean(nearest) * np.size(nearest) / (np.size(nearest) + 1e-4)
    return np.log(1 + np.maximum(np.array(nearest) / mean - clip, 0).mean(axis=1))


def assert_gradient(gradient, loss, network, *, directions=6, tolerance=1e-6):
    """Compare a gradient with differences of a loss along random directions."""
    random = np.random.default_rng(0)
    for _ in range(directions):
        way = jax.tree.map(lambda x: random.normal(size=x.shape), network)
        up, down = (
            loss(jax.tree.map(lambda x, v, h=h: x + h * v, network, way)) for h in (1e-6, -1e-6)
        )
        pairs = zip(jax.tree.leaves(gradient), jax.tree.leaves(way), strict=True)
        slope = sum((np.asarray(g) * v).sum() for g, v in pairs)
        np.testing.assert_allclose(slope, (up - down) / 2e-6, rtol=tolerance, atol=1e-7)
