"""What the rows say about the paper's claim; `findings.md` has the sentences."""

from collections.abc import Sequence

from .. import Line, Row, Verdict, line, where


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    slow, quick = where(rows, "policy")
    chosen = {row["representation"]: row["gpi_choice"] for row in where(rows, "gpi_choice")}
    ordered = slow["fr"] < quick["fr"] and slow["sr"] > quick["sr"]
    as_printed = chosen == {"FR": "pi_2", "SR": "pi_1"}
    return [
        line("values", Verdict.reproduced_if(ordered), slow=slow, quick=quick),
        line("choices", Verdict.reproduced_if(as_printed), chosen=chosen),
    ]
