r"""Worlds, chains and FRs estimated from experience.

    seen = explore(environment, states, num_steps=20_000, seed=0)
    world = learned_world(seen)
    frs = fo.first_occupancy.solve(fo.chain(world.mdp, policies), discount=0.95)

Frequencies estimate probabilities. If actions are continuous, or depend on more than the state,
`logs.count_transitions(seen.log())` has a chain for each policy.

An action that was never tried is assumed to stay in place, so no plan relies on it.

Where an episode terminated in a state from which others continued, the end is a separate state,
numbered after those of the experience (`ends`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from first_occupancy.core.errors import InputError
from first_occupancy.core.mdp import MDP
from first_occupancy.core.memory import check_fits, check_fits_on_host
from first_occupancy.interop.ends import names_with_ends, separate_ends
from first_occupancy.interop.gym.experience import Experience


@dataclass(frozen=True, eq=False)
class LearnedWorld:
    """A world estimated from experience, and how often each action was tried.

    Attributes:
        mdp: MDP of the observed frequencies and mean rewards.
        tries: how often each action was tried in each state.
        untried: actions never tried in a state where the agent might act, so `mdp` has no data.
        ended: whether an episode terminated in each state.
    """

    mdp: MDP
    tries: Int[np.ndarray, "S A"]
    untried: Bool[np.ndarray, "S A"]
    ended: Bool[np.ndarray, " S"]


def learned_world(
    seen: Experience,
    *,
    state_names: Sequence[str] | None = None,
    action_names: Sequence[str] | None = None,
) -> LearnedWorld:
    """Return the MDP of the observed frequencies and mean rewards, and what was tried."""
    if not len(seen):
        raise InputError("learned_world: needs at least one transition, got none")
    if not seen.num_actions:
        raise InputError(
            "learned_world: needs experience with discrete actions; "
            "use logs.count_transitions(seen.log()) where they are continuous"
        )
    seen, observed = separate_ends(seen)
    table = seen.num_states**2 * seen.num_actions * np.dtype(float).itemsize
    # Counts, sums, probabilities and rewards; temporaries of the MDP's checks; and JAX's copies.
    check_fits_on_host("learned_world", 8 * table, instead="fewer states")
    check_fits("learned_world", 3 * table, instead="fewer states")
    start = np.bincount(seen.starts, minlength=seen.num_states) / len(seen.starts)
    names = {"state_names": names_with_ends(state_names, observed), "action_names": action_names}
    mdp, tries, ended = weighted_world(seen, np.ones(len(seen)), start, **names)
    untried = (tries == 0) & (seen.alive | ~ended)[:, None]
    return LearnedWorld(mdp, tries.astype(int), untried, ended)


def weighted_world(
    seen: Experience,
    weights: Float[np.ndarray, " L"],
    start: Float[np.ndarray, " S"],
    *,
    state_names: Sequence[str] | None,
    action_names: Sequence[str] | None,
) -> tuple[MDP, Float[np.ndarray, "S A"], Bool[np.ndarray, " S"]]:
    """Return the MDP of transitions by their weights, the sum of weights, and which states end.

    Args:
        seen: transitions, with separate terminal states (`ends.separate_ends`).
    """
    size, where = seen.num_states, (seen.states, seen.actions, seen.next_states)
    counts = np.zeros((size, seen.num_actions, size))
    paid = np.zeros_like(counts)
    np.add.at(counts, where, weights)
    np.add.at(paid, where, weights * seen.rewards)
    tries, ended = counts.sum(axis=-1), np.zeros(size, bool)
    ended[seen.next_states[seen.ended]] = True
    share = np.broadcast_to(np.eye(size)[:, None], counts.shape).copy()
    left = (tries > 0) & ~ended[:, None]
    np.divide(counts, tries[..., None], out=share, where=left[..., None])
    paying = (counts > 0) & left[..., None]
    reward = np.divide(paid, counts, out=np.zeros_like(paid), where=paying)
    mdp = MDP(share, reward, start, state_names=state_names, action_names=action_names)
    return mdp, tries, ended
