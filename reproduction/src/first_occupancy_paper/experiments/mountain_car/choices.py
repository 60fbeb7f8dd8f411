"""Learn features without reward, fit a reward, choose a policy: the results for each goal."""

from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.core.axes import PRNGKey
from first_occupancy.planning.feature_policies import choose, fit_reward
from first_occupancy.representations.features.linear import normalised, predict
from first_occupancy.representations.features.targets import FirstOccupancy, Successor
from first_occupancy.representations.features.walks import learn_walks
from first_occupancy_paper.rows.row import Row
from first_occupancy_paper.worlds import mountain_car_walks

from . import truth
from .config import Config

FF, SF = "FF", "SF"


class Pretrained(NamedTuple):
    """What one run has learned, for each of the representations `FF` and `SF`.

    Attributes:
        strengths: estimate of each feature under each policy, in expectation over the starts.
        errors: L2 norm of each TD error, by policy, episode and step.
    """

    strengths: dict[str, Float[Array, "N D"]]
    errors: dict[str, Float[Array, "N E T-1"]]


def pretrain(walks: Float[Array, "N E T 2"], config: Config) -> Pretrained:
    """Return the FF and SF that TD learns from the same walks, at the walks' starts.

    Args:
        walks: episodes of each policy; all policies have the same starts.
        config: settings of the run.
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
    names = dict(zip((FF, SF), learned, strict=True))
    return Pretrained(
        {name: predict(each.weights, at_starts) for name, each in names.items()},
        {name: each.errors for name, each in names.items()},
    )


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
        config: settings of the run.
    """
    features = jax.vmap(truth.position_bumps(config))(states)
    return jax.vmap(fit_reward, (None, 1), 1)(features, truth.rewards(states, config))


def rows(config: Config, seed: int) -> Iterator[Row]:
    """Yield a row for FF and one for SF: estimated and true values, choices, TD errors."""
    unrewarded, rewarded = draw_walks(jax.random.key(seed), config)
    pretrained = pretrain(unrewarded, config)
    weights = reward_weights(rewarded.reshape(-1, 2), config)
    true = truth.expected_values(config)
    for name, strengths in pretrained.strengths.items():
        errors = np.asarray(pretrained.errors[name]).mean(axis=(0, 2))
        yield {
            "representation": name,
            **choice(strengths, weights, true, config),
            "strengths": np.asarray(strengths[:, example_feature(config)]).tolist(),
            "errors": errors.tolist(),
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
        config: settings of the run.
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
