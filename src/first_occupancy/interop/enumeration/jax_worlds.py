"""Functional JAX environments as exact worlds: every state is stepped once, in bulk.

    environment, params = gymnax.make("FourRooms-misc")
    world = enumerate_jax(environment, params=params, samples=10_000)
    plan = fo.plan(world, world.ends, discount=0.95)
    act = plan.policy_function()                # of the state, for jit and vmap

States with the same key are one state; states at which episodes end are apart from those that look
the same and go on. Whether steps are stochastic is read off the program: where no result depends on
the random key, one step per action says everything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from first_occupancy.core.arguments import NonNegativeInt, PositiveInt, check_arguments
from first_occupancy.core.errors import InputError, check_index
from first_occupancy.interop.enumeration._bulk_hashes import words_of
from first_occupancy.interop.enumeration._jax_search import Search
from first_occupancy.interop.enumeration._jax_steps import Stepper, taken
from first_occupancy.interop.enumeration._key_checks import check_key
from first_occupancy.interop.enumeration._progress import progress_bar
from first_occupancy.interop.enumeration.enumerated_worlds import (
    EnumeratedWorld,
    assembled,
    names_of,
)
from first_occupancy.interop.enumeration.functional_environments import (
    FunctionalEnvironment,
    functional,
)
from first_occupancy.interop.enumeration.state_tables import StateTable, state_table


@dataclass(frozen=True, eq=False, repr=False)
class JaxWorld(EnumeratedWorld):
    """An exact world, and the states of the environment behind its numbers.

    Attributes:
        states: a state of the environment for each number, stacked.
        words: words of each state's key, and of whether it ends an episode.
        key: function from a state to the part of it that matters.
        environment: functions of the environment.
    """

    states: Any
    words: Any
    key: Callable[[Any], Any]
    environment: FunctionalEnvironment

    @cached_property
    def table(self) -> StateTable:
        """The table from states to their numbers."""
        return state_table(self.words)

    def state(self, number: int) -> Any:
        """Return a state of the environment with this number."""
        check_index("JaxWorld", "number", number, self.num_states)
        return taken(self.states, number)

    def _found(self, state: Any, seen: Any = None, *, ended: Any = False) -> Int[Array, ""]:
        words = words_of(self.key(state))
        return self.table.number(jnp.append(words, jnp.asarray(ended, jnp.uint32)))

    @property
    def positions(self) -> np.ndarray | None:
        """The part `pos` of the states, (row, column) in gymnax's rooms, as (x, y); else None."""
        places = np.asarray(getattr(self.states, "pos", 0))
        return places[:, ::-1].astype(float) if places.shape == (self.num_states, 2) else None

    def _holds(self, condition: Callable[[Any], Any]) -> np.ndarray:
        holds = np.asarray(jax.jit(jax.vmap(condition))(self.states))
        if holds.shape != (self.num_states,) or holds.dtype != bool:
            raise InputError(
                "JaxWorld.where: condition must return True or False for each state, got "
                f"{holds.dtype} of shape {list(holds.shape[1:])}"
            )
        return holds

    def policies(self, functions: Sequence[Callable[[Any], Any]]) -> np.ndarray:
        """Return base policies of functions, for `fo.plan`: actions [N S] or probabilities [N S A].

        Args:
            functions: functions from a state to an action, or each to the probabilities of all
                actions; they are called under `vmap`.
        """
        if not len(functions):
            raise InputError("JaxWorld.policies: needs at least one function, got none")
        found = [np.asarray(jax.jit(jax.vmap(each))(self.states)) for each in functions]
        for number, table in enumerate(found):
            whole = table.dtype.kind in "iu" and table.shape == (self.num_states,)
            if not whole and table.shape != (self.num_states, self.num_actions):
                raise InputError(
                    f"JaxWorld.policies: function {number} must return an action or the "
                    f"probabilities of {self.num_actions}, got {table.dtype} of shape "
                    f"{list(table.shape[1:])}"
                )
        if all(table.ndim == 1 for table in found):
            return np.stack(found)
        eye = np.eye(self.num_actions)
        return np.stack([eye[table] if table.ndim == 1 else table for table in found])

    def picture(self, number: int) -> np.ndarray:
        """Return the environment's own picture of a state, as pixels."""
        if self.environment.draw is None:
            raise InputError("JaxWorld.picture: needs an environment with draw, but it has none")
        return np.asarray(self.environment.draw(self.state(number)))


@check_arguments
def enumerate_jax(
    environment: Any,
    *,
    params: Any = None,
    key: Callable[[Any], Any] | None = None,
    seed: NonNegativeInt = 0,
    num_resets: PositiveInt = 1,
    samples: PositiveInt = 1000,
    time_limit: bool = False,
    limit: PositiveInt = 1_000_000,
    names: Callable[[Any], str] | None = None,
    progress: bool | None = None,
) -> JaxWorld:
    """Return the exact world of a functional JAX environment, by visiting every state.

    Args:
        time_limit: whether truncation ends the episode. If it does, the clock matters, and `key`
            must include it. Other arguments are those of `fo.from_environment`.
    """
    functions = functional(environment, params)
    part = key or functions.key
    chosen = part or (lambda state: state)
    stepper = Stepper(functions, chosen, seed=seed, samples=samples, time_limit=time_limit)
    with progress_bar(progress, limit) as report:
        found = Search(stepper, limit=limit, report=report).run(num_resets)
    if part is not None:
        check_key(stepper, found)
    labels = None
    if names is not None:
        states = (taken(found.states, number) for number in range(len(found.ended)))
        labels = names_of(map(names, states), found.ended)
    mdp = assembled(
        found.edges,
        found.rewards,
        found.ended,
        found.starts,
        samples=stepper.samples,
        state_names=labels,
        action_names=functions.action_names,
    )
    return JaxWorld(
        mdp, found.ended, stepper.samples, found.states, found.numbering.words, chosen, functions
    )
