"""Finite worlds as Gymnasium environments: any MDP, any maze.

    environment = MDPEnvironment(fo.river_swim())
    environment = MazeEnvironment(fo.maze(["S.#", "..G"]))

Observations are the numbers of the states; in mazes, `info` has the cell. The environments have a
table `P`, like Gymnasium's toy environments, so `gym.tables.read_table` recovers the original MDP.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from scipy.sparse import csr_array

from first_occupancy.core.errors import InputError, check_index
from first_occupancy.core.mdp import MDP
from first_occupancy.environments.mazes import Maze
from first_occupancy.interop.extras import Environment, gymnasium, require
from first_occupancy.interop.gym import rendering

RENDER_MODES = ("ansi", "rgb_array")

Result = tuple[int, float, bool, bool, dict[str, Any]]
"""Observation, reward, terminated, truncated, info."""

Table = dict[int, dict[int, list[tuple[float, int, float, bool]]]]
"""For each state and action, the (probability, next state, reward, terminated) of each outcome."""


class DrawnEnvironment(Environment):
    """Base class of environments that draw themselves as text or pixels, or not at all."""

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012  Gymnasium's form

    def __init__(self, render_mode: str | None) -> None:
        caller = type(self).__name__
        require(caller, gymnasium, "Gymnasium", "interop")
        if render_mode not in (None, *RENDER_MODES):
            raise InputError(
                f"{caller}: render_mode must be None, 'ansi' or 'rgb_array', got {render_mode!r}"
            )
        self.render_mode = render_mode

    def render(self) -> str | rendering.Picture | None:
        """Return the current state as text or as pixels, or None without a render mode."""
        if self.render_mode is None:
            return None
        return self._as_text() if self.render_mode == "ansi" else self._as_picture()

    def _as_text(self) -> str:
        raise NotImplementedError

    def _as_picture(self) -> rendering.Picture:
        raise NotImplementedError


class FiniteEnvironment(DrawnEnvironment):
    """Base class of finite environments: numbered states and actions, seeds, and a table `P`.

    Args:
        chains: where each action leads, one [S S] matrix of probabilities per action.
        start: start distribution.
        ended: states that terminate an episode, and are never left.
    """

    def __init__(
        self,
        chains: Sequence[csr_array],
        start: Float[np.ndarray, " S"],
        ended: Bool[np.ndarray, " S"],
        render_mode: str | None,
    ) -> None:
        super().__init__(render_mode)
        self.observation_space = gymnasium.spaces.Discrete(len(start))
        self.action_space = gymnasium.spaces.Discrete(len(chains))
        self.initial_state_distrib = start
        """The start distribution, under the name that Gymnasium's toy environments use."""
        self._chains, self._ended, self._state = chains, ended, 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Return the first state of an episode, and info.

        Args:
            seed: seed of the environment's random numbers; None continues with the current ones.
            options: `{"state": s}` begins in state s; None draws from the start distribution.
        """
        super().reset(seed=seed)
        chosen = (options or {}).get("state")
        if chosen is not None:
            check_index("reset", "options['state']", chosen, int(self.observation_space.n))
        self._state = self._drawn(self.initial_state_distrib) if chosen is None else int(chosen)
        return self._state, self._info()

    def step(self, action: int | np.integer) -> Result:
        """Return the next state, the reward, whether the episode terminated, False, and info."""
        check_index("step", "action", action, int(self.action_space.n))
        before = self._state
        following, chances = self._outcomes(before, int(action))
        self._state = int(following[self._drawn(chances)])
        reward = self._reward(before, int(action), self._state)
        return self._state, reward, bool(self._ended[self._state]), False, self._info()

    @property
    def P(self) -> Table:  # noqa: N802  Gymnasium's name
        """The transition table, in the form of Gymnasium's toy environments."""

        def row(state: int, action: int) -> list[tuple[float, int, float, bool]]:
            return [
                (float(p), int(t), self._reward(state, action, int(t)), bool(self._ended[t]))
                for t, p in zip(*self._outcomes(state, action), strict=True)
            ]

        size, count = int(self.observation_space.n), int(self.action_space.n)
        return {s: {a: row(s, a) for a in range(count)} for s in range(size)}

    def _outcomes(self, state: int, action: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the possible next states and their probabilities."""
        if self._ended[state]:
            return np.array([state]), np.ones(1)
        chain = self._chains[action]
        part = slice(chain.indptr[state], chain.indptr[state + 1])
        return chain.indices[part], chain.data[part]

    def _drawn(self, chances: Float[np.ndarray, " K"]) -> int:
        sums = np.cumsum(chances, dtype=np.float64)
        # Despite rounding, always an outcome, and never an impossible one.
        return int(np.searchsorted(sums / sums[-1], self.np_random.random(), side="right"))

    def _info(self) -> dict[str, Any]:
        return {}

    def _reward(self, state: int, action: int, next_state: int) -> float:
        raise NotImplementedError

    def _as_text(self) -> str:
        return rendering.row_text(int(self.observation_space.n), agent=self._state)

    def _as_picture(self) -> rendering.Picture:
        return rendering.row_picture(int(self.observation_space.n), agent=self._state)


class MDPEnvironment(FiniteEnvironment):
    """An MDP as an environment.

    An episode terminates in absorbing states without reward, as `absorbing` makes them.
    """

    def __init__(self, mdp: MDP, *, render_mode: str | None = None) -> None:
        chains = [csr_array(table) for table in np.asarray(mdp.transition).swapaxes(0, 1)]
        start = np.asarray(mdp.start_distribution)
        super().__init__(chains, start, ended_states(mdp), render_mode)
        self.mdp, self._rewards = mdp, np.asarray(mdp.reward)

    def _reward(self, state: int, action: int, next_state: int) -> float:
        return float(self._rewards[state, action, next_state])


class MazeEnvironment(FiniteEnvironment):
    """A maze as an environment: arriving at a goal pays and terminates, and a bump costs.

    Without a start in the drawing, episodes begin in any free cell that is not a goal. S x S arrays
    are only made by `mdp`, so mazes may be large.

    Args:
        goals: goal cells as (row, column), instead of those of the drawing.
    """

    def __init__(
        self,
        world: Maze,
        *,
        goals: Sequence[tuple[int, int]] | None = None,
        goal_reward: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        named = world.goals if goals is None else [world.state(*cell) for cell in goals]
        self.world, self.goals = world, tuple(sorted(set(named)))
        self.goal_reward = float(goal_reward)
        starts = range(world.num_states) if world.start is None else [world.start]
        starts = np.setdiff1d(starts, [*self.goals, *world.walled])
        if not len(starts):
            raise InputError(
                "MazeEnvironment: a start must not be a goal or a wall, but all starts are"
            )
        states = np.arange(world.num_states)
        start = np.isin(states, starts) / len(starts)
        super().__init__(world.action_chains, start, np.isin(states, self.goals), render_mode)

    @property
    def mdp(self) -> MDP:
        """The same world as an MDP: goals pay on arrival and are absorbing."""
        mdp, goals = self.world.mdp, np.asarray(self.goals, int)
        transition, reward = np.array(mdp.transition), np.array(mdp.reward)
        reward[:, :, goals] += self.goal_reward
        transition[goals], reward[goals] = np.eye(len(transition))[goals, None], 0
        names = {"state_names": mdp.state_names, "action_names": mdp.action_names}
        return MDP(transition, reward, self.initial_state_distrib, **names)

    def _reward(self, state: int, action: int, next_state: int) -> float:
        if self._ended[state]:
            return 0.0
        arrived = self.goal_reward * bool(self._ended[next_state])
        return arrived - self.world.bump_cost * (next_state == state)

    def _info(self) -> dict[str, Any]:
        return {"cell": self.world.cell(self._state)}

    def _as_text(self) -> str:
        return rendering.grid_text(self.world.floor, **self._places())

    def _as_picture(self) -> rendering.Picture:
        start = None if self.world.start is None else self.world.cell(self.world.start)
        return rendering.grid_picture(self.world.floor, start=start, **self._places())

    def _places(self) -> dict[str, Any]:
        goals = [self.world.cell(goal) for goal in self.goals]
        return {"agent": self.world.cell(self._state), "goals": goals}


def ended_states(mdp: MDP) -> Bool[np.ndarray, " S"]:
    """Return the states that terminate an episode: no action leaves them or has a reward there."""
    states = np.arange(mdp.num_states)
    stays = np.asarray(mdp.transition)[states, :, states] == 1
    unpaid = np.asarray(mdp.reward)[states, :, states] == 0
    return (stays & unpaid).all(axis=1)
