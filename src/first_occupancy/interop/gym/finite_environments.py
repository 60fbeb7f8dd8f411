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


class FiniteEnvironment(Environment):
    """Base class of finite environments: numbered states and actions, seeds and rendering."""

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012  Gymnasium's form

    def __init__(self, num_states: int, num_actions: int, render_mode: str | None) -> None:
        caller = type(self).__name__
        require(caller, gymnasium, "Gymnasium", "interop")
        if render_mode not in (None, *RENDER_MODES):
            raise InputError(
                f"{caller}: render_mode must be None, 'ansi' or 'rgb_array', got {render_mode!r}"
            )
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Discrete(num_states)
        self.action_space = gymnasium.spaces.Discrete(num_actions)
        self._state = 0

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
        self._state = self._draw_start() if chosen is None else int(chosen)
        return self._state, self._info()

    def step(self, action: int | np.integer) -> Result:
        """Return the next state, the reward, whether the episode terminated, False, and info."""
        check_index("step", "action", action, int(self.action_space.n))
        before, self._state = self._state, self._draw_step(int(action))
        reward = self._reward(before, int(action), self._state)
        return self._state, reward, self._ends(self._state), False, self._info()

    def render(self) -> str | rendering.Picture | None:
        """Return the current state as text or as pixels, or None without a render mode."""
        if self.render_mode is None:
            return None
        return self._as_text() if self.render_mode == "ansi" else self._as_picture()

    def _info(self) -> dict[str, Any]:
        return {}

    def _draw_start(self) -> int:
        raise NotImplementedError

    def _draw_step(self, action: int) -> int:
        raise NotImplementedError

    def _reward(self, state: int, action: int, next_state: int) -> float:
        raise NotImplementedError

    def _ends(self, state: int) -> bool:
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
        super().__init__(mdp.num_states, mdp.num_actions, render_mode)
        self.mdp = mdp
        self._rewards = np.asarray(mdp.reward)
        self._ended = ended_states(mdp)
        self._start = _cumulative(np.asarray(mdp.start_distribution))
        self._cumulative = _cumulative(np.asarray(mdp.transition))

    @property
    def initial_state_distrib(self) -> Float[np.ndarray, " S"]:
        """The start distribution, under the name that Gymnasium's toy environments use."""
        return np.asarray(self.mdp.start_distribution)

    @property
    def P(self) -> Table:  # noqa: N802  Gymnasium's name
        """The transition table, in the form of Gymnasium's toy environments."""
        return _table(self.mdp, self._ended)

    def _draw_start(self) -> int:
        return int(np.searchsorted(self._start, self.np_random.random(), side="right"))

    def _draw_step(self, action: int) -> int:
        odds = self._cumulative[self._state, action]
        return int(np.searchsorted(odds, self.np_random.random(), side="right"))

    def _reward(self, state: int, action: int, next_state: int) -> float:
        return float(self._rewards[state, action, next_state])

    def _ends(self, state: int) -> bool:
        return bool(self._ended[state])


class MazeEnvironment(FiniteEnvironment):
    """A maze as an environment: arriving at a goal pays and terminates, and a bump costs.

    Without a start in the drawing, episodes begin in any free cell that is not a goal. S x S arrays
    are only made by `mdp`, `initial_state_distrib` and `P`, so mazes may be large.

    Args:
        goals: goal cells as (row, column), instead of those of the drawing.

    Raises:
        InputError: if no start is left, because all are goals or walls.
    """

    def __init__(
        self,
        world: Maze,
        *,
        goals: Sequence[tuple[int, int]] | None = None,
        goal_reward: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(world.num_states, world.num_actions, render_mode)
        self.world = world
        named = world.goals if goals is None else [world.state(*cell) for cell in goals]
        self.goals = tuple(sorted(set(named)))
        self.goal_reward = float(goal_reward)
        starts = range(world.num_states) if world.start is None else [world.start]
        self._starts = np.setdiff1d(starts, [*self.goals, *world.walled])
        if not len(self._starts):
            raise InputError(
                "MazeEnvironment: a start must not be a goal or a wall, but all starts are"
            )

    @property
    def mdp(self) -> MDP:
        """The same world as an MDP: goals pay on arrival and are absorbing."""
        mdp, goals = self.world.mdp, np.asarray(self.goals, int)
        transition, reward = np.array(mdp.transition), np.array(mdp.reward)
        reward[:, :, goals] += self.goal_reward
        transition[goals], reward[goals] = np.eye(len(transition))[goals, None], 0
        start = np.zeros(self.world.num_states)
        start[self._starts] = 1 / len(self._starts)
        names = {"state_names": mdp.state_names, "action_names": mdp.action_names}
        return MDP(transition, reward, start, **names)

    @property
    def initial_state_distrib(self) -> Float[np.ndarray, " S"]:
        """The start distribution, under the name that Gymnasium's toy environments use."""
        return np.asarray(self.mdp.start_distribution)

    @property
    def P(self) -> Table:  # noqa: N802  Gymnasium's name
        """The transition table, in the form of Gymnasium's toy environments."""
        return _table(self.mdp, np.isin(np.arange(self.world.num_states), self.goals))

    def _draw_start(self) -> int:
        return int(self.np_random.choice(self._starts))

    def _draw_step(self, action: int) -> int:
        if self._state in self.goals:
            return self._state
        # Both are drawn every time, so that equal seeds use the same random numbers at any noise.
        slips = self.np_random.random() < self.world.noise
        other = int(self.np_random.integers(self.world.num_actions))
        return int(self.world.next_states[other if slips else action, self._state])

    def _reward(self, state: int, action: int, next_state: int) -> float:
        if state in self.goals:
            return 0.0
        arrived = self.goal_reward * (next_state in self.goals)
        return arrived - self.world.bump_cost * (next_state == state)

    def _ends(self, state: int) -> bool:
        return state in self.goals

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


def _table(mdp: MDP, ended: Bool[np.ndarray, " S"]) -> Table:
    transition, rewards = np.asarray(mdp.transition), np.asarray(mdp.reward)

    def outcomes(state: int, action: int) -> list[tuple[float, int, float, bool]]:
        row, pays = transition[state, action], rewards[state, action]
        return [
            (float(row[t]), int(t), float(pays[t]), bool(ended[t])) for t in np.flatnonzero(row)
        ]

    return {
        state: {action: outcomes(state, action) for action in range(mdp.num_actions)}
        for state in range(mdp.num_states)
    }


def ended_states(mdp: MDP) -> Bool[np.ndarray, " S"]:
    """Return the states that terminate an episode: no action leaves them or has a reward there."""
    states = np.arange(mdp.num_states)
    stays = np.asarray(mdp.transition)[states, :, states] == 1
    unpaid = np.asarray(mdp.reward)[states, :, states] == 0
    return (stays & unpaid).all(axis=1)


def _cumulative(probabilities: Float[np.ndarray, "*rows S"]) -> Float[np.ndarray, "*rows S"]:
    """Return cumulative sums that end in exactly 1 despite rounding.

    A uniform number below 1 then always selects an outcome, and never an impossible one.
    """
    sums = np.cumsum(probabilities, axis=-1, dtype=np.float64)
    return sums / sums[..., -1:]
