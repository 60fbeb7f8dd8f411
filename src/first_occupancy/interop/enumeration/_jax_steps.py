"""Every action in every state of a batch at once, with many random keys if steps depend on them."""

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.interpreters import partial_eval
from jaxtyping import Bool, Float, Int, UInt32, UInt64

from first_occupancy.core.errors import InputError
from first_occupancy.interop.enumeration._bulk_hashes import hash_of, joined, words_of
from first_occupancy.interop.enumeration.functional_environments import FunctionalEnvironment

BATCH_ROWS = (2**10, 2**14, 2**17)
"""How many rows come out of a batch: a program is compiled for each size that is needed, and every
batch is filled up to the next."""

MOST_NUMBERS = 2**23
"""Upper bound on the numbers in the rows of a batch, to bound the memory."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True, eq=False)
class Rows:
    """States with what is needed to number them; from `Stepper.steps`, one per action and key.

    Attributes:
        states: tree of arrays, stacked.
        words: words of the part that matters, and of whether the episode ended.
        hashes: hash of the words.
        whole: hash of the whole state.
        rewards: reward of the step to the state.
        ended: whether the step ended the episode.
    """

    states: Any
    words: UInt32[np.ndarray, "R W"]
    hashes: UInt64[np.ndarray, " R"]
    whole: UInt64[np.ndarray, " R"]
    rewards: Float[np.ndarray, " R"]
    ended: Bool[np.ndarray, " R"]


class Stepper:
    """An environment whose states are stepped in bulk."""

    def __init__(
        self,
        environment: FunctionalEnvironment,
        key: Callable[[Any], Any],
        *,
        seed: int,
        samples: int,
        time_limit: bool,
    ) -> None:
        self.environment, self.key = environment, key
        self._seed, self._time_limit = seed, time_limit
        self._check_pure("reset", environment.reset, jax.eval_shape(lambda: jax.random.key(0)))
        self.like = self._checked_state()
        self.is_stochastic = self._depends_on_keys()
        self.samples = samples if self.is_stochastic else 1

    def starts(self, num_resets: int) -> Rows:
        """Return the first states of episodes."""
        keys = jax.random.split(jax.random.key(self._seed), num_resets)
        return _rows(self._compiled_start(keys), 1)

    def with_samples(self, samples: int) -> "Stepper":
        """Return the same with another number of random keys per state and action."""
        if samples == self.samples:
            return self
        other = copy(self)
        other.samples = samples
        for name in ("_compiled", "_sizes"):
            vars(other).pop(name, None)
        return other

    @property
    def largest(self) -> int:
        """How many states can be stepped at once."""
        return self._sizes[-1]

    def batches(self, numbers: Int[np.ndarray, " B"]) -> Iterator[Int[np.ndarray, " C"]]:
        """Yield the numbers of states in batches that can be stepped at once."""
        # Large batches only where several of them are filled.
        most = next((size for size in self._sizes if len(numbers) <= 4 * size), self.largest)
        for begin in range(0, len(numbers), most):
            yield numbers[begin : begin + most]

    def steps(self, states: Any, numbers: Int[np.ndarray, " B"]) -> Rows:
        """Return where each action leads from each state, with each random key, in this order."""
        size = len(numbers)
        full = next(each for each in self._sizes if each >= size)
        pad = np.minimum(np.arange(full), size - 1)
        rows = jax.tree.map(lambda leaf: leaf[pad], states)
        found = self._compiled(rows, numbers[pad].astype(np.int32))
        # Sliced on the host: the device would compile a program for each size.
        return _rows(jax.tree.map(lambda leaf: np.asarray(leaf)[:size], found), 3)

    @cached_property
    def _sizes(self) -> list[int]:
        """How many states batches have, in ascending order."""
        rows = self.environment.num_actions * self.samples
        width = jax.eval_shape(words_of, self.like).shape[0]
        most = max(1, MOST_NUMBERS // (rows * (width + 16)))
        return sorted({min(most, max(1, each // rows)) for each in BATCH_ROWS})

    @cached_property
    def _compiled_start(self) -> Callable[..., Any]:
        return jax.jit(jax.vmap(self._start))

    @cached_property
    def _compiled(self) -> Callable[..., Any]:
        root = jax.random.key(self._seed + 1)
        # In 32 bits, whatever the precision: some environments take no others.
        actions = jnp.arange(self.environment.num_actions, dtype=jnp.int32)

        def from_state(state: Any, number: Any) -> Any:
            shape = (len(actions), self.samples)
            keys = jax.random.split(jax.random.fold_in(root, number), shape)
            each_key = jax.vmap(self._outcome, (0, None, None))
            return jax.vmap(each_key, (0, None, 0))(keys, state, actions)

        return jax.jit(jax.vmap(from_state))

    def _start(self, key: Any) -> Any:
        return self._marked(self._cast(self.environment.reset(key)), 0.0, False)

    def _outcome(self, key: Any, state: Any, action: Any) -> Any:
        following, reward, terminated, truncated = self.environment.full_step(key, state, action)
        ended = jnp.logical_or(terminated, jnp.logical_and(truncated, self._time_limit))
        return self._marked(self._cast(following), reward, ended)

    def _marked(self, state: Any, reward: Any, ended: Any) -> Any:
        """Return a state with its words, hashes, reward and end."""
        ended = jnp.asarray(ended, bool)
        words = jnp.append(words_of(self.key(state)), ended.astype(jnp.uint32))
        whole = hash_of(words_of(state), self._seed)
        reward = jnp.asarray(reward, float)
        return state, words, hash_of(words, self._seed), whole, reward, ended

    def _cast(self, state: Any) -> Any:
        """Return a state with the dtypes that steps return, for example of a clock that is 0."""
        return jax.tree.map(lambda leaf, like: jnp.asarray(leaf, like.dtype), state, self.like)

    def _checked_state(self) -> Any:
        """Return shapes and dtypes of the states that steps return, after checking them."""
        key = jax.random.key(0)
        first = jax.eval_shape(self.environment.reset, key)

        def step(state: Any) -> Any:
            before = jax.tree.leaves(state)
            found = self.environment.full_step(key, state, jnp.array(0, jnp.int32))[0]
            after = jax.tree.leaves(state)
            if len(before) != len(after) or any(
                a is not b for a, b in zip(before, after, strict=True)
            ):
                raise InputError(
                    "enumerate_jax: step must return a new state, but changes the given one in "
                    "place; copy it first"
                )
            return found

        following = jax.eval_shape(step, first)
        if _shapes(following) != _shapes(first):
            raise InputError(
                "enumerate_jax: step must return a state like that of reset, got "
                f"{_shapes(following)[0]} of shapes {_shapes(following)[1]} instead of "
                f"{_shapes(first)[0]} of shapes {_shapes(first)[1]}"
            )
        return following

    def _check_pure(self, what: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Raise if a function computes something else when it is called again."""
        # Wrapped anew each time, because programs of the same function are cached.
        first, second = (
            jax.make_jaxpr(lambda *given: function(*given))(*arguments) for _ in range(2)
        )
        constants = zip(first.consts, second.consts, strict=False)
        if str(first) != str(second) or not all(_equal(*pair) for pair in constants):
            raise InputError(
                f"enumerate_jax: {what} must compute the same for the same key, but two calls with "
                "one key differ; draw from jax.random with the given key only"
            )

    def _depends_on_keys(self) -> bool:
        """Return whether outcomes can depend on the random key, judged by the program itself."""
        example = jax.eval_shape(lambda: jax.random.key(0))
        action = jax.ShapeDtypeStruct((), jnp.int32)
        program = jax.make_jaxpr(self._outcome)(example, self.like, action)
        self._check_pure("step", self.environment.full_step, example, self.like, action)
        # What is not needed for any result is removed; whether the key is, is then known.
        _, used = partial_eval.dce_jaxpr(program.jaxpr, [True] * len(program.out_avals))
        return used[0]


def _equal(constant: Any, other: Any) -> bool:
    return np.array_equal(np.asarray(words_of(constant)), np.asarray(words_of(other)))


def taken(states: Any, places: Any) -> Any:
    """Return some of the states that are stacked."""
    return jax.tree.map(lambda leaf: leaf[places], states)


def _shapes(state: Any) -> tuple[str, list[tuple[int, ...]]]:
    leaves, structure = jax.tree.flatten(state)
    return str(structure), [leaf.shape for leaf in leaves]


def _rows(found: Any, num_axes: int) -> Rows:
    """Return results as rows of NumPy arrays, with their first axes made one."""

    def flat(leaf: Any) -> np.ndarray:
        array = np.asarray(leaf)
        return array.reshape(-1, *array.shape[num_axes:])

    states, words, hashes, whole, rewards, ended = found
    return Rows(
        jax.tree.map(flat, states),
        flat(words),
        joined(flat(hashes)),
        joined(flat(whole)),
        flat(rewards).astype(float),
        flat(ended),
    )
