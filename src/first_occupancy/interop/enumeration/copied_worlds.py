"""Environments whose state can be copied, as exact worlds: every action is tried in every state.

    world = enumerate_copies(gymnasium.make("MiniGrid-DoorKey-8x8-v0"), seed=0)
    opened = world.where(lambda environment: door_of(environment).is_open)
    plan = fo.plan(world, opened, discount=0.95)
    agent = plan.agent(environment)              # `predict`, like a Stable-Baselines3 model

Two states with the same key are one. The key is the full state of MiniGrid, otherwise the
observation; pass your own to leave out, or add, parts of the state. Whether it is enough is
checked: states that were merged must have the same future, and paths that are replayed in the
environment itself must end where the world says.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.errors import InputError, check_index
from first_occupancy.interop.base_policies import checked_action, tabulate
from first_occupancy.interop.enumeration._chance import outside, unchanged
from first_occupancy.interop.enumeration._copy_checks import check_others, check_paths
from first_occupancy.interop.enumeration._copy_search import Expander, Found, search
from first_occupancy.interop.enumeration._progress import progress_bar
from first_occupancy.interop.enumeration.copying import Copies, copies_of
from first_occupancy.interop.enumeration.minigrid_copies import is_minigrid
from first_occupancy.interop.enumeration.worlds import EnumeratedWorld, assembled, check_counts
from first_occupancy.interop.extras import check_environment, gymnasium, require
from first_occupancy.interop.gym.toy_names import action_names
from first_occupancy.interop.states import States, whole_key
from first_occupancy.planning.agents import Interface, first_action, interface_of_tables


@dataclass(frozen=True, eq=False, repr=False)
class CopiedWorld(EnumeratedWorld):
    """An exact world, and the states of the environment behind its numbers.

    Attributes:
        keys: key of each state.
        saved: each state, to be restored; None if the world comes from a file.
        copies: environment that can be put back into any state; None if from a file.
        key: function from the environment to its key; None for the full state, as far as known.
    """

    keys: Sequence[Hashable]
    saved: Sequence[Any] | None = None
    copies: Copies | None = None
    key: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        """Index the keys."""
        numbers = {pair: n for n, pair in enumerate(zip(self.keys, self.ended, strict=True))}
        object.__setattr__(self, "_numbers", numbers)

    def number(self, environment: Any, observation: Any = None, *, ended: bool = False) -> int:
        """Return the number of the state that an environment is in.

        Args:
            environment: environment of the same kind, not necessarily the same object.
            observation: what was observed last; needed where states are told apart by it.
            ended: whether the last step ended the episode.

        Raises:
            InputError: if that state was not met.
        """
        number = self._found(environment, observation, ended=ended)
        if number < 0:
            raise InputError(
                "number: environment must be in one of the states that were met, but is in "
                "another; was it reset with the seed of the world, and is `ended` right?"
            )
        return number

    def _found(self, environment: Any, observation: Any = None, *, ended: bool = False) -> int:
        """Return the number of the state that an environment is in, or -1 if it was not met."""
        if self.key is not None:
            key = whole_key(self.key(environment))
        else:
            copies = copies_of(environment)
            copies.seen = observation
            key = copies.whole()
        return self._numbers.get((key, bool(ended)), -1)  # pyrefly: ignore[missing-attribute]

    def at(self, number: int) -> Any:
        """Return an environment in a state; the next call moves it on.

        Raises:
            InputError: if the world comes from a file, which holds no environment.
        """
        check_index("CopiedWorld", "number", number, self.num_states)
        if self.copies is None or self.saved is None:
            raise InputError("CopiedWorld: needs its environment, but comes from a file")
        self.copies.restore(self.saved[number])
        return self.copies.environment

    def observation(self, state: int) -> Any:
        """Return what the agent observes in a state."""
        self.at(state)
        assert self.copies is not None
        return self.copies.observation()

    def where(self, condition: Callable[[Any], Any]) -> Int[np.ndarray, " G"]:
        """Return the states that meet a condition, as a set of goals.

        Args:
            condition: function from the environment, put into a state, to whether it counts.

        Raises:
            InputError: if no state meets it.
        """
        holds = [bool(condition(self.at(state))) for state in range(self.num_states)]
        if not any(holds):
            raise InputError(
                f"CopiedWorld.where: condition must hold somewhere, but does in none of the "
                f"{self.num_states} states"
            )
        return np.flatnonzero(holds)

    @property
    def positions(self) -> Float[np.ndarray, "S 2"] | None:
        """Where the agent is in each state, in MiniGrid; None elsewhere."""
        if self.saved is None or not is_minigrid(self.at(0).unwrapped):
            return None
        poses = [self.at(state).unwrapped.agent_pos for state in range(self.num_states)]
        return np.array(poses, float)

    def policies(self, functions: Sequence[Callable[[Any], Any]]) -> Int[np.ndarray, "N S"]:
        """Return base policies of functions of the full state, for `fo.plan`.

        Raises:
            InputError: if there are none, or one returns an invalid action.
        """
        if not len(functions):
            raise InputError("CopiedWorld.policies: needs at least one function, got none")
        tables = []
        for number, function in enumerate(functions):
            actions = []
            for state in range(self.num_states):
                environment = self.at(state)
                space = environment.action_space
                found = checked_action(
                    "CopiedWorld.policies", function(environment), number, state, space
                )
                actions.append(found - first_action(space))
            tables.append(actions)
        return np.array(tables)

    def observed_policies(self, policies: Sequence[Any]) -> Float[np.ndarray, "N S A"]:
        """Return base policies that act on observations, for `fo.plan`.

        Args:
            policies: functions of observations, Stable-Baselines3 models or arrays
                (`base_policies`).
        """
        first = first_action(self.at(0).action_space)
        return np.asarray(tabulate(policies, _Observed(self), self.num_actions, first=first))

    def interface(self, environment: Any, policies: Any) -> Interface:
        """Return what agents see and do: what they observe need not tell the state, so it is read.

        Raises:
            InputError: if there is no environment to read it from.
        """
        if environment is None:
            raise InputError("agent: environment must be given, since its state is read")
        first, size = first_action(environment.action_space), (self.num_states, self.num_actions)
        observe = partial(self._found, environment)
        return interface_of_tables("agent", observe, policies, *size, first=first)

    def picture(self, number: int) -> np.ndarray:
        """Return the environment's own picture of a state, as pixels.

        Raises:
            InputError: if the environment does not render to pixels.
        """
        found = self.at(number).render()
        if not isinstance(found, np.ndarray):
            raise InputError(
                "CopiedWorld.picture: needs an environment that renders pixels; pass "
                "render_mode='rgb_array' to gymnasium.make"
            )
        return found


class _Observed(States):
    """The states of a world by what is observed in them, which need not tell them apart."""

    def __init__(self, world: CopiedWorld) -> None:
        self._world = world

    @property
    def num_states(self) -> int:
        return self._world.num_states

    def __call__(self, observation: Any) -> int:
        raise InputError("CopiedWorld: an observation need not tell the state")

    def observation(self, state: int) -> Any:
        return self._world.observation(state)


def enumerate_copies(
    environment: Any,
    *,
    key: Callable[[Any], Any] | None = None,
    seed: int = 0,
    num_resets: int = 1,
    samples: int = 100,
    limit: int = 100_000,
    processes: int = 1,
    names: Callable[[Any], str] | None = None,
    progress: bool | None = None,
) -> CopiedWorld:
    """Return the exact world of an environment whose state can be copied, by visiting every state.

    The environment itself is reset and used; pass a fresh one.

    Args:
        environment: Gymnasium environment with Discrete actions, or `Copies` of one that save and
            restore its state in a way of your own.
        key: function from the environment to the part of its state that matters: numbers, text,
            tuples, arrays. None takes the full state of MiniGrid, otherwise the observation.
        seed: seed of the first reset and of stochastic steps.
        num_resets: number of episodes, with seeds from `seed` up, whose first states are starts.
        samples: how often each action that draws random numbers is tried in each state.
        limit: upper bound on the number of states.
        processes: number of processes; 1 stays in this one.
        names: function from the environment to the name of its state; None for no names.
        progress: whether to show a progress bar; None shows it in a terminal.

    Returns:
        The world, with `error`, how far sampled probabilities can be off.

    Raises:
        InputError: if the world has more than `limit` states; if two states with the same key have
            different futures; if resets with one seed differ; if a restored state differs from the
            saved one, or leads elsewhere than the environment itself.
    """
    require("enumerate_copies", gymnasium, "Gymnasium", "interop")
    counts = {"num_resets": num_resets, "samples": samples, "limit": limit, "processes": processes}
    check_counts("enumerate_copies", **counts)
    if not isinstance(environment, Copies):
        check_environment("enumerate_copies", environment)
        environment.reset(seed=seed)  # many have a state only then
    copies = copies_of(environment)
    space = copies.environment.action_space
    if not isinstance(space, gymnasium.spaces.Discrete):
        raise InputError(
            f"enumerate_copies: needs an environment with Discrete actions, got {space}"
        )
    expander = Expander(copies, key, int(space.n), int(space.start), samples, seed)
    seeds = list(range(seed, seed + num_resets))
    with unchanged(outside(copies.environment)):
        _check_resets(expander, seed)
        with progress_bar(progress, limit) as report:
            found = search(expander, seeds, limit=limit, processes=processes, report=report)
        check_others(expander, found)
        check_paths(expander, found, seeds)
    return _world(expander, found, names)


def _check_resets(expander: Expander, seed: int) -> None:
    first = expander.start(seed)
    again = expander.start(seed)
    expander.sent.clear()
    if first.key != again.key:
        raise InputError(
            f"enumerate_copies: reset(seed={seed}) must begin in the same state each time, but two "
            "resets differ"
        )


def _world(expander: Expander, found: Found, names: Callable[[Any], str] | None) -> CopiedWorld:
    copies, ended = expander.copies, np.array(found.ended)
    size, count = len(found.keys), expander.num_actions
    rewards = np.zeros((size, count))
    for state, each in found.rewards.items():
        rewards[state] = each
    edges = np.array(found.edges, np.int64).reshape(-1, 4).T
    tries = np.zeros((size, count), np.int64)
    np.add.at(tries, (edges[0], edges[1]), edges[3])
    # Certain outcomes were tried once: as often as all others, they would have been the same.
    samples = int(tries.max(initial=1))
    edges[3] *= samples // tries[edges[0], edges[1]]
    labels = None
    if names is not None:
        labels = []
        for state in range(size):
            copies.restore(found.saved[state])
            labels.append(names(copies.environment) + (", ended" if ended[state] else ""))
    mdp = assembled(
        edges,
        rewards,
        ended,
        np.array(found.starts),
        samples=samples,
        state_names=labels,
        action_names=_action_names(copies.environment),
    )
    return CopiedWorld(mdp, ended, samples, found.keys, found.saved, copies, expander.key)


def _action_names(environment: Any) -> Sequence[str] | None:
    bare = getattr(environment, "unwrapped", environment)
    actions = getattr(bare, "actions", None)
    if isinstance(actions, type) and hasattr(actions, "__members__"):  # as MiniGrid has them
        count = int(environment.action_space.n)
        return list(actions.__members__)[:count]
    return action_names(environment)
