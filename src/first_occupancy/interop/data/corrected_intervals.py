r"""Intervals for FRs, SRs and plans estimated from a log.

FRs are nonlinear in the transition probabilities, so noise in the counts shifts them: with 50 moves
from each state of a 20 x 20 grid the estimates lie below the truth, and resampled ones lie as far
below the estimates. A percentile interval is shifted twice. Here the shift b is measured and
removed, on the scale $l = \log F - \log(1 - F)$ for FRs and $l = \log M$ for SRs. If the values
$l^*$ of resampled logs have quantiles $l^*_q$, standard deviation $\sigma$ and skewness $\kappa$,
the interval runs between two values of

$$\hat l - b + c + (l^*_q - \overline{l^*}), \qquad b = \overline{l^*} - \hat l, \qquad
  c = \tfrac14 (\kappa \sigma + 2b),$$

with 2b limited to the range from 0 to $\kappa \sigma$, and the estimate is the median. The term c
matters where few recorded exits decide. For one exit rate, it makes the interval agree to second
order with the exact one, that of a gamma variable of shape k + 1/2 after k exits, both where l is
the rate (b = 0) and where it is the logarithm ($2b = \kappa \sigma$).

An interval is trusted unless

- no resample moves it: a log does not tell what is impossible from what has not happened yet. (An
  FR of 1, of a state to itself, is exact.)
- one or two recorded moves decide, so that resampled values are skewed (`SKEWED`);
- moves that the log does not contain may matter: those of `with_unseen_moves` shift the estimate by
  more than a quarter of the interval's length; or
- b exceeds half of the interval's length.

Few recorded exits alone are no reason for distrust: they make the interval wide. To trust only
states with many recorded exits would select those that happened to be left more often than usual.
`docs/accuracy.md` has the coverage of trusted intervals.
"""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.display import Displayed, count
from first_occupancy.core.errors import InputError, warn
from first_occupancy.interop.data.logs import EmpiricalChains
from first_occupancy.interop.data.resampled_logs import resample_transitions
from first_occupancy.planning.evaluation import discount_of_legs
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.planning.plans import Plan
from first_occupancy.representations import Representation, first_occupancy

SKEWED = (-1.5, 0.5)
"""Skewness of resampled values, on the scale l, beyond which an interval is not trusted.

A single recorded exit gives -1.14 where l is the logarithm of its rate, and 2 or -2 where l is
linear in it. Positive skewness is worse: one of many rare shortcuts happened to be recorded.
"""


class UntrustedWarning(UserWarning):
    """Some estimates rest on too few transitions."""


class CorrectedInterval(Displayed, eqx.Module):
    """Bias-corrected estimates with intervals.

    Attributes:
        estimate: the estimate without its bias, which lies within the interval.
        low: lower end of the interval.
        high: upper end.
        trusted: whether the log could have shown otherwise; the rule is that of the module.
    """

    estimate: Float[Array, "*shape"]
    low: Float[Array, "*shape"]
    high: Float[Array, "*shape"]
    trusted: Bool[Array, "*shape"]

    def _summary(self) -> str:
        shape = " x ".join(map(str, self.low.shape)) or "one number"
        first = f"CorrectedInterval: {count(self.low.size, 'interval')} ({shape})"
        return f"{first}\n  {self.in_words()}"

    def in_words(self) -> str:
        """Return the mean ends, the widest interval, and how many intervals are trusted."""
        low, high, trusted = map(np.asarray, (self.low, self.high, self.trusted))
        ends = f"mean {low.mean():.3g} to {high.mean():.3g}"
        return f"{ends}, widest {(high - low).max():.3g}, {trusted.sum():,} trusted"


class PlanInterval(Displayed, eqx.Module):
    """The uncertainty of a plan, from each state.

    Attributes:
        discount: intervals on the expected discount of following the plan leg by leg.
        agreement: share of resampled logs for which replanning chooses the same policy and the
            same subgoal.
    """

    discount: CorrectedInterval
    agreement: Float[Array, " S"]

    def _summary(self) -> str | None:
        if self.agreement.ndim != 1:
            return None
        same = np.asarray(self.agreement)
        return (
            f"PlanInterval: {count(len(same), 'state')}\n  discount, {self.discount.in_words()}\n"
            f"  planning again follows the same leg in {same.mean():.1%} of resampled logs"
        )


