"""What the rows say about the paper's claims; `findings.md` has the sentences."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from first_occupancy.environments.mountain_car import LEFT_WALL, RIGHT_WALL
from first_occupancy_paper.worlds.mountain_car_walks import POWERS

from .. import Line, Row, Verdict, line
from ..answers import FAR_ABOVE, above, every, interval_of, mean_of
from .choices import FF, SF
from .config import KEEPS, STOPS, Config
from .find_settings import (
    NEARLY_OPTIMAL,
    NEARLY_TRUE,
    nearly_optimal,
    nearly_true,
    readings,
    settings,
    with_networks,
)
from .numbers import SHOWN_GOALS, chosen, measured, of, values_by_power

TRACK = RIGHT_WALL - LEFT_WALL


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines; those that may depend on the left wall, under both rules."""
    stopping = of(rows, left_wall=STOPS)
    asks: tuple[Callable[[Sequence[Row]], Line], ...] = (
        _nearly_optimal,
        _nearly_true,
        _overestimates,
        _suboptimal,
        _powers,
        _tradeoff,
        _learning,
        _dimensions,
    )
    return [
        *(_under_both_rules(ask, rows) for ask in asks),
        readings(stopping),
        settings(stopping),
        *with_networks(stopping),
    ]


def _under_both_rules(ask: Callable[[Sequence[Row]], Line], rows: Sequence[Row]) -> Line:
    """Return a line that is undetermined if its verdict depends on the rule for the left wall."""
    found = {rule: ask(mine) for rule in (STOPS, KEEPS) if (mine := of(rows, left_wall=rule))}
    first = next(iter(found.values()))
    verdicts = {each.verdict for each in found.values()}
    verdict, remark = first.verdict, "same" if len(found) > 1 else ""
    if len(verdicts) > 1:
        is_open = Verdict.UNSETTLED in verdicts
        verdict = Verdict.UNSETTLED if is_open else Verdict.UNDETERMINED
        remark = "open" if is_open else "depends"
    rules = [
        {"wall": rule, "verdict": each.verdict, **each.numbers} for rule, each in found.items()
    ]
    numbers = {**first.numbers, "both": len(found) > 1, "rules": rules, "remark": remark}
    return replace(first, verdict=verdict, numbers=numbers)


