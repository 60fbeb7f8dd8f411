"""What the rows say about the appendix on many goals and options; `findings.md` says it.

Means over the episodes of several seeds, with intervals.
"""

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from statistics import NormalDist

from .. import Line, Row, Verdict, grouped, line, where
from ..answers import MATCHING_RETURN, Interval, Mean, every, wilson, within

WITHIN_95 = NormalDist().inv_cdf(0.975)


def pooled(rows: Sequence[Row]) -> tuple[Mean, int]:
    """Return the mean discount over all episodes with its 95% interval, and their number.

    There are thousands of independent episodes, so the interval is that of a normal distribution.
    """
    episodes = sum(row["episodes"] for row in rows)
    mean = sum(row["mean"] * row["episodes"] for row in rows) / episodes
    variance = sum(row["variance"] * row["episodes"] for row in rows) / episodes
    return Mean(mean, WITHIN_95 * sqrt(variance / episodes)), episodes


ROUNDING = 1e-9
"""Largest difference of log discounts that the order of additions can cause."""

Simulated = Mapping[tuple[float, str], Sequence[Row]]
"""Rows of simulations, by noise and way to follow the plan."""

NEARLY_ALL = 0.95
"""Share of what is lost that has to be had back for it to be nearly all."""


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    simulated = grouped(rows, "noise", "way")
    legs = {row["noise"]: len(row["legs"]) for row in where(rows, "legs", part="options")}
    worth = {row["noise"]: row for row in where(rows, part="worth")}
    return [
        _best_order(*where(rows, part="tour")),
        _cost(where(rows, part="orders")),
        _as_options(simulated, legs, worth),
        *[_optimal_options(noise, worth[noise], simulated) for noise in sorted(worth)],
    ]


def _best_order(tour: Row) -> Line:
    names = ("log_discount", "mean_log_discount", "worst", "greedy", "brute_force")
    agrees = abs(tour["log_discount"] - tour["brute_force"]) < ROUNDING
    return line(
        "best_order",
        Verdict.reproduced_if(agrees),
        "as good",
        tour=tour,
        goals=len(tour["goals"]),
        steps={name: tour[name] / tour["log_step"] for name in names},
        discount=exp(tour["log_discount"]),
        worst=exp(tour["worst"]),
    )


def _cost(counts: Sequence[Row]) -> Line:
    gap = max(row["largest_gap"] for row in counts)
    agree = all(row["largest_gap"] < ROUNDING for row in counts)
    cheaper = [row["num_goals"] for row in counts if row["held_karp"] < row["all_orders"]]
    return line(
        "cost",
        Verdict.reproduced_if(not (agree and cheaper)),
        "fewer",
        agree=agree,
        gap=gap,
        compared=sum(row["sets"] for row in counts),
        most_goals=max((row["num_goals"] for row in counts if row["sets"]), default=0),
        any_cheaper=bool(cheaper),
        cheaper_from=min(cheaper, default=None),
        last=counts[-1],
    )


def _as_options(
    simulated: Simulated, legs: Mapping[float, int], worth: Mapping[float, Row]
) -> Line:
    plans, right = [], []
    for noise in sorted(legs):
        rows, exact = simulated[noise, "leg_by_leg"], worth[noise]["leg_by_leg"]
        mean, episodes = pooled(rows)
        interval = Interval(mean.mean - mean.half, mean.mean + mean.half)
        right.append(within(interval, (1 - MATCHING_RETURN) * exact, (1 + MATCHING_RETURN) * exact))
        arrived = sum(row["in_time"] for row in rows)
        about = {"noise": noise, "legs": legs[noise], "exact": exact, "episodes": episodes}
        rates = {"arrived": arrived / episodes, **wilson(arrived, episodes)._asdict()}
        plans.append({**about, **mean._asdict(), **rates})
    verdict = Verdict.reproduced_if(every(right))
    return line("options", verdict, "product", plans=plans, matching=MATCHING_RETURN)


def _optimal_options(noise: float, worth: Row, simulated: Simulated) -> Line:
    optimal = worth["leg_by_leg_least_share"] > 1 - ROUNDING
    lost, still_lost = (1 - worth[f"{way}_mean_share"] for way in ("leg_by_leg", "rechoosing"))
    ways = []
    for way in ("leg_by_leg", "rechoosing"):
        mean, _ = pooled(simulated[noise, way])
        ways.append({"way": way.replace("_", " "), "exact": worth[way], **mean._asdict()})
    return line(
        f"optimal:{noise:g}",
        Verdict.reproduced_if(optimal),
        "every pair",
        # Without noise it is Prop. 4.1, which a line of its own counts.
        again=noise == 0,
        **worth,
        ways=ways,
        all_optimal=optimal,
        mends=still_lost <= (1 - NEARLY_ALL) * lost,
    )
