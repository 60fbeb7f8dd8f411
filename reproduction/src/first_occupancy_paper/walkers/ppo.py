r"""Proximal policy optimisation: a Gaussian policy and its value, learned from many worlds at once.

Steps of the present policy are used for a few epochs. The objective is

$$\min\{\rho A,\ \mathrm{clip}(\rho, 1 - \epsilon, 1 + \epsilon) A\}, \quad
\rho = \frac{\pi(a \mid s)}{\pi_{\mathrm{old}}(a \mid s)},$$

(Schulman et al., 2017) with advantages A from temporal differences, discounted by
$\gamma \lambda$ (Schulman et al., 2016). Before every step of a minibatch the learning rate is
lowered if the policy has moved by more than twice `TARGET_KL` since the update began, and raised if
by less than half of it (always in the first), so that it need not be tuned. Values are normalised:
$(1 - \gamma)$ times the return, of the size of a reward.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from first_occupancy.core.errors import InputError

CLIP = 0.2
TARGET_KL = 0.01
RATES = (1e-5, 1e-2)
"""Smallest and largest learning rate."""

FIRST_RATE = 1e-3
RATE_FACTOR = 1.2
MAX_GRADIENT = 1.0
"""Gradients are scaled down to this norm."""

VALUE_WEIGHT = 1.0
FIRST_LOG_STD = -0.5
MAX_SCALED = 10.0
"""Observations are clipped to so many standard deviations."""


class ActorCritic(eqx.Module):
    """The networks: mean of the policy, its standard deviation, and the value.

    Attributes:
        mean: network from observations to mean actions.
        log_std: logarithm of the standard deviation of each number of an action.
        value: network from observations to the expected discounted return, normalised.
    """

    mean: eqx.nn.MLP
    log_std: Float[Array, " A"]
    value: eqx.nn.MLP


class Scaling(eqx.Module):
    """Moments of all observations so far, for scaling what networks see.

    Attributes:
        count: number of observations.
        mean: their mean.
        variance: their variance.
    """

    count: Float[Array, ""]
    mean: Float[Array, " O"]
    variance: Float[Array, " O"]

    def __call__(self, observations: Float[Array, "*B O"]) -> Float[Array, "*B O"]:
        """Return scaled observations."""
        flat = observations.reshape(-1, observations.shape[-1])
        scaled = (flat - self.mean[None]) / jnp.sqrt(self.variance + 1e-6)[None]
        return jnp.clip(scaled, -MAX_SCALED, MAX_SCALED).reshape(observations.shape)


class PPOState(eqx.Module):
    """All that is learned.

    Attributes:
        networks: policy and value.
        scaling: moments of observations.
        moments: state of the optimiser.
        rate: learning rate.
    """

    networks: ActorCritic
    scaling: Scaling
    moments: optax.OptState
    rate: Float[Array, ""]


class Steps(NamedTuple):
    """Steps of B worlds over T times.

    Attributes:
        observations: before each step.
        actions: as drawn.
        rewards: after each step.
        arrivals: observations after each step, before any new start.
        terminated: whether the episode terminated: the value of the arrival is 0.
        cut: whether the world got a new start after the step, for whatever reason.
    """

    observations: Float[Array, "T B O"]
    actions: Float[Array, "T B A"]
    rewards: Float[Array, "T B"]
    arrivals: Float[Array, "T B O"]
    terminated: Bool[Array, "T B"]
    cut: Bool[Array, "T B"]


def init(
    key: PRNGKeyArray, num_observations: int, num_actions: int, *, width: int = 256
) -> PPOState:
    """Return the state of an agent that has learned nothing.

    Args:
        key: source of the first weights.
        num_observations: numbers in an observation.
        num_actions: numbers in an action.
        width: width of the two hidden layers of each network.
    """
    policy_key, value_key = jax.random.split(key)
    mean = eqx.nn.MLP(num_observations, num_actions, width, 2, jax.nn.silu, key=policy_key)
    # A policy near 0 does not prefer any action at first.
    mean = eqx.tree_at(lambda net: net.layers[-1].weight, mean, replace_fn=lambda w: 0.01 * w)
    value = eqx.nn.MLP(num_observations, "scalar", width, 2, jax.nn.silu, key=value_key)
    networks = ActorCritic(mean, jnp.full(num_actions, FIRST_LOG_STD), value)
    scaling = Scaling(jnp.array(1e-4), jnp.zeros(num_observations), jnp.ones(num_observations))
    moments = _optimiser().init(eqx.filter(networks, eqx.is_array))
    return PPOState(networks, scaling, moments, jnp.array(FIRST_RATE))


def _optimiser() -> optax.GradientTransformation:
    return optax.chain(optax.clip_by_global_norm(MAX_GRADIENT), optax.scale_by_adam())


@eqx.filter_jit
def act(
    state: PPOState, observations: Float[Array, "B O"], key: PRNGKeyArray
) -> Float[Array, "B A"]:
    """Return actions drawn from the policy."""
    means = jax.vmap(state.networks.mean)(state.scaling(observations))
    return means + jnp.exp(state.networks.log_std)[None] * jax.random.normal(key, means.shape)


@eqx.filter_jit
def update(
    state: PPOState,
    steps: Steps,
    key: PRNGKeyArray,
    *,
    discount: float = 0.98,
    trace: float = 0.95,
    epochs: int = 4,
    minibatches: int = 8,
    entropy: float = 0.003,
) -> tuple[PPOState, dict[str, Float[Array, ""]]]:
    """Return the state after learning from steps of its policy, and what to report.

    Args:
        state: state whose policy made the steps.
        steps: steps of many worlds.
        key: source of the order in which steps are used.
        discount: discount factor.
        trace: decay of the temporal differences that advantages sum over.
        epochs: how often each step is used.
        minibatches: parts of an epoch, with an update each.
        entropy: weight of the policy's entropy in the objective.

    Returns:
        The new state, and `kl`, how far the policy has moved at the last minibatch; the learning
        `rate`; the `explained` share of the variance of returns; and the mean `value`.

    Raises:
        InputError: if there are fewer steps than minibatches.
    """
    if steps.rewards.size < minibatches:
        raise InputError(
            f"update: needs at least {minibatches} steps, one for each minibatch, got "
            f"{steps.rewards.size}"
        )
    static = eqx.partition(state.networks, eqx.is_array)[1]
    seen, arrived = state.scaling(steps.observations), state.scaling(steps.arrivals)
    value = jax.vmap(jax.vmap(state.networks.value))
    values = value(seen)
    gains = advantages(steps, values, value(arrived), discount=discount, trace=trace)
    old = log_likelihoods(state.networks, seen, steps.actions)
    parts = (seen, steps.actions, gains, gains + values, old)
    flat = jax.tree.map(lambda each: each.reshape(-1, *each.shape[2:]), parts)
    size = len(flat[2]) // minibatches

    def one(carry: tuple, rows: Array) -> tuple:
        weights, moments, rate = carry
        part = jax.tree.map(lambda each: each[rows], flat)
        gradient, far = jax.grad(_loss, has_aux=True)(weights, static, part, entropy)
        change, moments = _optimiser().update(gradient, moments)
        rate = jnp.where(far > 2 * TARGET_KL, rate / RATE_FACTOR, rate)
        rate = jnp.where(far < TARGET_KL / 2, rate * RATE_FACTOR, rate)
        rate = jnp.clip(rate, *RATES)
        weights = jax.tree.map(lambda weight, each: weight - rate * each, weights, change)
        return (weights, moments, rate), far

    orders = jax.vmap(lambda each: jax.random.permutation(each, len(flat[2])))(
        jax.random.split(key, epochs)
    )
    orders = orders[:, : size * minibatches].reshape(epochs * minibatches, size)
    weights = eqx.filter(state.networks, eqx.is_array)
    (weights, moments, rate), far = jax.lax.scan(one, (weights, state.moments, state.rate), orders)
    explained = 1 - jnp.var(gains) / (jnp.var(gains + values) + 1e-8)
    report = {"kl": far[-1], "rate": rate, "explained": explained, "value": values.mean()}
    scaling = observed(state.scaling, steps.observations)
    return PPOState(eqx.combine(weights, static), scaling, moments, rate), report


def advantages(
    steps: Steps,
    values: Float[Array, "T B"],
    arrival_values: Float[Array, "T B"],
    *,
    discount: float,
    trace: float,
) -> Float[Array, "T B"]:
    r"""Return $A_t = \delta_t + \gamma \lambda A_{t+1}$, cut at new starts.

    Args:
        steps: steps of many worlds.
        values: values before each step.
        arrival_values: values after each step, taken as 0 where it terminated.
        discount: discount factor.
        trace: decay of the sum.
    """
    ahead = jnp.where(steps.terminated, 0.0, arrival_values)
    surprises = (1 - discount) * steps.rewards + discount * ahead - values
    kept = discount * trace * (1.0 - steps.cut)

    def back(later: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        surprise, keep = now
        gain = surprise + keep * later
        return gain, gain

    first = jnp.zeros_like(surprises[0])
    return jax.lax.scan(back, first, (surprises, kept), reverse=True)[1]


def log_likelihoods(
    networks: ActorCritic, seen: Float[Array, "*B O"], actions: Float[Array, "*B A"]
) -> Float[Array, "*B"]:
    """Return the log-density of actions, up to a constant."""
    means = jax.vmap(networks.mean)(seen.reshape(-1, seen.shape[-1]))
    log_std = networks.log_std[None]
    scaled = (actions.reshape(means.shape) - means) * jnp.exp(-log_std)
    return -(0.5 * scaled**2 + log_std).sum(axis=-1).reshape(seen.shape[:-1])


def _loss(
    weights: ActorCritic, static: ActorCritic, part: tuple[Array, ...], entropy: float
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    networks = eqx.combine(weights, static)
    seen, actions, gains, returns, old = part
    gains = (gains - gains.mean()) / (gains.std() + 1e-8)
    change = log_likelihoods(networks, seen, actions) - old
    ratio = jnp.exp(change)
    surrogate = jnp.minimum(ratio * gains, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * gains).mean()
    errors = jax.vmap(networks.value)(seen) - returns
    # Non-negative and low in variance, unlike the mean of the logarithms.
    far = (ratio - 1 - change).mean()
    objective = surrogate + entropy * networks.log_std.sum()
    return VALUE_WEIGHT * 0.5 * (errors**2).mean() - objective, far


def observed(scaling: Scaling, observations: Float[Array, "*B O"]) -> Scaling:
    """Return the moments with more observations."""
    flat = observations.reshape(-1, observations.shape[-1])
    count = scaling.count + len(flat)
    share = len(flat) / count
    apart = flat.mean(axis=0) - scaling.mean
    variance = (1 - share) * scaling.variance + share * flat.var(axis=0)
    variance = variance + share * (1 - share) * apart**2
    return Scaling(count, scaling.mean + share * apart, variance)
