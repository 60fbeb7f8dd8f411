"""What rows of ant mazes say: plans over landmarks, with a walker that was learned."""

from collections.abc import Sequence

from first_occupancy_paper.experiments import Finding, Row, Verdict
from first_occupancy_paper.experiments.answers import Answer, Interval, above, every
from first_occupancy_paper.experiments.intervals import wilson
from first_occupancy_paper.experiments.offline_goals.find_peers import said_of

ANT_SETS = (("giant", "stitch"), ("medium", "navigate"))
"""The sets of the test that was written beforehand."""

SEEDS, WALKER = (1, 2, 3), "d0f414ec5077"
"""Its seeds, and the beginning of the SHA-256 of the walker's weights."""

TARGET = 0.80
"""Success to be reached on each set."""


def ant_findings(rows: Sequence[Row]) -> list[Finding]:
    """Return the line of the ant mazes, if there are rows of them."""
    if not rows:
        return []
    said, answers, tests = [], [], len(ANT_SETS)
    for maze, kind in ANT_SETS:
        own = [
            row
            for row in rows
            if (row["maze"], row["kind"], row["walker"]) == (maze, kind, WALKER)
            and row["seed"] in SEEDS
        ]
        reached, total = sum(row["reached"] for row in own), sum(row["episodes"] for row in own)
        if total:
            said.append(f"{maze}-{kind} {said_of(reached, total, tests)} ({_worst(own)})")
            answer = above(Interval(*wilson(reached, total, tests=tests)), TARGET)
            whole = {row["seed"] for row in own} == set(SEEDS)
            answers.append(answer if whole or answer is False else None)
    both: Answer = every(answers) if len(answers) == tests or False in answers else None
    return [
        Finding(
            claim="With a walker as its low level, the surest plan over landmarks reaches 80% of "
            "goals in OGBench's giant and medium ant mazes",
            paper="not in the paper",
            ours="; ".join(said),
            verdict=Verdict.holds_if(both),
            why="Holds if on both sets the interval (Wilson's, 95% for both together) lies above "
            "80%. The rule counts episodes as independent, but those of one seed share a log and a "
            "plan, and nearly all that fail on giant-stitch are of one task and seed; with seeds "
            "as samples, three do not tell 80% from 100%. "
            "Episodes run in OGBench's own environment, at most 1,000 steps each. The walker "
            "was learned in its physics by our own learner, without goals, and a tenth of the "
            "usual number of episodes was recorded with it; so this is no comparison with "
            "OGBench's table, whose methods learn torques from fixed data. Written before the "
            "runs (protocols/ant_goals.md).",
            given="with a walker learned by acting; episodes counted as independent",
        )
    ]


def _worst(rows: Sequence[Row]) -> str:
    """Return the counts by seed, and the task and seed in which most goals were missed."""
    seeds = sorted({row["seed"] for row in rows})
    counts = [sum(row["reached"] for row in rows if row["seed"] == seed) for seed in seeds]
    worst = min(rows, key=lambda row: row["reached"] / row["episodes"])
    return (
        f"by seed {', '.join(map(str, counts))}; at worst {worst['reached']} of "
        f"{worst['episodes']}, task {worst['task']} of seed {worst['seed']}"
    )
