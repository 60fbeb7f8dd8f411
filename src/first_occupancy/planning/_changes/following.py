"""What a planner holds while its world changes."""

from typing import Any

import numpy as np
from jaxtyping import Int

from first_occupancy.core.action_worlds import certain_actions
from first_occupancy.core.errors import InputError
from first_occupancy.core.mdp import MDP
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.core.world import Policies, World
from first_occupancy.environments.graphs import Graph
from first_occupancy.environments.mazes import Maze
from first_occupancy.planning._changes.edits import ChangingMaze
from first_occupancy.planning._changes.noisy import ChangingValues
from first_occupancy.planning._changes.repaired_paths import ChangingPaths
from first_occupancy.planning._changes.sparse_worlds import ChangingGraph, ChangingMDP
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._on_demand import Later
from first_occupancy.planning._paths.engine import certain_steps

KINDS: dict[type, Any] = {
    Maze: ChangingMaze,
    Graph: ChangingGraph,
    MDP: ChangingMDP,
    SparseMDP: ChangingMDP,
}


class Following:
    """A world that changes under a planner, and the plans that follow it."""

    def __init__(self, world: World, policies: Policies, avoided: Int[np.ndarray, " V"]) -> None:
        kind = next((KINDS[each] for each in KINDS if isinstance(world, each)), None)
        if kind is None:
            raise InputError(
                "change: world must be a maze, a graph, an MDP or a SparseMDP, got "
                f"{type(world).__name__}"
            )
        self._world, self._avoided, self._own = kind(world), avoided, policies is None
        self._engine: ChangingPaths | ChangingValues | None = None
        self._policies = None
        if policies is not None:
            actions = self._world.original.num_actions
            self._policies = certain_actions(policies, world.num_states, actions)

    @property
    def later(self) -> Any:
        """The world as it is now, which is built when something is asked of it."""
        return Later(self._world.copy().build)

    @property
    def closed(self) -> set[int]:
        """The states that are closed now."""
        return self._world.closed

    @property
    def touched(self) -> int | None:
        """Number of states that the last plan changed; None if it was planned afresh."""
        return None if self._engine is None else self._engine.touched

    def change(self, **edit: Any) -> None:
        """Check an edit, apply it, and let the paths follow; if they cannot, forget them."""
        states, engine = self._world.apply(**edit), self._engine
        if isinstance(engine, ChangingValues):
            engine.change(states, self._world.ends(states))
        elif engine is not None:
            states = np.setdiff1d(states, self._avoided)
            moves = self._world.moves(states)
            if moves is not None and self._policies is not None:
                chosen = np.arange(len(states))[:, None], self._policies[:, states].T
                moves = moves[0][chosen], moves[1][chosen]
            if moves is None or not engine.change(states, *moves):
                self._engine = None

    def engine(self, dynamics: Dynamics, dense: bool) -> ChangingPaths | ChangingValues | None:
        """Return the engine that updates plans; None if they are made afresh.

        Args:
            dynamics: the world as it is now.
            dense: whether stochastic worlds of this size are planned in with exact FRs.
        """
        if self._engine is None:
            steps = certain_steps(dynamics) if self._own or self._policies is not None else None
            if steps is not None:
                self._engine = ChangingPaths(dynamics, steps)
            elif not dense and self._has_values(dynamics):
                world = self._world.original
                ends = self._world.ends(np.arange(world.num_states))
                self._engine = ChangingValues(dynamics, world.noise, ends)
        if self._engine is not None:
            self._engine.dynamics = dynamics
        return self._engine

    def _has_values(self, dynamics: Dynamics) -> bool:
        """Return whether values can be updated: in noisy mazes without costs."""
        world, plain = self._world, self._own and not len(self._avoided)
        maze = isinstance(world, ChangingMaze) and world.original.entry_times is None
        return plain and maze and 0 < dynamics.discount < 1
