"""The models that are fitted to the recordings, by name."""

from collections.abc import Callable

from jaxtyping import Array, Float

from first_occupancy.behaviour.choice_rules import Softmax
from first_occupancy.behaviour.learned_values import OccupancyValues, QValues
from first_occupancy.behaviour.models import (
    Model,
    first_occupancy_model,
    habit_model,
    mixture_model,
    planning_model,
    random_walk,
    successor_model,
)
from first_occupancy.behaviour.planned_values import PlannedValues
from first_occupancy.behaviour.subjects import Layouts

SWITCHES = (0, 1, 2, 3, 5, 9)
"""Numbers of switches K for which FRP is fitted."""

Maker = Callable[[Layouts, Float[Array, "S S"]], Model]


def _planner(switches: int) -> Maker:
    return lambda layouts, chain: planning_model(switches)


def _turning(name: str, model: Model, layouts: Layouts) -> Model:
    """Return a model with a bias for each kind of turn in addition."""
    return Model(name, model.valuation, Softmax(turns=len(layouts.turn_names)))


FIXED = Softmax(inverse_temperature=1.0)

PUBLISHED: dict[str, Maker] = {
    "random walk": lambda layouts, chain: random_walk(),
    "model-free, published": lambda layouts, chain: Model(
        "model-free, published", QValues(True, 0.0), FIXED
    ),
    "model-based, published": lambda layouts, chain: Model(
        "model-based, published", PlannedValues(None, 1), FIXED
    ),
    "SR, published": lambda layouts, chain: Model(
        "SR, published", OccupancyValues(1.0, False, chain), FIXED
    ),
}
"""The study's models, with inverse temperature 1."""

OURS: dict[str, Maker] = {
    "turning biases": lambda layouts, chain: habit_model(layouts),
    "Q-learning": lambda layouts, chain: Model("Q-learning", QValues(), Softmax()),
    "SR": lambda layouts, chain: successor_model(initial_chain=chain),
    "FR": lambda layouts, chain: first_occupancy_model(initial_chain=chain),
    "SR with traces": lambda layouts, chain: Model(
        "SR with traces", OccupancyValues(1.0, True, chain), Softmax()
    ),
    **{f"FRP, K = {switches}": _planner(switches) for switches in SWITCHES},
    "model-based": lambda layouts, chain: Model("model-based", PlannedValues(), Softmax()),
    "SR + FRP, K = 9": lambda layouts, chain: mixture_model(
        successor_model(initial_chain=chain), planning_model(9)
    ),
    "FRP, K = 9, turning": lambda layouts, chain: _turning(
        "FRP, K = 9, turning", planning_model(9), layouts
    ),
    "SR, turning": lambda layouts, chain: _turning(
        "SR, turning", successor_model(initial_chain=chain), layouts
    ),
}
"""Models with fitted temperature."""

CANDIDATES = PUBLISHED | OURS

PAIRS = (
    ("turning biases", "FRP, K = 9"),
    ("SR", "FRP, K = 9"),
    ("turning biases", "SR"),
)
"""Pairs of models whose disagreements are looked at."""
