"""What the rows say about the paper's claim; `findings.md` has the sentences."""

from collections.abc import Sequence

from .. import Line, Row, Verdict, line


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    slow, quick = (row for row in rows if "policy" in row)
    chosen = {row["representation"]: row["gpi_choice"] for row in rows if "gpi_choice" in row}
    ordered = slow["fr"] < quick["fr"] and slow["sr"] > quick["sr"]
    as_printed = chosen == {"FR": "pi_2", "SR": "pi_1"}
    return [
        line("values", Verdict.reproduced_if(ordered), slow=slow, quick=quick),
        line("choices", Verdict.reproduced_if(as_printed), chosen=chosen),
    ]
