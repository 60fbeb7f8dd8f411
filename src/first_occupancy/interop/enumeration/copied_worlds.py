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
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.arguments import NonNegativeInt, PositiveInt, check_arguments
from first_occupancy.core.errors import InputError, check_index
from first_occupancy.interop.base_policies import checked_action
from first_occupancy.interop.enumeration._chance import outside, unchanged
from first_occupancy.interop.enumeration._copy_checks import check_others, check_paths
from first_occupancy.interop.enumeration._copy_search import Expander, Found, search
from first_occupancy.interop.enumeration._progress import progress_bar
from first_occupancy.interop.enumeration.copying import Copies, copies_of
from first_occupancy.interop.enumeration.enumerated_worlds import (
    EnumeratedWorld,
    assembled,
    names_of,
)
from first_occupancy.interop.enumeration.minigrid_copies import is_minigrid
from first_occupancy.interop.extras import check_environment, gymnasium, require
from first_occupancy.interop.gym.toy_names import action_names
from first_occupancy.interop.states import whole_key
from first_occupancy.planning.agents import Interface, first_action


@dataclass(frozen=True, eq=False, repr=False)
class CopiedWorld(EnumeratedWorld):
    """An exact world, and the states of the environment behind its numbers.

    Attributes:
        numbers: number of each pair of a key and whether it ends an episode.
        saved: each state, to be restored.
        copies: environment that can be put back into any state.
        key: function from the environment to its key; None for the full state, as far as known.
    """

    numbers: dict[tuple[Hashable, bool], int]
    saved: Sequence[Any]
    copies: Copies
    key: Callable[[Any], Any] | None

    def _found(self, state: Any, seen: Any = None, *, ended: Any = False) -> int:
        if self.key is not None:
            key = whole_key(self.key(state))
        else:
            copies = copies_of(state)
            copies.seen = seen
            key = copies.whole()
        return self.numbers.get((key, bool(ended)), -1)

    def at(self, number: int) -> Any:
        """Return an environment in a state; the next call moves it on."""
        check_index("CopiedWorld", "number", number, self.num_states)
        self.copies.restore(self.saved[number])
        return self.copies.environment

    def _holds(self, condition: Callable[[Any], Any]) -> list[bool]:
        return [bool(condition(self.at(state))) for state in range(self.num_states)]

    @property
    def positions(self) -> Float[np.ndarray, "S 2"] | None:
        """Where the agent is in each state, in MiniGrid; None elsewhere."""
        if not is_minigrid(self.at(0).unwrapped):
            return None
        poses = [self.at(state).unwrapped.agent_pos for state in range(self.num_states)]
        return np.array(poses, float)

    def policies(self, functions: Sequence[Callable[[Any], Any]]) -> Int[np.ndarray, "N S"]:
        """Return base policies of functions of the full state, for `fo.plan`."""
        if not len(functions):
            raise InputError("CopiedWorld.policies: needs at least one function, got none")
        space = self.at(0).action_space

        def action(number: int, state: int) -> int:
            chosen = functions[number](self.at(state))
            found = checked_action("CopiedWorld.policies", chosen, number, state, space)
            return found - first_action(space)

        states = range(self.num_states)
        return np.array([[action(n, state) for state in states] for n in range(len(functions))])

    def interface(self, environment: Any, policies: Any) -> Interface:
        """Return what agents see and do; observations need not tell the state, so it is read."""
        if environment is None:
            raise InputError("agent: environment must be given, since its state is read")
        read = partial(self._found, environment)
        return replace(super().interface(environment, policies), observe=read)

    def picture(self, number: int) -> np.ndarray:
        """Return the environment's own picture of a state, as pixels."""
        found = self.at(number).render()
        if not isinstance(found, np.ndarray):
            raise InputError(
                "CopiedWorld.picture: needs an environment that renders pixels; pass "
                "render_mode='rgb_array' to gymnasium.make"
            )
        return found


@check_arguments
def enumerate_copies(
    environment: Any,
    *,
    key: Callable[[Any], Any] | None = None,
    seed: NonNegativeInt = 0,
    num_resets: PositiveInt = 1,
    samples: PositiveInt = 100,
    limit: PositiveInt = 100_000,
    names: Callable[[Any], str] | None = None,
    progress: bool | None = None,
) -> CopiedWorld:
    """Return the exact world of an environment whose state can be copied, by visiting every state.

    The environment itself is reset and used; pass a fresh one. Arguments are those of
    `fo.from_environment`.
    """
    require("enumerate_copies", gymnasium, "Gymnasium", "interop")
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
            look = partial(search, expander, seeds, limit=limit, report=report)
            found = expander.watching(look)
        check_others(expander, found)
        check_paths(expander, found, seeds)
    return _world(expander, found, names)


def _check_resets(expander: Expander, seed: int) -> None:
    keys = []
    for _ in range(2):
        expander.copies.reset(seed)
        keys.append(expander.key_now())
    if keys[0] != keys[1]:
        raise InputError(
            f"enumerate_copies: reset(seed={seed}) must begin in the same state each time, but two "
            "resets differ"
        )


def _world(expander: Expander, found: Found, names: Callable[[Any], str] | None) -> CopiedWorld:
    copies, ended, rewards = expander.copies, np.array(found.ended), np.array(found.rewards)
    edges = np.array(found.edges, np.int64).reshape(-1, 4).T
    tries = np.zeros(rewards.shape, np.int64)
    np.add.at(tries, (edges[0], edges[1]), edges[3])
    # Certain outcomes were tried once: as often as all others, they would have been the same.
    samples = int(tries.max(initial=1))
    edges[3] *= samples // tries[edges[0], edges[1]]

    def label(saved: Any) -> str:
        copies.restore(saved)
        return names(copies.environment) if names else ""

    mdp = assembled(
        edges,
        rewards,
        ended,
        np.array(found.starts),
        samples=samples,
        state_names=None if names is None else names_of(map(label, found.saved), ended),
        action_names=_action_names(copies.environment),
    )
    return CopiedWorld(mdp, ended, samples, found.numbers, found.saved, copies, expander.key)


def _action_names(environment: Any) -> Sequence[str] | None:
    bare = getattr(environment, "unwrapped", environment)
    actions = getattr(bare, "actions", None)
    if isinstance(actions, type) and hasattr(actions, "__members__"):  # as MiniGrid has them
        count = int(environment.action_space.n)
        return list(actions.__members__)[:count]
    return action_names(environment)
