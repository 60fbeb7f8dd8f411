"""How a world moves under its base policies, as sparse matrices; made once, when first needed."""

from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array, eye_array

from first_occupancy.core.action_worlds import scaled_columns, scaled_rows
from first_occupancy.core.world import Policies, World
from first_occupancy.planning._sparse.refinement import Moves
from first_occupancy.representations._solvers.arrivals import arrivals


class Dynamics:
    """The chains of base policies in a world.

    Args:
        world: any `World`.
        policies: base policies, as the world takes them.
        discount: discount factor per unit of time, from 0 to 1.
        avoided: states that nothing may enter: they are made absorbing, so nothing arrives
            anywhere from them.
    """

    def __init__(
        self, world: World, policies: Policies, discount: float, avoided: Int[np.ndarray, " V"]
    ) -> None:
        self.world, self.policies, self.discount, self.avoided = world, policies, discount, avoided

    @property
    def durations(self) -> Float[np.ndarray, "S A"] | None:
        """How long each action takes in each state; None if all take one step."""
        return getattr(self.world, "durations", None)

    @property
    def entry_times(self) -> Float[np.ndarray, " S"] | None:
        """How long a move takes that ends in each state; None if that does not determine it."""
        return getattr(self.world, "entry_times", None)

    @cached_property
    def chains(self) -> list[csr_array]:
        """Where each policy leads in one move."""
        return self._chains()

    @cached_property
    def kernels(self) -> list[csr_array]:
        """The discounted moves of each policy."""
        if self.discount == 1:
            return self.chains
        if self.durations is None:
            return [chain * self.discount for chain in self.chains]
        if self.entry_times is not None:
            return self._chains(entering=self.discount**self.entry_times)
        return self._chains(self.discount**self.durations)

    @cached_property
    def elapsed(self) -> list[csr_array] | None:
        """Expected durations of the moves, weighted by their probabilities; None for one step."""
        if self.entry_times is not None:
            return self._chains(entering=self.entry_times)
        return None if self.durations is None else self._chains(self.durations)

    @cached_property
    def moves(self) -> Moves:
        """The discounted moves, ready to be improved on."""
        return Moves(self.kernels, self.elapsed if self.discount == 1 else None)

    def steps(self) -> Int[np.ndarray, "N S"] | None:
        """Return the next state of each policy from each state, or None if some are stochastic."""
        steps = self.world.steps(self.policies)
        if steps is not None and len(self.avoided):
            steps = np.array(steps)
            steps[:, self.avoided] = self.avoided[None]
        return steps

    def step_times(self) -> Float[np.ndarray, "N S"] | None:
        """Return how long deterministic moves take; None if they all take one step."""
        if self.durations is None:
            return None
        if self.policies is None:
            return self.durations.T
        return np.stack([np.asarray(chain.sum(axis=1)) for chain in self.elapsed or []])

    def followed(
        self, policy: Int[np.ndarray, " S"], goals: Int[np.ndarray, " G"]
    ) -> tuple[Float[np.ndarray, " S"], Float[np.ndarray, " S"] | None]:
        """Return the expected discount, and time, of following a choice of policies.

        Args:
            policy: base policy to follow in every state; -1 to give up.
            goals: states to arrive in.

        Returns:
            The expected discount at the first arrival; and, undiscounted, the expected time until
            then, counting arrivals only, else None.
        """
        choice = np.array(policy)
        choice[goals] = -1
        arrived = arrivals(self.moves.of(choice), goals)
        times = None if self.discount < 1 else arrived.times(self.moves.elapsed_of(choice))
        return arrived.values, times

    def _chains(self, weights: Any = None, *, entering: Any = None) -> list[csr_array]:
        """Return the chains, weighted by state and action, or by the state that is entered."""
        options = {} if weights is None else {"weights": weights}
        chains = [
            csr_array(np.asarray(chain, np.float64)) if not hasattr(chain, "tocsr") else chain
            for chain in self.world.policy_chains(self.policies, **options)
        ]
        if entering is not None:
            chains = [scaled_columns(chain, entering) for chain in chains]
        if not len(self.avoided):
            return chains
        size = self.world.num_states
        free = np.ones(size)
        free[self.avoided] = 0
        rest = scaled_rows(csr_array(eye_array(size, format="csr")), 1 - free)
        return [csr_array(scaled_rows(chain, free) + rest) for chain in chains]
