r"""Targets: what a prediction of features should be. FF and SF differ in nothing else.

A *target* takes the features of a state and the (expected) prediction in the next state,

    target(features[D], following[D], discount) -> [D].

Any function with this signature will do if it treats each feature separately and is affine in
`following`. The targets below also check the features they are used with.
"""

import abc
import warnings
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float

from first_occupancy.core.axes import Scalar
from first_occupancy.core.errors import InputError, is_known

Features = Float[Array, " D"]
Extremes = Float[np.ndarray, " D"]
Target = Callable[[Features, Features, Scalar], Features]


class UnreachedWarning(UserWarning):
    """Some features never reach their thresholds before a walk's end, so nothing is learned."""


class CheckedTarget(eqx.Module):
    """A target that checks the features it is used with."""

    @abc.abstractmethod
    def __call__(self, features: Features, following: Features, discount: Scalar) -> Features:
        """Return the target, given the features of a state and the prediction that follows."""

    @abc.abstractmethod
    def check(self, caller: str, lowest: Extremes, highest: Extremes) -> None:
        """Raise or warn if the target cannot be used with features of this range."""


class FirstOccupancy(CheckedTarget):
    r"""Target of the FF: 1 where a feature reaches its threshold, else the discounted prediction.

    $$\varphi_d = r_d + \gamma (1 - r_d)\, \mathbb{E}[\varphi_d(s_1)], \qquad
      r_d = 1(\phi_d \ge \theta_d)$$

    Attributes:
        thresholds: $\theta$, one number for all features or one for each.
    """

    thresholds: Float[Array, "*D"]

    def __init__(self, thresholds: Float[ArrayLike, "*D"]):
        """Check and keep the thresholds."""
        self.thresholds = jnp.asarray(thresholds, float)
        if self.thresholds.ndim > 1:
            raise InputError(
                "FirstOccupancy: thresholds must be one number or a row of them, "
                f"got shape {list(self.thresholds.shape)}"
            )
        if is_known(thresholds) and np.isnan(np.asarray(self.thresholds)).any():
            raise InputError("FirstOccupancy: thresholds must be numbers, got NaN")

    def __call__(self, features: Features, following: Features, discount: Scalar) -> Features:
        """Return the target, given the features of a state and the prediction that follows."""
        thresholds = jnp.broadcast_to(self.thresholds, features.shape)
        reached = (features >= thresholds).astype(following.dtype)
        return reached + discount * (1 - reached) * following

    def check(self, caller: str, lowest: Extremes, highest: Extremes) -> None:
        """Check the number of thresholds, and warn if features never reach theirs.

        Args:
            caller: function that is called, for messages.
            lowest: smallest value of each feature.
            highest: largest value of each feature.

        Raises:
            InputError: if there are neither one threshold nor as many as features.
        """
        thresholds = np.asarray(self.thresholds)
        if thresholds.shape not in ((), highest.shape):
            raise InputError(
                f"{caller}: thresholds must be one number or one per feature, "
                f"{len(highest)} in all, got {len(thresholds)}"
            )
        unreached = np.flatnonzero(highest < thresholds)
        if len(unreached):
            named, more = ", ".join(map(str, unreached[:10])), len(unreached) - 10
            named += f" and {more} more" if more > 0 else ""
            warnings.warn(
                f"{caller}: features {named} never reach their thresholds in this data "
                "before a walk's last observation, so nothing can be learned about them; where an "
                "episode terminates, repeat its last observation",
                UnreachedWarning,
                stacklevel=4,
            )


class SoftFirstOccupancy(CheckedTarget):
    r"""Target of the soft FF: a feature in [0, 1] is the probability of being reached here.

    $$\varphi_d = \phi_d + \gamma (1 - \phi_d)\, \mathbb{E}[\varphi_d(s_1)]$$

    It needs no thresholds, and is smooth where the hard form jumps. The paper's appendix mentions
    it ("a form of soft first feature occupancy"). For features that are 0 or 1 it equals the hard
    form with a threshold of 1.
    """

    def __call__(self, features: Features, following: Features, discount: Scalar) -> Features:
        """Return the target, given the features of a state and the prediction that follows."""
        return features + discount * (1 - features) * following

    def check(self, caller: str, lowest: Extremes, highest: Extremes) -> None:
        """Check that all features are probabilities."""
        outside = np.flatnonzero((lowest < 0) | (highest > 1))
        if len(outside):
            first = outside[0]
            raise InputError(
                f"{caller}: the soft form needs features in [0, 1], "
                f"got feature {first} from {lowest[first]:.6g} to {highest[first]:.6g}"
            )


class Successor(eqx.Module):
    """Target of the SF: features add up over all times."""

    def __call__(self, features: Features, following: Features, discount: Scalar) -> Features:
        """Return the target, given the features of a state and the prediction that follows."""
        return features + discount * following


def counted(target: Target, features: Float[Array, "*T D"]) -> Float[Array, "*T D"]:
    """Return what a state contributes by itself: its target when nothing follows.

    For the FF this is 1 where a feature reaches its threshold and 0 elsewhere, for the SF it is the
    feature. To compute values from FFs, fit the reward to these contributions.

    Args:
        target: target that counts.
        features: features of some states.
    """
    alone = jnp.vectorize(lambda row: target(row, jnp.zeros_like(row), 0.0), signature="(d)->(d)")
    return alone(features)


def check_target(caller: str, target: Target, features: Float[ArrayLike, "T D"]) -> None:
    """Raise or warn if a `CheckedTarget` cannot be used with these features, which are not traced.

    The last observation of each walk should not be among them.
    """
    if isinstance(target, CheckedTarget) and is_known(features, target):
        rows = np.asarray(features)
        target.check(caller, rows.min(axis=0), rows.max(axis=0))


def gain_and_carry(
    target: Target, features: Float[Array, "*T D"], discount: Scalar
) -> tuple[Float[Array, "*T D"], Float[Array, "*T D"]]:
    """Return the coefficients g and c of an affine target, g + c * following."""

    def apart(features: Features) -> tuple[Features, Features]:
        begin = (jnp.zeros_like(features),), (jnp.ones_like(features),)
        return jax.jvp(lambda following: target(features, following, discount), *begin)

    return jnp.vectorize(apart, signature="(d)->(d),(d)")(features)
