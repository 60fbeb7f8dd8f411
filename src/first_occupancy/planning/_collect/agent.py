"""An agent that takes rewards, and chooses the next one again in every state; its returns."""

from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from first_occupancy.core.world import numbered
from first_occupancy.planning._collect.given import Rewards, read_rewards
from first_occupancy.planning._collect.strategy import Strategy
from first_occupancy.planning._sparse.moves import Moves
from first_occupancy.planning.agents import Interface, own_chance
from first_occupancy.planning.limits import EPISODE_MOVES, EPISODE_REST, NOTHING


class Collector:
    """An agent with `predict`, the interface of Stable-Baselines3 models.

    It remembers what is left. In every state it goes for the reward that comes first in the best
    order from there on, so luck and rewards found on the way count.

    Attributes:
        taken: rewards taken so far, in order: (state, reward).
        left: the rewards that are left, by state.
        target: state it is on the way to; None once it has nothing to do.
    """

    def __init__(self, strategy: Strategy, interface: Interface, seed: int) -> None:
        self._begin, self._interface = strategy, interface
        self._rng = own_chance(seed)
        self.reset()

    def reset(self) -> None:
        """Begin again, with all rewards of the trip."""
        self.taken: list[tuple[int, float]] = []
        self.target: int | None = None
        self._go_for(self._begin)

    def _go_for(self, strategy: Strategy) -> None:
        self._strategy, self.left, self._ended = strategy, dict(strategy.rewards), False
        self._order: tuple[int, ...] | None = None  # what is left; None before the first visit

    def predict(
        self,
        observation: Any = None,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[Any, Any]:
        """Return the action for an observation, and `state` unchanged.

        `episode_start` begins again with all rewards; `deterministic` is ignored. With nothing left
        to do, when `target` is None, the action is random.
        """
        del deterministic
        if episode_start is not None and np.any(episode_start):
            self.reset()
        world, here = self._strategy.planner.world, self._interface.observe(observation)
        # Numbers are those of states here: a graph may have other nodes of these names.
        whole = isinstance(here, int | np.integer)
        here = numbered(here, world.num_states, None) if whole else world.state_number(here)
        policy = self.visit(here)
        if policy == NOTHING:
            return self._interface.idle(self._rng), state
        return self._interface.deciders[policy](observation, here, self._rng), state

    def visit(self, here: int) -> int:
        """Take the reward in a state, if it is left, and return the base policy to follow."""
        if self._order is None:
            self._strategy = self._strategy.starting(here)
            self._order = self._strategy.orders.all
        strategy = self._strategy
        if here in strategy.numbers:
            self._order = strategy.after(here, self._order)
            self._take(here)
        choice = strategy.orders.choose(here, self._order)
        self._order = choice.left
        if choice.target < 0 and here == strategy.last:
            self._ended = True
            self._take(here)
        targets = strategy.targets
        policy = NOTHING if self._ended else int(targets.policies[choice.target, here])
        going = int(targets.states[choice.target]) if choice.target >= 0 else strategy.last
        self.target = None if policy == NOTHING else going
        return policy

    def _take(self, here: int) -> None:
        if here in self.left:
            self.taken.append((here, self.left.pop(here)))

    def change(self, rewards: Rewards) -> None:
        """Go on with other rewards: some appear, vanish (0) or move, the others stay as they are.

        What was taken can appear again.
        """
        kept = self.left | read_rewards("change", self._strategy.planner.world, rewards)
        kept = {state: reward for state, reward in kept.items() if reward > 0}
        self._go_for(replace(self._strategy, rewards=kept))


def simulated_returns(
    agent: Collector, moves: Moves, starts: dict[int, float], episodes: int, seed: int
) -> Float[np.ndarray, " E"]:
    """Return what the agent collects in each episode.

    An episode jumps from state to state: what a jump loses on the way weighs all that follows, so
    the discount of waiting and of random durations is averaged, not drawn.
    """
    rng = np.random.default_rng(seed)
    begins = rng.choice(list(starts), episodes, p=list(starts.values()))
    return np.array([_return(agent, moves, int(begin), rng) for begin in begins])


def _return(agent: Collector, moves: Moves, here: int, rng: np.random.Generator) -> float:
    agent.reset()
    rows, weight, collected = moves.rows, 1.0, 0.0
    for _ in range(EPISODE_MOVES):
        had = len(agent.taken)
        policy = agent.visit(here)
        collected += weight * sum(reward for _, reward in agent.taken[had:])
        if policy == NOTHING:
            break
        row = policy * moves.num_states + here
        entries = slice(rows.indptr[row], rows.indptr[row + 1])
        shares = rows.data[entries].cumsum()
        if not len(shares) or weight * shares[-1] < EPISODE_REST:
            break
        weight *= float(shares[-1])
        drawn = int(np.searchsorted(shares, rng.random() * shares[-1], side="right"))
        here = int(rows.indices[entries][min(drawn, len(shares) - 1)])
    return collected
