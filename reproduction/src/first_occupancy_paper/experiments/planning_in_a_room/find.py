"""What the rows say about the paper's claims."""

from collections.abc import Sequence

from first_occupancy_paper.experiments import Finding, Row, Verdict

OURS = "with policies that we drew"
"""The figure's policies are not printed."""


def find(rows: Sequence[Row]) -> list[Finding]:
    """Return the ledger's lines."""
    gpi, frp = (row for row in rows if "planner" in row)
    gpi_steps, frp_steps = len(gpi["walk"]) - 1, len(frp["walk"]) - 1
    follows_first = [leg[0] for leg in gpi["legs"]] == [0] and gpi["sr_gpi_choice"] == "pi_1"
    legs = ", then ".join(f"pi_{policy + 1}" for policy, _ in frp["legs"])
    optimal = abs(frp["discount"] - frp["optimal"]) < 1e-12
    as_printed = [policy for policy, _ in frp["legs"]] == [1, 2]
    compared = "the same discount as" if optimal else "another discount than"
    why = "The figure's policies are not printed; ours are drawn to do what the text says."
    return [
        Finding(
            claim="GPI follows pi_1, with the SR and with the FR alike",
            paper="pi_1",
            ours=f"FR: pi_{gpi['legs'][0][0] + 1} ({gpi_steps} steps), SR: {gpi['sr_gpi_choice']}",
            verdict=Verdict.reproduced_if(follows_first),
            why=why,
            figure="plans",
            given=OURS,
        ),
        Finding(
            claim="FRP chains policies into a shorter path, here the shortest",
            paper="right by pi_2, then up by pi_3",
            ours=f"{legs}: {frp_steps} steps, {compared} value iteration's optimum",
            verdict=Verdict.reproduced_if(optimal and as_printed),
            why="Here pi_2 moves right in the bottom row only, so no other plan is as short.",
            figure="plans",
            given=OURS,
        ),
    ]