def estimate_with_interval(
    empirical: EmpiricalChains,
    key: PRNGKey,
    *,
    discount: float,
    level: float = 0.95,
    num_resamples: int = 200,
    representation: Representation = first_occupancy,
) -> CorrectedInterval:
    """Return bias-corrected FRs or SRs of a log, with intervals; warn if some are not trusted.

    Args:
        empirical: transition counts, as returned by `count_transitions`.
        level: coverage of the intervals, between 0 and 1 (both exclusive).
        num_resamples: number of resampled logs, at least 39 for a level of 0.95.
    """
    _check("estimate_with_interval: num_resamples", level, num_resamples)
    resampled = resample_transitions(
        empirical,
        key,
        discount=discount,
        num_resamples=num_resamples,
        representation=representation,
    )
    found = corrected_interval(
        representation.solve(empirical.chains, discount=discount),
        resampled,
        level=level,
        highest=1.0 if representation is first_occupancy else np.inf,
        unseen=representation.solve(with_unseen_moves(empirical), discount=discount),
    )
    unsure = int((~found.trusted).sum())
    if unsure:
        warn(
            f"estimate_with_interval: {unsure:,} of {found.trusted.size:,} estimates rest on too "
            "few transitions; see `trusted`",
            UntrustedWarning,
        )
    return found


def with_unseen_moves(empirical: EmpiricalChains) -> Float[Array, "N S S"]:
    """Return the estimated chains with moves that the log does not contain, to any state alike.

    If m of n moves from a state led where no other did, the next move is of a new kind with a
    chance of about m / n (Good 1953). Small m say little, so m is at least its mean over states,
    and at least 1/2 where the state was never left. From states without recorded moves every move
    is new. From a terminal state that was never left, none is.

    """
    counts, visits = empirical.counts, empirical.visits
    size = counts.shape[-1]
    once = (counts == 1).sum(axis=-1)
    usual = once.sum(axis=-1, keepdims=True) / jnp.maximum((visits > 0).sum(-1, keepdims=True), 1)
    never_left = jnp.diagonal(counts, axis1=-2, axis2=-1) == visits
    unseen = jnp.maximum(jnp.maximum(once, usual), 0.5 * never_left)
    share = jnp.where(visits > 0, unseen / jnp.maximum(visits, 1), 1).clip(max=1)
    share = jnp.where(never_left & empirical.terminal[None], 0, share)[..., None]
    return (1 - share) * empirical.chains + share / size


def corrected_interval(
    estimate: Float[Array, "*shape"],
    resampled: Float[Array, "B *shape"],
    *,
    level: float = 0.95,
    highest: float = 1.0,
    unseen: Float[Array, "*shape"] | None = None,
) -> CorrectedInterval:
    """Return bias-corrected intervals from resampled values.

    Args:
        estimate: values of the log itself.
        resampled: values of resampled logs.
        level: coverage of the intervals, between 0 and 1 (both exclusive).
        highest: largest possible value: 1 for FRs and discounts of plans, infinity for SRs.
        unseen: values if there are moves the log does not contain (`with_unseen_moves`); None
            trusts the log to contain all.
    """
    _check("corrected_interval: the number of resamples", level, len(resampled))
    unseen = estimate if unseen is None else unseen
    # A further value lies below the k-th of n values with a chance of k / (n + 1).
    below = ((1 - level) / 2 * (len(resampled) + 1) - 1) / (len(resampled) - 1)
    positions = jnp.clip(jnp.array([below, 1 - below]), 0, 1)
    fields = _corrected(estimate, resampled, unseen, positions, highest == 1.0)
    return CorrectedInterval(*fields)


