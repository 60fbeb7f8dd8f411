r"""Markov chains and FRs estimated from recorded transitions.

This is the model-based alternative to TD (`Representation.td_learn_log`). Count how often each
policy led from s to t, and normalise the rows to get its chain,

$$\hat P_n(s, t) = C_n(s, t) / \sum_u C_n(s, u),$$

the maximum-likelihood estimate. A state that a policy was never seen to leave is absorbing in its
chain. `visited` says where that is for lack of data: a state in which an episode terminated, and
which was never left, is truly absorbing and counts as visited.

It is a transition that terminates an episode, but a chain has only states. If one terminated in a
state that another left, as can happen in a cell of a grid or under a coarse key, the state is not
terminal in the chain: its row holds the transitions that left it, and plans may lead through it.
`LeftEndWarning` names the first such state; give ends separate states where that matters.

FRs count only the first visit, so what happens after the end does not matter. For SRs it does:
`successor.solve(count_transitions(log).chains, discount=discount)` stays for ever in an end, or in
any state never left, so M(end, end) = 1 / (1 - discount). TD over the same log visits it once, so
M(end, end) = 1. The other columns agree; TD converges to 1 - discount times the end's column.

The end of an episode needs no marker, because no transition leads from it to the start of the next
episode. When you cut transitions out of one long array of states, leave those pairs out.
`corrected_intervals` has confidence intervals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float, Int, Integer
from scipy.sparse import csr_array

from first_occupancy.core.arguments import PositiveInt, check_arguments
from first_occupancy.core.display import LARGEST_READ, Displayed, count
from first_occupancy.core.errors import InputError, check_indices, shown, warn
from first_occupancy.core.memory import check_fits, check_fits_on_host
from first_occupancy.core.names import Names, checked_names
from first_occupancy.core.world import KnownByChains

SPARSE = (
    "interop.data.logs.sparse_chains, with first_occupancy.solve_columns for the goals that matter,"
)
"""What error messages suggest when S x S arrays do not fit in memory."""

PIECE = 2**20
"""Number of transitions counted at a time."""


class LeftEndWarning(UserWarning):
    """An episode terminated in a state that another one left, so the state is not terminal."""


@dataclass(frozen=True, eq=False, repr=False)
class Log(Displayed):
    """Recorded transitions, made and checked by `transition_log`.

    A log holds NumPy arrays on the host and cannot be passed to a function under `jit`.

    Attributes:
        states: state before each transition.
        next_states: state after each transition.
        policies: policy that made each transition, or None if there is only one.
        episodes: episode of each transition, or None if unknown.
        terminal: whether an episode terminated in each state.
        num_policies: number of policies, N.
        state_names: names of the states, if any.
        policy_names: names of the policies, if any.
        step: what a step is, such as "move" or "0.1 s", for labels.
    """

    states: Integer[np.ndarray, " L"]
    next_states: Integer[np.ndarray, " L"]
    policies: Integer[np.ndarray, " L"] | None
    episodes: Integer[np.ndarray, " L"] | None
    terminal: Bool[np.ndarray, " S"]
    num_policies: int
    state_names: Names | None
    policy_names: Names | None
    step: str = "step"

    def __len__(self) -> int:
        """Return L, the number of transitions."""
        return len(self.states)

    @property
    def num_states(self) -> int:
        """S, the number of states, visited or not."""
        return len(self.terminal)

    def _summary(self) -> str:
        policies = f"{self.num_policies:,} polic{'y' if self.num_policies == 1 else 'ies'}"
        lines = [f"Log: {count(len(self), 'transition')} of {policies}"]
        if len(self) <= LARGEST_READ:
            left = len(np.unique(self.states))
            lines.append(f"{left:,} of {count(self.num_states, 'state')} left at least once")
        ends = f"{count(int(self.terminal.sum()), 'terminal state')}"
        if self.episodes is not None and len(self) <= LARGEST_READ:
            ends = f"{count(len(np.unique(self.episodes)), 'episode')}, {ends}"
        return "\n  ".join([*lines, ends])


class EmpiricalChains(Displayed, KnownByChains, eqx.Module):
    """Transition counts of each policy, and the Markov chains estimated from them.

    Attributes:
        counts: how often each policy led from each state to each other.
        terminal: whether an episode terminated in each state.
        state_names: names of the states, if any.
        policy_names: names of the policies, if any.
    """

    counts: Int[Array, "N S S"]
    terminal: Bool[Array, " S"]
    state_names: Names | None = eqx.field(static=True, default=None)
    policy_names: Names | None = eqx.field(static=True, default=None)

    @property
    def visits(self) -> Int[Array, "N S"]:
        """The number of transitions of each policy from each state."""
        return self.counts.sum(axis=-1)

    @property
    def visited(self) -> Bool[Array, "N S"]:
        """Whether the log shows what each policy does in each state; elsewhere it stays put."""
        return (self.visits > 0) | self.terminal[None, :]

    @property
    def chains(self) -> Float[Array, "N S S"]:
        """The estimated chains; a state without recorded transitions is absorbing."""
        return shares(self.counts)

    def _summary(self) -> str | None:
        if self.counts.ndim != 3 or self.counts.size > LARGEST_READ:
            return None
        known = np.asarray(self.visited)
        pairs = "pair of policy and state" if known.size == 1 else "pairs of policy and state"
        return (
            f"EmpiricalChains: {count(int(self.counts.sum()), 'transition')} counted\n"
            f"  visited: {known.sum():,} of {known.size:,} {pairs} "
            f"({known.shape[0]:,} x {known.shape[1]:,})"
        )


@check_arguments
def transition_log(
    states: Integer[ArrayLike, " L"] | Sequence[int],
    next_states: Integer[ArrayLike, " L"] | Sequence[int],
    policies: Integer[ArrayLike, " L"] | Sequence[int] | None = None,
    *,
    episodes: Integer[ArrayLike, " L"] | Sequence[int] | None = None,
    terminations: Bool[ArrayLike, " L"] | Sequence[bool] | None = None,
    num_states: PositiveInt | None = None,
    num_policies: PositiveInt | None = None,
    state_names: Sequence[str] | None = None,
    policy_names: Sequence[str] | None = None,
    step: str = "step",
) -> Log:
    """Return a log of transitions, after checking it.

    All arrays have one entry per transition and may be memory-mapped.

    Args:
        states: state before each transition, counted from 0.
        next_states: state after each transition.
        policies: policy that made each transition. Recorded discrete actions work too: they
            number the policies that always take that action. None means a single policy.
        episodes: episode of each transition, needed by `resampled_logs.resample_episodes`.
        terminations: whether each transition terminated its episode (truncation does not count).
            A `LeftEndWarning` is issued if another transition leaves such a state. With S states,
            `np.where(terminations, next_states + S, next_states)` gives each end its own number.
        num_states: number of states; None takes as many as there are names, or as occur.
        num_policies: number of policies; None takes as many as there are names, or as occur.
        state_names: names of the states.
        policy_names: names of the policies.
        step: what a step is, such as "move" or "0.1 s", for labels of pictures.

    Raises:
        InputError: if the arrays differ in length, are empty, have the wrong type or entries out
            of range, or there are not as many distinct names as states or policies.
    """
    columns = {"states": states, "next_states": next_states, "policies": policies}
    columns |= {"episodes": episodes, "terminations": terminations}
    arrays = _columns(columns)
    size = _count(num_states, state_names, arrays, ("states", "next_states"))
    count = _count(num_policies, policy_names, arrays, ("policies",))
    check_fits_on_host("transition_log", 8 * size, instead="states numbered from 0 without gaps")
    names = checked_names("transition_log", "state_names", state_names, size)
    terminal = np.zeros(size, bool)
    if terminations is not None:
        terminal[arrays["next_states"][arrays["terminations"]]] = True
        _warn_of_left_ends(terminal, arrays["states"], arrays["next_states"], names)
    return Log(
        arrays["states"],
        arrays["next_states"],
        arrays.get("policies"),
        arrays.get("episodes"),
        terminal,
        count,
        names,
        checked_names("transition_log", "policy_names", policy_names, count),
        step,
    )


def _warn_of_left_ends(
    terminal: Bool[np.ndarray, " S"],
    states: Integer[np.ndarray, " L"],
    next_states: Integer[np.ndarray, " L"],
    names: Sequence[str] | None,
) -> None:
    """Warn if a transition leaves a state in which an episode terminated; self-loops are fine."""
    left = np.zeros_like(terminal)
    for begin in range(0, len(states), PIECE):
        here = np.asarray(states[begin : begin + PIECE])
        left[here[here != next_states[begin : begin + PIECE]]] = True
    both = np.flatnonzero(terminal & left)
    if len(both):
        warn(
            f"transition_log: episodes terminated in {len(both)} of {len(terminal)} states that "
            f"others left, first {shown(int(both[0]), names)}, so plans may lead through those "
            "ends; give ends separate states",
            LeftEndWarning,
        )


@check_arguments
def count_transitions(transitions: Log) -> EmpiricalChains:
    """Return the transition counts of each policy, from each state to each other."""
    shape = (transitions.num_policies, transitions.num_states, transitions.num_states)
    size = int(np.prod(shape, dtype=float))
    check_fits_on_host("count_transitions", 3 * 8 * size, instead=SPARSE)
    check_fits("count_transitions", 2 * 8 * size, instead=SPARSE)
    counts = np.zeros(size, np.int64)
    for begin in range(0, len(transitions), PIECE):
        counts += np.bincount(cells(transitions, begin, begin + PIECE), minlength=size)
    return EmpiricalChains(
        jnp.asarray(counts.reshape(shape), int),
        jnp.asarray(transitions.terminal),
        transitions.state_names,
        transitions.policy_names,
    )


def sparse_chains(transitions: Log) -> list[csr_array]:
    """Return the chain of each policy as a sparse matrix, for logs with very many states.

    They equal `count_transitions(transitions).chains` up to rounding. Pass each of them to
    `first_occupancy.solve_columns` for the FR to some goals.

    >>> from first_occupancy.representations import first_occupancy
    >>> walk = transition_log([0, 1, 0], [1, 2, 0], num_states=100_000)
    >>> first_occupancy.solve_columns(sparse_chains(walk)[0], np.array([2]), discount=0.5)[:3, 0]
    array([0.16666667, 0.5       , 1.        ])
    """
    size, chains = transitions.num_states, []
    # NumPy would promote a mix of uint64 and int64 to float.
    states = np.asarray(transitions.states, np.int64)
    ahead = np.asarray(transitions.next_states, np.int64)
    whose = 0 if transitions.policies is None else np.asarray(transitions.policies)
    for policy in range(transitions.num_policies):
        mine = np.broadcast_to(whose == policy, states.shape)
        never = np.setdiff1d(np.arange(size), states[mine])
        rows, columns = np.append(states[mine], never), np.append(ahead[mine], never)
        # `csr_array` adds up duplicate entries.
        chain = csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
        chain.data /= np.repeat(chain.sum(axis=1), np.diff(chain.indptr))
        chains.append(chain)
    return chains


def shares(counts: Int[Array, "*B S S"] | Float[Array, "*B S S"]) -> Float[Array, "*B S S"]:
    """Return counts normalised to probabilities; a state with no counts is absorbing."""
    visits = counts.sum(axis=-1, keepdims=True)
    staying = jnp.broadcast_to(jnp.eye(counts.shape[-1]), counts.shape)
    return jnp.where(visits > 0, counts / jnp.where(visits > 0, visits, 1), staying)


def cells(transitions: Log, begin: int, end: int) -> Int[np.ndarray, " piece"]:
    """Return the flat index into the N x S x S counts of each transition in part of a log.

    A transition of policy n from s to t has the index (n S + s) S + t. The part may end beyond the
    end of the log.
    """
    states, ahead = (
        np.asarray(column[begin:end], np.int64)
        for column in (transitions.states, transitions.next_states)
    )
    if transitions.policies is not None:
        policies = np.asarray(transitions.policies[begin:end], np.int64)
        states = states + transitions.num_states * policies
    return states * transitions.num_states + ahead


def _columns(columns: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the columns that are not None as arrays of one length and of the right type."""
    given = {name: column for name, column in columns.items() if column is not None}
    try:
        arrays = {name: np.asanyarray(column) for name, column in given.items()}
    except ValueError as error:  # a ragged nested list
        raise InputError(f"transition_log: columns must be rows of numbers; {error}") from None
    shapes = [list(column.shape) for column in arrays.values()]
    if any(shape != shapes[0] for shape in shapes) or len(shapes[0]) != 1 or shapes[0] == [0]:
        raise InputError(
            f"transition_log: {', '.join(arrays)} must be rows of one length, at least 1, "
            f"got shapes {shapes}"
        )
    for name, column in arrays.items():
        kinds = "b" if name == "terminations" else "iu"
        if column.dtype.kind not in kinds:
            needed = "true or false" if kinds == "b" else "whole numbers"
            raise InputError(f"transition_log: {name} must be {needed}, got {column.dtype}")
    return arrays


def _count(
    given: int | None,
    names: Sequence[str] | None,
    arrays: dict[str, np.ndarray],
    counted: tuple[str, ...],
) -> int:
    """Return the number of states or policies, after checking that all indices are below it."""
    columns = {name: arrays[name] for name in counted if name in arrays}
    most = max((int(column.max()) for column in columns.values()), default=0)
    count = given if given is not None else len(names) if names else max(most, 0) + 1
    for name, column in columns.items():
        # The extremes decide quickly; `check_indices` is slower but names the wrong entry.
        if column.min() < 0 or column.max() >= count:
            check_indices("transition_log", name, column, count)
    return int(count)
