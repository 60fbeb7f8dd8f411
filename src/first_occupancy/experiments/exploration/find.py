"""What the rows say about Tables 1 and 2, cell by cell, and about the claims made with them."""

from collections.abc import Mapping, Sequence

from first_occupancy.experiments import Finding, Row, Verdict
from first_occupancy.experiments.exploration.estimates import (
    WITHIN,
    Estimate,
    agrees,
    distance,
    estimate,
    searched,
    shown,
    task_estimate,
)
from first_occupancy.experiments.exploration.protocols import PAPER, RIVERS, TASKS

Estimates = Mapping[tuple[str, str], Estimate]

AS_PRINTED = {"Sarsa": "sarsa", "Sarsa+SR": "sr_drawn_anew", "Sarsa+FR": "fr_printed"}
"""The protocol that represents each method in the cells of the tables."""

OTHER_READINGS = {
    "Sarsa": ("sarsa_random_start",),
    "Sarsa+SR": ("sr_taken_next",),
    "Sarsa+FR": ("fr_inverse_pairs", "fr_inverse", "fr_negative"),
}
NAMES = {
    "sarsa_random_start": "with Q uniform in [0, 1) at first",
    "sr_taken_next": "with the bootstrap's action taken next",
    "fr_inverse_pairs": "with beta / |F(s',a')|_1",
    "fr_inverse": "with beta / |F(s')|_1",
    "fr_negative": "with -beta |F(s)|_1",
}
BY_HAND = (
    "Tried before it by hand, on yet other seeds: on all three tasks a bootstrap drawn anew, beta "
    "100, gamma_F .99, and the published code's odds and updates; on RiverSwim-6 epsilon .05, a "
    "greedy bootstrap, the L2 norm, and floors from 1e-8 to 1 (from .001 to .005, F of pairs gave "
    "1.50M to 1.54M: hence .002)."
)
REMARKS = {
    "fr_inverse_pairs": "This reading and its floor were found by hand among some 330 "
    "settings on other seeds; that the authors used it is a guess. ",
    "fr_inverse": "The count-like form for the FR of states, as the paper writes F(s). It is "
    "on the border: 1,600 trials on the seeds of the search by hand gave 1,475,369 ± 13,739. ",
    "fr_negative": "It punishes states from which much is reached soon. ",
    "sr_taken_next": "Textbook Sarsa. Machado et al.'s code draws the action anew. ",
}


def find(rows: Sequence[Row]) -> list[Finding]:
    """Return the ledger's lines."""
    ours = shown(rows)
    texts = {(row["task"], row["variant"]): row["protocol"] for row in rows if "variant" in row}
    cells = [(task, method) for task in TASKS for method in AS_PRINTED]
    return [
        *(_cell(task, method, ours, texts) for task, method in cells),
        *(_reading(variant, ours, texts) for variant in REMARKS),
        *_published(rows),
        _better_bonus(ours),
        _more_robust(ours),
        *_search(rows),
    ]


def _cell(task: str, method: str, ours: Estimates, texts: Mapping[tuple[str, str], str]) -> Finding:
    paper, variant = PAPER[task, method], AS_PRINTED[method]
    mine = ours[task, variant]
    others = "; ".join(
        f"{NAMES[other]} {ours[task, other].mean:,.0f} ± {ours[task, other].error:,.0f}"
        for other in OTHER_READINGS[method]
    )
    tables = {"RiverSwim-6": "Tables 1 and 2", "SixArms": "Table 1"}.get(task, "Table 2")
    formula = ", bonus as printed" if method == "Sarsa+FR" else ""
    return Finding(
        claim=f"{tables}: {method} on {task}{formula}",
        paper=_printed(task, method),
        ours=mine.text,
        verdict=_verdict(mine, paper),
        why=f"{texts[task, variant]} {_apart(mine, paper)}{_spread(mine)} "
        f"Other readings: {others}.",
        figure="tables",
    )


def _reading(variant: str, ours: Estimates, texts: Mapping[tuple[str, str], str]) -> Finding:
    """Return how another reading compares with the paper on RiverSwim-6."""
    method = "Sarsa+SR" if variant.startswith("sr") else "Sarsa+FR"
    task, paper = "RiverSwim-6", PAPER["RiverSwim-6", method]
    mine = ours[task, variant]
    return Finding(
        claim=f"Another reading of {method} on {task}: {NAMES[variant]}",
        paper=_printed(task, method),
        ours=mine.text,
        verdict=_verdict(mine, paper),
        why=f"{REMARKS[variant]}{texts[task, variant]} {_apart(mine, paper)}",
        figure="tables",
    )


def _published(rows: Sequence[Row]) -> list[Finding]:
    parts = [row for row in rows if row["part"] == "published"]
    if not parts:
        return []
    own = estimate(row for row in parts if row["world"] == "published")
    other = estimate(row for row in parts if row["world"] != "published")
    paper = PAPER["RiverSwim-6", "Sarsa+FR"]
    return [
        Finding(
            claim="The authors' published code gives the number of Sarsa+FR on RiverSwim-6",
            paper=_printed("RiverSwim-6", "Sarsa+FR"),
            ours=own.text,
            verdict=_verdict(own, paper),
            why=f"{parts[0]['protocol']} {_apart(own, paper)} By the same rules in the RiverSwim "
            f"of the other lines: {other.mean:,.0f} ± {other.error:,.0f}.",
            figure="tables",
        )
    ]


