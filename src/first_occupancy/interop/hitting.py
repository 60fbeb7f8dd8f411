"""Hitting times: the main entry point to first passage, of chains in any form.

    passage = fo.hitting(chain, targets=["checkout"], avoid=["left"])
    passage.probability, passage.mean, passage.std, passage.quantile(0.9)

A chain is a matrix, dense or sparse, a table with the names of the states as its columns, a world
with a policy, or a log, whose passage has intervals.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Int
from scipy.sparse import eye_array

from first_occupancy.core.arguments import Share, check_arguments
from first_occupancy.core.errors import InputError, as_given, check_shape
from first_occupancy.core.names import Names, checked_names
from first_occupancy.core.timed_moves import TimedMoves, timed_moves
from first_occupancy.core.world import World, number_in
from first_occupancy.interop.data.logs import Log
from first_occupancy.interop.data.recorded_passages import recorded_passage
from first_occupancy.representations._solvers.sparse import SparseChain, checked_rows
from first_occupancy.representations.passages import Passage, state_number


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
    $\mathbb{E}[\gamma^T]$, which is the FR where G is one state. `Passage` has its probability to
    be finite, its mean, standard deviation and quantiles given that it is, and which target is
    first, from every state. On reducible chains zeros, ones and infinities are exact.

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
    moves, own_names, numbered = _known(chain, policy, state_names)
    ends = _states("targets", targets, numbered)
    avoided = _states("avoid", avoid, numbered)
    if not len(ends):
        raise InputError("hitting: targets must be at least one state, got none")
    both = np.intersect1d(ends, avoided)
    if len(both):
        raise InputError(f"hitting: targets must not be states to avoid, got {both[0]}")
    if isinstance(chain, Log):
        return recorded_passage(chain, ends, avoided, float(discount))
    return Passage(moves, ends, avoided, discount=float(discount), state_names=own_names)


def _known(
    chain: Any, policy: Any, state_names: Sequence[str] | None
) -> tuple[TimedMoves, Names | None, Any]:
    """Return the moves, the names of the states, and what numbers a state."""
    if isinstance(chain, World):
        policies = None if policy is None else _array("policy", policy)[None]
        moves, size = timed_moves(chain, policies), chain.num_states
        if moves.chain.shape[0] != size:
            raise InputError(
                "hitting: policy must be given for a world with several, as actions [S] or "
                f"probabilities [S A], got {as_given(policy)}"
            )
        names = checked_names("hitting", "states", chain.labels(policies)[0], size)
        return (
            moves,
            names,
            lambda what, state: number_in(chain, state, caller="hitting", what=what),
        )
    if isinstance(chain, Log):
        state_names, chain = chain.state_names, eye_array(chain.num_states, format="csr")
    if policy is not None:
        raise InputError("hitting: policy must be None for a chain, which has one already")
    if state_names is None and hasattr(chain, "columns") and hasattr(chain, "to_numpy"):
        state_names = [str(name) for name in chain.columns]
    rows = checked_rows("hitting", _matrix(chain))
    size = rows.shape[0]
    names = checked_names("hitting", "state_names", state_names, size)
    return (
        TimedMoves(rows),
        names,
        lambda what, state: state_number("hitting", what, state, size, names),
    )


def _matrix(chain: Any) -> Any:
    if isinstance(chain, SparseChain):
        return chain
    rows = _array("chain", chain.to_numpy() if hasattr(chain, "to_numpy") else chain)
    if rows.dtype.kind not in "iufb":
        raise InputError(f"hitting: chain must be a matrix or a world, got {as_given(chain)}")
    check_shape("hitting", "chain", rows, "S S")
    return rows.astype(np.float64)


def _array(what: str, given: Any) -> np.ndarray:
    try:
        return np.asarray(given)
    except (TypeError, ValueError):
        raise InputError(f"hitting: {what} must be an array, got {as_given(given)}") from None


def _states(what: str, given: Any, number: Any) -> Int[np.ndarray, " K"]:
    is_list = isinstance(given, list | set | frozenset) or (
        isinstance(given, np.ndarray) and given.ndim == 1
    )
    if what == "avoid" and (isinstance(given, str) or not np.iterable(given)):
        raise InputError(f"hitting: avoid must be a list of states, got {as_given(given)}")
    several = list(given) if is_list or what == "avoid" else [given]
    return np.array(sorted({int(number(what, state)) for state in several}), int)
