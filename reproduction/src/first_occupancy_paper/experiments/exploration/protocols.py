"""Protocols: all settings of a trial as plain data, and the paper's values.

Each protocol is a reading of the paper, which prints a formula and six numbers. It leaves open
which row the bonus reads, when it does so, how both tables are initialised, and which action the
bootstrap uses. Results depend on these.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Literal

from first_occupancy.core import MDP
from first_occupancy.environments import river_swim, six_arms
from first_occupancy_paper.explorers.bonuses import NormBonus
from first_occupancy_paper.explorers.sarsa import Learner, Sarsa

Task = Literal["RiverSwim-6", "RiverSwim-12", "RiverSwim-24", "SixArms"]
SearchedBonus = Literal["printed", "inverse", "negative"]

RIVERS: tuple[Task, ...] = ("RiverSwim-6", "RiverSwim-12", "RiverSwim-24")
TASKS: tuple[Task, ...] = (*RIVERS, "SixArms")
SEARCHED_BONUSES: tuple[SearchedBonus, ...] = ("printed", "inverse", "negative")

# Total reward and its standard error over 100 trials, from Tables 1 and 2. SixArms with the
# FR is printed as "11,9149"; we infer that a 0 is missing at its end.
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
"""Lower bound on a row's norm under the inverse bonus, for rows that are still empty.

It was found by search, see `find`.
"""


@dataclass(frozen=True)
class Protocol:
    """One reading of the paper, with the settings of one task.

    Attributes:
        name: name of the reading; empty in a search.
        method: method in the paper's tables: "Sarsa", "Sarsa+SR" or "Sarsa+FR".
        bonus: form of the bonus: "none", "printed", "inverse" or "negative".
        beta: coefficient of the bonus.
        floor: lower bound on the row's norm under the inverse bonus.
        rows: whether the representation has a row for each of the "states" or of the "pairs".
        row: row that the bonus reads, "s" or "s'" (for pairs "s,a" or "s',a'").
        moment: whether the bonus is read "before" or "after" the update of the representation.
        start: initial representation, "I" or "0".
        bootstrap: whether the action of the bootstrap is the one "taken next", or the one taken
            is "drawn anew".
        values_up_to: Q starts uniform between 0 and this.
        step_size: step size of Sarsa (alpha).
        epsilon: probability of a random action.
        discount: discount factor of Sarsa.
        representation_step_size: step size of the representation (eta).
        representation_discount: discount factor of the representation.
    """

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
        weight = -self.beta if self.bonus == "negative" else self.beta
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
            bonus=NormBonus(weight, self.bonus == "inverse", self.floor),
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


LARGER_BETAS = (1e3, 1e4, 1e5)
"""Coefficients of the SR's bonus that might make up for a longer river; the printed one is 100."""


def larger_beta_protocols() -> list[Protocol]:
    """Return Sarsa+SR with the larger coefficients, otherwise as printed."""
    (printed_one,) = [reading for reading in READINGS if reading.name == "sr_drawn_anew"]
    return [replace(printed_one, name=f"sr_beta_{beta:g}", beta=beta) for beta in LARGER_BETAS]


def search_protocols(task: str, bonus: str) -> list[Protocol]:
    """Return readings of an FR bonus in all combinations of what the paper leaves open.

    The bootstrap's action is the one taken next; to vary it too would double their number.

    Args:
        task: name of the task, whose printed settings are used.
        bonus: form of the bonus, one of `SEARCHED_BONUSES`.
    """
    choices = product(("states", "pairs"), ("s", "s'"), ("before", "after"), ("I", "0"))
    return [_with_settings(task, _combination(bonus, *choice)) for choice in choices]


def _combination(bonus: str, rows: str, row: str, moment: str, start: str) -> Protocol:
    # Row s is never empty after its update, and only the inverse bonus has a floor.
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
