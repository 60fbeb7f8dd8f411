r"""The value of novelty that recovers with the time since the last visit.

A place is as new as it is long ago that the subject was there, and exploring is worth what it
brings to see, discounted by when:

$$n_t(x) = 1 - e^{-(t - t_x)/\tau}, \qquad V_t(s') = \sum_x F(s', x)\, n_t(x),$$

with $t_x$ the last visit to x (never: $n = 1$), times in moves, and F the FR of a random walk. With
the SR in place of F, places count each time that they are passed, though a second visit brings
nothing new.
"""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from first_occupancy.behaviour.parameters import Parameter, Values
from first_occupancy.behaviour.subjects import Choices, Layouts, Subjects
from first_occupancy.behaviour.valuations import DISCOUNT, Move, Valuation
from first_occupancy.core.axes import Index

RECOVERY = Parameter("recovery", 0.0, float("inf"), 100.0, 1.0)
"""Moves after which novelty has recovered by 1 - 1/e."""


class NoveltyValues(Valuation):
    """The value of a neighbour is the novelty that a random walk from there comes upon.

    Attributes:
        later_visits: whether places count at each visit (the SR) or at the first one (the FR).
    """

    later_visits: bool = eqx.field(static=True, default=False)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Discount, and the time in which novelty recovers."""
        return (DISCOUNT, RECOVERY)

    def prepare(self, subjects: Subjects) -> Float[Array, "I T S"]:
        """Return the number of moves since the last visit to each cell; infinity for never."""
        visited = np.asarray(subjects.choices.states)
        since = np.empty((*visited.shape, subjects.layouts.num_states))
        for own, states in zip(since, visited, strict=True):
            now = np.full(subjects.layouts.num_states, np.inf)
            for row, state in zip(own, states, strict=True):
                now[state] = 0
                row[:] = now
                now += 1
        return jnp.asarray(since)

    def begin(self, values: Values, layouts: Layouts) -> tuple[Array, Array]:
        """Return the moves since each visit, none so far, and the representation."""
        return jnp.full(layouts.num_states, jnp.inf), self._representation(values, layouts)

    def look(
        self, memory: tuple[Array, Array], layouts: Layouts, state: Index, layout: Index
    ) -> tuple[Array, Array]:
        """Return the moves since each visit, with the present one."""
        del layouts, layout
        return memory[0].at[state].set(0.0), memory[1]

    def options(
        self, values: Values, memory: tuple[Array, Array], layouts: Layouts, state: Index
    ) -> Float[Array, " A"]:
        """Return the value of each neighbour."""
        return memory[1][layouts.next_states[state]] @ _novelty(values, memory[0])

    def learn(
        self, values: Values, memory: tuple[Array, Array], layouts: Layouts, move: Move
    ) -> tuple[Array, Array]:
        """Return the moves since each visit after one more move."""
        del values, layouts, move
        return memory[0] + 1, memory[1]

    def along(
        self, values: Values, choices: Choices, layouts: Layouts, prepared: Any
    ) -> Float[Array, "T A"]:
        """Return the value of each action at each choice of one subject."""
        everywhere = _novelty(values, prepared) @ self._representation(values, layouts).T
        return jnp.take_along_axis(everywhere, layouts.next_states[choices.states], axis=1)

    def _representation(self, values: Values, layouts: Layouts) -> Float[Array, "S S"]:
        chain = layouts.random_walk
        successor = jnp.linalg.inv(jnp.eye(len(chain)) - values["discount"] * chain)
        return successor if self.later_visits else successor / jnp.diag(successor)[None]


def _novelty(values: Values, since: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    # Infinity has no derivative, though its novelty has: none.
    seen = jnp.isfinite(since)
    recovered = -jnp.expm1(-jnp.where(seen, since, 0.0) / values["recovery"])
    return jnp.where(seen, recovered, 1.0)
