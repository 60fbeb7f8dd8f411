r"""The engine of stochastic policies in small worlds: exact FRs, chained (Alg. 1).

A set of goals is merged into one absorbing state first: the FR of the merged chain at that state
is the expected discount at the first arrival in the set, which no table of single states holds.
Legs to a set end there; legs to a single goal may pass it on the way to a subgoal, as in the paper.

Undiscounted, an FR is the probability to ever arrive, and many legs are equally sure. Of these the
soonest is best, so plans are compared by two numbers in turn: the product of probabilities, and the
product of FRs at a discount just below 1, which falls with the expected time.
"""

from functools import cached_property

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from first_occupancy.planning._dense.folding import Folded, fold
from first_occupancy.planning._dense.on_host import LegTable, chain_on_host, fold_on_host
from first_occupancy.planning._dense.surest import Cut, surest_legs
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning.frp import plan_to_goal
from first_occupancy.representations import first_occupancy
from first_occupancy.representations._solvers.sparse import Factors
from first_occupancy.representations._solvers.undiscounted import probabilities_to_arrive

HOST_UP_TO = 400
"""States up to which NumPy plans: compiling a faster planner would take longer than planning."""

SOON = 1 - 1e-6
"""The discount by which undiscounted plans that are equally sure are compared."""


class FRPEngine:
    """FRs of base policies, solved once for planning to many goals.

    Args:
        dynamics: chains of the policies.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        self._dynamics = dynamics

    def plan(self, goals: Int[np.ndarray, " G"], max_switches: int | None) -> Cut:
        """Return the best plan to any of the goals.

        Args:
            goals: states to reach.
            max_switches: upper bound on policy switches; None plans until convergence.
        """
        if len(goals) > 1:
            return self._plan_to_set(goals, max_switches)
        if self._dynamics.discount == 1:
            return surest_legs(*self._undiscounted, int(goals[0]), max_switches)
        return self._chained(self._table, int(goals[0]), max_switches)

    def _chained(self, table: LegTable | Folded, goal: int, max_switches: int | None) -> Cut:
        if isinstance(table, LegTable):
            return chain_on_host(table, goal, max_switches)
        return chained(table, goal, max_switches)

    def _fold(self, kernels: list[np.ndarray]) -> LegTable | Folded:
        frs = _frs(kernels)
        return fold_on_host(frs) if frs.shape[1] <= HOST_UP_TO else fold(jnp.asarray(frs))

    def _plan_to_set(self, goals: Int[np.ndarray, " G"], max_switches: int | None) -> Cut:
        """Plan to one state in place of the set, in a world with fewer states."""
        size = self._dynamics.world.num_states
        kept = np.setdiff1d(np.arange(size), goals[1:])
        one = int(np.searchsorted(kept, goals[0]))
        if self._dynamics.discount == 1:
            chains = [_merged(chain, goals, kept) for chain in self._dense_chains]
            tables = _arrivals(chains), _soon(chains)
            cut = surest_legs(*tables, one, max_switches)
        else:
            kernels = [_merged(kernel.toarray(), goals, kept) for kernel in self._dynamics.kernels]
            cut = self._chained(self._fold(kernels), one, max_switches)
        policy, subgoal = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
        log = np.full(size, -np.inf)
        policy[kept], log[kept] = cut.policy, cut.log_discount
        subgoal[kept] = np.where(cut.subgoal < 0, -1, kept[np.maximum(cut.subgoal, 0)])
        subgoal[goals], log[goals] = goals, 0
        return Cut(policy, subgoal, log)

    @cached_property
    def _dense_chains(self) -> list[np.ndarray]:
        return [chain.toarray() for chain in self._dynamics.chains]

    @cached_property
    def _table(self) -> LegTable | Folded:
        discount = self._dynamics.discount
        small = self._dynamics.world.num_states <= HOST_UP_TO
        if small or self._dynamics.durations is not None:
            return self._fold([kernel.toarray() for kernel in self._dynamics.kernels])
        chains = jnp.asarray(np.stack(self._dense_chains))
        return fold(first_occupancy.solve(chains, discount=discount))

    @cached_property
    def _undiscounted(self) -> tuple[np.ndarray, np.ndarray]:
        return _arrivals(self._dense_chains), _soon(self._dense_chains)


def chained(table: Folded, goal: int, max_switches: int | None) -> Cut:
    """Return the plan of FRs to one goal, as arrays on the host.

    Args:
        table: folded FRs.
        goal: state to reach.
        max_switches: upper bound on policy switches; None plans until convergence.
    """
    plan = plan_to_goal(table, goal, max_switches=max_switches)
    return Cut(*(np.asarray(part) for part in (plan.policy, plan.subgoal, plan.log_discount)))


def _frs(kernels: list[np.ndarray]) -> Float[np.ndarray, "N S S"]:
    """Return the FRs of discounted moves."""
    return np.stack([_fr(kernel) for kernel in kernels])


def _fr(kernel: np.ndarray) -> Float[np.ndarray, "S S"]:
    exits = np.maximum(1 - kernel.sum(axis=1), 0)
    visits = Factors(csr_array(kernel), 1.0, exits=exits).columns(np.arange(len(kernel)))
    return np.clip(visits / np.diagonal(visits)[None], 0, 1)


def _arrivals(chains: list[np.ndarray]) -> Float[np.ndarray, "N S S"]:
    return np.stack([probabilities_to_arrive(chain) for chain in chains])


def _soon(chains: list[np.ndarray]) -> Float[np.ndarray, "N S S"]:
    return _frs([SOON * chain for chain in chains])


def _merged(
    chain: Float[np.ndarray, "S S"], goals: Int[np.ndarray, " G"], kept: Int[np.ndarray, " K"]
) -> Float[np.ndarray, "K K"]:
    """Return the chain with all goals as one absorbing state, in the place of the first."""
    together = np.array(chain)
    together[:, goals[0]] = together[:, goals].sum(axis=1)
    merged = together[np.ix_(kept, kept)]
    one = np.searchsorted(kept, goals[0])
    merged[one] = 0
    return merged
