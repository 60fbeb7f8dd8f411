r"""Pre-training without rewards: APS, and APF in the paper's form and in one that contracts.

A run follows random tasks w. Features $\phi$ learn to infer from an observation which task was
followed, by ascending $w \cdot \hat\phi(o')$ with $\hat\phi = \phi / |\phi|$. Critics learn the
value of following a task from the features $\hat\phi$ or the occupancies $f \in [0, 1]^D$ at the
end of a window of n steps, the exploration reward e there, and the target critic's outputs $\psi'$:

| agent | target |
| --- | --- |
| aps | $w \cdot \hat\phi + e + \gamma^n\, w \cdot \psi'$ |
| apf_printed | $w \cdot f + e + \gamma^n\, [\,w \cdot 1 - w \cdot f + 1\,]\; w \cdot \psi'$ |
| apf, a feature | $f_d + \gamma^n (1 - f_d)\, \psi'_d$ |
| apf, exploration | $e + \gamma^n \psi'_E$ |
| apf_exact, a feature | $\sum_i \gamma^i m_i f_d(o_{i+1}) + \gamma^n m_n \psi'_d$ |

with $m_i = \prod_{j<i} (1 - f_d(o_{j+1}))$, the probability that d was not reached before.

The printed target multiplies the whole value by one factor, which exceeds 1 for half of all tasks,
so targets grow without bound. The FF's recursion holds for each feature separately, as in `apf` and
`apf_exact`: each target is then a mean of 1 and a discounted value, which contracts by $\gamma^n$,
and exploration has an output of its own. `apf` treats a window as one step, as the published APS
does; `apf_exact` accounts for every step of it.

Features are those of the observation arrived at, as in the code that the paper refers to, although
the paper writes $\phi(s)$.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from . import adam, ddpg, exploration_reward, value_bounds
from .agent_networks import Features
from .agent_state import AgentConfig, AgentState, Metrics
from .replay import Window
from .task_vectors import unit


def occupancies(config: AgentConfig, features: Float[Array, "*B D"]) -> Float[Array, "*B D"]:
    """Return to which degree each feature counts as reached, in [0, 1].

    With a threshold, features are reached from that size on; without one, this is "a form of soft
    first feature occupancy" (appendix). The paper does not say how features of either sign are
    mapped to [0, 1]; here negative ones count as not reached.

    Args:
        config: the agent's settings, with the threshold.
        features: feature vectors of any length.
    """
    along = unit(features)
    if config.threshold is None:
        return jnp.clip(along, 0, 1)
    return (along >= config.threshold).astype(features.dtype)


def aps_target(
    task: Float[Array, "B D"],
    features: Float[Array, "B D"],
    exploration: Float[Array, " B"],
    discount: Float[Array, " B"],
    ahead: Float[Array, "B D"],
) -> Float[Array, " B"]:
    """Return the targets of APS's values.

    Args:
        task: task of each window.
        features: features where it ended, of length one.
        exploration: exploration reward there.
        discount: discount of the whole window.
        ahead: the target critic's outputs there.
    """
    return _dot(task, features) + exploration + discount * _dot(task, ahead)


def printed_target(
    task: Float[Array, "B D"],
    occupancy: Float[Array, "B D"],
    exploration: Float[Array, " B"],
    discount: Float[Array, " B"],
    ahead: Float[Array, "B D"],
) -> Float[Array, " B"]:
    """Return the targets of APF's values as the paper prints them, with an n-step discount."""
    reached = _dot(task, occupancy)
    factor = task.sum(axis=1) - reached + 1
    return reached + exploration + discount * factor * _dot(task, ahead)


def first_occupancy_target(
    occupancy: Float[Array, "B n D"],
    exploration: Float[Array, " B"],
    discounts: Float[Array, "B n"],
    ahead: Float[Array, "B D1"],
) -> Float[Array, "B D1"]:
    r"""Return a target for each feature, and last the one for exploration.

    $$y_d = \sum_{i<n} \gamma_{0:i}\, m_i f_d(o_{i+1}) + \gamma_{0:n}\, m_n \psi'_d$$

    where $\gamma_{0:i}$ is the product of the first i steps' discounts. For one step, n = 1, this
    is $f_d + \gamma (1 - f_d) \psi'_d$.

    Args:
        occupancy: occupancies where each step led.
        exploration: exploration reward where the window ended.
        discounts: discount of each step.
        ahead: the target critic's outputs where the window ended.
    """
    target = ahead[:, :-1]
    for step in reversed(range(occupancy.shape[1])):
        reached = occupancy[:, step]
        # A step's discount applies to what follows, not to the observation it led to.
        target = reached + discounts[:, step, None] * (1 - reached) * target
    whole = jnp.prod(discounts, axis=1)
    explored = exploration + whole * ahead[:, -1]
    return jnp.concatenate([target, explored[:, None]], axis=1)


