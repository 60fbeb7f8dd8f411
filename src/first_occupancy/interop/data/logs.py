r"""Logs in: transitions that someone recorded become chains, FRs and, with them, plans.

The model-based way beside TD (`Representation.td_learn_log`): count how often each policy led from
s to t, and take the shares as its chain,

$$\hat P_n(s, t) = C_n(s, t) / \sum_u C_n(s, u),$$

the maximum of the likelihood. States a policy was never seen to leave are absorbing in it: nothing
is known to be reached from there. `visited` tells where that is ignorance; a state in which
an episode terminated, and which was never left, is absorbing in truth, and counts as visited.

It is the step that ends an episode, but a chain only knows states. A state in which one episode
terminated and which another left, as a cell of a grid or a coarse key may be, is no end: its row
is where the log went on from it, and plans may lead through it. `LeftEndWarning` names the first.
Where that matters, give ends states of their own.

For FRs that is all, for what is reached is reached once. For SRs it matters what an end, or any
state never left, counts for: `successor.solve(count_transitions(log).chains, discount)` stays there
for ever, M(end, end) = 1 / (1 - discount), while TD over the same log visits it once,
M(end, end) = 1. The other columns agree; the end's times 1 - discount is what TD comes to.

A log is a list of transitions, so the end of an episode needs no mark: no transition leads from it
to the start of the next. Whoever cuts transitions out of one long array must leave those out.
`log_intervals` says how sure all this is.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float, Int, Integer
from scipy.sparse import csr_array

from first_occupancy.core.errors import InputError, check_indices, shown
from first_occupancy.core.memory import check_fits, check_fits_on_host
from first_occupancy.core.names import Names, checked_names
from first_occupancy.core.world import KnownByChains
from first_occupancy.representations import first_occupancy
from first_occupancy.representations.occupancies import Occupancies

SPARSE = (
    "interop.data.logs.sparse_chains, with first_occupancy.solve_columns for the goals that matter,"
)
"""What there is for logs of so many states that S x S arrays do not fit."""


PIECE = 2**20
"""Transitions counted at a time."""


class LeftEndWarning(UserWarning):
    """An episode terminated in a state that was left in another, so it does not count as an end."""


@dataclass(frozen=True, eq=False)
class Log:
    """Recorded transitions; `policies[L]` says whose each is, `episodes[L]` of which episode.

    Made by `transition_log`, which checks it, and on the host: no argument for `jit`.
    """

    states: Integer[np.ndarray, " L"]
    next_states: Integer[np.ndarray, " L"]
    policies: Integer[np.ndarray, " L"] | None
    episodes: Integer[np.ndarray, " L"] | None
    terminal: Bool[np.ndarray, " S"]
    num_policies: int
    state_names: Names | None
    policy_names: Names | None

    def __len__(self) -> int:
        """Return L, the number of transitions."""
        return len(self.states)

    @property
    def num_states(self) -> int:
        """S, the number of states, whether visited or not."""
        return len(self.terminal)


class EmpiricalChains(KnownByChains, eqx.Module):
    """How often each policy led from each state to each other, and what that says."""

    counts: Int[Array, "N S S"]
    terminal: Bool[Array, " S"]
    state_names: Names | None = eqx.field(static=True, default=None)
    policy_names: Names | None = eqx.field(static=True, default=None)

    @property
    def visits(self) -> Int[Array, "N S"]:
        """How often each policy was seen to leave each state."""
        return self.counts.sum(axis=-1)

    @property
    def visited(self) -> Bool[Array, "N S"]:
        """Whether it is known what each policy does in each state; elsewhere it stays, by fiat."""
        return (self.visits > 0) | self.terminal[None, :]

    @property
    def chains(self) -> Float[Array, "N S S"]:
        """The shares of the counts; a state that was never left is never left."""
        return shares(self.counts)

    def occupancies(self, *, discount: float) -> Occupancies:
        """Return the exact FRs of the empirical chains, for planners and files."""
        return Occupancies(
            first_occupancy.solve(self.chains, discount=discount),
            discount=discount,
            state_names=self.state_names,
            policy_names=self.policy_names,
        )


def transition_log(
    states: Integer[ArrayLike, " L"] | Sequence[int],
    next_states: Integer[ArrayLike, " L"] | Sequence[int],
    policies: Integer[ArrayLike, " L"] | Sequence[int] | None = None,
    *,
    episodes: Integer[ArrayLike, " L"] | Sequence[int] | None = None,
    terminations: Bool[ArrayLike, " L"] | Sequence[bool] | None = None,
    num_states: int | None = None,
    num_policies: int | None = None,
    state_names: Sequence[str] | None = None,
    policy_names: Sequence[str] | None = None,
) -> Log:
    """Return a log of transitions, checked.

    `policies` says which policy made each transition; recorded actions will do, as numbers
    of the policies that always take that action. `terminations` marks transitions into states that
    end the episode for good (not those cut short): nothing is reached from there, unless the log
    leaves such a state elsewhere, which is warned of. With S states,
    `np.where(terminations, next_states + S, next_states)` gives every end a state of its own.

    Numbers of states and policies are as many as names, or as occur, unless given. Arrays may be
    mapped from files.
    """
    columns = {"states": states, "next_states": next_states, "policies": policies}
    columns |= {"episodes": episodes, "terminations": terminations}
    arrays = _columns(columns)
    size = _count("num_states", num_states, state_names, arrays, ("states", "next_states"))
    count = _count("num_policies", num_policies, policy_names, arrays, ("policies",))
    check_fits_on_host("transition_log", 8 * size, instead="states numbered from 0 without gaps")
    names = checked_names("transition_log", "state_names", state_names, size)
    terminal = np.zeros(size, bool)
    if terminations is not None:
        terminal[arrays["next_states"][arrays["terminations"]]] = True
        warn_of_left_ends(
            "transition_log", terminal, arrays["states"], arrays["next_states"], names
        )
    return Log(
        arrays["states"],
        arrays["next_states"],
        arrays.get("policies"),
        arrays.get("episodes"),
        terminal,
        count,
        names,
        checked_names("transition_log", "policy_names", policy_names, count),
    )


def warn_of_left_ends(
    caller: str,
    terminal: Bool[np.ndarray, " S"],
    states: Integer[np.ndarray, " L"],
    next_states: Integer[np.ndarray, " L"],
    names: Sequence[str] | None,
) -> None:
    """Warn if a state in which an episode terminated is left; staying there is no leaving."""
    left = np.zeros_like(terminal)
    for begin in range(0, len(states), PIECE):
        here = np.asarray(states[begin : begin + PIECE])
        left[here[here != next_states[begin : begin + PIECE]]] = True
    both = np.flatnonzero(terminal & left)
    if len(both):
        warnings.warn(
            f"{caller}: episodes terminated in {len(both)} of {len(terminal)} states that others "
            f"left, first {shown(int(both[0]), names)}, so plans may lead on through those ends; "
            "give ends states of their own",
            LeftEndWarning,
            stacklevel=3,
        )


def count_transitions(transitions: Log) -> EmpiricalChains:
    """Return how often each policy led from each state to each other."""
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
    """Return the chain of each policy, sparse: for more states than S x S arrays have room for.

    Those of `count_transitions(transitions).chains`, but for rounding.
    `first_occupancy.solve_columns` takes each of them, for the FR to some goals.

    >>> walk = transition_log([0, 1, 0], [1, 2, 0], num_states=100_000)
    >>> first_occupancy.solve_columns(sparse_chains(walk)[0], np.array([2]), discount=0.5)[:3, 0]
    array([0.16666667, 0.5       , 1.        ])
    """
    size, chains = transitions.num_states, []
    # Not of unsigned numbers, which NumPy makes floats of beside others.
    states = np.asarray(transitions.states, np.int64)
    ahead = np.asarray(transitions.next_states, np.int64)
    whose = 0 if transitions.policies is None else np.asarray(transitions.policies)
    for policy in range(transitions.num_policies):
        mine = np.broadcast_to(whose == policy, states.shape)
        never = np.setdiff1d(np.arange(size), states[mine])
        rows, columns = np.append(states[mine], never), np.append(ahead[mine], never)
        # Entries of the same place are added up.
        chain = csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
        chain.data /= np.repeat(chain.sum(axis=1), np.diff(chain.indptr))
        chains.append(chain)
    return chains


def frs_from_log(transitions: Log, *, discount: float) -> Occupancies:
    """Return the FRs of a log's policies: of the chains that `count_transitions` finds.

    >>> walk = transition_log([0, 1, 0, 1], [1, 2, 1, 2], num_states=4)
    >>> frs_from_log(walk, discount=0.5).values[0, 0].tolist()
    [1.0, 0.5, 0.25, 0.0]
    >>> count_transitions(walk).visited[0].tolist()
    [True, True, False, False]
    """
    return count_transitions(transitions).occupancies(discount=discount)


def shares(counts: Int[Array, "*B S S"] | Float[Array, "*B S S"]) -> Float[Array, "*B S S"]:
    """Return each row of counts as probabilities; a row without any stays where it is."""
    visits = counts.sum(axis=-1, keepdims=True)
    staying = jnp.broadcast_to(jnp.eye(counts.shape[-1]), counts.shape)
    return jnp.where(visits > 0, counts / jnp.where(visits > 0, visits, 1), staying)


def cells(transitions: Log, begin: int, end: int) -> Int[np.ndarray, " piece"]:
    """Return which of the N S S counts each transition of a piece of the log belongs to."""
    states, ahead = (
        np.asarray(column[begin:end], np.int64)
        for column in (transitions.states, transitions.next_states)
    )
    if transitions.policies is not None:
        policies = np.asarray(transitions.policies[begin:end], np.int64)
        states = states + transitions.num_states * policies
    return states * transitions.num_states + ahead


def _columns(columns: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the columns there are as arrays, checked."""
    given = {name: column for name, column in columns.items() if column is not None}
    try:
        arrays = {name: np.asanyarray(column) for name, column in given.items()}
    except ValueError as error:  # lists of unequal length within one
        raise InputError(f"transition_log: columns must be rows of numbers; {error}") from None
    _check_columns(arrays)
    return arrays


def _check_columns(arrays: dict[str, np.ndarray]) -> None:
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


def _count(
    what: str,
    given: int | None,
    names: Sequence[str] | None,
    arrays: dict[str, np.ndarray],
    counted: tuple[str, ...],
) -> int:
    """Return how many states or policies there are, at least as many as the columns count."""
    columns = {name: arrays[name] for name in counted if name in arrays}
    most = max((int(column.max()) for column in columns.values()), default=0)
    count = given if given is not None else len(names) if names is not None else max(most, 0) + 1
    if not isinstance(count, int | np.integer) or count < 1:
        raise InputError(f"transition_log: {what} must be a whole number from 1, got {count}")
    for name, column in columns.items():
        # Two numbers tell for the whole column; to name the culprit takes longer.
        if column.min() < 0 or column.max() >= count:
            check_indices("transition_log", name, column, count)
    return int(count)
