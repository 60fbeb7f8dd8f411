r"""Resampled logs, and bootstrap intervals for FRs and plans estimated from a log.

The log is resampled B times, the FRs or SRs are solved for each resample, and `interval` is the
central share `level` of the results (percentile bootstrap; Efron and Tibshirani 1993, ch. 13).
Where states are left only some dozens of times its coverage is too low; `corrected_intervals` has
intervals to publish. There are two resampling schemes, with different independence assumptions:

- `resample_transitions` assumes that transitions are independent given the state and the policy.
  It weights the recorded transitions with exponential variables (Bayesian bootstrap; Rubin 1981),
  so that what was recorded once has a chance in every resample. It suits logs of a Markov chain,
  however the episodes were started or cut off.
- `resample_episodes` assumes only that episodes are independent. It also holds where transitions
  within an episode are correlated beyond the state, as when states are a coarse discretisation.

Neither accounts for what the log does not contain: where a state always led to the same next state,
all resamples agree. Intervals that no resample moves have zero width and are not `trusted`.
"""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.axes import PRNGKey, Scalar
from first_occupancy.core.display import Displayed, count
from first_occupancy.core.errors import InputError, check_discount, check_key
from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.interop.data.logs import EmpiricalChains, Log, cells, shares
from first_occupancy.planning.evaluation import discount_of_legs
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.planning.plans import Plan
from first_occupancy.representations import Representation, first_occupancy

AT_ONCE = 2**27
"""Bytes of FRs solved in one batch: enough to keep the device busy, small next to the result."""


class Interval(Displayed, eqx.Module):
    """Elementwise confidence intervals.

    Attributes:
        low: lower ends.
        high: upper ends.
    """

    low: Float[Array, "*shape"]
    high: Float[Array, "*shape"]

    @property
    def trusted(self) -> Bool[Array, "*shape"]:
        """True where resampled logs differ; elsewhere they do not show how uncertain it is."""
        return differ(self.low, self.high)

    def _summary(self) -> str:
        low, high = np.asarray(self.low), np.asarray(self.high)
        shape = " x ".join(map(str, low.shape))
        return (
            f"Interval: {count(low.size, 'interval')} ({shape or 'one number'})\n"
            f"  mean {low.mean():.3g} to {high.mean():.3g}, widest {(high - low).max():.3g}, "
            f"{np.asarray(self.trusted).sum():,} trusted"
        )


class PlanInterval(Displayed, eqx.Module):
    """The uncertainty of a plan, from each state.

    Attributes:
        discount: intervals on the expected discount of following the plan leg by leg.
        agreement: share of resampled logs for which replanning chooses the same policy and the
            same subgoal.
    """

    discount: Interval
    agreement: Float[Array, " S"]

    @property
    def trusted(self) -> Bool[Array, " S"]:
        """True where resampled logs differ in the discount, and where it is 1, as at the goal."""
        return self.discount.trusted | (self.discount.low == 1)

    def _summary(self) -> str | None:
        if self.agreement.ndim != 1:
            return None
        low, high, same = map(np.asarray, (self.discount.low, self.discount.high, self.agreement))
        return (
            f"PlanInterval: {count(len(same), 'state')}\n"
            f"  discount, mean {low.mean():.3g} to {high.mean():.3g}, "
            f"widest {(high - low).max():.3g}, {np.asarray(self.trusted).sum():,} trusted\n"
            f"  planning again follows the same leg in {same.mean():.1%} of resampled logs"
        )


def resample_transitions(
    empirical: EmpiricalChains,
    key: PRNGKey,
    *,
    discount: float,
    num_resamples: int = 1000,
    representation: Representation = first_occupancy,
) -> Float[Array, "B N S S"]:
    """Return the FRs of logs whose transitions are resampled within each state and policy.

    Args:
        empirical: transition counts, as returned by `count_transitions`.
        representation: what to solve for, such as `successor` for SRs.

    Returns:
        The FRs of each policy, for each resampled log.

    Raises:
        InputError: if an argument has the wrong type or is out of range, or the result does not
            fit in memory.
    """
    if not isinstance(empirical, EmpiricalChains):
        raise InputError(
            "resample_transitions: empirical must be EmpiricalChains, "
            f"got {type(empirical).__name__}; "
            "use resample_episodes for a log, or count_transitions on it first"
        )
    check_key("resample_transitions", "key", key)
    check_discount("resample_transitions", discount)
    shape = empirical.counts.shape
    _check("resample_transitions", shape, num_resamples)
    return _solve_all(_weights(empirical, key), shape, discount, num_resamples, representation)


