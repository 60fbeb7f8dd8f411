"""What the rows say: are models and parameters found again? `findings.md` has the sentences."""

from collections.abc import Sequence

from .. import Line, Row, Verdict, line

OFTEN = 0.95
"""The model that made the choices has to win for this share of all subjects."""

CLOSELY = 0.9
"""Rank correlation of true and estimated parameters from which a parameter counts as found."""


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    return [_models(rows), _parameters(rows)]


def _models(rows: Sequence[Row]) -> Line:
    models = [
        {"name": row["made_by"], "won": row["wins"][row["made_by"]], "subjects": row["subjects"]}
        for row in rows
    ]
    won, number = (sum(each[name] for each in models) for name in ("won", "subjects"))
    lost = [
        {"name": row["made_by"], "other": other, "count": count}
        for row in rows
        for other, count in row["wins"].items()
        if count and other != row["made_by"]
    ]
    return line(
        "models",
        Verdict.holds_if(won >= OFTEN * number),
        "often",
        won=won,
        number=number,
        models=models,
        any_lost=bool(lost),
        lost=lost,
        often=OFTEN,
    )


def _parameters(rows: Sequence[Row]) -> Line:
    found = [
        {"name": name, "model": row["made_by"], "r": value}
        for row in rows
        for name, value in row["correlations"].items()
    ]
    weak = [each for each in found if each["r"] < CLOSELY]
    return line(
        "parameters",
        Verdict.holds_if(not weak),
        "closely",
        number=len(found),
        least=min(each["r"] for each in found),
        weak=weak,
        closely=CLOSELY,
    )
