"""What planning for once-only rewards starts from: plans to each reward, as arrays on the host."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning._drafts import Draft
from first_occupancy.planning.limits import NOTHING


class Targets(NamedTuple):
    r"""The rewards that can be taken once, and the plans to them.

    Attributes:
        states: where the rewards are.
        rewards: what each is worth, above 0.
        discounts: expected discount from each state to each reward, $\Gamma(s, x_i)$.
        nearness: logs of the discounts, which do not underflow; minus times if nothing is
            discounted; minus infinity where no plan leads to the reward.
        policies: base policy to follow to each reward, and at last to the last goal, from each
            state; -1 for none.
        endings: return of going straight to the last goal from each state; 0 if there is none, and
            minus infinity where no plan leads there.
    """

    states: Int[np.ndarray, " K"]
    rewards: Float[np.ndarray, " K"]
    discounts: Float[np.ndarray, "S K"]
    nearness: Float[np.ndarray, "S K"]
    policies: Int[np.ndarray, "K1 S"]
    endings: Float[np.ndarray, " S"]

    @property
    def between(self) -> Float[np.ndarray, "K K"]:
        """The expected discount from each reward to each other."""
        return np.ascontiguousarray(self.discounts[self.states])

    def some(self, which: Int[np.ndarray, " L"]) -> "Targets":
        """Return some of the rewards."""
        return self._replace(
            states=self.states[which],
            rewards=self.rewards[which],
            discounts=np.ascontiguousarray(self.discounts[:, which]),
            nearness=self.nearness[:, which],
            policies=self.policies[[*which, -1]],
        )


def targets_of(
    rewards: dict[int, float],
    drafts: dict[int, Draft],
    last: int | None,
    size: int,
    discount: float,
) -> Targets:
    """Return the rewards with the plans to them; that of the last goal counts only there."""
    states = [state for state in rewards if state != last]
    endings, home = np.zeros(size), np.full(size, NOTHING)
    if last is not None:
        there = np.isfinite(drafts[last].log_promised)
        endings = np.where(there, rewards.get(last, 0.0) * discounts(drafts[last]), -np.inf)
        home = np.where(there, drafts[last].policy, NOTHING)
    columns = [drafts[state] for state in states]
    return Targets(
        np.array(states, np.int64),
        np.array([rewards[state] for state in states], np.float64),
        np.stack([*map(discounts, columns), endings], axis=1)[:, :-1].copy(),
        np.stack([*(_nearness(each, discount) for each in columns), endings], axis=1)[:, :-1],
        np.array([*(each.policy for each in columns), home], np.int64),
        endings,
    )


def discounts(draft: Draft) -> Float[np.ndarray, " S"]:
    """Return the expected discount of following a plan from each state."""
    achieved = np.exp(draft.log_promised) if draft.achieved is None else draft.achieved
    return np.clip(np.asarray(achieved, np.float64), 0, 1)


def _nearness(draft: Draft, discount: float) -> Float[np.ndarray, " S"]:
    if discount == 1 and draft.time is not None:
        return -np.asarray(draft.time, np.float64)
    with np.errstate(divide="ignore"):
        logs = np.log(discounts(draft))
    return np.where(np.isfinite(logs), logs, np.asarray(draft.log_promised, np.float64))
