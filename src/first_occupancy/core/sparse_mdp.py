"""Finite worlds as sparse matrices: many states, few successors each, moves that take time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Float, Num
from scipy.sparse import csr_array, sparray, spmatrix

from first_occupancy.core.action_worlds import KnownByActions, check_sparse_rows
from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.display import Displayed, count, listed, span
from first_occupancy.core.errors import (
    InputError,
    check_finite,
    check_probabilities,
    check_shape,
)
from first_occupancy.core.mdp import MDP
from first_occupancy.core.memory import check_fits
from first_occupancy.core.names import Names, checked_names, look_up

SparseMatrix = sparray | spmatrix


@dataclass(frozen=True, eq=False, init=False, repr=False)
class SparseMDP(Displayed, KnownByActions):
    r"""A finite world whose transition matrices are sparse, and whose moves may take time.

    It lives on the host and cannot be passed to `jit`. A move that takes time d is discounted by
    $\gamma^d$; without `durations` every move takes one step.

    >>> two_ways = SparseMDP([np.eye(2)[[1, 1]], np.eye(2)], durations=[3.0, 1.0])
    >>> two_ways.num_states, two_ways.num_actions, two_ways.durations.tolist()
    (2, 2, [[3.0, 1.0], [3.0, 1.0]])

    Its `action_chains` are the matrices of probabilities [S S]; the other attributes are named as
    the arguments.
    """

    action_chains: tuple[csr_array, ...]
    rewards: Float[np.ndarray, "S A"]
    durations: Float[np.ndarray, "S A"] | None
    start_distribution: Float[np.ndarray, " S"]
    state_names: Names | None
    action_names: Names | None

    @check_arguments
    def __init__(
        self,
        transitions: Sequence[Any] | Num[ArrayLike, "S A S"] | MDP | SparseMatrix,
        *,
        rewards: float | Sequence[Any] | Num[ArrayLike, "..."] | None = None,
        durations: float | Sequence[Any] | Num[ArrayLike, "..."] | None = None,
        start_distribution: Sequence[Any] | Num[ArrayLike, " S"] | None = None,
        state_names: Sequence[str] | None = None,
        action_names: Sequence[str] | None = None,
    ):
        """Check and keep the matrices.

        Args:
            transitions: one matrix [S S] per action, sparse or dense; one array [S A S]; or the
                dense `MDP` of the same world.
            rewards: expected rewards: one number, one per action, or one per state and action;
                None for no rewards.
            durations: how long moves take, above 0: one number, one per action, or one per state
                and action; None for one step each.
            start_distribution: probability to begin in each state; None for all alike.
            state_names: one name per state.
            action_names: one name per action.
        """
        chains = _action_chains(transitions)
        size, count = chains[0].shape[0], len(chains)
        names = checked_names("SparseMDP", "state_names", state_names, size)
        for action, chain in enumerate(chains):
            what = f"transition of action {action}"
            shape = np.broadcast_to(0.0, chain.shape)
            check_shape("SparseMDP", what, shape, "S S", S=size)
            check_sparse_rows("SparseMDP", what, chain, names)
        start = np.full(size, 1 / size) if start_distribution is None else start_distribution
        start = np.asarray(start, np.float64)
        check_shape("SparseMDP", "start_distribution", start, "S", S=size)
        check_probabilities("SparseMDP", "start_distribution", start, ())
        vars(self).update(
            action_chains=chains,
            rewards=_spread("rewards", 0.0 if rewards is None else rewards, size, count),
            durations=None if durations is None else _durations(durations, size, count),
            start_distribution=start,
            state_names=names,
            action_names=checked_names("SparseMDP", "action_names", action_names, count),
        )

    def _summary(self) -> str:
        moves = sum(chain.nnz for chain in self.action_chains)
        times = "" if self.durations is None else f", moves take {span(self.durations.ravel())}"
        names = "" if self.state_names is None else f"\n  states: {listed(self.state_names)}"
        sizes = f"{count(self.num_states, 'state')}, {count(self.num_actions, 'action')}"
        return f"SparseMDP: {sizes}, {count(moves, 'transition')}{times}{names}"

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        return self.action_chains[0].shape[0]

    @property
    def num_actions(self) -> int:
        """A, the number of actions."""
        return len(self.action_chains)

    def state(self, name: str) -> int:
        """Return the number of the state with this name."""
        return look_up("SparseMDP.state", "state", self.state_names, name)

    def action(self, name: str) -> int:
        """Return the number of the action with this name."""
        return look_up("SparseMDP.action", "action", self.action_names, name)

    def dense(self) -> MDP:
        """Return the same world as dense arrays, if they fit into memory.

        Raises:
            InputError: if moves take time, which a dense `MDP` does not know, or the arrays
                do not fit.
        """
        if self.durations is not None:
            raise InputError("SparseMDP.dense: moves must take one step each, but have durations")
        entries = self.num_states**2 * self.num_actions
        check_fits("SparseMDP.dense", 4 * 8 * entries, instead="the sparse world")
        transition = np.stack([chain.toarray() for chain in self.action_chains], axis=1)
        reward = np.broadcast_to(self.rewards[..., None], transition.shape)
        names = {"state_names": self.state_names, "action_names": self.action_names}
        return MDP(transition, reward, self.start_distribution, **names)


def sparse_part(world: object) -> SparseMDP | None:
    """Return a world that is a `SparseMDP`, or the one that an enumerated world has."""
    if isinstance(world, SparseMDP):
        return world
    # Asked of the instance's fields, since a maze builds its dense MDP when it is first asked.
    own = vars(world).get("mdp") if hasattr(world, "__dict__") else None
    return own if isinstance(own, SparseMDP) else None


def _action_chains(transitions: object) -> tuple[csr_array, ...]:
    if isinstance(transitions, MDP):
        transitions = np.asarray(transitions.transition)
    if isinstance(transitions, SparseMatrix):
        raise InputError("SparseMDP: transitions must be one matrix per action, got one matrix")
    if not isinstance(transitions, Sequence):
        array = np.asarray(transitions)
        check_shape("SparseMDP", "transitions", array, "S A S")
        transitions = [array[:, action] for action in range(array.shape[1])]
    if not transitions:
        raise InputError("SparseMDP: transitions must have at least one action, got none")
    return tuple(_canonical(each) for each in transitions)


def _canonical(matrix: Any) -> csr_array:
    shape = np.broadcast_to(0, np.shape(matrix))
    check_shape("SparseMDP", "transitions: a matrix", shape, "S S")
    chain = csr_array(matrix, dtype=np.float64, copy=True)
    chain.sum_duplicates()
    chain.eliminate_zeros()
    return chain


def _spread(what: str, values: object, size: int, count: int) -> Float[np.ndarray, "S A"]:
    """Return one number for each state and action, of one, one per action, or all of them."""
    array = np.asarray(values, np.float64)
    if array.shape not in ((), (count,), (size, count)):
        raise InputError(
            f"SparseMDP: {what} must be one number, [A] or [S A] with S = {size} and A = {count}, "
            f"got shape {list(array.shape)}"
        )
    check_finite("SparseMDP", what, array)
    return np.array(np.broadcast_to(array, (size, count)))


def _durations(values: object, size: int, count: int) -> Float[np.ndarray, "S A"]:
    durations = _spread("durations", values, size, count)
    if not (durations > 0).all():
        state, action = np.argwhere(~(durations > 0))[0]
        raise InputError(
            f"SparseMDP: durations must be above 0, got {durations[state, action]:.6g} for action "
            f"{action} in state {state}"
        )
    return durations
