r"""Values of plans in the world as the subject believes it to be, and mixtures of values.

FRP with K switches values a neighbour by $\gamma^d$, with d the number of steps to the goal along
at most K + 1 legs, each of which follows one action (`switch_distances`). K = 0 is GPI over the
actions; for large K it is model-based planning.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from first_occupancy.behaviour.beliefs import believed_maps, everything_free, look_around
from first_occupancy.behaviour.parameters import Parameter, Values
from first_occupancy.behaviour.subjects import Choices, Layouts, Subjects
from first_occupancy.behaviour.switch_distances import steps_to_goal
from first_occupancy.behaviour.valuations import DISCOUNT, Move, Valuation
from first_occupancy.core.axes import Index

AT_ONCE = 1024
"""Beliefs for which steps are computed together."""


class PlannedValues(Valuation):
    """FRP over the actions, in the believed map.

    Attributes:
        max_switches: largest number of switches K; None for as many as help.
        extra_steps: steps that are added to every path that is not yet at the goal; 1 reproduces
            implementations that count the cells of a path instead of its steps.
    """

    max_switches: int | None = eqx.field(static=True, default=None)
    extra_steps: int = eqx.field(static=True, default=0)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The discount."""
        return (DISCOUNT,)

    @property
    def separable(self) -> bool:
        """True: values follow from the steps that remain after each action."""
        return True

    def prepare(self, subjects: Subjects) -> Float[Array, "I T A"]:
        """Return the number of steps to the goal after each action, at each choice."""
        layouts = subjects.layouts
        maps, which = believed_maps(subjects.choices, layouts)
        steps = _steps_in(jnp.asarray(maps), layouts, self.max_switches)
        return steps[which[..., None], layouts.next_states[subjects.choices.states]]

    def begin(self, values: Values, layouts: Layouts) -> tuple[Array, Array]:
        """Return the belief that all cells are free, and the steps that would remain then."""
        believed = everything_free(layouts)
        return believed, steps_to_goal(layouts, believed, max_switches=self.max_switches)

    def look(
        self, memory: tuple[Array, Array], layouts: Layouts, state: Index, layout: Index
    ) -> tuple[Array, Array]:
        """Return which cells are believed to be free, and the steps that remain from each.

        The subject plans anew only where its belief has changed.
        """
        believed = look_around(memory[0], layouts, state, layout)
        steps = steps_to_goal(
            layouts,
            believed,
            max_switches=self.max_switches,
            known=memory[1],
            is_known=(believed == memory[0]).all(),
        )
        return believed, steps

    def options(
        self, values: Values, memory: tuple[Array, Array], layouts: Layouts, state: Index
    ) -> Float[Array, " A"]:
        """Return the value of each neighbour."""
        return self._discounted(values, memory[1][layouts.next_states[state]])

    def along(
        self, values: Values, choices: Choices, layouts: Layouts, prepared: Any
    ) -> Float[Array, "T A"]:
        """Return the value of each action at each choice of one subject."""
        return self._discounted(values, prepared)

    def _discounted(self, values: Values, steps: Float[Array, "*shape"]) -> Array:
        reached = jnp.isfinite(steps)
        counted = jnp.where(steps > 0, steps + self.extra_steps, steps)
        return jnp.where(reached, values["discount"] ** jnp.where(reached, counted, 0.0), 0.0)


@partial(jax.jit, static_argnums=2)
def _steps_in(
    maps: Bool[Array, "M S"], layouts: Layouts, max_switches: int | None
) -> Float[Array, "M S"]:
    steps = partial(steps_to_goal, layouts, max_switches=max_switches)
    return jax.lax.map(steps, maps, batch_size=AT_ONCE)


class Mixture(Valuation):
    """A weighted sum of two valuations; the weight of the first one is fitted.

    The parameters of the second one have names that begin with "second_".

    Attributes:
        first: one valuation.
        second: the other one.
    """

    first: Valuation
    second: Valuation

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of both, and the weight of the first one."""
        others = [replace(each, name=f"second_{each.name}") for each in self.second.parameters]
        return (*self.first.parameters, *others, Parameter("weight", 0.0, 1.0, 0.5, 1.0))

    @property
    def separable(self) -> bool:
        """Whether both are."""
        return self.first.separable and self.second.separable

    def prepare(self, subjects: Subjects) -> Any:
        """Return what both prepare."""
        return self.first.prepare(subjects), self.second.prepare(subjects)

    def begin(self, values: Values, layouts: Layouts) -> Any:
        """Return what both remember before the first trial."""
        return self.first.begin(values, layouts), self.second.begin(_second(values), layouts)

    def look(self, memory: Any, layouts: Layouts, state: Index, layout: Index) -> Any:
        """Return what both remember after looking around."""
        both = zip((self.first, self.second), memory, strict=True)
        return tuple(each.look(own, layouts, state, layout) for each, own in both)

    def options(
        self, values: Values, memory: Any, layouts: Layouts, state: Index
    ) -> Float[Array, " A"]:
        """Return the weighted values."""
        first = self.first.options(values, memory[0], layouts, state)
        second = self.second.options(_second(values), memory[1], layouts, state)
        weight = jnp.asarray(values["weight"])
        return weight * first + (1 - weight) * second

    def learn(self, values: Values, memory: Any, layouts: Layouts, move: Move) -> Any:
        """Return what both remember after a move."""
        return (
            self.first.learn(values, memory[0], layouts, move),
            self.second.learn(_second(values), memory[1], layouts, move),
        )

    def along(
        self, values: Values, choices: Choices, layouts: Layouts, prepared: Any
    ) -> Float[Array, "T A"]:
        """Return the weighted values at each choice of one subject."""
        first = self.first.along(values, choices, layouts, prepared[0])
        second = self.second.along(_second(values), choices, layouts, prepared[1])
        weight = jnp.asarray(values["weight"])
        return weight * first + (1 - weight) * second


def _second(values: Values) -> Values:
    prefix = "second_"
    return {key.removeprefix(prefix): each for key, each in values.items() if prefix in key}
