r"""The probability that an agent arrives, by letting it act in what the log says.

Agents follow the plan side by side, in worlds of their own: each believes a random half of the
recorded episodes, and is moved as in the nearest step that it believes. So rollouts differ by the
chance that the log shows, and by what it leaves open. Of n rollouts k arrive. What rollouts cannot
show is how often the local model misleads all of them alike. That is measured on held-out episodes:
with e the error of the local model alone after the most strides (`_resolution`), the rollouts are
worth no more than $n_e$ independent trials,

$$p \sim \mathrm{Beta}\big(k' + \tfrac12,\; n' - k' + \tfrac12\big), \qquad
n' = \min(n, n_e), \quad k' = k\, n' / n, \quad n_e = 2 / e,$$

but at least 6 and at most 20. These three numbers were chosen on other logs than those on which
the intervals were tested. Where the stride was given, nothing was held out, and $n_e$ is 6.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.stats import beta

from first_occupancy.continuous._metrics import Observations
from first_occupancy.continuous._resolution import chosen
from first_occupancy.continuous.followers import Followers

if TYPE_CHECKING:
    from first_occupancy.continuous.goal_plans import LandmarkPlan
    from first_occupancy.continuous.landmark_worlds import LandmarkWorld

BELIEVED = 0.5
"""Share of the episodes that a rollout believes."""

WORTH, WORTH_LIMITS = 2.0, (6.0, 20.0)
"""Trials that rollouts are worth at an error of 1 of held-out predictions, and their limits."""

KNOWN = 2.0
"""Farther than so many widths from all recorded observations nothing is known to lead on."""

LEVEL = 0.9
"""Probability that the interval is meant to hold the truth with."""


class Success(NamedTuple):
    """Probability of arriving, with an interval; prints as 0.86 (0.71 to 0.94).

    Attributes:
        probability: estimate.
        low: lower end of the interval.
        high: upper end.
    """

    probability: float
    low: float
    high: float

    def __repr__(self) -> str:
        """Return the numbers as one reads them."""
        return f"{self.probability:.2f} ({self.low:.2f} to {self.high:.2f})"


def worth_of(world: "LandmarkWorld") -> float:
    """Return how many independent trials rollouts are worth, by held-out prediction errors."""
    if not world.predictions:
        return WORTH_LIMITS[0]
    error = chosen(list(world.predictions)).model_errors[-1]
    return float(np.clip(WORTH / max(error, 1e-9), *WORTH_LIMITS))


def estimate(arrived: int, rollouts: int, worth: float) -> Success:
    """Return the estimate from rollouts of which some arrived.

    Args:
        worth: number of independent trials that the rollouts are worth at most.
    """
    size = min(worth, rollouts)
    share = arrived / rollouts * size
    found = beta(share + 0.5, size - share + 0.5)
    low, high = found.ppf([(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # Of rollouts that all agree, the interval reaches to what they agree on.
    return Success(
        (arrived + 0.5) / (rollouts + 1),
        0.0 if arrived == 0 else float(low),
        1.0 if arrived == rollouts else float(high),
    )


def simulated(
    plan: "LandmarkPlan",
    starts: Observations,
    max_steps: int,
    seed: int = 0,
    *,
    crossing: bool = False,
) -> Float[np.ndarray, " B"]:
    """Return when agents arrive in worlds that each believe a part of the log; infinity if never.

    Args:
        crossing: whether a movement counts only where a recorded step crosses.
    """
    model, rng = plan.world.model, np.random.default_rng(seed)
    size, episodes = len(starts), int(model.episodes.max()) + 1
    believed = rng.random((size, episodes)) < BELIEVED
    agents, running = Followers(plan, size, seed=seed), np.arange(size)
    times, seen = np.full(size, np.inf), np.array(starts, np.float64)
    for time in range(max_steps + 1):
        arrived = plan.arrived_at(seen[running])
        times[running[arrived]] = time
        running = running[~arrived]
        if not len(running):
            break
        actions = plan.world.actions[agents.choose(seen[running], running)]
        places = plan.world.scaled(seen[running])
        after = model.sampled(places, actions, believed[running], rng)
        # Where nothing was recorded, nothing is known to lead.
        if crossing:
            kept = model.crossed(places, after)
            after = np.where(model.jumps(places)[:, None], after, kept)
        after = np.where(model.visited(after, KNOWN)[:, None], after, places)
        seen[running] = model.metric.observations(after)
    return times
