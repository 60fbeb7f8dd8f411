r"""What a subject may value, and how it learns: the interface, and values that are not learned.

A valuation gives every available action a number, given what the subject remembers. Models are
evaluated along the subject's own path: it is the recorded choices that the model learns from, not
its own. The same methods simulate new subjects (`simulation`).
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.behaviour.parameters import Parameter, Values
from first_occupancy.behaviour.subjects import Choices, Layouts, Subjects
from first_occupancy.core.axes import Index


class Move(NamedTuple):
    """One move, from which subjects learn.

    Attributes:
        state: cell that was left.
        action: action that was taken.
        next_state: cell that was entered.
        previous: action before; `NO_ACTION` at the beginning of a trial.
        layout: layout in which it was made.
    """

    state: Index
    action: Index
    next_state: Index
    previous: Index
    layout: Index


class Valuation(eqx.Module):
    """The interface of valuations; by itself it values nothing, as does a random walk.

    Attributes:
        parameters: parameters that are fitted.
    """

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of learning and valuing."""
        return ()

    @property
    def separable(self) -> bool:
        """Whether `along` looks at each choice by itself, and at nothing but what was prepared.

        Then choices for which the same was prepared have the same values.
        """
        return False

    def prepare(self, subjects: Subjects) -> Any:
        """Return arrays that depend on the recorded paths but on no parameter, or None.

        The arrays begin with an axis of subjects.
        """
        del subjects
        return

    def begin(self, values: Values, layouts: Layouts) -> Any:
        """Return what the subject remembers before its first trial."""
        return jnp.zeros(())

    def look(self, memory: Any, layouts: Layouts, state: Index, layout: Index) -> Any:
        """Return what the subject remembers after looking around, before it chooses."""
        return memory

    def options(
        self, values: Values, memory: Any, layouts: Layouts, state: Index
    ) -> Float[Array, " A"]:
        """Return the value of each action."""
        return jnp.zeros(layouts.num_actions)

    def learn(self, values: Values, memory: Any, layouts: Layouts, move: Move) -> Any:
        """Return what the subject remembers after a move."""
        return memory

    def along(
        self, values: Values, choices: Choices, layouts: Layouts, prepared: Any
    ) -> Float[Array, "T A"]:
        """Return the value of each action at each choice of one subject."""

        def step(memory: Any, move: Move) -> tuple[Any, Array]:
            memory = self.look(memory, layouts, move.state, move.layout)
            options = self.options(values, memory, layouts, move.state)
            return self.learn(values, memory, layouts, move), options

        moves = Move(
            choices.states,
            choices.actions,
            choices.next_states,
            choices.previous,
            choices.layouts,
        )
        return jax.lax.scan(step, self.begin(values, layouts), moves)[1]


class NoValues(Valuation):
    """Values nothing; with a choice rule that has biases, this is a model of habits."""

    @property
    def separable(self) -> bool:
        """True: all choices have the same values."""
        return True

    def along(
        self, values: Values, choices: Choices, layouts: Layouts, prepared: Any
    ) -> Float[Array, "T A"]:
        """Return zeros."""
        return jnp.zeros((*choices.states.shape, layouts.num_actions))


DISCOUNT = Parameter("discount", 0.0, 1.0, 0.9, 1.0)
STEP_SIZE = Parameter("step_size", 0.0, 1.0, 0.2, 1.0)
