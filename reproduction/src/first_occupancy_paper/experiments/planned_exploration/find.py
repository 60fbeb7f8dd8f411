"""What the rows say: whether targets are met, what each part of the rule does, where it fails."""

from collections.abc import Mapping, Sequence

import numpy as np

from first_occupancy_paper.experiments import Finding, Row, Verdict
from first_occupancy_paper.experiments.answers import (
    MATTERS,
    Interval,
    above,
    every,
    interval_of,
    needed,
)
from first_occupancy_paper.experiments.exploration.protocols import PAPER
from first_occupancy_paper.experiments.planned_exploration.estimates import (
    ShareEstimate,
    ablated,
    goal_shares,
    mean_text,
    of_task,
    whole,
)
from first_occupancy_paper.experiments.planned_exploration.find_peers import against_peers

TARGET_SHARE, TARGET_REWARD = 0.9, 10_000_000

CLAIMS = {
    "no planning": "Planning is needed: chaining policies beats following one until surprised",
    "no planning or look-ahead (GPI)": "Planning or a step of look-ahead is needed: GPI does worse",
    "novelty every time (SR)": "Once is needed: novelty paid on every visit (SR) does worse",
    "no kin": "Learning from kin is needed: what was certain elsewhere is trusted here",
    "exponent .5": "Chances that fall more slowly, (1 + n)^-.5, do worse",
    "exponent 2": "Chances that fall faster, (1 + n)^-2, do worse",
    "exponent 3": "Chances that fall faster still, (1 + n)^-3, do worse",
    "worth x .01": "Surprises worth a hundredth of that do worse",
    "worth x .1": "Surprises worth a tenth of that do worse",
    "worth x 10": "Surprises worth ten times that do worse",
    "worth x 100": "Surprises worth a hundred times that do worse",
}


def find(rows: Sequence[Row]) -> list[Finding]:
    """Return the ledger's lines."""
    tasks, ablations = whole(rows), ablated(rows)
    return [
        *(_target(task, mine, rows) for task, mine in tasks.items()),
        _against_the_paper(tasks),
        *_unlucky(rows),
        *(_part(name, tasks, ablations) for name in CLAIMS if _shown(name, ablations)),
        *_scale(rows),
        *_hidden_goal(rows),
        *against_peers(rows),
    ]


