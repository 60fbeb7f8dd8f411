"""What the rows say about the appendix on many goals and options; `findings.md` says it.

Means over the episodes of several seeds, with intervals.
"""

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from statistics import NormalDist

from .. import Line, Row, Verdict, line
from ..answers import MATCHING_RETURN, Interval, every, wilson, within

WITHIN_95 = NormalDist().inv_cdf(0.975)


def pooled(rows: Sequence[Row]) -> tuple[float, float, int]:
    """Return the mean discount over all episodes, half its 95% interval, and their number.

    There are thousands of independent episodes, so the interval is that of a normal distribution.
    """
    episodes = sum(row["episodes"] for row in rows)
    mean = sum(row["mean"] * row["episodes"] for row in rows) / episodes
    variance = sum(row["variance"] * row["episodes"] for row in rows) / episodes
    return mean, WITHIN_95 * sqrt(variance / episodes), episodes


ROUNDING = 1e-9
"""Largest difference of log discounts that the order of additions can cause."""

NEARLY_ALL = 0.95
"""Share of what is lost that has to be had back for it to be nearly all."""


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    tour = next(row for row in rows if row["part"] == "tour")
    counts = [row for row in rows if row["part"] == "orders"]
    simulated = [row for row in rows if "way" in row]
    plans = {row["noise"]: row for row in rows if row["part"] == "options" and "legs" in row}
    worth = {row["noise"]: row for row in rows if row["part"] == "worth"}
    return [
        _best_order(tour),
        _cost(counts),
        _as_options(simulated, plans, worth),
        *[_optimal_options(noise, worth[noise], simulated) for noise in sorted(worth)],
    ]


def _best_order(tour: Row) -> Line:
    def steps(name: str) -> float:
        return tour[name] / tour["log_step"]

    agrees = abs(tour["log_discount"] - tour["brute_force"]) < ROUNDING
    return line(
        "best_order",
        Verdict.reproduced_if(agrees),
        "as good",
        goals=len(tour["goals"]),
        steps=steps("log_discount"),
        discount=exp(tour["log_discount"]),
        num_orders=tour["num_orders"],
        mean_steps=steps("mean_log_discount"),
        mean_discount=tour["mean_discount"],
        worst_steps=steps("worst"),
        worst=exp(tour["worst"]),
        greedy_steps=steps("greedy"),
        all_steps=steps("brute_force"),
        num_best=tour["num_best"],
    )


def _cost(counts: Sequence[Row]) -> Line:
    gap = max(row["largest_gap"] for row in counts)
    agree = all(row["largest_gap"] < ROUNDING for row in counts)
    cheaper = [row["num_goals"] for row in counts if row["held_karp"] < row["all_orders"]]
    last = counts[-1]
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
        held_karp=last["held_karp"],
        all_orders=last["all_orders"],
        last_goals=last["num_goals"],
    )


def _as_options(
    simulated: Sequence[Row], plans: Mapping[float, Row], worth: Mapping[float, Row]
) -> Line:
    found, right = [], []
    for noise, plan in sorted(plans.items()):
        rows = [row for row in simulated if (row["noise"], row["way"]) == (noise, "leg_by_leg")]
        mean, half, episodes = pooled(rows)
        exact = worth[noise]["leg_by_leg"]
        least, most = ((1 + sign * MATCHING_RETURN) * exact for sign in (-1, 1))
        right.append(within(Interval(mean - half, mean + half), least, most))
        arrived = sum(row["in_time"] for row in rows)
        low, high = wilson(arrived, episodes)
        found.append(
            {
                "noise": noise,
                "legs": len(plan["legs"]),
                "mean": mean,
                "half": half,
                "episodes": episodes,
                "exact": exact,
                "arrived": arrived / episodes,
                "low": low,
                "high": high,
            }
        )
    verdict = Verdict.reproduced_if(every(right))
    return line("options", verdict, "product", plans=found, matching=MATCHING_RETURN)


def _optimal_options(noise: float, worth: Row, simulated: Sequence[Row]) -> Line:
    optimal = worth["leg_by_leg_least_share"] > 1 - ROUNDING
    lost, still_lost = (1 - worth[f"{way}_mean_share"] for way in ("leg_by_leg", "rechoosing"))
    ways = []
    for way in ("leg_by_leg", "rechoosing"):
        mean, half, _ = pooled([r for r in simulated if (r["noise"], r["way"]) == (noise, way)])
        name = way.replace("_", " ")
        ways.append({"way": name, "mean": mean, "half": half, "exact": worth[way]})
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
