"""Hitting times: the main entry point to first passage, of chains in any form.

A chain is a matrix, a table, a world with a policy, or a log, whose passage has intervals.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array

from first_occupancy.core.arguments import Share, check_arguments
from first_occupancy.core.errors import InputError, NoStateError, as_given, check_shape
from first_occupancy.core.names import Names, checked_names
from first_occupancy.core.timed_moves import TimedMoves, timed_moves
from first_occupancy.core.world import World, numbered
from first_occupancy.interop.data.logs import Log, sparse_chains
from first_occupancy.interop.data.recorded_passages import RecordedPassage
from first_occupancy.representations._solvers.sparse import SparseChain, checked_rows
from first_occupancy.representations.passages import Passage

Number = Callable[[Any], int]


@check_arguments
def hitting(
    chain: Any,
    targets: Any,
    *,
    policy: Any = None,
    avoid: Any = (),
    discount: Share = 1.0,
    state_names: Sequence[str] | None = None,
) -> Passage:
    r"""Return how surely, and when, a chain first reaches some targets.

    The time of the first arrival, $T = \min\{k \ge 0 : s_k \in G\}$, has the expected discount
    $\mathbb{E}[\gamma^T]$, which is the FR where G is one state. On reducible chains zeros, ones
    and infinities are exact.

    >>> coin = hitting([[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]], 2)
    >>> coin.mean.tolist(), coin.quantile(0.5).tolist()
    ([4.0, 2.0, 0.0], [3.0, 1.0, 0.0])

    Args:
        chain: transition matrix, dense or sparse; a pandas or Polars table of it, whose columns
            name the states; a world, whose moves may have durations; or a log (`fo.transition_log`,
            `fo.event_log`), whose passage has `intervals`.
        targets: state to reach, by number or by name, or a list of them: any of them.
        policy: what to do in a world: actions [S] or probabilities [S A]. None for chains, and
            for worlds with one policy of their own.
        avoid: states that must not be entered on the way: from there one does not arrive.
        discount: discount factor per step, or per unit of time, of `Passage.expected_discount`.
        state_names: names of the states of a matrix, by which targets may be given.

    Raises:
        InputError: an argument cannot be used; the message says which and why.
    """
    if isinstance(chain, World):
        moves, names, number = _in_world(chain, policy)
    else:
        rows = _rows(chain, policy)
        if isinstance(chain, Log):
            state_names = chain.state_names
        elif state_names is None and hasattr(chain, "columns"):
            state_names = [str(name) for name in chain.columns]
        names = checked_names("hitting", "state_names", state_names, rows.shape[0])
        moves, number = TimedMoves(rows), partial(numbered, size=rows.shape[0], names=names)
    ends, avoided = _states("targets", targets, number), _states("avoid", avoid, number)
    if not len(ends):
        raise InputError("hitting: targets must be at least one state, got none")
    both = np.intersect1d(ends, avoided)
    if len(both):
        raise InputError(f"hitting: targets must not be states to avoid, got {both[0]}")
    kind = partial(RecordedPassage, chain) if isinstance(chain, Log) else Passage
    return kind(moves, ends, avoided, discount=float(discount), state_names=names)


def _in_world(world: World, policy: Any) -> tuple[TimedMoves, Names | None, Number]:
    """Return the moves of a policy, the names of the states, and what numbers a state."""
    policies = None if policy is None else _array("policy", policy)[None]
    moves, size = timed_moves(world, policies), world.num_states
    if moves.chain.shape[0] != size:
        raise InputError(
            "hitting: policy must be given for a world with several, as actions [S] or "
            f"probabilities [S A], got {as_given(policy)}"
        )
    names = checked_names("hitting", "states", world.labels(policies)[0], size)
    return moves, names, world.state_number


def _rows(chain: Any, policy: Any) -> csr_array:
    """Return the transition matrix of a chain, a table or a log."""
    if policy is not None:
        raise InputError("hitting: policy must be None for a chain, which has one already")
    if isinstance(chain, Log):
        if chain.num_policies != 1:
            raise InputError(
                f"hitting: a log must have one policy, got {chain.num_policies}; pass the moves "
                "of one"
            )
        return sparse_chains(chain)[0]
    if not isinstance(chain, SparseChain):
        given = _array("chain", chain.to_numpy() if hasattr(chain, "to_numpy") else chain)
        if given.dtype.kind not in "iufb":
            raise InputError(f"hitting: chain must be a matrix or a world, got {as_given(chain)}")
        check_shape("hitting", "chain", given, "S S")
        chain = given.astype(np.float64)
    return checked_rows("hitting", chain)


def _array(what: str, given: Any) -> np.ndarray:
    try:
        return np.asarray(given)
    except (TypeError, ValueError):
        raise InputError(f"hitting: {what} must be an array, got {as_given(given)}") from None


def _states(what: str, given: Any, number: Number) -> Int[np.ndarray, " K"]:
    is_list = isinstance(given, list | set | frozenset) or (
        isinstance(given, np.ndarray) and given.ndim == 1
    )
    if what == "avoid" and (isinstance(given, str) or not np.iterable(given)):
        raise InputError(f"hitting: avoid must be a list of states, got {as_given(given)}")
    several = list(given) if is_list or what == "avoid" else [given]
    try:
        return np.array(sorted({int(number(state)) for state in several}), int)
    except NoStateError as error:
        raise InputError(f"hitting: {what} {error.problem}") from None