def _target(task: str, mine: ShareEstimate, rows: Sequence[Row]) -> Finding:
    target = TARGET_REWARD if task == "SixArms" else TARGET_SHARE * mine.optimum
    wanted = "a reward of 10 million" if task == "SixArms" else "90% of the optimum"
    low, high = mine.mean - mine.half_width, mine.mean + mine.half_width
    answer = above(Interval(low, high), target)
    outcome = {
        True: "The whole interval is above the target",
        False: "It falls short",
        None: "The interval contains the target",
    }[answer]
    mean, error = PAPER[task, "Sarsa+FR"]
    steps = [step for row in of_task(rows, task) for step in row["first_best"]]
    curve = np.mean([row["curve"] for row in of_task(rows, task)], axis=0)
    late = (curve[-1] - curve[len(curve) // 2 - 1]) / (mine.optimum / 2)
    return Finding(
        claim=f"Target on {task}: {wanted}, with one setting for all tasks",
        paper=f"Sarsa+FR: {mean:,.0f} ± {error:,.0f} (1 SE), {mean / mine.optimum:.0%}",
        ours=mine.text,
        verdict=Verdict.holds_if(answer),
        why=f"{outcome}. The best reward was first had after {np.median(steps):,.0f} steps "
        f"(median; a tenth of the trials took {np.quantile(steps, 0.9):,.0f} or more); in the "
        f"second half of the trials it earns {late:.0%} of the optimum's pace. The optimum knows "
        "the world from the start. The rule was chosen on random worlds of this kind, on other "
        "seeds.",
        figure="tasks",
    )


def _against_the_paper(tasks: Mapping[str, ShareEstimate]) -> Finding:
    ratios, above = [], []
    for task, mine in tasks.items():
        mean, error = PAPER[task, "Sarsa+FR"]
        ratios.append(f"{task} {mine.mean / mean:.1f}x")
        above.append(mine.mean - mine.half_width > mean + 2 * error)
    return Finding(
        claim="The explorer gets more than the paper's bonus on every task",
        paper="Sarsa+FR, Tables 1 and 2",
        ours=", ".join(ratios) + " the paper's mean",
        verdict=Verdict.holds_if(all(above)),
        why="Above means that our 95% interval lies above the paper's mean and two standard "
        "errors. The agent keeps a model of the world, which Sarsa does not, so this compares "
        "ways to explore and not equals.",
        figure="tasks",
    )


def _unlucky(rows: Sequence[Row]) -> list[Finding]:
    arms = of_task(rows, "SixArms")
    if not arms:
        return []
    totals = np.concatenate([row["totals"] for row in arms])
    first = np.concatenate([row["first_best"] for row in arms])
    never = first >= arms[0]["steps"]
    settled = ""
    if never.any():
        each = np.median(totals[never]) / arms[0]["steps"]
        settled = f" Those that never found it got {each:,.0f} a step (median)."
    return [
        Finding(
            claim="Every trial on SixArms finds the best arm",
            paper="not reported",
            ours=f"{never.sum()} of {len(first)} trials never got its reward; a tenth of the "
            f"trials got less than {np.quantile(totals, 0.1):,.0f}, half more than "
            f"{np.median(totals):,.0f}",
            verdict=Verdict.holds_if(not never.any()),
            why="The arms open with chances down to one in 100 tries, and who has found a lesser "
            "one (they pay 50 to 6,000 a step) pays for each further try with what it would have "
            f"paid, and gives up at some time.{settled}",
            figure="spread",
        )
    ]


def _shown(name: str, ablations: Mapping[str, Mapping[str, ShareEstimate]]) -> bool:
    return any(name in variants for variants in ablations.values())


def _part(
    name: str,
    tasks: Mapping[str, ShareEstimate],
    ablations: Mapping[str, Mapping[str, ShareEstimate]],
) -> Finding:
    pairs = {task: (v[name], tasks[task]) for task, v in ablations.items() if name in v}
    lost = {task: _lost(*pair) for task, pair in pairs.items()}
    answers = {task: needed(interval) for task, interval in lost.items()}
    names = {True: "clearly less", False: "no loss that matters", None: "not settled"}
    sorts = {
        text: [task for task, answer in answers.items() if answer is sort]
        for sort, text in names.items()
    }
    return Finding(
        claim=CLAIMS[name],
        paper="not in the paper",
        ours="; ".join(
            f"{task} {without.share:.1%} ± {without.half_share:.1%} instead of {mine.share:.1%}"
            for task, (without, mine) in pairs.items()
        ),
        verdict=Verdict.holds_if(every(answers.values())),
        why=". ".join(f"{sort}: {', '.join(found)}" for sort, found in sorts.items() if found)
        + f". Holds if the interval of what is lost lies above 0 on the {len(pairs)} tasks tried; "
        f"does not hold if on one it lies below {MATTERS:.0%} of the optimum, the least that "
        "matters. "
        f"{min(a.trials for a, _ in pairs.values())} trials; "
        "the other settings were not tuned again.",
        figure="ablations",
    )


def _lost(without: ShareEstimate, mine: ShareEstimate) -> Interval:
    """Return the interval of what is lost without a part, as a share of the optimum."""
    middle = mine.share - without.share
    half = float(np.hypot(without.half_share, mine.half_share))
    return Interval(middle - half, middle + half)


def _scale(rows: Sequence[Row]) -> list[Finding]:
    scaled = [row for row in rows if row.get("variant", "").startswith("rewards x")]
    if not scaled:
        return []

    def same(row: Row) -> bool:
        matches = (each["totals"] for each in of_task(rows, row["task"]))
        return any(
            len(totals) == len(row["totals"]) and np.allclose(totals, row["totals"], rtol=1e-9)
            for totals in matches
        )

    agree = sum(same(row) for row in scaled)
    return [
        Finding(
            claim="Rewards a thousand times larger or smaller change no action",
            paper="beta is set for the reward's scale",
            ours=f"{agree} of {len(scaled)} runs of {len(scaled[0]['totals'])} trials got the "
            "same total reward, scaled, in every trial",
            verdict=Verdict.holds_if(agree == len(scaled)),
            why="The worth of a surprise is counted in units of the best known value. Same "
            "random numbers, so any other choice would show.",
            figure="ablations",
        )
    ]


def _hidden_goal(rows: Sequence[Row]) -> list[Finding]:
    shares = goal_shares(rows)
    if not shares:
        return []
    unplanned = shares.pop("explorer, no planning", None)
    mine = shares.pop("explorer")
    gains = {name: mine - others for name, others in shares.items()}
    steps = next(row["steps"] for row in rows if row["part"] == "hidden_goal")
    found = Finding(
        claim="It finds a hidden goal in FourRooms and returns to it more often than Sarsa with "
        "or without the SR's bonus",
        paper="not in the paper",
        ours=f"Share of each goal's optimum in {steps:,} steps, {len(mine)} goals: explorer "
        f"{mean_text(mine)}, "
        + ", ".join(f"{name} {mean_text(others)}" for name, others in shares.items()),
        verdict=Verdict.holds_if(every(above(interval_of(gain)) for gain in gains.values())),
        why="More by "
        + ", ".join(f"{mean_text(gain)} ({name})" for name, gain in gains.items())
        + ", on the same goals; the explorer did better on "
        + ", ".join(f"{(gain > 0).mean():.0%} ({name})" for name, gain in gains.items())
        + " of them. Sarsa's settings are the best of a search on other goals over 5,000 "
        "steps, the explorer's those of the other tasks.",
        figure="hidden_goal",
    )
    return [found] if unplanned is None else [found, _planning_in_rooms(mine, unplanned)]


def _planning_in_rooms(planned: np.ndarray, unplanned: np.ndarray) -> Finding:
    # Seeds are in order, so the goals sought without planning are the first ones.
    gain = planned[: len(unplanned)] - unplanned
    answer = needed(interval_of(gain))
    reason = (
        "A way through doors turns several times."
        if answer
        else "A likely reason, not tested: following an action until surprised is worth what is "
        "known where that happens, so single policies see round corners, and look-ahead turns."
    )
    return Finding(
        claim="With a hidden goal in FourRooms planning is needed",
        paper="not in the paper",
        ours=f"Without planning {mean_text(unplanned)} of the optimum, with it "
        f"{mean_text(planned[: len(unplanned)])} on the same {len(unplanned)} goals",
        verdict=Verdict.holds_if(answer),
        why=f"The difference is {mean_text(gain)} (95%, paired); judged as the lines on parts of "
        f"the rule. {reason}",
        figure="hidden_goal",
        again=True,
    )
