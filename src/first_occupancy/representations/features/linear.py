r"""First-occupancy features (FF): how soon each feature of a continuous world is first reached.

$$\varphi^\pi_d(s) = \mathbb{E}_\pi[\gamma^{T_d} \mid s_0 = s], \qquad
  T_d = \min\{k \ge 0 : \phi_d(s_k) \ge \theta_d\}$$

(The paper's eq. "FFs".) Successor features (SF) instead sum the features over all future times,
$\psi_d(s) = \mathbb{E}[\sum_k \gamma^k \phi_d(s_k)]$. As with tables (`representation`), the two
differ only in the *target*: what the prediction in a state should be, given the features of that
state and the prediction in the next one. So all learners here take the target as an argument;
`targets` has those of FF and SF, and the conditions on others.

The estimate is linear: `weights[K D]` times a *basis* [K], itself a feature map of the observation.
Features define what is predicted, the basis what the estimate can express; by default they are the
same. With one-hot features and thresholds of 1, the weights are the tables of `first_occupancy` and
`successor`.

Walks may be cut off anywhere: the last observation only serves as the successor of the one before.
If an episode *terminates*, the features reached in its last observation would be lost, so repeat
that observation: for the FF once is enough. The SF then treats it as a state that is never left.
"""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Num

from first_occupancy.core.axes import Scalar
from first_occupancy.core.errors import InputError, check_discount, check_shape
from first_occupancy.core.mdp import floats
from first_occupancy.representations.features.least_squares import (
    root_visits,
    shortest_solution,
    sum_of_products,
)
from first_occupancy.representations.features.maps import FeatureMap, apply_to_rows, check_finite
from first_occupancy.representations.features.targets import (
    CheckedTarget,
    FirstOccupancy,
    SoftFirstOccupancy,
    Successor,
    Target,
    UnreachedWarning,
    check_target,
    counted,
    gain_and_carry,
)

__all__ = [
    "CheckedTarget",
    "FirstOccupancy",
    "SoftFirstOccupancy",
    "StepSize",
    "Successor",
    "Target",
    "UnreachedWarning",
    "counted",
    "evaluate",
    "initial",
    "normalised",
    "predict",
    "predict_at",
    "solve",
    "td_learn",
    "td_step",
]

StepSize = Scalar | Callable[[Float[Array, " K"]], Scalar]
"""A number, or a function from the basis [K] to a number, such as `normalised(fraction)`."""


class normalised(eqx.Module):  # noqa: N801 - used like a function
    """Step size that removes a given fraction of the TD error at the current observation.

    Plain semi-gradient TD removes step_size * |basis|^2 of the error, and diverges if that exceeds
    2. Here, as in a table, 1 sets the prediction to its target, whatever the basis.

    Attributes:
        fraction: fraction of the TD error that one update removes.
    """

    fraction: Scalar

    def __call__(self, basis: Float[Array, " K"]) -> Scalar:
        """Return the step size at one observation, given its basis; 0 if all entries are 0."""
        square = jnp.vdot(basis, basis)
        return jnp.where(square > 0, self.fraction / jnp.where(square > 0, square, 1), 0)


def initial(num_basis: int, num_features: int) -> Float[Array, "K D"]:
    """Return the weights before any experience: zero, so no feature is ever reached."""
    return jnp.zeros((num_basis, num_features))


def predict(weights: Float[Array, "*N K D"], basis: Float[Array, " K"]) -> Float[Array, "*N D"]:
    """Return the prediction at one observation, for one policy or a stack of policies."""
    return jnp.einsum("...kd,k->...d", weights, basis, precision="highest")


def predict_at(
    weights: Float[Array, "*N K D"], observations: Num[Array, "B *O"], *, basis: FeatureMap
) -> Float[Array, "*N B D"]:
    """Return the predictions at B observations, for one policy or a stack of policies.

    Args:
        weights: learned weights, or a stack of them.
        observations: observations at which to predict.
        basis: feature map in which the estimate is linear, the same as in learning.
    """
    expressed = apply_to_rows(basis, observations)
    return jnp.einsum("...kd,bk->...bd", weights, expressed, precision="highest")


