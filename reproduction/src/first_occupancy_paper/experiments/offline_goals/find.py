"""What the rows say: success on the eight sets, with little data, of ablations; and bounds."""

from collections.abc import Sequence

from first_occupancy_paper.experiments import Finding, Row, Verdict
from first_occupancy_paper.experiments.answers import Answer, Interval, above, every
from first_occupancy_paper.experiments.intervals import wilson
from first_occupancy_paper.experiments.offline_goals.find_ants import ant_findings
from first_occupancy_paper.experiments.offline_goals.find_control import control_findings
from first_occupancy_paper.experiments.offline_goals.find_peers import (
    POOLED,
    SUREST_VALUES,
    VALUE_ITERATION,
    counts,
    peer_findings,
    said_of,
)
from first_occupancy_paper.experiments.offline_goals.run import SETS
from first_occupancy_paper.experiments.offline_goals.variants import ABLATIONS, PEERS, WHOLE

TARGETS = {"medium": 0.95, "large": 0.95, "giant": 0.95, "teleport": 0.85}
"""Success to be reached on each maze."""

TABLE = {
    ("medium", "navigate"): 82,
    ("large", "navigate"): 86,
    ("giant", "navigate"): 68,
    ("teleport", "navigate"): 45,
    ("medium", "stitch"): 80,
    ("large", "stitch"): 84,
    ("giant", "stitch"): 50,
    ("teleport", "stitch"): 44,
}
"""The best of six methods in OGBench's table, in percent: networks, trained on published data. The
numbers are quoted from notes; two of them were checked against another source."""

SMALL = 0.90
"""Success to be reached on giant-stitch with a tenth of the data."""

HELD, TIGHT = 0.95, 0.5
"""Share of the pairs in which a lower bound is to hold, and how much of what is realised it is."""

MADE_ANEW = ("luckiest instead of expected", "SR products", "FRP, not refined")
AGAIN = (
    " These rows were made twice: in the first ones, agents that had stalled went on by the "
    "refined plan (protocols/offline_goal_peers.md)."
)
"""Said of lines whose rows were computed again after a fault was found."""

SETTING = (
    "One setting for all sets, chosen on data of another seed. The data are made by the published "
    "recipe, not the published files: the same mazes, noise and lengths, though details of the "
    "walker may differ, so that they could be easier or harder. Steps of our maze are those of "
    "OGBench's MuJoCo world within 1e-4 on recorded actions (tests/peers/test_ogbench.py). The "
    "table's numbers are quoted from notes; its methods are networks without a model, and newer "
    "methods are ahead of them. The plans hold no FR: they start from likely paths and improve by "
    "policy iteration, and a search on a graph of positions does nearly as well (a line below)."
)


def find(rows: Sequence[Row]) -> list[Finding]:
    """Return the ledger's lines."""
    if not rows:
        return [
            Finding(
                claim="Goals from logs of continuous worlds",
                paper="not in the paper",
                ours="no rows",
                verdict=Verdict.NOT_RUN,
                why="Rows are kept in a checkout, and there are none here.",
            )
        ]
    attempts = [row for row in rows if "variant" in row and "reached" in row]
    lines = [_eight_sets(attempts), _little_data(attempts)]
    apart = (VALUE_ITERATION, SUREST_VALUES)
    others = [each.name for each in (*ABLATIONS, *PEERS) if each.name not in apart]
    lines += [_ablation(attempts, name) for name in others if _has(attempts, name)]
    lines += peer_findings(attempts)
    checks = [row for row in rows if "low" in row]
    lines += [_bounds(checks)] if checks else []
    lines += ant_findings([row for row in rows if "walker" in row])
    return lines + control_findings([row for row in rows if "control" in row])


def _has(rows: Sequence[Row], variant: str) -> bool:
    return any(row["variant"] == variant for row in rows)


def _eight_sets(rows: Sequence[Row]) -> Finding:
    said, answers = [], []
    for maze, kind in SETS:
        reached, total = counts(rows, WHOLE.name, maze, kind)
        if total:
            said.append(f"{maze}-{kind} {said_of(reached, total)}, table {TABLE[maze, kind]}")
            answers.append(above(Interval(*wilson(reached, total)), TARGETS[maze]))
    answer: Answer = every(answers) if len(answers) == len(SETS) else None
    return Finding(
        claim="The surest plan over landmarks reaches 95% of goals in the medium, large and giant "
        "maze, and 85% with teleporters",
        paper="not in the paper",
        ours="; ".join(said),
        verdict=Verdict.holds_if(answer),
        why=f"Holds if every set's interval (Wilson's, 95%) lies above its target. {_units(rows)}"
        f"{SETTING}",
        figure="success",
        given=POOLED,
    )


