"""Environments as pure functions in JAX: gymnax, Navix, and any others with `reset` and `step`.

    environment = functional(gymnax.make("FourRooms-misc")[0])
    environment = FunctionalEnvironment(reset=reset, step=step, num_actions=4)

What follows from a state is decided by the state, the action and the random key alone. The part of
the state that matters is given by `key`: for gymnax everything but the clock, for Navix, which
works in 32 bits only, the grid and everything in it. Time limits do not change what a step does;
whether they end the world is decided where it is enumerated.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import jax
import jax.numpy as jnp

from first_occupancy.core.errors import InputError

StepResult = tuple[Any, Any, Any, Any]
"""The next state, the reward, and whether the step terminated or truncated the episode."""


@dataclass(frozen=True, eq=False)
class FunctionalEnvironment:
    """An environment as pure functions of its state, which is any tree of arrays.

    Attributes:
        reset: function from a random key to the first state of an episode.
        step: function from a random key, a state and an action, counted from 0, to the next state,
            the reward, and whether the step terminated, and (left out or) truncated, the episode.
        num_actions: number of actions, A.
        key: function from a state to the part of it that matters, any tree of arrays; None for all.
        action_names: names of the actions, if any.
        draw: function from a state to its picture, an array of pixels; None if there is none.
    """

    reset: Callable[[Any], Any]
    step: Callable[[Any, Any, Any], tuple[Any, ...]]
    num_actions: int
    key: Callable[[Any], Any] | None = None
    action_names: Sequence[str] | None = None
    draw: Callable[[Any], Any] | None = None

    def full_step(self, key: Any, state: Any, action: Any) -> StepResult:
        """Return the next state, the reward, and the two flags, also where `step` has but one."""
        found = self.step(key, state, action)
        several = isinstance(found, (tuple, list))
        if not several or len(found) not in (3, 4):
            got = f"{len(found)} values" if several else type(found).__name__
            raise InputError(
                "FunctionalEnvironment: step must return the next state, the reward, whether it "
                f"terminated and perhaps whether it truncated, got {got}"
            )
        following, reward, terminated, *rest = found
        return following, reward, terminated, rest[0] if rest else jnp.array(False)


def is_functional(environment: Any) -> bool:
    """Return whether an environment is made of functions in JAX, which `functional` takes."""
    maker = _maker(environment)
    return maker is not None and not (maker is _of_own and hasattr(environment, "action_space"))


def functional(environment: Any, params: Any = None) -> FunctionalEnvironment:
    """Return an environment as pure functions of its state.

    Args:
        environment: a gymnax or Navix environment, a `FunctionalEnvironment`, or any object with
            `reset(key)`, `step(key, state, action)` and `num_actions`, as that class describes.
        params: parameters of a gymnax environment; None for its own.
    """
    if isinstance(environment, FunctionalEnvironment):
        return environment
    maker = _maker(environment)
    if maker is None:
        raise InputError(
            "functional: environment must be of gymnax or Navix, or have reset(key), step(key, "
            f"state, action) and num_actions, got {type(environment).__name__}"
        )
    return maker(environment, params)


def _maker(environment: Any) -> Callable[[Any, Any], FunctionalEnvironment] | None:
    kinds = {
        ("step_env", "reset_env"): _of_gymnax,
        ("_step", "action_set"): _of_navix,
        ("reset", "step", "num_actions"): _of_own,
    }
    for names, maker in kinds.items():
        if all(hasattr(environment, name) for name in names):
            return maker
    return None


def _of_own(environment: Any, params: Any) -> FunctionalEnvironment:
    del params
    own = {name: getattr(environment, name, None) for name in ("key", "action_names", "draw")}
    return FunctionalEnvironment(
        environment.reset, environment.step, int(environment.num_actions), **own
    )


def _of_gymnax(environment: Any, params: Any) -> FunctionalEnvironment:
    params = environment.default_params if params is None else params

    def step(key: Any, state: Any, action: Any) -> StepResult:
        # `step` would begin the next episode at once, and hide how this one ended.
        _, following, reward, terminated, _ = environment.step_env(key, state, action, params)
        return following, reward, terminated, environment.is_truncated(following, params)

    return FunctionalEnvironment(
        reset=lambda key: environment.reset_env(key, params)[1],
        step=step,
        num_actions=int(environment.num_actions),
        key=_but_the_clock,
        action_names=GYMNAX_ACTIONS.get(type(environment).__name__),
    )


def _but_the_clock(state: Any) -> dict[str, Any]:
    """Return the fields of a state of gymnax that steps depend on."""
    return {name: part for name, part in vars(state).items() if name != "time"}


GYMNAX_ACTIONS = {
    "FourRooms": ("up", "right", "down", "left"),
    "MetaMaze": ("up", "right", "down", "left"),
    "FrozenLake": ("left", "down", "right", "up"),
    "Catch": ("left", "stay", "right"),
}
"""Names of actions, of which gymnax has none itself, as read off its code."""

TERMINATION = 2
"""The `step_type` with which Navix marks the end of an episode; 1 is truncation."""


def _of_navix(environment: Any, params: Any) -> FunctionalEnvironment:
    """Return a Navix environment whose states are dictionaries of what is in the grid.

    A state of Navix also holds a random key, which every step gets anew here, sprites for pictures,
    and a record of the last events, on which only rewards and ends depend.
    """
    del params
    shapes = jax.eval_shape(environment.reset, jax.random.key(0))
    # Nothing is read from it but a clock at 0 and events of which none has happened.
    blank = jax.tree.map(_zeros, shapes)

    def with_state(state: Any, key: Any, timestep: Any = blank) -> Any:
        whole = timestep.state.replace(key=key, grid=state["grid"], entities=state["entities"])
        return timestep.replace(state=whole)

    def step(key: Any, state: Any, action: Any) -> StepResult:
        following = environment._step(with_state(state, key), action)
        kind = following.step_type
        return _contents(following.state), following.reward, kind == TERMINATION, kind == 1

    def draw(state: Any) -> Any:
        observations = import_module("navix.observations")
        key = jax.random.key(0)
        with_sprites = jax.jit(environment.reset)(key)
        return observations.rgb(with_state(state, key, with_sprites).state)

    return FunctionalEnvironment(
        reset=lambda key: _contents(environment.reset(key).state),
        step=step,
        num_actions=len(environment.action_set),
        action_names=[each.__name__.replace("_", " ") for each in environment.action_set],
        draw=draw,
    )


def _zeros(shape: Any) -> Any:
    if jnp.issubdtype(shape.dtype, jax.dtypes.prng_key):
        return jax.random.key(0)
    return jnp.zeros(shape.shape, shape.dtype)


def _contents(state: Any) -> dict[str, Any]:
    return {"grid": state.grid, "entities": state.entities}