def resample_chains(
    empirical: EmpiricalChains, key: PRNGKey, *, num_resamples: int = 1000
) -> Float[Array, "B N S S"]:
    """Return the chains of logs whose transitions are resampled within each state and policy.

    They are the chains whose FRs `resample_transitions` returns, for statistics of one's own.

    Args:
        empirical: transition counts, as returned by `count_transitions`.

    Returns:
        The chain of each policy, for each resampled log.

    Raises:
        InputError: if an argument is out of range, or the result does not fit in memory.
    """
    check_key("resample_chains", "key", key)
    shape = empirical.counts.shape
    _check("resample_chains", shape, num_resamples)
    return shares(jnp.asarray(_weights(empirical, key)(num_resamples)))


def _weights(
    empirical: EmpiricalChains, key: PRNGKey
) -> Callable[[int], Float[np.ndarray, "b N S S"]]:
    """Return the function that draws the weights of resampled transitions."""
    counts = np.asarray(empirical.counts)
    seen, rng = counts > 0, _generator(key)

    def draw(size: int) -> Float[np.ndarray, "b N S S"]:
        drawn = np.zeros((size, *counts.shape))
        drawn[:, seen] = rng.standard_gamma(counts[seen], (size, int(seen.sum())))
        return drawn

    return draw


def resample_episodes(
    transitions: Log,
    key: PRNGKey,
    *,
    discount: float,
    num_resamples: int = 1000,
    representation: Representation = first_occupancy,
) -> Float[Array, "B N S S"]:
    """Return the FRs of logs whose episodes are resampled as a whole.

    Args:
        transitions: log that says which episode each transition belongs to (`Log.episodes`).
        representation: what to solve for, such as `successor` for SRs.

    Returns:
        The FRs of each policy, for each resampled log.

    Raises:
        InputError: if the log has no episodes, an argument has the wrong type or is out of range,
            or the result does not fit in memory.
    """
    if not isinstance(transitions, Log):
        raise InputError(
            f"resample_episodes: transitions must be a Log, got {type(transitions).__name__}; "
            "use resample_transitions for counts"
        )
    if transitions.episodes is None:
        raise InputError(
            "resample_episodes: transitions must have episodes, got None; "
            "pass episodes=... to transition_log"
        )
    check_key("resample_episodes", "key", key)
    size = transitions.num_states
    shape = (transitions.num_policies, size, size)
    check_discount("resample_episodes", discount)
    _check("resample_episodes", shape, num_resamples)
    _, episodes = np.unique(np.asarray(transitions.episodes), return_inverse=True)
    occurring, places = np.unique(cells(transitions, 0, len(transitions)), return_inverse=True)
    # How much each episode contributes to each nonzero count.
    parts = csr_array((np.ones(len(places)), (places, episodes)))
    rng = _generator(key)

    def draw(size: int) -> Int[np.ndarray, "b N S S"]:
        number = parts.shape[1]
        times = rng.multinomial(number, np.full(number, 1 / number), size)
        drawn = np.zeros((size, int(np.prod(shape))), np.int32)
        drawn[:, occurring] = (parts @ times.T).T
        return drawn.reshape(size, *shape)

    return _solve_all(draw, shape, discount, num_resamples, representation)


def interval(resampled: Float[Array, "B *shape"], *, level: float = 0.95) -> Interval:
    """Return elementwise percentile intervals of resampled values.

    Args:
        level: coverage of the intervals, between 0 and 1 (both exclusive).

    Returns:
        The quantiles between which a further resampled value lies with chance `level`.
    """
    _check_level("interval", level)
    low, high = _quantiles(resampled, quantile_positions(level, len(resampled)))
    return Interval(low, high)


def differ(low: Float[Array, "*shape"], high: Float[Array, "*shape"]) -> Bool[Array, "*shape"]:
    """Return whether FRs or SRs differ by more than their rounding.

    Args:
        high: values that are at least as large.
    """
    return high - low > 10 * max(low.shape[-1:], default=1) * jnp.finfo(low.dtype).eps * jnp.abs(
        high
    )


