"""Base policies as arrays, functions or trained models.

A base policy may be

- an array [S A] of probabilities, or [S] of actions, counted from 0,
- a function from an observation to an action, as the environment counts them,
- any object with `predict(observation, deterministic=...) -> (action, state)`, such as a
  Stable-Baselines3 model, which is called with `deterministic=True`.

`tabulate` evaluates policies in every state, for worlds whose MDP is known; `decider` turns any of
them into a function to act with. A table has one action per state for a function, so `tabulate`
rejects functions whose action varies. Pass a stochastic policy as an array [S A], or use
`skills.watch_skills`.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.core.errors import InputError, check_indices, check_probabilities
from first_occupancy.interop.extras import gymnasium
from first_occupancy.interop.states import States
from first_occupancy.planning.agents import Decider, first_action


@runtime_checkable
class Predictor(Protocol):
    """The `predict` method of Stable-Baselines3 models."""

    def predict(self, observation: Any, *, deterministic: bool = ...) -> tuple[Any, Any]:
        """Return an action, or one for each of a batch, and a hidden state that is not used."""
        ...


def decider(caller: str, policy: Any, number: int, action_space: Any) -> Decider:
    """Return a function that acts like the policy and checks each action."""
    choose = _chooser(caller, policy, number, first_action(action_space))

    def act(observation: Any, state: int, rng: np.random.Generator) -> Any:
        action = choose(observation, state, rng)
        return checked_action(caller, action, number, state, action_space)

    return act


def _chooser(caller: str, policy: Any, number: int, first: int) -> Decider:
    if isinstance(policy, Array | np.ndarray):
        return _looking_up(caller, np.asarray(policy), number, first)
    if isinstance(policy, Predictor):
        return lambda observation, state, rng: policy.predict(observation, deterministic=True)[0]
    if callable(policy):
        return lambda observation, state, rng: policy(observation)
    raise InputError(
        f"{caller}: policy {number} must be an array, a function or have predict, "
        f"got {type(policy)}"
    )


def check_policies(caller: str, policies: Any) -> None:
    """Raise unless `policies` is a sequence, or an array with one table per policy, of some."""
    if not isinstance(policies, Sequence | Array | np.ndarray) or isinstance(policies, str):
        raise InputError(
            f"{caller}: base policies must be a list, got {type(policies)}; pass [policy] for one"
        )
    if not len(policies):
        raise InputError(f"{caller}: needs at least one policy, got none")


def _looking_up(caller: str, table: np.ndarray, number: int, first: int) -> Decider:
    """Return a function that looks up actions in an array, in which they are counted from 0."""
    if table.ndim not in (1, 2):
        raise InputError(
            f"{caller}: policy {number} must have shape [S A] or [S], got {list(table.shape)}"
        )
    if table.ndim == 2:
        check_probabilities(caller, f"policy {number}", table, ("state",))
        sums = np.cumsum(table, axis=-1, dtype=float)

    def choose(state: int, rng: np.random.Generator) -> Any:
        if table.ndim == 1:
            return table[state]
        return np.searchsorted(sums[state], rng.random() * sums[state, -1], side="right")

    def look_up(observation: Any, state: int, rng: np.random.Generator) -> Any:
        if not 0 <= state < len(table):
            raise InputError(
                f"{caller}: policy {number} must have a row for each state, "
                f"got {len(table)} rows and state {state}"
            )
        return first + choose(state, rng)

    return look_up


def checked_action(caller: str, action: Any, number: int, state: int, action_space: Any) -> Any:
    """Return a valid action in the form that the environment takes."""
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
    """Return the action probabilities of policies in every state.

    Functions and models are called twice with the representative observation of each state, to
    detect stochastic ones; rare deviations may go unnoticed.

    Args:
        first: number that functions and models give the first action (`first_action`).

    >>> from first_occupancy.interop.states import DiscreteStates
    >>> tabulate([lambda seen: seen % 2, np.array([1, 1])], DiscreteStates(2), 2).tolist()
    [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]]
    """
    check_policies("tabulate", policies)
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
        choose = _chooser("tabulate", policy, number, first)
        actions, again = (_asked(choose, number, states) for _ in range(2))
        _check_same(actions, again, number)
        actions = actions - first
    check_indices("tabulate", f"actions of policy {number}", actions, num_actions)
    return np.eye(num_actions)[actions]


def _asked(choose: Decider, number: int, states: States) -> Int[np.ndarray, " S"]:
    """Return the action of a function or a model in every state."""
    rng = np.random.default_rng(0)  # which functions and models leave alone
    actions = np.zeros(states.num_states, int)
    for state in range(states.num_states):
        answer = np.asarray(choose(states.observation(state), state, rng))
        if answer.size != 1 or answer.dtype.kind not in "iu":
            raise InputError(
                f"tabulate: policy {number} must return a whole number as action, "
                f"got {answer} in state {state}"
            )
        actions[state] = answer.item()
    return actions


def _check_same(actions: Int[np.ndarray, " S"], again: Int[np.ndarray, " S"], number: int) -> None:
    """Raise if two calls of a policy returned different actions."""
    differing = np.flatnonzero(actions != again)
    if len(differing):
        state = differing[0]
        raise InputError(
            f"tabulate: policy {number} must be deterministic, got actions "
            f"{actions[state]} and {again[state]} in state {state}; pass its probabilities "
            "as an array [S A], or use watch_skills"
        )
