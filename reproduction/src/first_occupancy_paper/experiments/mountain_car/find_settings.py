"""What the rows say about choices that the paper leaves open: settings, goals, networks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from first_occupancy.environments.mountain_car import LEFT_WALL, RIGHT_WALL

from .. import Line, Row, Verdict, line
from ..answers import Answer, above, below, every, interval_of, mean_of, within
from .choices import FF, SF
from .config import READINGS
from .numbers import by_setting, chosen, measured, of
from .readings import AS_CHOSEN

AS_GOOD = 0.05
"""A choice is as good if no more than this share of the best policy's value is lost."""


NEARLY_OPTIMAL, NEARLY_TRUE = 0.95, 0.10


def nearly_optimal(ff: Sequence[Row]) -> Answer:
    """Return whether the chosen policies have nearly the value of the best ones."""
    return above(interval_of(measured(ff, "share")), NEARLY_OPTIMAL)


def nearly_true(ff: Sequence[Row]) -> Answer:
    """Return whether estimates are nearly correct, in their sum and each by itself."""
    ratio, gap = interval_of(measured(ff, "ratio")), interval_of(measured(ff, "gap"))
    return every([within(ratio, 1 - NEARLY_TRUE, 1 + NEARLY_TRUE), below(gap, NEARLY_TRUE)])


def readings(rows: Sequence[Row]) -> Line:
    """Return how the estimate's scale depends on where a goal pays and which rewards are seen."""
    exact = [row for row in rows if "reading" in row]
    distance = (RIGHT_WALL - LEFT_WALL) / (exact[0]["num_features"] - 1)

    def found(name: str, **wanted: object) -> dict[str, Any]:
        (ff,), (sf,) = (of(exact, representation=each, **wanted) for each in (FF, SF))
        return {"name": name, "ff": chosen(ff), "sf": chosen(sf)}

    lengths = sorted({row["length"] for row in exact})
    others = [reading for reading in READINGS if of(exact, reading=reading)]
    by_length = [found(f"{length:g}", reading=AS_CHOSEN, length=length) for length in lengths]
    shares = [each["ff"].share for each in by_length]
    return line(
        "readings",
        Verdict.REMARK,
        readings=[*by_length, *(found(reading, reading=reading) for reading in others)],
        depends=max(shares) - min(shares) > AS_GOOD,
        length=exact[0]["goal_length"],
        area=np.sqrt(2 * np.pi) * exact[0]["width"] * distance,
    )


def settings(rows: Sequence[Row]) -> Line:
    """Return how the result depends on the settings that the paper does not give."""
    found, met = [], []
    for name, group in by_setting(rows).items():
        numbers: dict[str, str | float] = {"name": name}
        for kind in (FF, SF):
            runs = of(group, representation=kind)
            means = {each: float(measured(runs, each).mean()) for each in ("share", "ratio", "gap")}
            numbers |= {f"{kind.lower()}_{each}": mean for each, mean in means.items()}
            if kind == FF:
                misses = abs(means["ratio"] - 1), means["gap"]
                if means["share"] >= NEARLY_OPTIMAL and max(misses) <= NEARLY_TRUE:
                    met.append(name)
        found.append(numbers)
    (main, *_) = of(rows, part="choice")
    return line(
        "settings",
        Verdict.REMARK,
        settings=found,
        num_met=len(met),
        num_settings=len(found),
        met=met,
        main=main,
        basis=list(main["basis"]),
    )


def with_networks(rows: Sequence[Row]) -> list[Line]:
    """Return how networks choose, compared with the linear estimate from the same walks."""
    networks = of(rows, part="network")
    if not networks:
        return []
    seeds = {row["seed"] for row in networks}
    linear = [r for r in of(rows, part="choice", representation=FF) if r["seed"] in seeds]
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
