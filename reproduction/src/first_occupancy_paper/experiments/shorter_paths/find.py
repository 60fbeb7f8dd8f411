"""What the rows say about the paper's claim."""

from collections.abc import Sequence

from first_occupancy_paper.experiments import Finding, Row, Verdict

OURS = "with policies that we drew"
"""The figure's policies are not printed."""


def find(rows: Sequence[Row]) -> list[Finding]:
    """Return the ledger's lines."""
    slow, quick = (row for row in rows if "policy" in row)
    choice = {row["representation"]: row["gpi_choice"] for row in rows if "gpi_choice" in row}
    ours = (
        f"pi_1 arrives after {slow['steps_to_goal']} steps, pi_2 after {quick['steps_to_goal']}. "
        f"F: {slow['fr']:.3f} and {quick['fr']:.3f}; M: {slow['sr']:.3f} and {quick['sr']:.3f} "
        f"(exact; learned by TD: F {slow['td_fr']:.3f} and {quick['td_fr']:.3f}, "
        f"M {slow['td_sr']:.3f} and {quick['td_sr']:.3f})"
    )
    ordered = slow["fr"] < quick["fr"] and slow["sr"] > quick["sr"]
    chosen = choice == {"FR": "pi_2", "SR": "pi_1"}
    why = "The figure's policies are not printed; ours are drawn to do what the text says."
    return [
        Finding(
            claim="The FR from s0 to s_g is higher for the quick policy, the SR for the other",
            paper="F(pi_1) < F(pi_2), M(pi_1) > M(pi_2)",
            ours=ours,
            verdict=Verdict.reproduced_if(ordered),
            why=why,
            figure="policies",
            given=OURS,
        ),
        Finding(
            claim="GPI with the SR picks the returning policy, with the FR the quick one",
            paper="SR-GPI: pi_1, FR-GPI: pi_2",
            ours=f"SR-GPI: {choice['SR']}, FR-GPI: {choice['FR']}",
            verdict=Verdict.reproduced_if(chosen),
            why="Both choices follow from the values above, so no chance is involved.",
            figure="policies",
            given=OURS,
        ),
    ]