def update(
    config: AgentConfig, learner: AgentState, window: Window, noise: Float[Array, "2 B A"]
) -> tuple[AgentState, Metrics]:
    """Return the learner after one update without rewards, and the update's metrics.

    The order is the published one: features, exploration rewards by the new features, critics,
    actor, target critics.

    Args:
        learner: the state of the agent.
        window: the batch.
        noise: standard normal numbers, as for `ddpg.update`.
    """
    learner, alignment = _improve_features(config, learner, window)
    features = _features_of(config, learner, window)
    explored, distance = exploration_reward.reward(
        features[:, -1],
        learner.distance,
        neighbours=config.neighbours,
        clip=config.distance_clip,
    )
    learner = eqx.tree_at(lambda x: x.distance, learner, distance)
    ahead = ddpg.bootstrap(config, learner, window, noise[0])
    if config.bounded:
        ahead = value_bounds.of_pretraining(config, window.task, explored, ahead)
    errors, target, reward = _aim(config, window, features, explored, ahead)
    learner, loss, value = ddpg.improve(config, learner, window, errors, noise[1])
    metrics = Metrics(
        loss,
        value,
        target.mean(),
        jnp.abs(target).max(),
        reward.mean(),
        explored.mean(),
        alignment,
    )
    return learner, metrics


def _improve_features(
    config: AgentConfig, learner: AgentState, window: Window
) -> tuple[AgentState, Float[Array, ""]]:
    """Return the learner with features more aligned with the task, and their alignment before."""
    assert learner.features is not None
    assert learner.features_moments is not None

    def loss(features: Features) -> Float[Array, ""]:
        along = unit(features(window.next_observations[:, -1], config.dtype))
        return -_dot(window.task, along).mean()

    misalignment, gradient = jax.value_and_grad(loss)(learner.features)
    improved = adam.descend(
        learner.features, gradient, learner.features_moments, step_size=config.learning_rate
    )
    learner = eqx.tree_at(lambda x: (x.features, x.features_moments), learner, improved)
    return learner, -misalignment


def _features_of(config: AgentConfig, learner: AgentState, window: Window) -> Float[Array, "B n D"]:
    """Return features of the observations that steps led to: the last only, if that suffices."""
    assert learner.features is not None
    needed = slice(None) if config.agent == "apf_exact" else slice(-1, None)
    seen = window.next_observations[:, needed]
    features = learner.features(seen.reshape(-1, seen.shape[-1]), config.dtype)
    return features.reshape(*seen.shape[:2], -1)


Aim = tuple[ddpg.Errors, Float[Array, " B"], Float[Array, " B"]]
"""The critics' error function, the target values, and the features' part of the reward."""


def _aim(
    config: AgentConfig,
    window: Window,
    features: Float[Array, "B n D"],
    explored: Float[Array, " B"],
    ahead: Float[Array, "B H"],
) -> Aim:
    """Return what the critics learn from a batch.

    Args:
        window: the batch of windows.
        features: features of the observations that steps led to: all n of them, or the last only.
        explored: exploration rewards where windows end.
        ahead: the target critics' outputs where windows end.
    """
    task, discounts = window.task, window.discounts
    discount = jnp.prod(discounts, axis=1)
    if config.agent == "aps":
        along = unit(features[:, -1])
        target = aps_target(task, along, explored, discount, ahead)
        return ddpg.value_errors(target, task), target, _dot(task, along)
    reached = occupancies(config, features)
    if config.agent == "apf_exact":
        # After the end, observations repeat that were counted before.
        reached = reached * window.inside[:, :, None]
    reward = _dot(task, reached[:, -1])
    if config.agent == "apf_printed":
        target = printed_target(task, reached[:, -1], explored, discount, ahead)
        return ddpg.value_errors(target, task), target, reward
    if config.agent == "apf":  # a window counts as one step
        discounts = discount[:, None]
    targets = first_occupancy_target(reached, explored, discounts, ahead)
    return ddpg.output_errors(targets), _dot(ddpg.readout(config, task), targets), reward


def _dot(left: Float[Array, "B D"], right: Float[Array, "B D"]) -> Float[Array, " B"]:
    return (left * right).sum(axis=1)
