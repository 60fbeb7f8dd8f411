"""What the rows say about the paper's claims; `findings.md` has the sentences."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from first_occupancy.environments.mountain_car import LEFT_WALL, RIGHT_WALL
from first_occupancy_paper.worlds.mountain_car_walks import POWERS

from .. import Line, Row, Verdict, grouped, line, where
from ..answers import FAR_ABOVE, above, below, every, interval_of, mean_of, within
from .choices import FF, SF
from .config import STOPS, Config
from .numbers import SHOWN_GOALS, by_setting, chosen, measured, values_by_power
from .readings import AS_CHOSEN

TRACK = RIGHT_WALL - LEFT_WALL

AS_GOOD = 0.05
"""A choice is as good if no more than this share of the best policy's value is lost."""

NEARLY_OPTIMAL, NEARLY_TRUE = 0.95, 0.10


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines; those that may depend on the left wall, under both rules."""
    stopping = where(rows, left_wall=STOPS)
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
        _readings(stopping),
        _settings(stopping),
        *_with_networks(stopping),
    ]


def _under_both_rules(ask: Callable[[Sequence[Row]], Line], rows: Sequence[Row]) -> Line:
    """Return a line that is undetermined if its verdict depends on the rule for the left wall."""
    found = {rule: ask(mine) for rule, mine in grouped(rows, "left_wall").items()}
    first = found[STOPS]
    verdicts = {each.verdict for each in found.values()}
    verdict, remark = first.verdict, "same"
    if len(verdicts) > 1:
        is_open = Verdict.UNSETTLED in verdicts
        verdict = Verdict.UNSETTLED if is_open else Verdict.UNDETERMINED
        remark = "open" if is_open else "depends"
    rules = [
        {"wall": rule, "verdict": each.verdict, **each.numbers} for rule, each in found.items()
    ]
    return replace(
        first, verdict=verdict, numbers={"rules": rules, "remark": remark, **first.numbers}
    )


def _runs(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the main runs of FF and SF."""
    ff, sf = (where(rows, part="choice", representation=name) for name in (FF, SF))
    return ff, sf


def _nearly_optimal(rows: Sequence[Row]) -> Line:
    ff, _ = _runs(rows)
    shares = measured(ff, "share")
    lowest = np.array([chosen(row).true / chosen(row).best for row in ff]).mean(axis=0)
    worst = int(lowest.argmin())
    (world,) = where(rows, "best_from")
    true = np.array(world["true"])
    return line(
        "nearly_optimal",
        Verdict.reproduced_if(above(interval_of(shares), NEARLY_OPTIMAL)),
        "nearly optimal",
        shares=mean_of(shares),
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
    ratios, gaps = measured(ff, "ratio"), measured(ff, "gap")
    total = within(interval_of(ratios), 1 - NEARLY_TRUE, 1 + NEARLY_TRUE)
    return line(
        "nearly_true",
        Verdict.reproduced_if(every([total, below(interval_of(gaps), NEARLY_TRUE)])),
        "nearly true",
        ratios=mean_of(ratios),
        gaps=mean_of(100 * gaps),
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
        by_ff, by_sf = (
            np.array([POWERS[values_by_power(row, goal).argmax()] for row in runs])
            for runs in (ff, sf)
        )
        best = POWERS[values_by_power(ff[0], goal, "true").argmax()]
        higher.append(above(interval_of(by_ff - by_sf)))
        goals.append({"goal": goal, "ff": mean_of(by_ff), "sf": mean_of(by_sf), "best": best})
    verdict = Verdict.reproduced_if(every(higher))
    return line("powers", verdict, "both goals", goals=goals, runs=len(ff))


def _tradeoff(rows: Sequence[Row]) -> Line:
    (world,) = where(rows, "best_from")
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
    rows = where(rows, part="features")
    counts, closer = [], {}
    for count, here in sorted(grouped(rows, "num_features").items()):
        best = POWERS[values_by_power(here[0], here[0]["example_goal"], "true").argmax()]
        off = {}
        for name, runs in grouped(here, "representation").items():
            means = np.mean([row["strengths"] for row in runs], axis=0)
            off[name] = abs(POWERS[means.argmax()] - best)
        share = measured(where(here, representation=FF), "share").mean()
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


def _readings(rows: Sequence[Row]) -> Line:
    """Return how the estimate's scale depends on where a goal pays and which rewards are seen."""
    exact = where(rows, "reading")
    distance = TRACK / (exact[0]["num_features"] - 1)

    def found(name: str, ff: Row, sf: Row) -> dict[str, Any]:
        return {"name": name, "ff": chosen(ff), "sf": chosen(sf)}

    pairs = grouped(exact, "reading")
    lengths = grouped(pairs.pop(AS_CHOSEN), "length")
    by_length = [found(f"{length:g}", *pair) for length, pair in sorted(lengths.items())]
    others = [found(name, *pair) for name, pair in pairs.items()]
    shares = [each["ff"].share for each in by_length]
    return line(
        "readings",
        Verdict.REMARK,
        readings=[*by_length, *others],
        depends=max(shares) - min(shares) > AS_GOOD,
        length=exact[0]["goal_length"],
        area=np.sqrt(2 * np.pi) * exact[0]["width"] * distance,
    )


def _settings(rows: Sequence[Row]) -> Line:
    """Return how the result depends on the settings that the paper does not give."""
    found = []
    for name, group in by_setting(rows).items():
        numbers: dict[str, Any] = {"name": name}
        for kind, runs in grouped(group, "representation").items():
            for measure in ("share", "ratio", "gap"):
                numbers[f"{kind.lower()}_{measure}"] = measured(runs, measure).mean()
        found.append(numbers)
    met = [
        each["name"]
        for each in found
        if each["ff_share"] >= NEARLY_OPTIMAL
        and max(abs(each["ff_ratio"] - 1), each["ff_gap"]) <= NEARLY_TRUE
    ]
    (main, *_) = where(rows, part="choice")
    return line(
        "settings",
        Verdict.REMARK,
        settings=found,
        num_met=len(met),
        num_settings=len(found),
        met=met,
        main=main,
    )


def _with_networks(rows: Sequence[Row]) -> list[Line]:
    """Return how networks choose, compared with the linear estimate from the same walks."""
    networks = where(rows, part="network")
    if not networks:
        return []
    seeds = {row["seed"] for row in networks}
    linear = [row for row in _runs(rows)[0] if row["seed"] in seeds]
    ours, usual = (measured(each, "share") for each in (networks, linear))
    pairs = [(chosen(a), chosen(b)) for a, b in zip(networks, linear, strict=True)]
    second, best = np.sort(networks[0]["true"], axis=0)[-2:]
    return [
        line(
            "networks",
            Verdict.holds_if(below(interval_of(usual - ours), AS_GOOD)),
            "as much",
            networks=mean_of(ours),
            linear=mean_of(usual),
            lost=mean_of(usual - ours),
            same=np.mean([np.mean(mine.policy == theirs.policy) for mine, theirs in pairs]),
            runs=len(networks),
            close=int((second >= (1 - AS_GOOD) * best).sum()),
            goals=len(best),
            as_good=AS_GOOD,
        )
    ]
