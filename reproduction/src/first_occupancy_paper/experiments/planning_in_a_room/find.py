"""What the rows say about the paper's claims; `findings.md` has the sentences."""

from collections.abc import Sequence

from .. import Line, Row, Verdict, line, where


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    gpi, frp = where(rows, "planner")
    alone, chained = ([policy + 1 for policy, _ in row["legs"]] for row in (gpi, frp))
    optimal = abs(frp["discount"] - frp["optimal"]) < 1e-12
    return [
        line(
            "gpi",
            Verdict.reproduced_if(alone == [1] and gpi["sr_gpi_choice"] == "pi_1"),
            by_fr=alone[0],
            by_sr=gpi["sr_gpi_choice"],
            steps=len(gpi["walk"]) - 1,
        ),
        line(
            "frp",
            Verdict.reproduced_if(optimal and chained == [2, 3]),
            policies=chained,
            optimal=optimal,
            steps=len(frp["walk"]) - 1,
        ),
    ]
