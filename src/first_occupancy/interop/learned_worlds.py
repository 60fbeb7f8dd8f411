r"""Worlds, chains and FRs from experience.

    seen = explore(environment, states, num_steps=20_000, seed=0)
    world = learned_world(seen)
    frs = fo.first_occupancy.solve(fo.chain(world.mdp, base_policies), 0.95)

Frequencies stand for probabilities. The FR of the chain they make is where TD(0), run over
the same transitions again and again, comes to rest; `td_frs` is that TD, for logs that do
not stop or tables that must follow a changing world. Where policies' actions are continuous, or
depend on more than the state, `logs.count_transitions(seen.log())` has a chain for each policy.

What was never tried is taken to lead nowhere: one stays, so no plan relies on it.

Where an episode terminated in a state from which others went on, the end is a state of its own,
after those of the experience (`ends`), as in worlds read from tables.
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
    """A world as experience shows it, and how often each action was tried in each state.

    `untried` marks what the world's arrays do not know: actions never tried in states where the
    agent might act. `ended[s]` says that an episode terminated in state s. `observed[s]` is the
    state of the experience that is observed in s: s itself, but for ends that have states of
    their own.
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
    """Return the MDP of the frequencies and mean rewards seen; ends are never left.

    Where an episode terminated in a state from which another went on, the terminating
    transition leads to a state of its own, because nothing follows it. These ends come after the
    states of the experience.

    Args:
        seen: experience with numbered actions.
        state_names: names of the states of the experience.
        action_names: names of the actions.

    Returns:
        The MDP, how often each action was tried in each state, and which states are ends.

    Raises:
        InputError: if there are no transitions or no numbered actions, or the MDP does not fit
            into memory.
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
    base_policies: Float[Array, "N S A"],
    *,
    discount: Scalar,
    step_size: Scalar,
    passes: int = 1,
    seed: int = 0,
) -> Float[Array, "N S S"]:
    r"""Return the FRs of base policies by TD(0) over the transitions, whoever made them.

    A policy learns from a transition with a chance in proportion to $\pi(a|s) / b(a|s)$, where b
    is how often the action was taken there: of what it keeps, actions have the policy's own
    frequencies. Deterministic policies so keep what they would have done. Each pass goes
    through the transitions backwards, so that news of an arrival travels far.

    Args:
        seen: experience with numbered actions.
        base_policies: action probabilities in the states of `learned_world(seen)`, which has a
            state more for each end in a state from which other episodes went on.
        discount: discount factor.
        step_size: step size of TD.
        passes: how often to go through the transitions.
        seed: seed of the choice of transitions.

    Returns:
        The FR of each policy over the states of `learned_world(seen)`.

    Raises:
        InputError: if there are no transitions or no numbered actions, or the policies do not
            fit the states and actions.
    """
    _check_seen("td_frs", seen)
    seen, _ = separate_ends(seen)
    base_policies = floats(base_policies)
    check_shape("td_frs", "base_policies", base_policies, "N S A")
    if base_policies.shape[1:] != (seen.num_states, seen.num_actions):
        raise InputError(
            f"td_frs: base_policies must have shape [N S A] with S = {seen.num_states} and "
            f"A = {seen.num_actions}, got {base_policies.shape}"
        )
    check_probabilities("td_frs", "base_policies", base_policies, ("state",))
    rng = np.random.default_rng(seed)
    keep = _acceptance(seen, np.asarray(base_policies))[:, seen.states, seen.actions]
    frs = jnp.stack([first_occupancy.initial(seen.num_states)] * len(base_policies))
    for _ in range(passes):
        policies, rows = np.nonzero(rng.random(keep.shape) < keep)
        order = np.argsort(-rows, kind="stable")
        rows, policies = rows[order], policies[order]
        if not len(rows):
            continue
        frs = first_occupancy.td_learn_log(
            frs,
            seen.states[rows],
            seen.next_states[rows],
            policies,
            discount=discount,
            step_size=step_size,
        )
    return frs


def _acceptance(seen: Experience, policies: np.ndarray) -> Float[np.ndarray, "N S A"]:
    """Return the chance to keep a transition; in each state, some action is always kept."""
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
            f"{caller}: needs experience with numbered actions; "
            "use logs.count_transitions(seen.log()) where they are continuous"
        )


def _check_memory(entries: int) -> None:
    """Raise unless the tables fit that `learned_world` makes, each of so many numbers."""
    table = entries * np.dtype(float).itemsize
    # Counts, sums, shares and rewards; what the checks of the MDP make; and JAX's copies.
    check_fits_on_host("learned_world", 8 * table, instead="fewer states")
    check_fits("learned_world", 3 * table, instead="fewer states")
