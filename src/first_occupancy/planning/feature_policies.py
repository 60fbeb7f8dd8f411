r"""The set-max policy (SMP): the base policy with the highest value for a new reward.

$$\pi^{\mathrm{SMP}} \in \arg\max_n \mathbb{E}_{s_0}[V^n(s_0)], \qquad
  V^n(s_0) = w^\top \varphi^n(s_0)$$

(Zahavy et al. 2021; the paper's section "Unsupervised RL with the FF".) The predictions of
features $\varphi^n$ are learned once and without reward. For a new reward, a least-squares fit
to some observations and their rewards is enough:

    learned, = learn_walks([FirstOccupancy(0.7)], walks, features=phi, ...)
    reward = fit_reward(jax.vmap(phi)(seen), paid)
    choice = choose(predict_at(learned.weights, starts, basis=phi), reward)
    policies[choice.policy]        # the policy to follow
"""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.axes import Scalar
from first_occupancy.core.errors import InputError, check_finite, check_shape, is_known
from first_occupancy.representations.features.least_squares import fit
from first_occupancy.representations.occupancies import expected_returns


class Choice(eqx.Module):
    """The policy to follow, and the estimated value of each policy.

    Attributes:
        policy: number of the policy with the highest value.
        values: estimated value of each policy, the mean over starts.
    """

    policy: Int[Array, ""]
    values: Float[Array, " N"]

    @property
    def value(self) -> Float[Array, ""]:
        """The estimated value of the chosen policy."""
        return self.values[self.policy]


def fit_reward(
    features: Float[Array, "T D"], rewards: Float[Array, " T"], *, ridge: Scalar = 0.0
) -> Float[Array, " D"]:
    r"""Return the weights $w$ of features that explain rewards best.

    $$\min_w \sum_t (r_t - w^\top \phi(s_t))^2 + \rho\, |w|^2$$

    A feature may be seen rarely: one observation among millions is enough to find its weight, in
    single precision too (`least_squares`).

    Args:
        features: $\phi(s_t)$, one row per observation.
        rewards: $r_t$, the reward of each observation.
        ridge: penalty $\rho$ on the size of the weights, at least 0. A value above 0 keeps them
            small where features are nearly dependent, as wide radial basis functions are, or are
            seen in their tails only: there the best fit may have weights of any size.

    Returns:
        The weights. Where the data do not determine them, they are those of smallest norm that
        fit, and exactly 0 for features never seen.

    Raises:
        InputError: if shapes disagree, a number is not finite, or `ridge` is negative.
    """
    check_shape("fit_reward", "features", features, "T D")
    check_shape("fit_reward", "rewards", rewards, "T", like="features", T=len(features))
    if is_known(ridge) and not 0 <= float(np.asarray(ridge)) < np.inf:
        raise InputError(f"fit_reward: ridge must be at least 0 and finite, got {ridge}")
    check_finite("fit_reward", "features", features)
    check_finite("fit_reward", "rewards", rewards)
    dtype = jnp.result_type(features, rewards, jnp.zeros(()))
    return fit(jnp.asarray(features, dtype), jnp.asarray(rewards, dtype), ridge)


def choose(predictions: Float[Array, "N *B D"], reward: Float[Array, " D"]) -> Choice:
    """Return the policy with the highest mean value over starts B; ties go to the first policy.

    Args:
        predictions: predicted features (FF or SF) of each policy at the observations from which
            episodes start, as from `predict_at`; without the axis B, at a single start.
        reward: weights of the features in the reward, as from `fit_reward`.

    Raises:
        InputError: if shapes disagree or a number is not finite.
    """
    if np.ndim(predictions) < 2 or 0 in np.shape(predictions):
        raise InputError(
            "choose: predictions must have shape [N *B D], one row or more per policy, "
            f"got {list(np.shape(predictions))}"
        )
    size = np.shape(predictions)[-1]
    check_shape("choose", "reward", reward, "D", like="predictions", D=size)
    check_finite("choose", "predictions", predictions)
    check_finite("choose", "reward", reward)
    worth = expected_returns(predictions, reward)
    values = jnp.mean(worth.reshape(len(worth), -1), axis=1)
    return Choice(jnp.argmax(values), values)