def quantile_positions(level: float, num_resamples: int) -> Float[Array, " 2"]:
    """Return which quantiles of resampled values a further value lies between, with chance `level`.

    A further value lies below the k-th of n values with a chance of k / (n + 1).

    Args:
        level: the share, between 0 and 1 (both exclusive).
    """
    below = ((1 - level) / 2 * (num_resamples + 1) - 1) / max(num_resamples - 1, 1)
    return jnp.clip(jnp.array([below, 1 - below]), 0, 1)


@jax.jit
def _quantiles(resampled: Float[Array, "B *shape"], at: Float[Array, " 2"]) -> Array:
    return jnp.quantile(resampled, at, axis=0)


def plan_interval(
    plan: Plan, resampled: Float[Array, "B N S S"], *, level: float = 0.95
) -> PlanInterval:
    """Return the uncertainty of a plan that was made with the FRs of the original log.

    The plan is held fixed when its discounts are computed: choosing the best plan for each
    resampled log would bias them upwards.

    Args:
        resampled: FRs of resampled logs (`resample_transitions`, `resample_episodes`).
        level: coverage of the intervals, between 0 and 1 (both exclusive).

    Returns:
        From each state, the interval on the plan's discount, and how often replanning agrees.

    Raises:
        InputError: if the plan has several goals or another number of states, or `level` is out
            of range.
    """
    _check_level("plan_interval", level)
    if plan.goal.ndim != 0 or plan.policy.shape[-1] != resampled.shape[-1]:
        raise InputError(
            f"plan_interval: plan must be to one goal, over {resampled.shape[-1]} states, "
            f"got policies of shape {list(plan.policy.shape)}"
        )
    plain = Plan(plan.goal, plan.policy, plan.subgoal, plan.log_promised)
    discounts, same = _follow_all(plain, resampled)
    return PlanInterval(interval(discounts, level=level), same.mean(axis=0))


@jax.jit
def _follow_all(
    plan: Plan, resampled: Float[Array, "B N S S"]
) -> tuple[Float[Array, "B S"], Float[Array, "B S"]]:
    def follow(frs: Float[Array, "N S S"]) -> tuple[Array, Array]:
        anew = plan_to_goal(frs, plan.goal)
        same = (anew.policy == plan.policy) & (anew.subgoal == plan.subgoal)
        return discount_of_legs(plan, frs), same.astype(frs.dtype)

    return jax.lax.map(follow, resampled)


def _solve_all(
    draw: Callable[[int], np.ndarray],
    shape: tuple[int, ...],
    discount: float,
    num_resamples: int,
    representation: Representation,
) -> Float[Array, "B N S S"]:
    """Return the FRs of all resampled counts, in batches of one size, so as to compile once."""
    bytes_each = 8 * int(np.prod(shape))
    together = max(1, min(num_resamples, AT_ONCE // (4 * bytes_each)))
    frs = np.empty((num_resamples, *shape), jnp.result_type(float))
    for begin in range(0, num_resamples, together):
        solved = _solve(jnp.asarray(draw(together), float), discount, representation)
        frs[begin : begin + together] = np.asarray(solved)[: num_resamples - begin]
    return jnp.asarray(frs)


@eqx.filter_jit
def _solve(
    counts: Float[Array, "b N S S"], discount: Scalar, representation: Representation
) -> Float[Array, "b N S S"]:
    return representation.solve(shares(counts), discount=discount)


def _generator(key: PRNGKey) -> np.random.Generator:
    # NumPy on the host: JAX's multinomial is far slower for many outcomes.
    return np.random.default_rng(np.asarray(jax.random.key_data(key)))


def _check(caller: str, shape: tuple[int, ...], num_resamples: int) -> None:
    if not isinstance(num_resamples, int | np.integer) or num_resamples < 1:
        raise InputError(
            f"{caller}: num_resamples must be a whole number from 1, got {num_resamples}"
        )
    needed = 2 * 8 * num_resamples * int(np.prod(shape)) + 2 * AT_ONCE
    check_fits_on_host(caller, needed, instead="fewer resamples")


def _check_level(caller: str, level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"{caller}: level must be between 0 and 1, got {level}")