def _runs(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the main runs of FF and SF."""
    runs = of(rows, part="choice")
    return of(runs, representation=FF), of(runs, representation=SF)


def _world(rows: Sequence[Row]) -> Row:
    (world,) = [row for row in rows if "best_from" in row]
    return world


def _nearly_optimal(rows: Sequence[Row]) -> Line:
    ff, _ = _runs(rows)
    lowest = np.array([chosen(row).true / chosen(row).best for row in ff]).mean(axis=0)
    worst = int(lowest.argmin())
    true = np.array(_world(rows)["true"])
    return line(
        "nearly_optimal",
        Verdict.reproduced_if(nearly_optimal(ff)),
        "nearly optimal",
        shares=mean_of(measured(ff, "share")),
        goals=len(ff[0]["goals"]),
        worst=ff[0]["goals"][worst],
        lowest=lowest[worst],
        runs=len(ff),
        strongest=int((true.argmax(axis=0) == len(POWERS) - 1).sum()),
        always=np.mean(true[-1] / true.max(axis=0)),
        nearly_optimal=NEARLY_OPTIMAL,
    )


def _nearly_true(rows: Sequence[Row]) -> Line:
    ff, _ = _runs(rows)
    return line(
        "nearly_true",
        Verdict.reproduced_if(nearly_true(ff)),
        "nearly true",
        ratios=mean_of(measured(ff, "ratio")),
        gaps=mean_of(100 * measured(ff, "gap")),
        runs=len(ff),
        nearly_true=NEARLY_TRUE,
        length=ff[0]["goal_length"],
    )


def _overestimates(rows: Sequence[Row]) -> Line:
    _, sf = _runs(rows)
    ratios = measured(sf, "ratio")
    return line(
        "overestimates",
        Verdict.reproduced_if(above(interval_of(ratios), FAR_ABOVE)),
        "far above",
        ratios=mean_of(ratios),
        runs=len(sf),
        far_above=FAR_ABOVE,
    )


def _suboptimal(rows: Sequence[Row]) -> Line:
    ff, sf = (measured(runs, "share") for runs in _runs(rows))
    return line(
        "suboptimal",
        Verdict.reproduced_if(above(interval_of(ff - sf))),
        "above 0",
        ff=mean_of(ff),
        sf=mean_of(sf),
        lost=mean_of(ff - sf),
        runs=len(sf),
    )


def _powers(rows: Sequence[Row]) -> Line:
    ff, sf = _runs(rows)
    goals, higher = [], []
    for goal in SHOWN_GOALS:
        place = ff[0]["goals"].index(goal)
        best = int(np.argmax([of_policy[place] for of_policy in ff[0]["true"]]))
        by_ff, by_sf = (
            np.array(POWERS)[values_by_power(runs, place).argmax(axis=1)] for runs in (ff, sf)
        )
        higher.append(above(interval_of(by_ff - by_sf)))
        found = {"goal": goal, "ff": mean_of(by_ff), "sf": mean_of(by_sf), "best": POWERS[best]}
        goals.append(found)
    verdict = Verdict.reproduced_if(every(higher))
    return line("powers", verdict, "both goals", goals=goals, runs=len(ff))


def _tradeoff(rows: Sequence[Row]) -> Line:
    world = _world(rows)
    weaker = 1 - np.array(world["best_from"])[-1]
    best = np.array(world["true"]).argmax(axis=0)
    middling = int((best < len(POWERS) - 1).sum())
    return line(
        "tradeoff",
        Verdict.reproduced_if(middling > len(best) / 2),
        "more than half",
        strongest=POWERS[-1],
        middling=middling,
        goals=len(best),
        least=weaker.min(),
        most=weaker.max(),
        mean=weaker.mean(),
    )


def _learning(rows: Sequence[Row]) -> Line:
    found, falls = [], []
    for name, runs in zip((FF, SF), _runs(rows), strict=True):
        errors = np.array([row["errors"] for row in runs])
        tenth = max(errors.shape[1] // 10, 1)
        first, last = errors[:, :tenth].mean(axis=1), errors[:, -tenth:].mean(axis=1)
        falls.append(above(interval_of(first - last)))
        fall = 1 - last.mean() / first.mean()
        found.append({"name": name, "first": mean_of(first), "last": mean_of(last), "fall": fall})
    verdict = Verdict.reproduced_if(every(falls))
    return line("learning", verdict, "falls", errors=found, runs=len(_runs(rows)[0]))


def _dimensions(rows: Sequence[Row]) -> Line:
    rows = of(rows, part="features")
    counts, closer = [], {}
    for count in sorted({row["num_features"] for row in rows}):
        here = of(rows, num_features=count)
        place = here[0]["goals"].index(here[0]["example_goal"])
        best = POWERS[int(np.argmax([of_policy[place] for of_policy in here[0]["true"]]))]
        off = {}
        for name in (FF, SF):
            means = np.mean([r["strengths"] for r in of(here, representation=name)], axis=0)
            off[name] = abs(POWERS[int(means.argmax())] - best)
        share = measured(of(here, representation=FF), "share").mean()
        closer[count] = off[FF] < off[SF]
        counts.append({"count": count, "ff": off[FF], "sf": off[SF], "share": share})
    # With a single number of features there is no coarser one to compare with.
    coarsest, finest = min(closer), max(closer)
    spacing = rows[0]["width"] * TRACK / (finest - 1)
    return line(
        "dimensions",
        Verdict.UNDETERMINED,
        counts=counts,
        fails=[n for n, nearer in closer.items() if not nearer and (n > coarsest or n == finest)],
        runs=len({row["seed"] for row in rows}),
        goal=rows[0]["example_goal"],
        coarsest=coarsest,
        finest=finest,
        above=2 * np.sqrt(-2 * np.log(Config.threshold)) * spacing,
    )