def _better_bonus(ours: Estimates) -> Finding:
    def ahead(task: str, variant: str) -> bool:
        sr, fr = ours[task, "sr_drawn_anew"], ours[task, variant]
        return fr.mean > sr.mean and not agrees(fr, (sr.mean, sr.error))

    won = [task for task in TASKS if ahead(task, "fr_printed")]
    ratios = ", ".join(
        f"{ours[task, 'fr_printed'].mean / ours[task, 'sr_drawn_anew'].mean:.2g} on {task}"
        for task in TASKS
    )
    instead = [task for task in TASKS if ahead(task, "fr_inverse_pairs")]
    return Finding(
        claim="The FR's bonus gives more reward than the SR's on every task",
        paper="1.29 times on RiverSwim-6, 2.1 on -12, 1.9 on -24, 1.16 on SixArms (inferred)",
        ours=f"As printed {ratios} (more by over {WITHIN:g} SE on: {_listed(won)})",
        verdict=Verdict.reproduced_if(len(won) == len(TASKS)),
        why=f"The FR {NAMES['fr_inverse_pairs']} is ahead by as much on: {_listed(instead)}. "
        "A mean below 25,000 on RiverSwim is what the 5 at the near end pays in 5,000 steps: there "
        "it shows how soon a method settles for that, not that it found the 10,000.",
        figure="tables",
    )


def _more_robust(ours: Estimates) -> Finding:
    def left(variant: str) -> float:
        return ours["RiverSwim-24", variant].mean / ours["RiverSwim-6", variant].mean

    ahead = all(ours[t, "fr_printed"].mean > ours[t, "sr_drawn_anew"].mean for t in RIVERS)
    best = max(mine.mean for (task, _), mine in ours.items() if task == "RiverSwim-24")
    holds = ahead and left("fr_printed") > left("sr_drawn_anew")
    return Finding(
        claim="Sarsa+FR is more robust than Sarsa+SR as RiverSwim grows from 6 to 24 states",
        paper="FR keeps 62% of its reward and stays ahead, SR keeps 43%",
        ours=f"FR as printed keeps {left('fr_printed'):.0%}, SR {left('sr_drawn_anew'):.1%}, "
        f"FR {NAMES['fr_inverse_pairs']} {left('fr_inverse_pairs'):.1%}",
        verdict=Verdict.reproduced_if(holds),
        why=f"The largest mean of all shown readings on RiverSwim-24 is {best:,.0f}; the near end "
        "alone pays up to 25,000. A method that seldom finds the 10,000 even with 6 states has "
        "little to lose.",
        figure="learning",
    )


def _search(rows: Sequence[Row]) -> list[Finding]:
    readings = searched(rows)
    if not readings:
        return []
    hits = {
        task: {
            number
            for number, reading in enumerate(readings)
            if agrees(task_estimate(reading, task), PAPER[task, "Sarsa+FR"])
        }
        for task in RIVERS
    }
    all_three = set.intersection(*hits.values())

    def best(task: str) -> str:
        return f"{max(task_estimate(each, task).mean for each in readings):,.0f} on {task}"

    printed = "; ".join(f"{task} {_printed(task, 'Sarsa+FR')}" for task in RIVERS)
    return [
        Finding(
            claim="Some reading of the FR bonus gives the whole Sarsa+FR column of Table 2",
            paper=printed,
            ours=f"Of {len(readings)} readings within {WITHIN:g} SE: "
            + ", ".join(f"{len(hits[task])} on {task}" for task in RIVERS)
            + f"; on all three: {len(all_three)}",
            verdict=Verdict.reproduced_if(bool(all_three)),
            why="Search over the bonus (printed, inverse, negative), F of states or of pairs, "
            "row s or s', before or after the update, F from I or 0; bootstrap action taken next, "
            "100 trials each. Best means found: "
            + ", ".join(best(task) for task in RIVERS)
            + f". {BY_HAND}",
            figure="search",
        )
    ]


def _verdict(ours: Estimate, paper: tuple[float, float]) -> Verdict:
    return Verdict.reproduced_if(agrees(ours, paper))


def _apart(ours: Estimate, paper: tuple[float, float]) -> str:
    return f"Apart by {distance(ours, paper):.1f} SE of the difference (both SEs combined)."


def _spread(ours: Estimate) -> str:
    if ours.top_share < 0.3:
        return ""
    return f" Few trials decide: the best 5% of them got {ours.top_share:.0%} of all reward."


def _printed(task: str, method: str) -> str:
    mean, error = PAPER[task, method]
    if (task, method) == ("SixArms", "Sarsa+FR"):
        return f"11,9149 ± {error:,.0f}, a typo; taken as {mean:,.0f} (inferred)"
    return f"{mean:,.0f} ± {error:,.0f}"


def _listed(tasks: Sequence[str]) -> str:
    return ", ".join(tasks) or "none"
