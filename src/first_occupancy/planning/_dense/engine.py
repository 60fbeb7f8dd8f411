r"""The engine of stochastic policies in small worlds: exact FRs, chained (Alg. 1).

A set of goals is merged into one absorbing state first: the FR of the merged chain at that state
is the expected discount at the first arrival in the set, which no table of single states holds.
Legs to a set end there; legs to a single goal may pass it on the way to a subgoal, as in the paper.
"""

from dataclasses import replace
from functools import cached_property

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from first_occupancy.core.action_worlds import scaled_rows
from first_occupancy.core.errors import InputError
from first_occupancy.planning._dense.folding import BestLegs, best_legs
from first_occupancy.planning._dense.frp_sweeps import chain_to_goal, sweeps_allowed
from first_occupancy.planning._dense.on_host import LegTable, chain_on_host, fold_on_host
from first_occupancy.planning._drafts import EXACT, Draft, Request, time_given_arrival
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning.limits import HOST_UP_TO
from first_occupancy.representations import first_occupancy
from first_occupancy.representations._solvers.arrivals import FAR
from first_occupancy.representations._solvers.first_passage import Rows, first_passage
from first_occupancy.representations._solvers.jumps import Jumps
from first_occupancy.representations._solvers.sparse import Factors


class DenseEngine:
    """FRs of base policies, solved once for planning to many goals.

    Args:
        dynamics: chains of the policies; None if only FRs are known.
        frs: FRs of the policies, to chain in place of exact ones; None to solve for those.
    """

    name = "dense"

    def __init__(self, dynamics: Dynamics | None, frs: BestLegs | None = None) -> None:
        self._dynamics, self._frs = dynamics, frs

    def plan(self, request: Request) -> Draft:
        """Return the chain of FRs to the goals, refined as far as is asked for."""
        goals = request.goals
        draft = self._chained(goals, request.max_switches)
        if self._dynamics is None:
            return draft
        if request.rounds == 0:
            values, times = self._dynamics.followed(np.asarray(draft.policy), goals)
            time = None if times is None else time_given_arrival(values, times)
            return replace(draft, achieved=values, time=time, known=EXACT)
        return self._dynamics.refined(draft, request)

    def _chained(self, goals: Int[np.ndarray, " G"], max_switches: int | None) -> Draft:
        if self._frs is not None and len(goals) == 1:
            return chained(self._frs, int(goals[0]), max_switches)
        if len(goals) > 1:
            return self._plan_to_set(goals, max_switches)
        return _cut(self._table, int(goals[0]), max_switches)

    def _plan_to_set(self, goals: Int[np.ndarray, " G"], max_switches: int | None) -> Draft:
        """Plan to one state in place of the set, in a world with fewer states."""
        dynamics = self._known()
        size = dynamics.world.num_states
        kept = np.setdiff1d(np.arange(size), goals[1:])
        one = int(np.searchsorted(kept, goals[0]))
        merged = [_merged(jumps, goals, kept) for jumps in dynamics.jumps]
        cut = _cut(_legs(merged), one, max_switches)
        policy, subgoal = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
        log = np.full(size, -np.inf)
        policy[kept], log[kept] = cut.policy, cut.log_promised
        subgoal[kept] = np.where(cut.subgoal < 0, -1, kept[np.maximum(cut.subgoal, 0)])
        subgoal[goals], log[goals] = goals, 0
        return Draft(policy=policy, subgoal=subgoal, log_promised=log)

    def _known(self) -> Dynamics:
        if self._dynamics is None:
            raise InputError(
                "plan: several goals need the world's dynamics, but only FRs are known"
            )
        return self._dynamics

    @cached_property
    def _table(self) -> "LegTable | BestLegs":
        dynamics = self._known()
        on_host = dynamics.world.num_states <= HOST_UP_TO or dynamics.discount == 1
        if on_host or dynamics.world.durations is not None:
            return _legs(dynamics.jumps)
        chains = np.stack([chain.toarray() for chain in dynamics.absorbing_chains])
        return best_legs(first_occupancy.solve(jnp.asarray(chains), discount=dynamics.discount))


def _legs(chains: list[Jumps]) -> LegTable | BestLegs:
    """Return the best legs of some policies."""
    if chains[0].times is not None:
        return fold_on_host(
            *map(np.stack, zip(*(_first_passage(each) for each in chains), strict=True))
        )
    frs = np.stack([_fr(each) for each in chains])
    return fold_on_host(frs) if frs.shape[1] <= HOST_UP_TO else best_legs(jnp.asarray(frs))


def _cut(table: LegTable | BestLegs, goal: int, max_switches: int | None) -> Draft:
    """Return the best plan to one goal."""
    if isinstance(table, LegTable):
        return chain_on_host(table, goal, max_switches)
    return chained(table, goal, max_switches)


def chained(table: BestLegs, goal: int, max_switches: int | None) -> Draft:
    """Return the plan of FRs to one goal, as arrays on the host."""
    plan = chain_to_goal(table, jnp.int32(goal), sweeps_allowed(max_switches, table))
    policy, subgoal, log_promised = map(np.asarray, plan)
    return Draft(policy=policy, subgoal=subgoal, log_promised=log_promised)


def _fr(jumps: Jumps) -> Float[np.ndarray, "S S"]:
    """Return the FR of discounted moves."""
    if jumps.losses.min() * FAR < 1:
        return _first_passage(jumps)[0]
    visits = Factors(jumps.moves, 1.0, exits=jumps.losses).columns(np.arange(len(jumps.losses)))
    return np.clip(visits / np.diagonal(visits)[None], 0, 1)


def _first_passage(
    jumps: Jumps,
) -> tuple[Float[np.ndarray, "S S"], Float[np.ndarray, "S S"] | None]:
    times = None if jumps.times is None else jumps.times.toarray()
    return first_passage(Rows(jumps.moves.toarray(), jumps.losses, times))


def _merged(jumps: Jumps, goals: Int[np.ndarray, " G"], kept: Int[np.ndarray, " K"]) -> Jumps:
    """Return the chain with all goals as one state in the place of the first, which ends it."""
    size = len(jumps.losses)
    places = np.searchsorted(kept, np.arange(size))
    places[goals] = np.searchsorted(kept, goals[0])
    together = csr_array((np.ones(size), (np.arange(size), places)), (size, len(kept)))
    goes_on = np.ones(len(kept))
    goes_on[places[goals[0]]] = 0
    moves, times = (
        None if part is None else scaled_rows(csr_array(part[kept] @ together), goes_on)
        for part in (jumps.moves, jumps.times)
    )
    return Jumps(moves, np.where(goes_on > 0, jumps.losses[kept], 1), times)
