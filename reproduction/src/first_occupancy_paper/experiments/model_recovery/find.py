"""What the rows say: are models and parameters found again?"""

from collections.abc import Sequence

from first_occupancy_paper.experiments import Finding, Row, Verdict

OFTEN = 0.95
"""The model that made the choices has to win for this share of all subjects."""

CLOSELY = 0.9
"""Rank correlation of true and estimated parameters from which a parameter counts as found."""


def find(rows: Sequence[Row]) -> list[Finding]:
    """Return the ledger's lines."""
    if not rows:
        return [
            Finding(
                claim="Models of simulated subjects are found again",
                paper="not in the paper",
                ours="no rows",
                verdict=Verdict.NOT_RUN,
                why="Rows are kept with the project, and none are here.",
            )
        ]
    return [_models(rows), _parameters(rows)]


def _models(rows: Sequence[Row]) -> Finding:
    won = {row["made_by"]: row["wins"][row["made_by"]] for row in rows}
    number = sum(row["subjects"] for row in rows)
    shown = "; ".join(f"{row['made_by']} {won[row['made_by']]}/{row['subjects']}" for row in rows)
    lost = ", ".join(
        f"{row['made_by']} to {other} ({count})"
        for row in rows
        for other, count in row["wins"].items()
        if count and other != row["made_by"]
    )
    return Finding(
        claim="The model that made the choices wins the comparison",
        paper="not in the paper",
        ours=f"{sum(won.values())} of {number} simulated subjects: {shown}"
        + (f". Lost: {lost}" if lost else ""),
        verdict=Verdict.holds_if(sum(won.values()) >= OFTEN * number),
        why=f"Holds if the model that made the choices has the best BIC for at least {OFTEN:.0%} "
        "of all subjects. 120 trials in 12 layouts, with at most 30 moves: fewer choices than "
        "recorded rats made. Parameters are drawn around a discount of .85, an inverse "
        "temperature of 15 and a step size of .3; the SR of rats has 6 and .57. All models differ "
        "in principle. The FR is left out, since it equals the SR where trials end at the goal; so "
        "are K = 2 and 5 and the SR with traces. One seed. Recorded subjects are compared by "
        "held-out likelihoods, here the BIC decides.",
        figure="wins",
    )


def _parameters(rows: Sequence[Row]) -> Finding:
    found = {
        (row["made_by"], name): value for row in rows for name, value in row["correlations"].items()
    }
    weak = [f"{name} of {model} {r:.2f}" for (model, name), r in found.items() if r < CLOSELY]
    least = min(found.values())
    return Finding(
        claim="Parameters are found again",
        paper="not in the paper",
        ours=f"rank correlations of true and estimated parameters, {len(found)} in all: least "
        f"{least:.2f}; below {CLOSELY:g}: {'; '.join(weak) or 'none'}",
        verdict=Verdict.holds_if(not weak),
        why=f"Holds if each correlation over subjects is at least {CLOSELY:g}. A parameter below "
        "that is not identified by so many choices: do not read it off single subjects. Q-learning "
        "starts at the optimum of the open maze, which possible moves never contradict, so that "
        "its step size has no effect on any choice.",
    )
