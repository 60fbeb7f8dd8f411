"""Base policies in whatever form one has them: arrays, functions, trained models.

A base policy may be

- an array [S A] of probabilities, or [S] of actions, which count from 0,
- a function from an observation to an action, as the environment counts them,
- anything with `predict(observation, deterministic=...) -> (action, state)`, as models of
  Stable-Baselines3 have. They are asked for what they think best.

`tabulate` asks a policy in every state, for worlds whose MDP is known; `decider` makes of any
of them one function to act with. One answer stands for a function, so where its answers differ
`tabulate` refuses it: a policy that leaves something to chance is an array [S A], or is watched
(`skills.watch_skills`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.errors import InputError, check_indices, check_probabilities
from first_occupancy.interop.extras import gymnasium
from first_occupancy.interop.states import States


@runtime_checkable
class Predictor(Protocol):
    """What models of Stable-Baselines3 offer."""

    def predict(self, observation: Any, *, deterministic: bool = ...) -> tuple[Any, Any]:
        """Return an action, or one for each observation, and a state that is not used here."""
        ...


Decider = Callable[[Any, int, np.random.Generator], Any]
"""From an observation, its state and a source of chance to an action."""


def own_chance(seed: int) -> np.random.Generator:
    """Return a source of chance for policies.

    Gymnasium's environments draw from `default_rng(seed)`. Were policies to do so too, action
    and outcome would come of the same numbers, and be anything but independent.
    """
    return np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])


def decider(caller: str, policy: Any, number: int, action_space: Any) -> Decider:
    """Return a function that acts as the policy does and checks each action it takes.

    `number` is what errors call the policy.
    """
    choose = _chooser(caller, policy, number, first_action(action_space))

    def act(observation: Any, state: int, rng: np.random.Generator) -> Any:
        action = choose(observation, state, rng)
        return checked_action(caller, action, number, state, action_space)

    return act


def first_action(action_space: Any) -> int:
    """Return the number that the environment gives the first of its actions, 0 if none has one."""
    discrete = isinstance(action_space, gymnasium.spaces.Discrete)
    return int(action_space.start) if discrete else 0


def _chooser(caller: str, policy: Any, number: int, first: int) -> Decider:
    if isinstance(policy, Array | np.ndarray):
        return _looking_up(caller, np.asarray(policy), number, first)
    if isinstance(policy, Predictor):
        return lambda observation, state, rng: policy.predict(observation, deterministic=True)[0]
    if callable(policy):
        return lambda observation, state, rng: policy(observation)
    raise _no_policy(caller, policy, number)


def check_policies(caller: str, policies: Any) -> None:
    """Raise unless it is a list of policies, or an array of as many tables; one alone is none."""
    if not isinstance(policies, Sequence | Array | np.ndarray) or isinstance(policies, str):
        raise InputError(
            f"{caller}: base policies must be a list, got {type(policies)}; pass [policy] for one"
        )


def _no_policy(caller: str, policy: Any, number: int) -> InputError:
    return InputError(
        f"{caller}: policy {number} must be an array, a function or have predict, "
        f"got {type(policy)}"
    )


def _looking_up(caller: str, table: np.ndarray, number: int, first: int) -> Decider:
    """Return a function that acts as an array says, which counts actions from 0."""
    if table.ndim not in (1, 2):
        raise InputError(
            f"{caller}: policy {number} must have shape [S A] or [S], got {list(table.shape)}"
        )
    choose = _take(table)
    if table.ndim == 2:
        check_probabilities(caller, f"policy {number}", table, ("state",))
        choose = _draw_from(table)

    def look_up(observation: Any, state: int, rng: np.random.Generator) -> Any:
        if not 0 <= state < len(table):
            raise InputError(
                f"{caller}: policy {number} must have a row for each state, "
                f"got {len(table)} rows and state {state}"
            )
        return first + choose(observation, state, rng)

    return look_up


def _take(actions: np.ndarray) -> Decider:
    return lambda _, state, rng: actions[state]


def _draw_from(table: Float[np.ndarray, "S A"]) -> Decider:
    sums = np.cumsum(table, axis=-1, dtype=float)
    sums /= sums[:, -1:]
    return lambda _, state, rng: np.searchsorted(sums[state], rng.random(), side="right")


def checked_action(caller: str, action: Any, number: int, state: int, action_space: Any) -> Any:
    """Return an action as the environment wants it, or say which policy returned a wrong one."""
    if not isinstance(action_space, gymnasium.spaces.Discrete):
        action = np.asarray(action, action_space.dtype)
        if action not in action_space:
            raise InputError(
                f"{caller}: policy {number} must return actions in {action_space}, got {action}"
            )
        return action
    found = np.asarray(action)
    first = int(action_space.start)
    last = first + int(action_space.n) - 1
    whole = found.size == 1 and found.dtype.kind in "iu"
    if not whole or not first <= int(found.reshape(())) <= last:
        raise InputError(
            f"{caller}: policy {number} must return actions in {first}..{last}, "
            f"got {action} in state {state}"
        )
    return int(found.reshape(()))


def tabulate(
    policies: Sequence[Any], states: States, num_actions: int, *, first: int = 0
) -> Float[Array, "N S A"]:
    """Return what the policies do in every state, as probabilities.

    Functions and models are asked with the observation that stands for each state, twice, to
    find out those that flip coins; a rare chance may still go unnoticed. The actions they
    return count from `first`, as `first_action` says it of an environment.

    >>> from first_occupancy.interop.states import DiscreteStates
    >>> tabulate([lambda seen: seen % 2, np.array([1, 1])], DiscreteStates(2), 2).tolist()
    [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]]
    """
    check_policies("tabulate", policies)
    if not len(policies):
        raise InputError("tabulate: needs at least one policy, got none")
    tables = [_table(policy, n, states, num_actions, first) for n, policy in enumerate(policies)]
    return jnp.stack([jnp.asarray(table, float) for table in tables])


def _table(
    policy: Any, number: int, states: States, num_actions: int, first: int
) -> Float[np.ndarray, "S A"]:
    shape = (states.num_states, num_actions)
    if isinstance(policy, Array | np.ndarray):
        table = np.asarray(policy)
        if table.shape == shape:
            check_probabilities("tabulate", f"policy {number}", table, ("state",))
            return table
        if table.shape != shape[:1]:
            raise InputError(
                f"tabulate: policy {number} must have shape [S A] = {list(shape)} or "
                f"[S] = [{shape[0]}], got {list(table.shape)}"
            )
        actions = table
    else:
        actions = _asked(policy, number, states)
        _check_same(actions, _asked(policy, number, states), number)
        actions = actions - first
    check_indices("tabulate", f"actions of policy {number}", actions, num_actions)
    return np.eye(num_actions)[actions]


def _asked(policy: Any, number: int, states: States) -> Int[np.ndarray, " S"]:
    """Return what a function or a model answers in every state."""
    if isinstance(policy, Predictor):
        answers = _ask_all(policy, states)
    elif callable(policy):
        answers = [policy(states.observation(state)) for state in range(states.num_states)]
    else:
        raise _no_policy("tabulate", policy, number)
    for state, answer in enumerate(map(np.asarray, answers)):
        if answer.size != 1 or answer.dtype.kind not in "iu":
            raise InputError(
                f"tabulate: policy {number} must return an action, a whole number, "
                f"got {answer} in state {state}"
            )
    return np.array([np.asarray(answer).item() for answer in answers])


def _check_same(actions: Int[np.ndarray, " S"], again: Int[np.ndarray, " S"], number: int) -> None:
    """Raise if a policy that was asked twice did not answer the same."""
    differing = np.flatnonzero(actions != again)
    if len(differing):
        state = differing[0]
        raise InputError(
            f"tabulate: policy {number} must return the same action whenever asked, got "
            f"{actions[state]} and {again[state]} in state {state}; give its probabilities "
            "as an array [S A], or use watch_skills"
        )


def _ask_all(policy: Predictor, states: States) -> np.ndarray:
    observations = [states.observation(state) for state in range(states.num_states)]
    return policy.predict(_stacked(observations), deterministic=True)[0]


def _stacked(observations: Sequence[Any]) -> Any:
    """Return observations as a batch, part by part where they have parts."""
    first = observations[0]
    if isinstance(first, Mapping):
        return {name: _stacked([each[name] for each in observations]) for name in first}
    if isinstance(first, tuple):
        return tuple(_stacked(part) for part in zip(*observations, strict=True))
    return np.stack([np.asarray(observation) for observation in observations])