def td_step(
    target: Target,
    weights: Float[Array, "K D"],
    observation: Num[Array, "*O"],
    next_observation: Num[Array, "*O"],
    *,
    features: FeatureMap,
    basis: FeatureMap | None = None,
    discount: Scalar,
    step_size: StepSize,
) -> tuple[Float[Array, "K D"], Float[Array, " D"]]:
    r"""Update the weights from one transition, by semi-gradient TD(0).

    $$W \leftarrow W + \alpha\, b(s)\, \delta^\top, \qquad
      \delta = \mathrm{target}(\phi(s), W^\top b(s'), \gamma) - W^\top b(s)$$

    Args:
        weights: $W$ before the update.
        observation: $s$, the observation that was left.
        next_observation: $s'$, the observation that was entered.
        features: feature map $\phi$, what is predicted.
        basis: feature map $b$ in which the estimate is linear; None uses `features`.
        discount: discount factor per step $\gamma$, from 0 to 1 (exclusive).
        step_size: $\alpha$, a number, or a function of $b(s)$ such as `normalised(fraction)`.

    Returns:
        The new weights, and the TD error $\delta$.
    """
    weights = floats(weights)
    basis = features if basis is None else basis
    here, ahead = basis(observation), basis(next_observation)
    return _move(target, weights, features(observation), here, ahead, discount, step_size)


def td_learn(
    target: Target,
    weights: Float[Array, "K D"],
    observations: Num[Array, "T *O"],
    *,
    features: FeatureMap,
    basis: FeatureMap | None = None,
    discount: Scalar,
    step_size: StepSize,
) -> tuple[Float[Array, "K D"], Float[Array, " T-1"]]:
    """Run `td_step` along a walk.

    For many walks, policies, seeds or targets at once, `walks.learn_walks` does the same in a
    fraction of the time.

    Args:
        observations: observations of the walk in order, at least 2.
        basis: feature map in which the estimate is linear; None uses `features`.
        step_size: a number, or a function of the basis such as `normalised(fraction)`.

    Returns:
        The new weights, and the L2 norm of each TD error.

    Raises:
        InputError: if `weights` does not have shape [K D].
    """
    check_discount("td_learn", discount)
    weights = floats(weights)
    counts, expressed = evaluate("td_learn", observations, features=features, basis=basis)
    check_target("td_learn", target, counts[:-1])
    if weights.shape != (expressed.shape[-1], counts.shape[-1]):
        raise InputError(
            f"td_learn: weights must have shape [K D] = "
            f"{[expressed.shape[-1], counts.shape[-1]]}, got {list(weights.shape)}"
        )
    return _learn(target, weights, counts, expressed, discount, step_size)


def solve(
    target: Target,
    observations: Num[Array, "E T *O"],
    *,
    features: FeatureMap,
    basis: FeatureMap | None = None,
    discount: Scalar,
) -> Float[Array, "K D"]:
    r"""Return the fixed point of TD over the transitions of E episodes.

    The expected update is 0 there, which gives a linear system for each feature. With a target of
    $g_{td} + c_{td}\, W_{\cdot d}^\top b_{t+1}$,

    $$\sum_t b_t\, (b_t - c_{td}\, b_{t+1})^\top W_{\cdot d} = \sum_t b_t\, g_{td}.$$

    For the SF this is LSTD (Bradtke and Barto 1996). If the data do not determine all weights, the
    shortest solution is returned, with exactly 0 for basis functions that are never active. Rare
    observations do not count as undetermined: rows and columns are first scaled by the visits to
    their basis functions (`least_squares`).

    Args:
        observations: E episodes of T observations each, T at least 2.
        features: feature map $\phi$, what is predicted.
        basis: feature map $b$ in which the estimate is linear; None uses `features`.
        discount: discount factor per step $\gamma$, from 0 to 1 (exclusive).

    Returns:
        The weights $W$.

    Raises:
        InputError: if `observations` is empty or has episodes of fewer than 2 observations.
    """
    check_discount("solve", discount)
    if np.ndim(observations) < 2 or np.shape(observations)[1] < 2 or 0 in np.shape(observations):
        raise InputError(
            "solve: observations must have shape [E T *O], walks of at least 2 observations, "
            f"got {list(np.shape(observations))}"
        )
    walks = np.shape(observations)[:2]
    rows = jnp.reshape(observations, (-1, *np.shape(observations)[2:]))
    counts, expressed = evaluate("solve", rows, features=features, basis=basis)
    here = counts.reshape(*walks, -1)[:, :-1]
    check_target("solve", target, here.reshape(-1, counts.shape[-1]))
    return _solve(target, expressed.reshape(*walks, -1), here, discount)


