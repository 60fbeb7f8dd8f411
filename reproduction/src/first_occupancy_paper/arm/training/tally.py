"""Sums of metrics and returns since the last row, on the device so that the host need not wait."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from ..learner.agent_state import Metrics


class Tally(eqx.Module):
    """Sums over updates and over episodes, for R runs with E environments each.

    Attributes:
        metrics: sums of all metrics over steps with updates, in the order of `NAMES`.
        largest_target: largest of the metric `largest_target`.
        num_learned: number of steps with updates.
        earned: returns so far of the episodes that are still running.
        returns: sums of the returns of finished episodes over all environments of a run.
        num_episodes: number of finished episodes of each run.
    """

    metrics: Float[Array, "M R"]
    largest_target: Float[Array, " R"]
    num_learned: Float[Array, ""]
    earned: Float[Array, "R E"]
    returns: Float[Array, " R"]
    num_episodes: Float[Array, ""]


NAMES = tuple(Metrics.__dataclass_fields__)


def fresh(earned: Float[Array, "R E"]) -> Tally:
    """Return an empty tally.

    Args:
        earned: returns so far of the episodes that are running.
    """
    num_runs = len(earned)
    return Tally(
        metrics=jnp.zeros((len(NAMES), num_runs)),
        largest_target=jnp.zeros(num_runs),
        num_learned=jnp.zeros(()),
        earned=earned,
        returns=jnp.zeros(num_runs),
        num_episodes=jnp.zeros(()),
    )


def count(
    tally: Tally,
    rewards: Float[Array, "R E"],
    metrics: Metrics | None,
    ended: Bool[Array, ""],
) -> Tally:
    """Return the tally with one more step.

    Args:
        tally: the sums so far.
        rewards: rewards of the step.
        metrics: metrics of its updates; None if there were none.
        ended: whether the episodes ended with it.
    """
    earned = tally.earned + rewards
    sums, largest, number = tally.metrics, tally.largest_target, tally.num_learned
    if metrics is not None:
        sums = sums + jnp.stack([getattr(metrics, name) for name in NAMES])
        largest = jnp.maximum(largest, metrics.largest_target)
        number = number + 1
    return Tally(
        metrics=sums,
        largest_target=largest,
        num_learned=number,
        earned=jnp.where(ended, 0, earned),
        returns=tally.returns + jnp.where(ended, earned.sum(axis=1), 0),
        num_episodes=tally.num_episodes + ended * earned.shape[1],
    )


def summary(tally: Tally) -> dict[str, list[float | None]]:
    """Return the means of the metrics, the largest target and the mean return of each run.

    Quantities without any data are omitted; numbers that are not finite are None.
    """
    held: Tally = jax.tree.map(np.asarray, tally)
    found = {}
    if held.num_learned:
        found = dict(zip(NAMES, held.metrics / held.num_learned, strict=True))
        found["largest_target"] = held.largest_target
    if held.num_episodes:
        found["training_return"] = held.returns / held.num_episodes
    return {name: [_plain(number) for number in numbers] for name, numbers in found.items()}


def _plain(number: np.floating) -> float | None:
    return float(number) if np.isfinite(number) else None
