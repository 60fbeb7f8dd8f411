"""Protocols: everything that decides how a trial goes, as plain data, and the paper's values.

Names are of readings of the paper: it prints a formula and six numbers, and leaves open the
row, the moment, both tables' start and the bootstrap's action, on which results depend.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Literal

from first_occupancy.agents.bonuses import Bonus, inverse, negative, none, printed
from first_occupancy.agents.sarsa import Learner, Sarsa
from first_occupancy.core import MDP
from first_occupancy.environments import river_swim, six_arms

Task = Literal["RiverSwim-6", "RiverSwim-12", "RiverSwim-24", "SixArms"]
SearchedBonus = Literal["printed", "inverse", "negative"]

RIVERS: tuple[Task, ...] = ("RiverSwim-6", "RiverSwim-12", "RiverSwim-24")
TASKS: tuple[Task, ...] = (*RIVERS, "SixArms")
SEARCHED_BONUSES: tuple[SearchedBonus, ...] = ("printed", "inverse", "negative")

# Total reward and its standard error over 100 trials, from Tables 1 and 2. SixArms with the
# FR is printed as "11,9149"; that a 0 is lost at its end is inferred.
PAPER: dict[tuple[str, str], tuple[float, float]] = {
    ("RiverSwim-6", "Sarsa+FR"): (1_547_243.0, 34_050.0),
    ("RiverSwim-6", "Sarsa+SR"): (1_197_075.0, 36_999.0),
    ("RiverSwim-6", "Sarsa"): (25_075.0, 1_224.0),
    ("SixArms", "Sarsa+FR"): (1_191_490.0, 42_942.0),
    ("SixArms", "Sarsa+SR"): (1_025_750.0, 49_095.0),
    ("SixArms", "Sarsa"): (376_655.0, 8_449.0),
    ("RiverSwim-12", "Sarsa+FR"): (1_497_937.0, 29_291.0),
    ("RiverSwim-12", "Sarsa+SR"): (714_797.0, 34_574.0),
    ("RiverSwim-12", "Sarsa"): (14_590.0, 3_145.0),
    ("RiverSwim-24", "Sarsa+FR"): (962_376.0, 33_325.0),
    ("RiverSwim-24", "Sarsa+SR"): (519_511.0, 20_580.0),
    ("RiverSwim-24", "Sarsa"): (11_950.0, 2_643.0),
}

FLOOR = 0.002
"""What an empty row's sum counts as under the inverse bonus; found by search, see `find`."""


@dataclass(frozen=True)
class Protocol:
    """One reading of the paper, with the settings of one task."""

    name: str
    method: str = "Sarsa"
    bonus: str = "none"
    beta: float = 0.0
    floor: float = 0.0
    rows: str = "states"
    row: str = "s"
    moment: str = "after"
    start: str = "I"
    bootstrap: str = "taken next"
    values_up_to: float = 0.0
    step_size: float = 0.25
    epsilon: float = 0.1
    discount: float = 0.95
    representation_step_size: float = 0.01
    representation_discount: float = 0.95

    @property
    def agent(self) -> Sarsa:
        """The agent that follows the protocol."""
        bonuses: dict[str, Bonus] = {
            "none": none(),
            "printed": printed(self.beta),
            "inverse": inverse(self.beta, floor=self.floor),
            "negative": negative(self.beta),
        }
        learner = Learner(
            decay=1.0 if self.method == "Sarsa+SR" else 0.0,
            discount=self.representation_discount,
            step_size=self.representation_step_size,
            initial_diagonal=1.0 if self.start == "I" else 0.0,
            of_next_state=self.row == "s'",
            after_update=self.moment == "after",
            of_pairs=self.rows == "pairs",
        )
        return Sarsa(
            step_size=self.step_size,
            discount=self.discount,
            epsilon=self.epsilon,
            bonus=bonuses[self.bonus],
            learner=learner,
            redraws=self.bootstrap == "drawn anew",
            initial_values=self.values_up_to,
        )

    @property
    def text(self) -> str:
        """The protocol in a sentence or two, as the ledger shows it."""
        values = f"uniform in [0, {self.values_up_to:g})" if self.values_up_to else "0"
        sarsa = (
            f"Q starts {values}, ties broken at random, first action epsilon-greedy, bootstrap "
            f"action {self.bootstrap}; alpha {self.step_size:g}, gamma {self.discount:g}, "
            f"epsilon {self.epsilon:g}"
        )
        if self.bonus == "none":
            return f"No bonus; {sarsa}."
        letter = "M" if self.method == "Sarsa+SR" else "F"
        pair = {"s": "s,a", "s'": "s',a'"}[self.row] if self.rows == "pairs" else self.row
        norm = f"|{letter}({pair})|_1"
        below = f"max({norm}, {self.floor:g})" if self.floor else norm
        form = {
            "printed": f"+{self.beta:g} {norm}",
            "inverse": f"+{self.beta:g} / {below}",
            "negative": f"-{self.beta:g} {norm}",
        }[self.bonus]
        return (
            f"Bonus {form} read {self.moment} the update of {letter}, which starts at "
            f"{self.start}, eta {self.representation_step_size:g}, "
            f"gamma_{letter} {self.representation_discount:g}; {sarsa}."
        )


READINGS = (
    Protocol("sarsa"),
    Protocol("sarsa_random_start", values_up_to=1.0),
    Protocol("sr_drawn_anew", "Sarsa+SR", "inverse", 100.0, start="0", bootstrap="drawn anew"),
    Protocol("sr_taken_next", "Sarsa+SR", "inverse", 100.0, start="0"),
    Protocol("fr_printed", "Sarsa+FR", "printed", 50.0),
    Protocol("fr_inverse", "Sarsa+FR", "inverse", 50.0, FLOOR, "states", "s'", "before", "0"),
    Protocol("fr_inverse_pairs", "Sarsa+FR", "inverse", 50.0, FLOOR, "pairs", "s'", "before", "0"),
    Protocol("fr_negative", "Sarsa+FR", "negative", 50.0),
)


def protocols(task: str) -> list[Protocol]:
    """Return the readings with the task's printed settings."""
    return [_with_settings(task, reading) for reading in READINGS]


def search_protocols(task: str, bonus: str) -> list[Protocol]:
    """Return readings of an FR bonus in all combinations of what the paper leaves open.

    But for the bootstrap's action, which matters least and would double their number.
    """
    choices = product(("states", "pairs"), ("s", "s'"), ("before", "after"), ("I", "0"))
    return [_with_settings(task, _combination(bonus, *choice)) for choice in choices]


def _combination(bonus: str, rows: str, row: str, moment: str, start: str) -> Protocol:
    # Row s read after its update is never empty; and a floor means nothing to other bonuses.
    may_be_empty = start == "0" and (row, moment) != ("s", "after")
    floor = FLOOR if bonus == "inverse" and may_be_empty else 0.0
    return Protocol("", "Sarsa+FR", bonus, 50.0, floor, rows, row, moment, start)


def _with_settings(task: str, protocol: Protocol) -> Protocol:
    if task != "SixArms":
        return protocol
    return replace(protocol, step_size=0.1, epsilon=0.01, representation_discount=0.99)


@cache
def world(task: str) -> MDP:
    """Return the task's MDP."""
    return six_arms() if task == "SixArms" else river_swim(int(task.removeprefix("RiverSwim-")))
