r"""Logs that are resampled, for intervals and other statistics of FRs and plans.

The log is resampled B times, and the FRs or SRs are solved for each resample. There are two ways,
with different independence assumptions:

- `resample_transitions` assumes that transitions are independent given the state and the policy.
  It weights the recorded transitions with exponential variables (Bayesian bootstrap; Rubin 1981),
  so that what was recorded once has a chance in every resample. It suits logs of a Markov chain,
  however the episodes were started or cut off.
- `resample_episodes` assumes only that episodes are independent. It also holds where transitions
  within an episode are correlated beyond the state, as when states are a coarse discretisation.

Neither accounts for what the log does not contain: where a state always led to the same next state,
all resamples agree. `corrected_intervals` makes intervals of the results.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.arguments import Discount, PositiveInt, check_arguments
from first_occupancy.core.axes import PRNGKey, Scalar
from first_occupancy.core.errors import InputError, check_key
from first_occupancy.core.memory import check_fits_on_host
from first_occupancy.interop.data.logs import EmpiricalChains, Log, cells, shares
from first_occupancy.representations import Representation, first_occupancy

AT_ONCE = 2**27
"""Bytes of FRs solved in one batch: enough to keep the device busy, small next to the result."""


@check_arguments
def resample_transitions(
    empirical: EmpiricalChains,
    key: PRNGKey,
    *,
    discount: Discount,
    num_resamples: PositiveInt = 1000,
    representation: Representation = first_occupancy,
) -> Float[Array, "B N S S"]:
    """Return the FRs of logs whose transitions are resampled within each state and policy."""
    if not isinstance(empirical, EmpiricalChains):
        raise InputError(
            "resample_transitions: empirical must be EmpiricalChains, "
            f"got {type(empirical).__name__}; "
            "use resample_episodes for a log, or count_transitions on it first"
        )
    counts = np.asarray(empirical.counts)
    _check("resample_transitions", key, counts.shape, num_resamples)
    seen, rng = counts > 0, _generator(key)

    def draw(size: int) -> Float[np.ndarray, "b N S S"]:
        drawn = np.zeros((size, *counts.shape))
        drawn[:, seen] = rng.standard_gamma(counts[seen], (size, int(seen.sum())))
        return drawn

    return _solve_all(draw, counts.shape, discount, num_resamples, representation)


@check_arguments
def resample_episodes(
    transitions: Log,
    key: PRNGKey,
    *,
    discount: Discount,
    num_resamples: PositiveInt = 1000,
    representation: Representation = first_occupancy,
) -> Float[Array, "B N S S"]:
    """Return the FRs of logs whose episodes (`Log.episodes`) are resampled as a whole."""
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
    shape = (transitions.num_policies, transitions.num_states, transitions.num_states)
    _check("resample_episodes", key, shape, num_resamples)
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


def _check(caller: str, key: Any, shape: tuple[int, ...], num_resamples: int) -> None:
    check_key(caller, "key", key)
    needed = 2 * 8 * num_resamples * int(np.prod(shape)) + 2 * AT_ONCE
    check_fits_on_host(caller, needed, instead="fewer resamples")