def evaluate(
    caller: str,
    observations: Num[Array, "T *O"],
    *,
    features: FeatureMap,
    basis: FeatureMap | None = None,
) -> tuple[Float[Array, "T D"], Float[Array, "T K"]]:
    """Return features and basis along a walk, after checking that they are finite vectors.

    Args:
        observations: observations of the walk in order, at least 2.
        basis: feature map in which the estimate is linear; None uses `features`.

    Raises:
        InputError: if there are fewer than 2 observations.
    """
    if np.ndim(observations) < 1 or np.shape(observations)[0] < 2:
        raise InputError(
            f"{caller}: a walk must have at least 2 observations, "
            f"got shape {list(np.shape(observations))}"
        )
    check_finite(caller, "observations", observations)
    counts = apply_to_rows(features, observations)
    expressed = counts if basis is None else apply_to_rows(basis, observations)
    for what, values in (("features", counts), ("basis functions", expressed)):
        check_shape(caller, what, values, "T D")
        check_finite(caller, what, values)
    return counts, expressed


def _move(
    target: Target,
    weights: Float[Array, "K D"],
    features: Float[Array, " D"],
    here: Float[Array, " K"],
    ahead: Float[Array, " K"],
    discount: Scalar,
    step_size: StepSize,
) -> tuple[Float[Array, "K D"], Float[Array, " D"]]:
    step = step_size(here) if callable(step_size) else step_size
    error = target(features, predict(weights, ahead), discount) - predict(weights, here)
    change = (step * here)[:, None] * error[None, :]
    return weights + change.astype(weights.dtype), error


@eqx.filter_jit
def _learn(
    target: Target,
    weights: Float[Array, "K D"],
    features: Float[Array, "T D"],
    basis: Float[Array, "T K"],
    discount: Scalar,
    step_size: StepSize,
) -> tuple[Float[Array, "K D"], Float[Array, " T-1"]]:
    def advance(weights: Array, transition: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        weights, error = _move(target, weights, *transition, discount, step_size)
        return weights, jnp.linalg.norm(error)

    return jax.lax.scan(advance, weights, (features[:-1], basis[:-1], basis[1:]))


@eqx.filter_jit
def _solve(
    target: Target,
    basis: Float[Array, "E T K"],
    features: Float[Array, "E T-1 D"],
    discount: Scalar,
) -> Float[Array, "K D"]:
    gain, carry = gain_and_carry(target, features.reshape(-1, features.shape[-1]), discount)
    here = basis[:, :-1].reshape(-1, basis.shape[-1])
    ahead = basis[:, 1:].reshape(-1, basis.shape[-1])

    scale = root_visits(here)

    def one_feature(columns: tuple[Array, Array]) -> Array:
        gained, carried = columns
        changes = jnp.column_stack([here - carried[:, None] * ahead, gained])
        # Visits to a basis function scale both its equation and its column.
        equations = sum_of_products(here, changes) / scale[:, None]
        return shortest_solution(equations[:, :-1], equations[:, -1], scale)

    return jax.lax.map(one_feature, (gain.T, carry.T)).T
