"""Plans where there is no maze to draw them over: a chain of legs, or a table of all states."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from first_occupancy.planning.legs import Leg
from first_occupancy.planning.plans import NOTHING, Plan
from first_occupancy.plotting import style

LEGS_PER_ROW = 5
"""Legs side by side; longer chains go on in the next row."""

MOST_LEGS = 40
"""Legs that a chain shows; the others are counted."""


def name_of(number: int, names: Sequence[str] | None, *, otherwise: str) -> str:
    """Return the name of a state or a policy, or a word with its number."""
    return names[number] if names and 0 <= number < len(names) else f"{otherwise} {number}"


def chain_of_legs(ax: Axes, legs: Sequence[Leg], start: str | None = None) -> Axes:
    """Return the Axes with the legs as arrows from one subgoal to the next."""
    shown = legs[:MOST_LEGS]
    ends = ["" if start is None else start]
    ends += [leg.subgoal_name or f"state {leg.subgoal}" for leg in shown]
    for number, leg in enumerate(shown):
        row, column = divmod(number, LEGS_PER_ROW)
        policy = leg.policy_name or f"policy {leg.policy}"
        if column == 0:
            _node(ax, row, 0, ends[number], is_end=number == 0)
        _arrow(ax, row, column, policy, style.colour(number))
        is_last = start is not None and number == len(legs) - 1
        _node(ax, row, column + 1, ends[number + 1], is_end=is_last)
    if len(legs) > MOST_LEGS:
        row = (len(shown) - 1) // LEGS_PER_ROW
        ax.text(0, row + 0.5, f"and {len(legs) - MOST_LEGS} more legs", fontsize=style.TEXT)
    width, height = chain_size(len(legs))
    ax.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
    ax.set_axis_off()
    return ax


def chain_size(count: int) -> tuple[int, int]:
    """Return the columns and rows of nodes that a chain of so many legs takes."""
    rows = max(1, -(-min(count, MOST_LEGS) // LEGS_PER_ROW)) + (count > MOST_LEGS)
    return min(count, LEGS_PER_ROW) + 1, rows


def _node(ax: Axes, row: int, column: int, text: str, *, is_end: bool) -> None:
    if text:
        box = {"boxstyle": "round", "facecolor": style.GOAL if is_end and column else "white"}
        box |= {"edgecolor": style.INK, "linewidth": style.THIN}
        look = {"ha": "center", "va": "center", "fontsize": style.TEXT, "zorder": 3}
        ax.text(column, row, style.literal(text), bbox=box, **look)


def _arrow(ax: Axes, row: int, column: int, text: str, colour: str) -> None:
    look = {"arrowstyle": "-|>", "color": colour, "linewidth": style.LINE}
    ax.annotate("", (column + 0.68, row), (column + 0.3, row), arrowprops=look)
    look = {"ha": "center", "va": "bottom", "fontsize": style.SMALL, "color": colour}
    ax.text(column + 0.5, row - 0.1, style.literal(text), **look)


def table_of_states(ax: Axes, plan: Plan) -> Axes:
    """Return the Axes with one bar for each state: the discount, and what to follow until where.

    Bars are what following the plan achieves; where that differs from what the legs promise, a line
    marks the promise.
    """
    discounts = np.asarray(plan.expected_discount, dtype=float)
    places = np.arange(len(discounts))
    ax.barh(places, discounts, height=0.7, color=style.SKY, label="expected")
    if plan.exceeds_promise:
        promised = np.asarray(plan.promised, dtype=float)
        look = {"color": style.VERMILLION, "linewidth": 1.5 * style.LINE, "label": "promised"}
        ax.vlines(promised, places - 0.35, places + 0.35, **look)
    for state in places:
        text = style.literal(_what_to_do(plan, int(state)))
        ax.text(0.02, float(state), text, va="center", fontsize=style.SMALL)
    names = [name_of(int(state), plan.state_names, otherwise="state") for state in places]
    ax.set_yticks(places, [*map(style.literal, names)])
    ax.set(xlim=(0, 1.02), ylim=(len(places) - 0.5, -0.5), xlabel="expected discount")
    ax.legend(
        fontsize=style.SMALL, frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2
    )
    return ax


def _what_to_do(plan: Plan, state: int) -> str:
    if state == int(plan.goal):
        return "goal"
    policy, subgoal = int(plan.policy[state]), int(plan.subgoal[state])
    if policy == NOTHING:
        return "cannot reach the goal"
    until = name_of(subgoal, plan.state_names, otherwise="state")
    return f"{name_of(policy, plan.policy_names, otherwise='policy')} until {until}"
