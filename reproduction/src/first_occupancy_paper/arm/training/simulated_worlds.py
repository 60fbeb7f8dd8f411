"""The protocol of worlds simulated on the host, and a pair that alternates to hide resets."""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Float32


@runtime_checkable
class SimulatedWorld(Protocol):
    """B environments in lockstep, all at the same step of their episodes."""

    @property
    def num(self) -> int:
        """B, the number of environments."""
        ...

    @property
    def ended(self) -> bool:
        """Whether the episode is over, or none has begun."""
        ...

    def reset(self) -> Float32[np.ndarray, "B O"]:
        """Return the first observations of a new episode."""
        ...

    def step(
        self, actions: Float[np.ndarray, "B A"], /
    ) -> tuple[Float32[np.ndarray, "B O"], Float32[np.ndarray, " B"]]:
        """Return observations and rewards after one step."""
        ...

    def get_state(self) -> dict[str, Any]:
        """Return the complete state, from which `set_state` continues, as a tree of arrays."""
        ...

    def set_state(self, state: Mapping[str, Any], /) -> Float32[np.ndarray, "B O"]:
        """Restore a state, and return its observations."""
        ...


class AlternatingWorlds:
    """A world made of two: while one is stepped, a thread resets the other to its next start.

    Episodes alternate between the two worlds, with the same results as if each were reset when its
    turn comes.

    Args:
        first: world of the first, third, ... episode.
        second: world of the second, fourth, ... episode.
    """

    def __init__(self, first: SimulatedWorld, second: SimulatedWorld) -> None:
        self._worlds = (first, second)
        self._thread = ThreadPoolExecutor(1)
        self._turn = 0
        self._next: Future[np.ndarray] | None = None
        """The next world's first observations; None before the first episode."""
        self._closed = False

    @property
    def num(self) -> int:
        """B, the number of environments."""
        return self._worlds[0].num

    @property
    def ended(self) -> bool:
        """Whether the episode is over, or none has begun."""
        return self._next is None or self._worlds[self._turn].ended

    def reset(self) -> Float32[np.ndarray, "B O"]:
        """Return the first observations of a new episode, in the other world."""
        if self._next is None:
            observations = self._worlds[self._turn].reset()
        else:
            observations = self._next.result()
            self._turn = 1 - self._turn
        self._next = self._thread.submit(self._worlds[1 - self._turn].reset)
        return observations

    def step(
        self, actions: Float[np.ndarray, "B A"]
    ) -> tuple[Float32[np.ndarray, "B O"], Float32[np.ndarray, " B"]]:
        """Return observations and rewards after one step."""
        if self._closed:
            raise RuntimeError("these worlds have been closed")
        return self._worlds[self._turn].step(actions)

    def get_state(self) -> dict[str, Any]:
        """Return the states of both worlds and whose turn it is."""
        if self._next is not None:
            self._next.result()
        return {
            "turn": np.array(self._turn),
            "begun": np.array(self._next is not None),
            "worlds": [world.get_state() for world in self._worlds],
        }

    def set_state(self, state: Mapping[str, Any]) -> Float32[np.ndarray, "B O"]:
        """Restore a state, and return its observations."""
        if self._next is not None:
            self._next.result()
        observations = [
            world.set_state(own) for world, own in zip(self._worlds, state["worlds"], strict=True)
        ]
        self._turn, self._next = int(state["turn"]), None
        if state["begun"]:
            self._next = Future()
            self._next.set_result(observations[1 - self._turn])
        return observations[self._turn]

    def close(self) -> None:
        """Refuse further steps, and wait for the thread to end."""
        self._closed = True
        self._thread.shutdown()
