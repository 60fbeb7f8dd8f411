r"""Worlds, chains and FRs estimated from experience.

    seen = explore(environment, states, num_steps=20_000, seed=0)
    world = learned_world(seen)
    frs = fo.first_occupancy.solve(fo.chain(world.mdp, policies), discount=0.95)

Frequencies estimate probabilities. If actions are continuous, or depend on more than the state,
`logs.count_transitions(seen.log())` has a chain for each policy.

An action that was never tried is assumed to stay in place, so no plan relies on it.

Where an episode terminated in a state from which others continued, the end is a separate state,
numbered after those of the experience (`ends`), as in worlds read from tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

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
        observed: state of the experience that is observed in each state: the state itself, except
            for separate terminal states.
    """

    mdp: MDP
    tries: Int[np.ndarray, "S A"]
    untried: Bool[np.ndarray, "S A"]
    ended: Bool[np.ndarray, " S"]
    observed: Int[np.ndarray, " S"]


def learned_world(
    seen: Experience,
    *,
    state_names: Sequence[str] | None = None,
    action_names: Sequence[str] | None = None,
) -> LearnedWorld:
    """Return the MDP of the observed frequencies and mean rewards.

    Terminal states are never left. Where an episode terminated in a state from which another
    continued, the terminating transition leads to a separate terminal state, numbered after the
    states of the experience.

    Returns:
        The MDP, how often each action was tried in each state, and which states are terminal.

    Raises:
        InputError: if there are no transitions, actions are not discrete, or the MDP does not fit
            in memory.
    """
    _check_seen("learned_world", seen)
    seen, observed = separate_ends(seen)
    size, actions = seen.num_states, seen.num_actions
    _check_memory(size * actions * size)
    counts = np.zeros((size, actions, size))
    paid = np.zeros_like(counts)
    where = (seen.states, seen.actions, seen.next_states)
    np.add.at(counts, where, 1)
    np.add.at(paid, where, seen.rewards)
    tries = counts.sum(axis=-1)
    stay = np.broadcast_to(np.eye(size)[:, None], counts.shape)
    share = np.divide(counts, tries[..., None], out=stay.copy(), where=tries[..., None] > 0)
    reward = np.divide(paid, counts, out=np.zeros_like(paid), where=counts > 0)
    start = np.bincount(seen.starts, minlength=size) / len(seen.starts)
    ended = np.zeros(size, bool)
    ended[seen.next_states[seen.ended]] = True
    untried = (tries == 0) & (seen.alive | ~ended)[:, None]
    names = names_with_ends(state_names, observed)
    mdp = MDP(share, reward, start, state_names=names, action_names=action_names)
    return LearnedWorld(mdp, tries.astype(int), untried, ended, observed)


def _check_seen(caller: str, seen: Experience) -> None:
    if not len(seen):
        raise InputError(f"{caller}: needs at least one transition, got none")
    if not seen.num_actions:
        raise InputError(
            f"{caller}: needs experience with discrete actions; "
            "use logs.count_transitions(seen.log()) where they are continuous"
        )


def _check_memory(entries: int) -> None:
    """Raise unless the tables of `learned_world` fit in memory, given the entries of each."""
    table = entries * np.dtype(float).itemsize
    # Counts, sums, probabilities and rewards; temporaries of the MDP's checks; and JAX's copies.
    check_fits_on_host("learned_world", 8 * table, instead="fewer states")
    check_fits("learned_world", 3 * table, instead="fewer states")
