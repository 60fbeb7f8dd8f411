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
from first_occupancy.planning._changes.graphs import ChangingGraph
from first_occupancy.planning._changes.mazes import ChangingMaze
from first_occupancy.planning._changes.mdps import ChangingMDP
from first_occupancy.planning._changes.noisy import ChangingValues
from first_occupancy.planning._changes.paths import ChangingPaths
from first_occupancy.planning._changes.worlds import ChangingWorld, Moves
from first_occupancy.planning._drafts import Engine
from first_occupancy.planning._dynamics import Dynamics
from first_occupancy.planning._on_demand import Later
from first_occupancy.planning._sparse.engine import SparseEngine


class Following:
    """A world that changes under a planner, and the plans that follow it."""

    def __init__(self, world: World, policies: Policies, avoided: Int[np.ndarray, " V"]) -> None:
        self._world, self._avoided = _changing(world), avoided
        self._paths: ChangingPaths | None = None
        self._values: ChangingValues | None = None
        self._takes_rows, self._policies = policies is None, None
        if policies is not None:
            self._policies = certain_actions(
                policies, world.num_states, self._world.original.num_actions
            )
            self._takes_rows = self._policies is not None

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
        engine = self._values if self._paths is None else self._paths
        return None if engine is None else engine.touched

    def change(self, **edit: Any) -> None:
        """Check an edit, apply it, and let the paths follow; if they cannot, forget them."""
        states = self._world.apply(self._world.checked(**edit))
        if self._values is not None and isinstance(self._world, ChangingMaze):
            self._values.change(states, self._world.ends(states))
        if self._paths is None:
            return
        states = np.setdiff1d(states, self._avoided)
        moves = self._world.moves(states)
        if moves is not None and self._policies is not None:
            chosen = np.arange(len(states))[:, None], self._policies[:, states].T
            times = None if moves.times is None else moves.times[chosen]
            moves = Moves(moves.ends[chosen], times)
        if moves is None or not self._paths.change(states, *moves):
            self._paths = None

    def engine(self, dynamics: Dynamics) -> ChangingPaths | None:
        """Return the engine that repairs plans; None if policies or world are stochastic."""
        if self._paths is None and self._takes_rows:
            steps = dynamics.steps()
            self._paths = None if steps is None else ChangingPaths(dynamics, steps)
        if self._paths is not None:
            self._paths.dynamics = dynamics
        return self._paths

    def noisy_engine(self, dynamics: Dynamics) -> Engine:
        """Return the engine of large noisy worlds: of mazes without costs, values are updated."""
        maze, changing = self._world.original, self._world
        plain = isinstance(changing, ChangingMaze) and maze.entry_times is None
        if not plain or dynamics.discount in (0, 1) or self._policies is not None:
            return SparseEngine(dynamics)
        if not self._takes_rows or len(self._avoided):
            return SparseEngine(dynamics)
        if self._values is None:
            ends = changing.ends(np.arange(maze.num_states))
            self._values = ChangingValues(dynamics, maze, ends)
        self._values.dynamics = dynamics
        return self._values


def _changing(world: World) -> ChangingWorld:
    """Return a world that can be edited."""
    kinds: dict[type, Any] = {
        Maze: ChangingMaze,
        Graph: ChangingGraph,
        MDP: ChangingMDP,
        SparseMDP: ChangingMDP,
    }
    for kind, made in kinds.items():
        if isinstance(world, kind):
            return made(world)
    raise InputError(
        f"change: world must be a maze, a graph, an MDP or a SparseMDP, got {type(world).__name__}"
    )
