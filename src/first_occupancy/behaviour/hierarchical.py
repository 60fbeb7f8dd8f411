r"""Fits with a group: the parameters of subjects are normal on the unconstrained scale.

Empirical Bayes by expectation-maximisation (Huys et al. 2011): each subject's posterior is taken as
normal, with mean $m_i$ at the MAP estimate and variance $v_i$ from the Fisher information, and the
group becomes

$$\mu = \frac1I \sum_i m_i, \qquad \sigma^2 = \frac1I \sum_i (m_i^2 + v_i) - \mu^2 .$$

Subjects with few choices are drawn towards the group; the others hardly move.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from first_occupancy.behaviour.fitting import Fit, fit
from first_occupancy.behaviour.models import Model
from first_occupancy.behaviour.parameters import NormalPrior, distribution, named
from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.errors import InputError

SMALLEST_SPREAD = 0.05
"""Lower bound on the group's standard deviations, below which subjects count as equal."""


class GroupFit(eqx.Module):
    """A hierarchical fit.

    Attributes:
        subjects: MAP estimates of each subject.
        group: the group's distribution on the unconstrained scale.
        rounds: rounds of expectation-maximisation.
        converged: whether the group changed by less than the tolerance in the last round.
    """

    subjects: Fit
    group: NormalPrior
    rounds: int = eqx.field(static=True)
    converged: bool = eqx.field(static=True)

    @property
    def medians(self) -> dict[str, float]:
        """The group's median of each parameter."""
        found = named(self.subjects.model.parameters, self.group.mean)
        return {name: float(value) for name, value in found.items()}

    @property
    def log_evidences(self) -> Float[Array, " I"]:
        """Laplace approximation of each subject's log marginal likelihood, given the group."""
        fitted = self.subjects
        count = fitted.numbers.shape[-1]
        volume = jnp.linalg.slogdet(fitted.information)[1]
        known = fitted.log_likelihoods + fitted.log_priors
        return known + 0.5 * count * jnp.log(2 * jnp.pi) - 0.5 * volume

    def __repr__(self) -> str:
        """Return the group's medians and the summed log evidence."""
        medians = ", ".join(f"{name} {value:.3g}" for name, value in self.medians.items())
        return (
            f"GroupFit({self.subjects.model.name}: log evidence "
            f"{float(self.log_evidences.sum()):,.1f} of {len(self.subjects.names)} subjects; "
            f"medians of the group: {medians})"
        )


def fit_group(
    model: Model,
    subjects: Subjects,
    key: PRNGKey,
    *,
    num_starts: int = 4,
    max_rounds: int = 50,
    tolerance: float = 1e-2,
    fitted: Bool[np.ndarray, "I T"] | None = None,
) -> GroupFit:
    """Return the estimates of all subjects and of the group that they come from.

    Args:
        model: the model, with at least one parameter.
        subjects: recorded choices of at least two subjects.
        num_starts: number of starts in the first round; later ones start where the last one ended.
        max_rounds: largest number of rounds.
        tolerance: change of the group, on the unconstrained scale, below which it has converged.
        fitted: which choices to fit; None for all.

    Returns:
        The estimates.

    Raises:
        InputError: if there is only one subject, or the model has no parameters.
    """
    if len(subjects) < 2 or not model.parameters:
        raise InputError(
            "fit_group: needs at least two subjects and one parameter, "
            f"got {len(subjects)} and {len(model.parameters)}"
        )
    mean, spread = distribution(model.parameters)
    group = NormalPrior(mean, 2 * spread)
    found = fit(model, subjects, key, num_starts=num_starts, fitted=fitted, prior=group)
    for number in range(1, max_rounds + 1):
        renewed = _group_of(found)
        change = jnp.abs(renewed.mean - group.mean).max()
        change = jnp.maximum(change, jnp.abs(jnp.log(renewed.spread / group.spread)).max())
        group = renewed
        found = fit(
            model,
            subjects,
            jax.random.fold_in(key, number),
            num_starts=0,
            fitted=fitted,
            prior=group,
            start=found.numbers,
        )
        if float(change) < tolerance:
            return GroupFit(found, group, number, True)
    return GroupFit(found, group, max_rounds, False)


def _group_of(found: Fit) -> NormalPrior:
    covariance = jnp.linalg.inv(found.information)
    own = jnp.diagonal(covariance, axis1=-2, axis2=-1)
    mean = found.numbers.mean(axis=0)
    variance = (found.numbers**2 + own).mean(axis=0) - mean**2
    return NormalPrior(mean, jnp.sqrt(jnp.maximum(variance, SMALLEST_SPREAD**2)))
