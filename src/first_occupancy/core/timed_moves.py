"""Where a policy leads, and how long each of its moves takes."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array, vstack

from first_occupancy.core.world import Policies, World


class TimedMoves(NamedTuple):
    """A chain whose moves may take time.

    Attributes:
        chain: probabilities; a pair of states may have several entries, of different durations.
        times: duration of each entry; None if all moves take one step.
    """

    chain: csr_array
    times: Float[np.ndarray, " E"] | None = None

    def of(self, rows: Int[np.ndarray, " S"]) -> "TimedMoves":
        """Return the chain that moves in each state by a row of this one, -1 for no moves."""
        lengths = np.where(rows >= 0, np.diff(self.chain.indptr)[rows], 0)
        starts = np.append(0, lengths.cumsum())
        places = np.repeat(self.chain.indptr[rows] - starts[:-1], lengths) + np.arange(starts[-1])
        shape = (len(rows), self.chain.shape[1])
        entries = self.chain.data[places], self.chain.indices[places], starts
        return TimedMoves(
            csr_array(entries, shape), None if self.times is None else self.times[places]
        )


def timed_moves(world: World, policies: Policies) -> TimedMoves:
    """Return the moves of all base policies of a world, stacked: row n * S + s is n in state s."""
    if world.durations is None or world.entry_times is not None:
        moves = _stacked(world.policy_chains(policies))
        entry = world.entry_times
        return TimedMoves(moves, None if entry is None else entry[moves.indices])
    return _of_each_action(world, policies, world.durations)


def _of_each_action(
    world: World, policies: Policies, durations: Float[np.ndarray, "S A"]
) -> TimedMoves:
    """Return the moves of policies that draw actions, which may take different times."""
    parts, times = [], []
    known: Any = world
    for action in range(durations.shape[1]):
        only = np.zeros_like(durations)
        only[:, action] = 1
        part = _stacked(known.policy_chains(policies, weights=only))
        part.eliminate_zeros()
        states = np.arange(part.shape[0]) % len(durations)
        times.append(np.repeat(durations[states, action], np.diff(part.indptr)))
        parts.append(part)
    rows = [np.repeat(np.arange(part.shape[0]), np.diff(part.indptr)) for part in parts]
    order = np.concatenate(rows).argsort(kind="stable")
    data = np.concatenate([part.data for part in parts])[order]
    ends = np.concatenate([part.indices for part in parts])[order]
    starts = np.sum([part.indptr for part in parts], axis=0)
    return TimedMoves(csr_array((data, ends, starts), parts[0].shape), np.concatenate(times)[order])


def _stacked(chains: Any) -> csr_array:
    if hasattr(chains, "ndim"):
        return csr_array(np.asarray(chains, np.float64).reshape(-1, chains.shape[-1]))
    return csr_array(vstack([csr_array(each, dtype=np.float64) for each in chains], format="csr"))
