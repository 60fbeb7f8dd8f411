r"""Intervals to publish, for FRs and SRs estimated from a log.

FRs are nonlinear in the transition probabilities, so noise in the counts shifts them: with 50 moves
from each state of a 20 x 20 grid the estimates lie below the truth, and resampled ones lie as far
below the estimates. A percentile interval is shifted twice. Here the shift is measured, and taken
off, on a scale on which errors are close to normal: with $l = \log F - \log(1 - F)$ for FRs, and
$l = \log M$ for SRs,

$$\text{bias} = \overline{l^*} - \hat l, \qquad
  \hat l - \text{bias} \pm t \, \text{sd}(l^*),$$

over resampled logs $l^*$, with Student's t (normal interval with bias correction; Efron and
Tibshirani 1993, ch. 10 and 13). Mean and standard deviation need fewer resamples than quantiles do.

An estimate is not to be trusted where its first state was left only a few times, where some
resampled logs do not lead there at all, or where the shift exceeds what noise explains. Such pairs
are marked and counted in a warning. Where a resample does not lead there, the logarithm does not
exist, and the interval spans all resampled values instead.
"""

import warnings
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int
from scipy.stats import t as student

from first_occupancy.core.axes import PRNGKey, Scalar
from first_occupancy.core.errors import InputError
from first_occupancy.interop.data.log_intervals import resample_transitions
from first_occupancy.interop.data.logs import EmpiricalChains
from first_occupancy.representations import Representation, first_occupancy

FEWEST_VISITS = 10
"""Transitions from a state below which its estimates are not trusted."""


class UntrustedWarning(UserWarning):
    """Some estimates rest on too few transitions."""


class CorrectedInterval(eqx.Module):
    """Bias-corrected estimates with intervals.

    Attributes:
        estimate: the estimate without its bias, which lies within the interval.
        low: lower end of the interval.
        high: upper end.
        trusted: whether the log has enough transitions for the estimate.
    """

    estimate: Float[Array, "*shape"]
    low: Float[Array, "*shape"]
    high: Float[Array, "*shape"]
    trusted: Bool[Array, "*shape"]


def estimate_with_interval(
    empirical: EmpiricalChains,
    key: PRNGKey,
    *,
    discount: float,
    level: float = 0.95,
    num_resamples: int = 200,
    representation: Representation = first_occupancy,
) -> CorrectedInterval:
    """Return bias-corrected FRs or SRs of a log, with intervals.

    Args:
        empirical: transition counts, as returned by `count_transitions`.
        key: JAX random key.
        discount: discount factor per step, from 0 to 1 (exclusive).
        level: coverage of the intervals, between 0 and 1 (both exclusive).
        num_resamples: number of resampled logs, at least 2.
        representation: `first_occupancy` or `successor`.

    Returns:
        Estimates and intervals for each policy and pair of states, after a warning if some are not
        to be trusted.
    """
    resampled = resample_transitions(
        empirical,
        key,
        discount=discount,
        num_resamples=num_resamples,
        representation=representation,
    )
    estimate = representation.solve(empirical.chains, discount=discount)
    highest = 1.0 if representation is first_occupancy else np.inf
    found = corrected_interval(
        estimate, resampled, level=level, highest=highest, visits=empirical.visits
    )
    unsure = int((~found.trusted).sum())
    if unsure:
        warnings.warn(
            f"estimate_with_interval: {unsure:,} of {found.trusted.size:,} estimates rest on too "
            "few transitions; see `trusted`",
            UntrustedWarning,
            stacklevel=2,
        )
    return found


def corrected_interval(
    estimate: Float[Array, "N S S"],
    resampled: Float[Array, "B N S S"],
    *,
    level: float = 0.95,
    highest: float = 1.0,
    visits: Int[Array, "N S"] | None = None,
) -> CorrectedInterval:
    """Return bias-corrected intervals from resampled values.

    Args:
        estimate: values of the log itself.
        resampled: values of resampled logs.
        level: coverage of the intervals, between 0 and 1 (both exclusive).
        highest: largest possible value: 1 for FRs, infinity for SRs.
        visits: number of transitions from each state; None if it is not known.

    Returns:
        Estimates and intervals.

    Raises:
        InputError: if `level` is out of range, or there are fewer than two resamples.
    """
    if not 0 < level < 1:
        raise InputError(f"corrected_interval: level must be between 0 and 1, got {level}")
    if len(resampled) < 2:
        raise InputError(f"corrected_interval: needs at least 2 resamples, got {len(resampled)}")
    enough = jnp.ones(estimate.shape[:-1], bool) if visits is None else visits >= FEWEST_VISITS
    width = float(student.ppf((1 + level) / 2, len(resampled) - 1))
    fields = _corrected(estimate, resampled, width, enough[..., None], bool(highest == 1.0))
    return CorrectedInterval(*fields)


@partial(jax.jit, static_argnums=4)
def _corrected(
    estimate: Float[Array, "N S S"],
    resampled: Float[Array, "B N S S"],
    width: Scalar,
    enough: Bool[Array, "N S 1"],
    bounded: bool,
) -> tuple[Array, Array, Array, Array]:
    def to_line(values: Array) -> Array:
        return jnp.log(values) - (jnp.log1p(-values) if bounded else 0.0)

    def from_line(numbers: Array) -> Array:
        return jax.nn.sigmoid(numbers) if bounded else jnp.exp(numbers)

    known = (resampled == estimate[None]).all(axis=0)  # an FR of 1 or 0, for one
    line, lines = to_line(estimate), to_line(resampled)
    possible = jnp.isfinite(line) & jnp.isfinite(lines).all(axis=0)
    shift, spread = lines.mean(axis=0) - line, lines.std(axis=0, ddof=1)
    centre = line - shift
    low, high = from_line(centre - width * spread), from_line(centre + width * spread)
    trusted = known | (possible & enough & (jnp.abs(shift) < width * spread))
    plain = jnp.where(possible, from_line(centre), estimate)
    lowest = jnp.minimum(resampled.min(axis=0), plain)
    highest = jnp.maximum(resampled.max(axis=0), plain)
    return (
        jnp.where(known, estimate, plain),
        jnp.where(known, estimate, jnp.where(possible, low, lowest)),
        jnp.where(known, estimate, jnp.where(possible, high, highest)),
        trusted,
    )
