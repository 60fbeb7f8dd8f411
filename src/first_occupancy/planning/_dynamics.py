"""How a world moves under its base policies, as sparse matrices; made once, when first needed."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array, eye_array

from first_occupancy.core.action_worlds import policy_means, scaled_columns, scaled_rows
from first_occupancy.core.errors import warn_of_precision
from first_occupancy.core.names import checked_names
from first_occupancy.core.timed_moves import TimedMoves, timed_moves
from first_occupancy.core.world import Policies
from first_occupancy.planning._drafts import Draft, Request, time_given_arrival
from first_occupancy.planning._sparse.moves import Moves
from first_occupancy.planning._sparse.refinement import Refined, refine
from first_occupancy.planning.limits import NOTHING
from first_occupancy.representations._solvers.arrivals import arrivals
from first_occupancy.representations._solvers.jumps import Jumps, jump_chain, without_diagonal
from first_occupancy.representations.passages import Passage


@dataclass(frozen=True, eq=False)
class Dynamics:
    """The chains of base policies in a world.

    Attributes:
        world: the world; where it has changed, one that is made when something is asked of it.
        policies: its base policies; None for its own.
        discount: discount factor per unit of time, from 0 to 1.
        avoided: states that must not be entered.
    """

    world: Any
    policies: Policies
    discount: float
    avoided: Int[np.ndarray, " V"]

    @cached_property
    def undiscounted(self) -> "Dynamics":
        """The world without a discount, in which probabilities and times are computed."""
        return Dynamics(self.world, self.policies, 1.0, self.avoided)

    @cached_property
    def chains(self) -> list[csr_array]:
        """Where each policy leads in one move."""
        return self._chains()

    @cached_property
    def absorbing_chains(self) -> list[csr_array]:
        """The same, with states to avoid that are never left."""
        if not len(self.avoided):
            return self.chains
        inside = np.zeros(self.world.num_states)
        inside[self.avoided] = 1
        staying = scaled_rows(csr_array(eye_array(len(inside), format="csr")), inside)
        return [csr_array(scaled_rows(chain, 1 - inside) + staying) for chain in self.chains]

    @cached_property
    def jumps(self) -> list[Jumps]:
        r"""The jump chain of each policy's discounted moves; with times, if nothing is discounted.

        A move that takes a random time D is worth $\mathbb{E}[\gamma^D]$.
        """
        parts = zip(*self._kernels(), *self._elapsed(), strict=True)
        return [
            jump_chain(*self._lost(kernel, losses), elapsed=elapsed, waiting=waiting)
            for kernel, losses, elapsed, waiting in parts
        ]

    def _kernels(self) -> tuple[list[csr_array], Float[np.ndarray, "N S"]]:
        """Return the discounted moves of each policy, and what each step loses."""
        discount, size = self.discount, self.world.num_states
        if discount == 1 or self.world.durations is None:
            kernels = [chain * discount for chain in self.chains]
            return kernels, np.full((len(kernels), size), 1 - discount)
        with np.errstate(divide="ignore"):
            rate = np.log(discount)
        if self.world.entry_times is None:
            kernels = self._chains(np.exp(rate * self.world.durations))
            losses = policy_means(self.policies, -np.expm1(rate * self.world.durations))
        else:
            rates = rate * self.world.entry_times
            worth, loss = np.exp(rates), -np.expm1(rates)
            kernels = [scaled_columns(chain, worth) for chain in self.chains]
            moving = [without_diagonal(chain) for chain in self.chains]
            # What does not move elsewhere enters the same state again.
            losses = np.stack([each @ loss + (1 - each.sum(axis=1)) * loss for each in moving])
        self._warn_of_underflow(kernels)
        return kernels, np.maximum(losses, 0)

    def _elapsed(self) -> tuple[list[csr_array | None], Float[np.ndarray, "N S"]]:
        """Return expected durations, weighted by probability: of each move, and of each stay."""
        count, times = len(self.chains), self.world.entry_times
        if self.discount < 1:
            return [None] * count, np.zeros((count, self.world.num_states))
        if times is not None:
            elapsed = [scaled_columns(chain, times) for chain in self.chains]
            moving = np.stack([without_diagonal(chain).sum(axis=1) for chain in self.chains])
            return elapsed, np.maximum(1 - moving, 0) * times
        elapsed, means = self.chains, np.ones((count, 1))
        if self.world.durations is not None:
            elapsed = self._chains(self.world.durations)
            means = policy_means(self.policies, self.world.durations)
        moving = np.stack([without_diagonal(each).sum(axis=1) for each in elapsed])
        return elapsed, np.maximum(means - moving, 0)

    def _lost(
        self, kernel: csr_array, losses: Float[np.ndarray, " S"]
    ) -> tuple[csr_array, Float[np.ndarray, " S"]]:
        """Return moves that never enter the states to avoid, and what is lost instead."""
        if not len(self.avoided):
            return kernel, losses
        free = np.ones(len(losses))
        free[self.avoided] = 0
        losses = np.where(free > 0, losses + kernel @ (1 - free), 1)
        return scaled_columns(scaled_rows(kernel, free), free), losses

    def _warn_of_underflow(self, kernels: list[csr_array]) -> None:
        left = sum(np.count_nonzero(each.data >= np.finfo(float).tiny) for each in kernels)
        if self.discount > 0 and left < sum(np.count_nonzero(each.data) for each in self.chains):
            warn_of_precision(
                f"plan: moves that take so long that discount {self.discount:g} leaves nothing of "
                "them (less than 1e-307) count as impossible; choose a discount nearer to 1"
            )

    @cached_property
    def moves(self) -> Moves:
        """The discounted moves, ready to be improved on."""
        return Moves(self.jumps)

    def followed(
        self, policy: Int[np.ndarray, " S"], goals: Int[np.ndarray, " G"]
    ) -> tuple[Float[np.ndarray, " S"], Float[np.ndarray, " S"] | None]:
        """Return the expected discount, and time, of following a choice of policies."""
        choice = np.array(policy)
        choice[goals] = -1
        chosen = self.moves.of(choice)
        arrived = arrivals(chosen, goals)
        return arrived.values, None if chosen.times is None else arrived.times(chosen.times)

    def refined(self, draft: Draft, request: Request, begin: Refined | None = None) -> Draft:
        """Return the plan after some rounds of policy improvement over the base policies.

        Args:
            begin: a choice to begin with in place of the draft's, and lower bounds of its values.
        """
        better = refine(
            self.moves,
            request.goals,
            draft.policy if begin is None else begin.choice,
            rounds=request.rounds,
            tolerance=request.tolerance,
            start=None if begin is None else begin.values,
        )
        return draft.refined(better, self.moves.likely_legs(better.choice, request.goals))

    def arrival(
        self, draft: Draft, goals: Int[np.ndarray, " G"]
    ) -> tuple[Float[np.ndarray, " S"], Float[np.ndarray, " S"]]:
        """Return the probability of arriving by a plan, and the expected time given arrival."""
        values, time = draft.achieved, draft.time
        if values is None or time is None:
            values, times = self.undiscounted.followed(draft.policy, goals)
            time = time_given_arrival(values, np.zeros(len(values)) if times is None else times)
        elif self.discount < 1:
            # Only paths are timed while they are discounted, and they arrive for certain.
            values = np.isfinite(time).astype(float)
        return np.asarray(values), np.asarray(time)

    @cached_property
    def timed(self) -> TimedMoves:
        """Where each policy leads and how long its moves take, undiscounted."""
        return timed_moves(self.world, self.policies)

    def passage(self, draft: Draft, goals: Int[np.ndarray, " G"]) -> Passage:
        """Return the first passage to the goals of following a plan."""
        choice = np.asarray(draft.policy)
        states = np.arange(len(choice))
        rows = np.where(choice >= 0, choice.astype(np.int64) * len(choice) + states, NOTHING)
        rows[goals] = NOTHING
        names = self.world.labels(self.policies)[0]
        named = checked_names("plan", "states", names, len(choice))
        return Passage(self.timed.of(rows), goals, self.avoided, state_names=named)

    def _chains(self, weights: Any = None) -> list[csr_array]:
        """Return the chains, weighted by state and action."""
        options = {} if weights is None else {"weights": weights}
        return [
            csr_array(np.asarray(chain, np.float64)) if not hasattr(chain, "tocsr") else chain
            for chain in self.world.policy_chains(self.policies, **options)
        ]