def plan_interval(
    plan: Plan, resampled: Float[Array, "B N S S"], *, level: float = 0.95
) -> PlanInterval:
    """Return the uncertainty of a plan that was made with the FRs of the original log.

    The plan is held fixed when its discounts are computed: choosing the best plan for each
    resampled log would bias them upwards.

    Args:
        resampled: FRs of resampled logs (`resample_transitions`, `resample_episodes`).
    """
    if plan.goal.ndim != 0 or plan.policy.shape[-1] != resampled.shape[-1]:
        raise InputError(
            f"plan_interval: plan must be to one goal, over {resampled.shape[-1]} states, "
            f"got policies of shape {list(plan.policy.shape)}"
        )
    _check("plan_interval: the number of resamples", level, len(resampled))
    plain = Plan(plan.goal, plan.policy, plan.subgoal, plan.log_promised)
    discounts, same = _follow_all(plain, resampled)
    estimate = jnp.exp(plan.log_promised).astype(discounts.dtype)
    return PlanInterval(corrected_interval(estimate, discounts, level=level), same.mean(axis=0))


@jax.jit
def _follow_all(
    plan: Plan, resampled: Float[Array, "B N S S"]
) -> tuple[Float[Array, "B S"], Float[Array, "B S"]]:
    def follow(frs: Float[Array, "N S S"]) -> tuple[Array, Array]:
        anew = plan_to_goal(frs, plan.goal)
        same = (anew.policy == plan.policy) & (anew.subgoal == plan.subgoal)
        return discount_of_legs(plan, frs), same.astype(frs.dtype)

    return jax.lax.map(follow, resampled)


def _check(argument: str, level: float, number: int) -> None:
    if not 0 < level < 1:
        raise InputError(f"{argument.split(':')[0]}: level must be between 0 and 1, got {level}")
    needed = int(np.ceil(2 / (1 - level) - 1 - 1e-9))  # the outermost values are the ends
    if number < needed:
        raise InputError(f"{argument} must be at least {needed} for level {level}, got {number}")


@partial(jax.jit, static_argnums=4)
def _corrected(
    estimate: Float[Array, "*shape"],
    resampled: Float[Array, "B *shape"],
    unseen: Float[Array, "*shape"],
    ends: Float[Array, " 2"],
    bounded: bool,
) -> tuple[Array, Array, Array, Array]:
    def to_line(values: Array) -> Array:
        return jnp.log(values) - (jnp.log1p(-values) if bounded else 0.0)

    def from_line(numbers: Array) -> Array:
        return jax.nn.sigmoid(numbers) if bounded else jnp.exp(numbers)

    line, lines = to_line(estimate), to_line(resampled)
    possible = jnp.isfinite(line) & jnp.isfinite(lines).all(axis=0)
    mean, spread = lines.mean(axis=0), lines.std(axis=0, ddof=1)
    shift, skew = mean - line, ((lines - mean[None]) ** 3).mean(axis=0) / spread**3
    lean = skew * spread
    bend = jnp.clip(2 * shift, jnp.minimum(lean, 0), jnp.maximum(lean, 0))
    at = jnp.array([ends[0], 0.5, ends[1]])
    centre = line - shift + (lean + bend) / 4
    shifted = jnp.quantile(lines, at, axis=0) + (centre - mean)[None]
    spanned = jnp.stack([resampled.min(axis=0), estimate, resampled.max(axis=0)])
    # By more than the rounding of a solve.
    rounding = 10 * max(line.shape[-1:], default=1) * jnp.finfo(line.dtype).eps
    moved = possible & (spanned[2] - spanned[0] > rounding * jnp.abs(spanned[2]))
    low, middle, high = jnp.where(moved[None], from_line(shifted), spanned)
    trusted = (
        moved
        & (SKEWED[0] <= skew)
        & (skew <= SKEWED[1])
        & (jnp.abs(to_line(unseen) - line) <= (shifted[2] - shifted[0]) / 4)
        & (jnp.abs(shift) <= (shifted[2] - shifted[0]) / 2)
    )
    exact = bounded & (resampled == 1).all(axis=0) & (estimate == 1)
    return middle, jnp.minimum(low, middle), jnp.maximum(high, middle), trusted | exact
