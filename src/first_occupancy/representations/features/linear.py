r"""First-occupancy features (FF): how soon each feature of a continuous world is first reached.

$$\varphi^\pi_d(s) = \mathbb{E}_\pi[\gamma^{T_d} \mid s_0 = s], \qquad
  T_d = \min\{k \ge 0 : \phi_d(s_k) \ge \theta_d\}$$

(The paper's eq. "FFs".) Successor features (SF) instead sum the features over all future times,
$\psi_d(s) = \mathbb{E}[\sum_k \gamma^k \phi_d(s_k)]$. As with tables (`representation`), the two
differ only in the *target*: what the prediction in a state should be, given the features of that
state and the prediction in the next one (`targets`).

The estimate is linear: `weights[K D]` times a *basis* [K], itself a feature map of the observation.
Features define what is predicted, the basis what the estimate can express; by default they are the
same. With one-hot features and thresholds of 1, the weights are the tables of `first_occupancy` and
`successor`. `solve` returns the fixed point of TD; `walks.learn_walks` runs TD.

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
from first_occupancy.core.errors import InputError, check_discount, check_finite, check_shape
from first_occupancy.representations.features.least_squares import (
    root_visits,
    shortest_solution,
    sum_of_products,
)
from first_occupancy.representations.features.maps import FeatureMap, apply_to_rows
from first_occupancy.representations.features.targets import Target, check_target, gain_and_carry

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
    """
    check_discount("solve", discount)
    if np.ndim(observations) < 2 or np.shape(observations)[1] < 2 or 0 in np.shape(observations):
        raise InputError(
            "solve: observations must have shape [E T *O], walks of at least 2 observations, "
            f"got {list(np.shape(observations))}"
        )
    walks = np.shape(observations)[:2]
    rows = jnp.reshape(observations, (-1, *np.shape(observations)[2:]))
    check_finite("solve", "observations", rows)
    counts = apply_to_rows(features, rows)
    expressed = counts if basis is None else apply_to_rows(basis, rows)
    for what, values in (("features", counts), ("basis functions", expressed)):
        check_shape("solve", what, values, "T D")
        check_finite("solve", what, values)
    here = counts.reshape(*walks, -1)[:, :-1]
    check_target("solve", target, here.reshape(-1, counts.shape[-1]))
    return _solve(target, expressed.reshape(*walks, -1), here, discount)


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
