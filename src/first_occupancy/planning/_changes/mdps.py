"""MDPs, dense and sparse, whose probabilities change."""

from collections.abc import Callable, Mapping
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int
from scipy.sparse import csr_array

from first_occupancy.core.errors import SUM_TOLERANCE, InputError, as_given
from first_occupancy.core.mdp import MDP
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.core.world import World
from first_occupancy.planning._changes.worlds import ChangingWorld, Edit, Moves


class ChangingMDP(ChangingWorld):
    """An MDP, dense or sparse, whose probabilities change.

    `rows` has the probabilities of next states by state and action.
    """

    def __init__(self, world: MDP | SparseMDP) -> None:
        super().__init__(world)
        self._sparse = world if isinstance(world, SparseMDP) else SparseMDP(world)
        chains = self._sparse.action_chains
        self._turned = sum(chains[1:], chains[0]).tocsc()

    @property
    def _rows_of(self) -> Mapping[str, Callable[[Any, Any], tuple[Any, Any]]]:
        return {"probabilities": self._chances}

    def _chances(self, place: Any, chances: Any) -> tuple[tuple[int, int], dict[int, float]]:
        if not isinstance(place, tuple) or len(place) != 2 or not isinstance(chances, Mapping):
            raise InputError(
                "change: probabilities must be like {(state, action): {next_state: probability}}, "
                f"got {as_given({place: chances})}"
            )
        state, action = self._number(place[0], "a state"), self._action(place[1])
        row = {self._number(to, "a next state"): chance for to, chance in chances.items()}
        numbers = np.array([*row.values()], object)
        real = all(isinstance(each, int | float | np.number) for each in numbers)
        if not real or not (numbers >= 0).all() or not abs(numbers.sum() - 1) <= SUM_TOLERANCE:
            raise InputError(
                "change: probabilities must be at least 0 and sum to 1, but those of "
                f"{self._shown(state)} with action {place[1]!r} are {as_given([*row.values()])}"
            )
        return (state, action), {to: float(chance) for to, chance in row.items() if chance > 0}

    def _action(self, action: Any) -> int:
        if isinstance(action, str):
            return self._sparse.action(action)
        whole = isinstance(action, int | np.integer)
        if not whole or not 0 <= action < self._sparse.num_actions:
            raise InputError(
                f"change: an action must be in 0..{self._sparse.num_actions - 1}, got {action!r}"
            )
        return int(action)

    def _write(self, edit: Edit) -> list[int]:
        self.rows.update(edit.rows)
        return [state for state, _ in edit.rows]

    def row(self, state: int, action: int) -> dict[int, float]:
        """Return the probabilities of the next states."""
        found = self.rows.get((state, action))
        if found is None:
            chain = self._sparse.action_chains[action]
            there = slice(chain.indptr[state], chain.indptr[state + 1])
            found = dict(
                zip(chain.indices[there].tolist(), chain.data[there].tolist(), strict=True)
            )
        if state in self.closed:
            return {state: 1.0}
        stays = sum((chance for to, chance in found.items() if to in self.closed), 0.0)
        if stays:
            found = {to: chance for to, chance in found.items() if to not in self.closed}
            found[state] = found.get(state, 0.0) + stays
        return found

    def moves(self, states: Int[np.ndarray, " K"]) -> Moves | None:
        """Return where actions lead from some states; None if some are stochastic there."""
        count, durations = self._sparse.num_actions, self._sparse.durations
        rows = [[self.row(state, a) for a in range(count)] for state in states.tolist()]
        if any(len(row) > 1 for each in rows for row in each):
            return None
        ends = np.array([[next(iter(row)) for row in each] for each in rows], int)
        return Moves(ends.reshape(-1, count), None if durations is None else durations[states])

    def _around(self, states: Int[np.ndarray, " W"]) -> Int[np.ndarray, " K"]:
        turned, wanted = self._turned, set(states.tolist())
        behind = [turned.indices[turned.indptr[each] : turned.indptr[each + 1]] for each in states]
        edited = [state for (state, _), row in self.rows.items() if wanted & row.keys()]
        return np.unique(np.concatenate([states, *behind, np.array(edited, int)]))

    def build(self) -> World:
        states = self._around(np.array(sorted(self.closed), int)).tolist()
        chains = []
        for action, chain in enumerate(self._sparse.action_chains):
            own = {state for state, a in self.rows if a == action}.union(states)
            chains.append(_with_rows(chain, {state: self.row(state, action) for state in own}))
        if isinstance(self.original, MDP):
            dense = jnp.asarray(
                np.stack([chain.toarray() for chain in chains], axis=1),
                self.original.transition.dtype,
            )
            return eqx.tree_at(lambda world: world.transition, self.original, dense)
        old = self._sparse
        return SparseMDP(
            chains,
            rewards=old.rewards,
            durations=old.durations,
            start_distribution=old.start_distribution,
            state_names=old.state_names,
            action_names=old.action_names,
        )


def _with_rows(chain: csr_array, rows: dict[int, dict[int, float]]) -> csr_array:
    """Return the matrix with some rows replaced."""
    size = chain.shape[0]
    begins = np.repeat(np.arange(size), np.diff(chain.indptr))
    kept = ~np.isin(begins, list(rows))
    new = [(state, to, chance) for state, row in rows.items() for to, chance in row.items()]
    states, ends, chances = np.array(new, float).reshape(-1, 3).T
    begins = np.concatenate([begins[kept], states.astype(int)])
    ends = np.concatenate([chain.indices[kept], ends.astype(int)])
    return csr_array((np.concatenate([chain.data[kept], chances]), (begins, ends)), chain.shape)
