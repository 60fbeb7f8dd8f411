r"""Worlds, chains and FRs estimated from experience.

    seen = explore(environment, states, num_steps=20_000, seed=0)
    world = learned_world(seen)
    frs = fo.first_occupancy.solve(fo.chain(world.mdp, policies), discount=0.95)

Frequencies estimate probabilities. TD(0), run over the same transitions again and again, converges
to the FR of the chain of these frequencies. `td_frs` is that TD, for logs that do not end or tables
that must follow a changing world. If actions are continuous, or depend on more than the state,
`logs.count_transitions(seen.log())` has a chain for each policy.

An action that was never tried is assumed to stay in place, so no plan relies on it.

Where an episode terminated in a state from which others continued, the end is a separate state,
numbered after those of the experience (`ends`), as in worlds read from tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core.axes import Scalar
from first_occupancy.core.errors import InputError, check_probabilities, check_shape
from first_occupancy.core.mdp import MDP, floats
from first_occupancy.core.memory import check_fits, check_fits_on_host
from first_occupancy.interop.ends import names_with_ends, separate_ends
from first_occupancy.interop.gym.experience import Experience
from first_occupancy.representations import first_occupancy


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


def td_frs(
    seen: Experience,
    policies: Float[Array, "N S A"],
    *,
    discount: Scalar,
    step_size: Scalar,
    passes: int = 1,
    seed: int = 0,
) -> Float[Array, "N S S"]:
    r"""Return the FRs of base policies by off-policy TD(0) over the transitions.

    A policy learns from a transition with a probability proportional to $\pi(a|s) / b(a|s)$, where
    b is the frequency of the action in that state (rejection sampling). The transitions it keeps
    then have the policy's own action frequencies; a deterministic policy keeps the actions that it
    would have taken. Each pass goes through the transitions backwards, so that an arrival
    propagates far in one pass.

    Args:
        policies: action probabilities in the states of `learned_world(seen)`, separate
            terminal states included.
        step_size: share of the TD error by which rows move, from 0 to 1.

    Returns:
        The FR of each policy over the states of `learned_world(seen)`.

    Raises:
        InputError: if there are no transitions, actions are not discrete, or the policies do not
            match the states and actions.
    """
    _check_seen("td_frs", seen)
    seen, _ = separate_ends(seen)
    policies = floats(policies)
    check_shape("td_frs", "policies", policies, "N S A")
    if policies.shape[1:] != (seen.num_states, seen.num_actions):
        raise InputError(
            f"td_frs: policies must have shape [N S A] with S = {seen.num_states} and "
            f"A = {seen.num_actions}, got {policies.shape}"
        )
    check_probabilities("td_frs", "policies", policies, ("state",))
    rng = np.random.default_rng(seed)
    keep = _acceptance(seen, np.asarray(policies))[:, seen.states, seen.actions]
    frs = jnp.stack([first_occupancy.initial(seen.num_states)] * len(policies))
    for _ in range(passes):
        numbers, rows = np.nonzero(rng.random(keep.shape) < keep)
        order = np.argsort(-rows, kind="stable")
        rows, numbers = rows[order], numbers[order]
        if not len(rows):
            continue
        frs = first_occupancy.td_learn_log(
            frs,
            seen.states[rows],
            seen.next_states[rows],
            numbers,
            discount=discount,
            step_size=step_size,
        )
    return frs


def _acceptance(seen: Experience, policies: np.ndarray) -> Float[np.ndarray, "N S A"]:
    """Return the probability of keeping a transition, scaled to a maximum of 1 in each state."""
    taken = np.zeros(policies.shape[1:])
    np.add.at(taken, (seen.states, seen.actions), 1)
    ratio = np.divide(policies, taken[None], out=np.zeros_like(policies), where=taken[None] > 0)
    largest = ratio.max(axis=-1, keepdims=True)
    return np.divide(ratio, largest, out=np.zeros_like(ratio), where=largest > 0)


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
