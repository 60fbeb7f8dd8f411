"""Learn features without reward, fit a reward, choose a policy: the results for each goal.

Part "network" has small networks in place of the linear estimate. They learn from the same walks as
part "choice" with the same seed, in `updates` gradient steps. Rates and sizes were chosen with
key 1000, which no result uses.
"""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.core.axes import PRNGKey
from first_occupancy.planning.feature_policies import choose, fit_reward
from first_occupancy.representations.features.linear import normalised, predict
from first_occupancy.representations.features.networks import Training, learn_networks, predict_at
from first_occupancy.representations.features.targets import FirstOccupancy, Successor
from first_occupancy.representations.features.walks import learn_walks
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.worlds import mountain_car_walks

from . import truth
from .config import Config

FF, SF = "FF", "SF"


def pretrain(
    walks: Float[Array, "N E T 2"], config: Config
) -> dict[str, tuple[Float[Array, "N D"], Float[Array, "N E T-1"]]]:
    """Return what TD learns of FF and SF from the same walks: at the walks' starts, and its errors.

    The first is the estimate of each feature under each policy, in expectation over the starts,
    the second the L2 norm of each TD error, by policy, episode and step.

    Args:
        walks: episodes of each policy; all policies have the same starts.
    """
    basis = truth.basis(config)
    learned = learn_walks(
        (FirstOccupancy(config.threshold), Successor()),
        walks,
        features=truth.position_bumps(config),
        basis=basis,
        # As arrays, so that other values need no recompilation.
        discount=jnp.asarray(config.discount),
        step_size=normalised(jnp.asarray(config.step_size)),
    )
    # The estimate is linear in the basis, so its mean over starts is that at the mean basis.
    at_starts = jax.vmap(basis)(walks[0, :, 0]).mean(axis=0)
    found = [(predict(each.weights, at_starts), each.errors) for each in learned]
    return dict(zip((FF, SF), found, strict=True))


def pretrain_networks(
    key: PRNGKey, walks: Float[Array, "N E T 2"], config: Config
) -> Float[Array, "N D"]:
    """Return the FF that networks learn, one for each policy, in expectation over the starts."""
    networks, _ = learn_networks(
        FirstOccupancy(config.threshold),
        walks,
        key,
        features=truth.position_bumps(config),
        discount=jnp.asarray(config.discount),
        training=Training(
            num_updates=config.updates, learning_rate=0.01, copy_rate=config.copy_rate
        ),
    )
    return predict_at(networks, walks[0, :, 0]).mean(axis=1)


def draw_walks(
    key: PRNGKey, config: Config
) -> tuple[Float[Array, "N E T 2"], Float[Array, "N T 2"]]:
    """Return each policy's episodes without reward, and a last one in which rewards are seen.

    All policies begin at the same random starts. The last episode continues beyond the goal;
    `readings` shows the effect of ending it there.
    """
    starts = mountain_car_walks.draw_starts(key, config.episodes + 1)
    walks = truth.rollouts(starts, config.steps, config)
    return walks[:, :-1], walks[:, -1]


def reward_weights(states: Float[Array, "T 2"], config: Config) -> Float[Array, "D G"]:
    """Return w for every goal: least squares of its rewards on the features.

    Args:
        states: states in which rewards are seen.
    """
    features = jax.vmap(truth.position_bumps(config))(states)
    return jax.vmap(fit_reward, (None, 1), 1)(features, truth.rewards(states, config))


def rows(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for FF and one for SF: estimated and true values, choices, TD errors.

    Networks learn FF only, and their row has no errors.
    """
    key = jax.random.key(seed)
    walks, rewarded = draw_walks(key, config)
    weights = reward_weights(rewarded.reshape(-1, 2), config)
    true = truth.expected_values(config)
    if config.part == "network":
        strengths = pretrain_networks(jax.random.fold_in(key, 1), walks, config)
        yield {"representation": FF, **choice(strengths, weights, true, config)}
        return
    for name, (strengths, errors) in pretrain(walks, config).items():
        yield {
            "representation": name,
            **choice(strengths, weights, true, config),
            "strengths": np.asarray(strengths[:, example_feature(config)]).tolist(),
            "errors": np.asarray(errors).mean(axis=(0, 2)).tolist(),
        }


def choice(
    strengths: Float[Array, "N D"],
    weights: Float[Array, "D G"],
    true: Float[Array, "N G"],
    config: Config,
) -> Row:
    """Return the set-max policy for every goal, with estimated and true values of all policies.

    Args:
        strengths: estimate of each feature under each policy.
        weights: reward weights w of each goal.
        true: true value of each policy for each goal.
    """
    choices = jax.vmap(choose, (None, 1))(strengths, weights)
    return {
        "goals": list(config.goals),
        "estimates": np.asarray(choices.values.T).tolist(),
        "true": np.asarray(true).tolist(),
        "chosen": np.asarray(choices.policy).tolist(),
    }


def example_feature(config: Config) -> int:
    """Return the feature nearest to the middle of the example goal."""
    middle = config.example_goal + config.goal_length / 2
    centres = np.asarray(truth.position_bumps(config).centres)
    return int(np.abs(centres - middle).argmin())
