"""What rows of classic control say: skills next to value iteration on a fine grid."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import t

from first_occupancy_paper.experiments import Line, Row, Verdict, grouped, line, where
from first_occupancy_paper.experiments.answers import Interval, above, interval_of
from first_occupancy_paper.experiments.offline_goals.control import SHARE, joined
from first_occupancy_paper.experiments.offline_goals.control_tasks import CONTROL_TASKS

CONVERGED = 0.02
"""The finer of two grids may gain at most this share, for the yardstick to count as converged."""

SEEDS = (3, 4, 5)
"""Seeds of the second test that was written beforehand."""


def control_lines(rows: Sequence[Row]) -> list[Line]:
    """Return a line for each world, also for those without rows."""
    whole = [row for row in joined(rows) if row["seed"] in SEEDS]
    return [_line(name, where(whole, control=name)) for name in CONTROL_TASKS]


def lead(rows: Sequence[Row]) -> Interval:
    """Return the interval of how far skills are above 95% of the grid's discount.

    Where there are many regions, they are the samples, each the mean over seeds; otherwise all
    starts of all seeds are.
    """
    regions = sorted(grouped(rows, "region").items())
    if len(regions) > 1:
        return interval_of(np.array([np.mean([_lead(row) for row in own]) for _, own in regions]))
    starts = sum(row["starts"] for row in rows)
    mean = sum(row["starts"] * _lead(row) for row in rows) / starts
    within = sum((row["starts"] - 1) * row["spread"] ** 2 for row in rows)
    between = sum(row["starts"] * (_lead(row) - mean) ** 2 for row in rows)
    error = np.sqrt((within + between) / (starts - 1) / starts)
    half = float(t.ppf(0.975, starts - 1) * error)
    return Interval(mean - half, mean + half)


def _lead(row: Row) -> float:
    return row["skills"] - SHARE * row["grid"]


def _line(name: str, rows: Sequence[Row]) -> Line:
    if not rows:
        return line(f"skills_not_run:{name}", Verdict.NOT_RUN, world=name)
    skills, grid, coarser = (
        float(np.mean([row[each] for row in rows])) for each in ("skills", "grid", "coarser")
    )
    found = lead(rows)
    converged = grid - coarser <= CONVERGED * coarser
    reached = [row for row in rows if row["grid"] > 0]
    return line(
        f"skills:{name}",
        Verdict.holds_if(above(found, 0.0) if converged else None),
        "lead",
        world=name,
        skills=skills,
        grid=grid,
        percent=100 * skills / grid,
        coarser=coarser,
        lead=found,
        missed=sum(row["skills"] == 0 for row in reached),
        reached=len(reached),
        converged=converged,
        nodes=list(CONTROL_TASKS[name].grid),
        task=CONTROL_TASKS[name],
        regions=len(grouped(rows, "region")),
        seeds=len(grouped(rows, "seed")),
        starts=rows[0]["starts"],
        all_starts=sum(row["starts"] for row in rows),
    )