def _units(rows: Sequence[Row]) -> str:
    """Return where intervals begin if pairs of log and task are the units, or logs."""
    own = [row for row in rows if row["variant"] == WHOLE.name and row["divisor"] == 1]
    of_set = [row for row in own if (row["maze"], row["kind"]) == SETS[0]]
    if any(row["reached"] < row["episodes"] for row in own) or not of_set:
        return ""
    cells, logs = len(of_set), len({row["seed"] for row in of_set})
    low, lowest = (100 * wilson(number, number)[0] for number in (cells, logs))
    return (
        f"A set has {cells} pairs of log and task, whose episodes all arrive; with pairs as units "
        f"the interval begins at {low:.0f}%, with the {logs} logs at {lowest:.0f}%. "
    )


def _little_data(rows: Sequence[Row]) -> Finding:
    reached, total = counts(rows, WHOLE.name, "giant", "stitch", 10)
    others = [
        f"{maze}-{kind} {said_of(*counts(rows, WHOLE.name, maze, kind, 10))}"
        for maze, kind in SETS
        if counts(rows, WHOLE.name, maze, kind, 10)[1]
    ]
    return Finding(
        claim="A tenth of the data is enough for 90% on giant-stitch",
        paper="not in the paper",
        ours="; ".join(others) or "no rows",
        verdict=Verdict.holds_if(
            above(Interval(*wilson(reached, total)), SMALL) if total else None
        ),
        why="Holds if the interval on giant-stitch (Wilson's, 95%) lies above 90%; the other sets "
        "are shown beside it. With fewer samples moves are doubted more, and teleporters are "
        "less well outlined.",
        figure="success",
        given=POOLED,
    )


def _ablation(rows: Sequence[Row], name: str) -> Finding:
    pairs = {
        (maze, kind, divisor): (ours, whole)
        for maze, kind in SETS
        for divisor in (1, 10)
        if (ours := counts(rows, name, maze, kind, divisor))[1]
        and (whole := counts(rows, WHOLE.name, maze, kind, divisor))[1]
    }
    said, answers, tests = [], [], max(len(pairs), 1)
    for (maze, kind, divisor), (ours, whole) in pairs.items():
        part = "" if divisor == 1 else ", a tenth of the data"
        said.append(f"{maze}-{kind}{part} {said_of(*ours, tests)} against {said_of(*whole, tests)}")
        theirs, mine = wilson(*ours, tests=tests), wilson(*whole, tests=tests)
        answers.append(True if theirs[1] < mine[0] else False if theirs[0] > mine[1] else None)
    worse = any(answer is True for answer in answers)
    return Finding(
        claim=f"The surest plan does better than “{name}” on some set",
        paper="not in the paper",
        ours="; ".join(said),
        verdict=Verdict.holds_if(True if worse else None if None in answers else False),
        why="Better means that the intervals (Wilson's, 95% for all sets tried together) do not "
        "overlap. Variants other than those without pessimism or displacements and those with "
        "mined skills plan with a discount of .998, as “soonest” does, which also gambles on "
        f"teleporters.{AGAIN if name in MADE_ANEW else ''}",
        figure="success",
        given=POOLED,
    )


def _bounds(rows: Sequence[Row]) -> Finding:
    said, answers, mazes = [], [], dict.fromkeys(row["maze"] for row in rows)
    for maze in mazes:
        own = [row for row in rows if row["maze"] == maze]
        below = sum(row["low"] <= row["real"] + 1e-9 for row in own)
        ratios = sorted(row["low"] / row["real"] for row in own if row["real"] > 0)
        median = ratios[len(ratios) // 2] if ratios else 0.0
        said.append(
            f"{maze}: below what was realised in {said_of(below, len(own), len(mazes))} of "
            f"{len(own)} pairs, "
            f"median share {median:.2f}"
        )
        held = Interval(*wilson(below, len(own), tests=len(mazes)))
        answers += [above(held, HELD), median >= TIGHT]
    return Finding(
        claim="Lower bounds hold in 95% of pairs and are half of what is realised in the median",
        paper="not in the paper",
        ours="; ".join(said),
        verdict=Verdict.holds_if(every(answers)),
        why="Holds if in every maze the interval (Wilson's, 95% for all mazes together) lies above "
        "95%, and the median share is .5 or more. The bound lets agents take twice the time of the "
        "worst entry. That allowance was set after a first look: without it, bounds on data of "
        "seed 0 held in 93% (medium), 96.5% (large) and 68% (giant) of 200 pairs. With it, on data "
        "of seed 1, they held in 99%, 100% and 98.5%, but with teleporters in 80 of 98 pairs "
        "only: the bound led through walls where no step was recorded. It no longer does, and "
        "allows for lucky samples of jumps. With teleporters the rows are of seed 2, run after "
        "that change; elsewhere bounds were computed anew for the rollouts of seed 1 "
        "(protocols/offline_goals.md). Discount .998 per step.",
        given="with an allowance set after a first look; pairs counted as independent",
    )
