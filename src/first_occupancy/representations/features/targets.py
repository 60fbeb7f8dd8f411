r"""What a prediction of features should be: the only place where FF and SF differ.

A *target* takes the features of a state and the (expected) prediction that follows it,

    target(features[D], following[D], discount) -> [D].

Any function of this signature will do that is affine in `following`, each feature by
itself. Those here also know which features they can be used with.
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
    """Some features never reach their thresholds in the data, so nothing is learned of them.

    The last observation of a walk does not count: it only says what the one before led to.
    """


class CheckedTarget(eqx.Module):
    """A target that knows which features it can be used with."""

    @abc.abstractmethod
    def __call__(self, features: Features, following: Features, discount: Scalar) -> Features:
        """Return what a prediction should be, given the (expected) one that follows it."""

    @abc.abstractmethod
    def check(self, caller: str, lowest: Extremes, highest: Extremes) -> None:
        """Raise or warn if features of this range, over all data, cannot be used."""


class FirstOccupancy(CheckedTarget):
    """The FF's target: a feature at its threshold is reached, and no longer waited for."""

    thresholds: Float[Array, "*D"]

    def __init__(self, thresholds: Float[ArrayLike, "*D"]):
        """Keep the thresholds, one for all features or one for each."""
        self.thresholds = jnp.asarray(thresholds, float)
        if self.thresholds.ndim > 1:
            raise InputError(
                "FirstOccupancy: thresholds must be one number or a row of them, "
                f"got shape {list(self.thresholds.shape)}"
            )
        if is_known(thresholds) and np.isnan(np.asarray(self.thresholds)).any():
            raise InputError("FirstOccupancy: thresholds must be numbers, got NaN")

    def __call__(self, features: Features, following: Features, discount: Scalar) -> Features:
        """Return what a prediction should be, given the (expected) one that follows it."""
        reached = (features >= self._per_feature(features)).astype(following.dtype)
        return reached + discount * (1 - reached) * following

    def check(self, caller: str, lowest: Extremes, highest: Extremes) -> None:
        """Raise for thresholds of another number; warn of features that never reach theirs."""
        thresholds = np.asarray(self.thresholds)
        if thresholds.shape not in ((), highest.shape):
            raise InputError(
                f"{caller}: thresholds must be one number or one per feature, "
                f"{len(highest)} in all, got {len(thresholds)}"
            )
        unreached = np.flatnonzero(highest < thresholds)
        if len(unreached):
            warnings.warn(
                f"{caller}: features {_few(unreached)} never reach their thresholds in this data "
                "before a walk's last observation, so nothing can be learned of them; where an "
                "episode terminates, repeat its last observation",
                UnreachedWarning,
                stacklevel=4,
            )

    def _per_feature(self, features: Features) -> Features:
        return jnp.broadcast_to(self.thresholds, features.shape)


class SoftFirstOccupancy(CheckedTarget):
    r"""The soft FF's target: a feature in [0, 1] is the chance to have reached it here.

    $$\varphi_d = \phi_d + \gamma (1 - \phi_d)\, \mathbb{E}[\varphi_d(s_1)]$$

    No thresholds, and smooth where the hard form jumps. The paper's appendix mentions it
    ("a form of soft first feature occupancy"); for features that are 0 or 1 it is the hard form.
    """

    def __call__(self, features: Features, following: Features, discount: Scalar) -> Features:
        """Return what a prediction should be, given the (expected) one that follows it."""
        return features + discount * (1 - features) * following

    def check(self, caller: str, lowest: Extremes, highest: Extremes) -> None:
        """Raise for features outside [0, 1], which are no chances."""
        outside = np.flatnonzero((lowest < 0) | (highest > 1))
        if len(outside):
            first = outside[0]
            raise InputError(
                f"{caller}: the soft form needs features in [0, 1], "
                f"got feature {first} from {lowest[first]:.6g} to {highest[first]:.6g}"
            )


class Successor(CheckedTarget):
    """The SF's target: a feature counts at every time."""

    def __call__(self, features: Features, following: Features, discount: Scalar) -> Features:
        """Return what a prediction should be, given the (expected) one that follows it."""
        return features + discount * following

    def check(self, caller: str, lowest: Extremes, highest: Extremes) -> None:
        """Accept any features."""


def counted(target: Target, features: Float[Array, "*T D"]) -> Float[Array, "*T D"]:
    """Return what a state contributes by itself: its target when nothing follows.

    For the FF this is 1 where a feature is at its threshold and 0 elsewhere, for the SF it
    is the feature. A reward that is to be valued by FFs is best fitted to this.
    """
    alone = jnp.vectorize(lambda row: target(row, jnp.zeros_like(row), 0.0), signature="(d)->(d)")
    return alone(features)


def check_target(caller: str, target: Target, features: Float[ArrayLike, "T D"]) -> None:
    """Raise or warn if the target cannot be used with these features."""
    if isinstance(target, CheckedTarget) and is_known(features, target):
        rows = np.asarray(features)
        target.check(caller, rows.min(axis=0), rows.max(axis=0))


def gain_and_carry(
    target: Target, features: Float[Array, "*T D"], discount: Scalar
) -> tuple[Float[Array, "*T D"], Float[Array, "*T D"]]:
    """Return the g and c of a target: being affine, it is g + c * following."""

    def apart(features: Features) -> tuple[Features, Features]:
        nothing = jnp.zeros_like(features)
        return jax.jvp(
            lambda following: target(features, following, discount),
            (nothing,),
            (jnp.ones_like(features),),
        )

    return jnp.vectorize(apart, signature="(d)->(d),(d)")(features)


def _few(indices: np.ndarray, most: int = 10) -> str:
    named = ", ".join(str(index) for index in indices[:most])
    return f"{named} and {len(indices) - most} more" if len(indices) > most else named
