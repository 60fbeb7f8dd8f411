"""What the rows say about the appendix on many goals and options."""

from collections.abc import Mapping, Sequence
from math import exp

from first_occupancy_paper.experiments import Finding, Row, Verdict
from first_occupancy_paper.experiments.answers import MATCHING_RETURN, Interval, every, within
from first_occupancy_paper.experiments.intervals import wilson
from first_occupancy_paper.experiments.many_goals.statistics import pooled

ROUNDING = 1e-9
"""Largest difference of log discounts that the order of additions can cause."""


def find(rows: Sequence[Row]) -> list[Finding]:
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


def _best_order(tour: Row) -> Finding:
    def steps(log_discount: float) -> float:
        return log_discount / tour["log_step"]

    agrees = abs(tour["log_discount"] - tour["brute_force"]) < ROUNDING
    return Finding(
        claim="Discounts multiplied along an order of goals find the best order to visit them",
        paper="argmax of the product over all n! orders (no example given)",
        ours=(
            f"{len(tour['goals'])} goals in FourRooms: best order "
            f"{steps(tour['log_discount']):.0f} steps (discount {exp(tour['log_discount']):.4f}); "
            f"mean over all {tour['num_orders']:,} orders {steps(tour['mean_log_discount']):.1f} "
            f"steps ({tour['mean_discount']:.4f}), worst {steps(tour['worst']):.0f} "
            f"({exp(tour['worst']):.6f}), nearest goal first {steps(tour['greedy']):.0f}. Trying "
            f"all orders finds {steps(tour['brute_force']):.0f} steps too, in {tour['num_best']} "
            "of the orders"
        ),
        verdict=Verdict.reproduced_if(agrees),
        why="Reproduced if it is as good as the best of all orders. Exact FRs, no noise, so a "
        "discount of gamma^n means n steps. The goals are ours.",
        figure="tour",
    )


def _cost(counts: Sequence[Row]) -> Finding:
    agree = all(row["largest_gap"] < ROUNDING for row in counts)
    cheaper = [row["num_goals"] for row in counts if row["held_karp"] < row["all_orders"]]
    last, compared = counts[-1], sum(row["sets"] for row in counts)
    most = max((row["num_goals"] for row in counts if row["sets"]), default=0)
    gap = max(row["largest_gap"] for row in counts)
    ours = (
        f"Held-Karp finds the same discounts as trying all orders in {compared} of {compared} "
        f"random sets of 2 to {most} goals (largest difference in logs {gap:.0e})"
        if agree
        else f"Held-Karp and trying all orders differ by up to {gap:.2g} in log discount"
    )
    ours += f". It takes fewer additions from {min(cheaper)} goals on" if cheaper else ""
    needs_all = not (agree and cheaper)
    return Finding(
        claim="Finding the best order of n goals takes of the order of n! operations",
        paper="O(n!)",
        ours=(
            f"{ours}: {last['held_karp']:.2g} instead of {last['all_orders']:.2g} "
            f"for {last['num_goals']}"
        ),
        verdict=Verdict.reproduced_if(needs_all),
        why=(
            "Differs if a method finds the same with fewer operations. As an upper bound O(n!) is "
            "true, but far from sharp. The best tour through a set of goals depends on the set "
            "and its last goal only, so "
            "2^n n^2 additions are enough (Held and Karp 1962). n! is what listing all orders "
            "costs, not what the problem needs; no polynomial method is known."
        ),
        figure="orders",
    )


def _as_options(
    simulated: Sequence[Row], plans: Mapping[float, Row], worth: Mapping[float, Row]
) -> Finding:
    texts, right = [], []
    for noise, plan in sorted(plans.items()):
        rows = [row for row in simulated if (row["noise"], row["way"]) == (noise, "leg_by_leg")]
        mean, half, episodes = pooled(rows)
        exact = worth[noise]["leg_by_leg"]
        found = Interval(mean - half, mean + half)
        low, high = ((1 + sign * MATCHING_RETURN) * exact for sign in (-1, 1))
        right.append(within(found, low, high))
        arrived = sum(row["in_time"] for row in rows)
        low, high = wilson(arrived, episodes)
        texts.append(
            f"noise {noise:g}: {len(plan['legs'])} options; {mean:.4f} ± {half:.4f} over "
            f"{episodes:,} episodes, exactly {exact:.4f}; at the goal within 75 steps in "
            f"{arrived / episodes:.1%} ({low:.1%} to {high:.1%})"
        )
    return Finding(
        claim="FRP makes options of base policies: follow pi^F until it ends at s^F",
        paper="deterministic termination at the subgoal; the plan's discount is the legs' product",
        ours=f"Mean discount of running the options, corner to corner. {'. '.join(texts)}",
        verdict=Verdict.reproduced_if(every(right)),
        why=(
            f"Reproduced if the simulated mean lies within {MATCHING_RETURN:.0%} of the product of "
            "FRs, with its whole 95% interval, at every noise. FRs are exact for each noise; "
            "intervals: normal, and Wilson's for rates."
        ),
        figure="options",
    )


def _optimal_options(noise: float, worth: Row, simulated: Sequence[Row]) -> Finding:
    legs, looks = worth["leg_by_leg_mean_share"], worth["rechoosing_mean_share"]
    optimal = worth["leg_by_leg_least_share"] > 1 - ROUNDING
    example = []
    for way in ("leg_by_leg", "rechoosing"):
        mean, half, _ = pooled([r for r in simulated if (r["noise"], r["way"]) == (noise, way)])
        name = way.replace("_", " ")
        example.append(f"{name} {mean:.4f} ± {half:.4f} (exactly {worth[way]:.4f})")
    why = (
        "Prop. 4.1 for all starts and goals at once: the same four FRs give the options of every "
        "goal."
        if optimal
        else "An option that runs until its subgoal ignores that noise has moved it elsewhere. "
        "Looking the plan up at every step, as the paper's agent does, mends nearly all of it."
    )
    return Finding(
        claim=f"The options are optimal: the fastest path to any goal (noise {noise:g})",
        paper="optimal for the problems considered, under the coverage assumption",
        ours=(
            f"Over all {worth['pairs']:,} pairs, exactly: run to their ends the options bring "
            f"{legs:.1%} of the optimal discount (least {worth['leg_by_leg_least_share']:.1%}), "
            f"looked up at every step {looks:.2%} (least {worth['rechoosing_least_share']:.1%}). "
            f"Simulated corner to corner, optimum {worth['optimal']:.4f}: {'; '.join(example)}"
        ),
        verdict=Verdict.reproduced_if(optimal),
        why=f"Reproduced if, run to their ends, they are optimal for every pair; exact. {why}",
        figure="following",
        # Without noise it is Prop. 4.1, which a line of its own counts.
        again=noise == 0,
    )
