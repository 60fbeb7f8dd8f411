"""Models of choices: what is valued, and how choices follow from the values.

The named functions return the usual models; `Model(name, valuation, choice)` makes others.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from first_occupancy.behaviour.choice_rules import Softmax
from first_occupancy.behaviour.learned_values import OccupancyValues, QValues
from first_occupancy.behaviour.parameters import Parameter, Values
from first_occupancy.behaviour.planned_values import Mixture, PlannedValues
from first_occupancy.behaviour.subjects import Choices, Layouts, Subjects
from first_occupancy.behaviour.valuations import NoValues, Valuation


class Model(eqx.Module):
    """A model of choices.

    Attributes:
        name: name in tables and figures.
        valuation: what is valued and how it is learned.
        choice: how choices follow from values.
    """

    name: str = eqx.field(static=True)
    valuation: Valuation
    choice: Softmax

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters that are fitted."""
        return (*self.valuation.parameters, *self.choice.parameters)

    def log_probabilities_of_one(
        self, values: Values, choices: Choices, layouts: Layouts, prepared: Any
    ) -> Float[Array, "T A"]:
        """Return the log probability of each action at each choice of one subject.

        Args:
            values: values of the parameters.
            choices: choices of one subject.
            layouts: the worlds.
            prepared: what the valuation prepared for this subject.
        """
        options = self.valuation.along(values, choices, layouts, prepared)
        rule = jax.vmap(self.choice.log_probabilities, in_axes=(None, 0, 0, 0, None))
        return rule(values, options, jnp.asarray(choices.allowed), choices.previous, layouts)

    def log_probabilities(
        self, values: Values, subjects: Subjects, *, prepared: Any = None
    ) -> Float[Array, "I T A"]:
        """Return the log probability of each action, at each choice of each subject.

        Args:
            values: values of the parameters, one per subject or one for all.
            subjects: recorded choices.
            prepared: what `valuation.prepare(subjects)` returned; None to prepare it.
        """
        size = len(subjects)
        each = {name: jnp.broadcast_to(value, (size,)) for name, value in values.items()}
        prepared = self.valuation.prepare(subjects) if prepared is None else prepared
        return _all_log_probabilities(self, each, subjects.choices, subjects.layouts, prepared)


@eqx.filter_jit
def _all_log_probabilities(
    model: Model, values: Values, choices: Choices, layouts: Layouts, prepared: Any
) -> Float[Array, "I T A"]:
    if model.valuation.separable:
        one = jax.vmap(model.log_probabilities_of_one, in_axes=(0, 0, None, 0))
        return one(values, choices, layouts, prepared)

    # Learning is faster along one path at a time, where the cell is one number.
    def alone(each: tuple[Values, Choices, Any]) -> Float[Array, "T A"]:
        return model.log_probabilities_of_one(each[0], each[1], layouts, each[2])

    return jax.lax.map(alone, (values, choices, prepared))


def of_chosen(logs: Float[ArrayLike, "*I T A"], choices: Choices) -> Float[Array, "*I T"]:
    """Return the entries that belong to the actions that were chosen."""
    return jnp.take_along_axis(jnp.asarray(logs), choices.actions[..., None], axis=-1)[..., 0]


def random_walk() -> Model:
    """Return the model that chooses among neighbours at random; it has no parameters."""
    return Model("random walk", NoValues(), Softmax(inverse_temperature=1.0))


def habit_model(layouts: Layouts) -> Model:
    """Return the model that has a bias for each kind of turn, and no goal."""
    kinds = len(layouts.turn_names)
    return Model("turning biases", NoValues(), Softmax(inverse_temperature=1.0, turns=kinds))


def successor_model(
    *, initial_chain: Float[Array, "S S"] | None = None, choice: Softmax | None = None
) -> Model:
    """Return the model that follows an SR learned by TD.

    Args:
        initial_chain: Markov chain from which the SR starts; None for a random walk.
        choice: choice rule; None for a softmax with fitted temperature.
    """
    return Model("SR", OccupancyValues(1.0, False, initial_chain), choice or Softmax())


def first_occupancy_model(
    *, initial_chain: Float[Array, "S S"] | None = None, choice: Softmax | None = None
) -> Model:
    """Return the model that follows an FR learned by TD.

    Args:
        initial_chain: Markov chain from which the FR starts; None for a random walk.
        choice: choice rule; None for a softmax with fitted temperature.
    """
    return Model("FR", OccupancyValues(0.0, False, initial_chain), choice or Softmax())


def lambda_model(
    *, initial_chain: Float[Array, "S S"] | None = None, choice: Softmax | None = None
) -> Model:
    """Return the model that follows a λ-representation, with λ fitted.

    Args:
        initial_chain: Markov chain from which the representation starts; None for a random walk.
        choice: choice rule; None for a softmax with fitted temperature.
    """
    return Model("λ", OccupancyValues(None, False, initial_chain), choice or Softmax())


def q_model(*, of_neighbours: bool = False, choice: Softmax | None = None) -> Model:
    """Return the model that learns the values of actions by Q-learning.

    Args:
        of_neighbours: whether an action's value is the largest one in the cell it leads to.
        choice: choice rule; None for a softmax with fitted temperature.
    """
    return Model("Q-learning", QValues(of_neighbours), choice or Softmax())


def planning_model(max_switches: int, *, choice: Softmax | None = None) -> Model:
    """Return the model that plans with at most K switches in the world it believes in.

    Args:
        max_switches: largest number of switches, K.
        choice: choice rule; None for a softmax with fitted temperature.
    """
    valuation = PlannedValues(max_switches)
    return Model(f"FRP, K = {max_switches}", valuation, choice or Softmax())


def model_based(*, choice: Softmax | None = None) -> Model:
    """Return the model that takes shortest paths in the world it believes in."""
    return Model("model-based", PlannedValues(), choice or Softmax())


def mixture_model(first: Model, second: Model) -> Model:
    """Return the model that adds the values of two models, with a weight that is fitted.

    Args:
        first: one model, whose choice rule is used.
        second: the other one.
    """
    valuation = Mixture(first.valuation, second.valuation)
    return Model(f"{first.name} + {second.name}", valuation, first.choice)
