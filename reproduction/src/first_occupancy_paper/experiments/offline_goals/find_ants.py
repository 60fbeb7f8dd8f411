"""What rows of ant mazes say: plans over landmarks, with a walker that was learned."""

from collections.abc import Sequence

from first_occupancy_paper.experiments import Line, Row, Verdict, grouped, line, where
from first_occupancy_paper.experiments.answers import Answer, Interval, above, every, wilson
from first_occupancy_paper.experiments.offline_goals.find_peers import arrivals, rate

ANT_SETS = (("giant", "stitch"), ("medium", "navigate"))
"""The sets of the test that was written beforehand."""

SEEDS, WALKER = (1, 2, 3), "d0f414ec5077"
"""Its seeds, and the beginning of the SHA-256 of the walker's weights."""

TARGET = 0.80
"""Success to be reached on each set."""

NEARLY_ALL = 0.8
"""Failures are nearly all of one task and seed if this share of them is."""


def ant_lines(rows: Sequence[Row]) -> list[Line]:
    """Return the line of the ant mazes, if there are rows of them."""
    if not rows:
        return []
    sets, answers, tests = [], [], len(ANT_SETS)
    for maze, kind in ANT_SETS:
        own = where(rows, maze=maze, kind=kind, walker=WALKER)
        own = [row for row in own if row["seed"] in SEEDS]
        by_seed = grouped(own, "seed")
        reached, total = arrivals(own)
        if total:
            worst = min(own, key=lambda row: row["reached"] / row["episodes"])
            sets.append(
                {
                    "set": f"{maze}-{kind}",
                    "rate": rate(reached, total, tests),
                    "by_seed": [arrivals(by_seed[seed])[0] for seed in sorted(by_seed)],
                    "worst": worst,
                    "missed": total - reached,
                    "missed_at_worst": worst["episodes"] - worst["reached"],
                }
            )
            answer = above(Interval(*wilson(reached, total, tests=tests)), TARGET)
            answers.append(answer if set(by_seed) == set(SEEDS) or answer is False else None)
    both: Answer = every(answers) if len(answers) == tests or False in answers else None
    first = next((each for each in sets if each["set"] == "-".join(ANT_SETS[0])), None)
    together = first is not None and first["missed_at_worst"] >= NEARLY_ALL * first["missed"] > 0
    return [line("ants", Verdict.holds_if(both), "both", sets=sets, together=together)]
