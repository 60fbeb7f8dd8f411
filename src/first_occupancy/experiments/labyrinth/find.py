"""What the rows say: which baseline is hard to beat, and whether goals add to it."""

from collections.abc import Sequence

from first_occupancy.experiments import Finding, Row, Verdict

CHANCE = 1.585
"""Bits of a random choice among three ways."""

ORDERS = (2, 3, 4)
"""Orders of the Markov chains that know where a mouse is and whence it comes."""
NOTHING = 0.005
"""Fewer bits per choice than this count as nothing."""


def find(rows: Sequence[Row]) -> list[Finding]:
    """Return the ledger's lines."""
    if not rows:
        return [
            Finding(
                claim="Models of mice in the labyrinth",
                paper="not in the paper",
                ours="no rows",
                verdict=Verdict.NOT_RUN,
                why="The recordings are not part of the project, and no rows are kept here.",
            )
        ]
    bits = {(row["session"], row["model"]): row["bits"] for row in rows}
    sessions = sorted({row["session"] for row in rows})
    plain = "turning biases"
    return [
        _line(
            "Four turning biases predict choices better than chance",
            bits,
            sessions,
            ["random walk", plain],
            all(bits[each, plain] < bits[each, "random walk"] for each in sessions),
            "The study's own baseline. Dead ends offer no choice and are left out.",
        ),
        _line(
            "Markov chains of order 2 to 4 over the last nodes predict better than turning biases",
            bits,
            sessions,
            [plain, *(f"Markov chain of order {order}" for order in (1, *ORDERS))],
            all(
                bits[each, f"Markov chain of order {order}"] < bits[each, plain]
                for each in sessions
                for order in ORDERS
            ),
            "Each of the three orders counts. The last two nodes say where a mouse is and whence "
            "it comes; turning biases are the "
            "same at every junction. Half a session suffices for a distribution per pair of nodes.",
        ),
        _line(
            "Values of plans to the exit or to the water add to turning biases",
            bits,
            sessions,
            [plain, f"{plain} + homing", f"{plain} + water runs"],
            all(
                min(bits[each, f"{plain} + {goal}"] for goal in ("homing", "water runs"))
                < bits[each, plain] - NOTHING
                for each in sessions
            ),
            "Either goal may, by .005 bits per choice or more; less counts as nothing. Mice mostly "
            "explore: a goal that is valued all the time is the wrong model of a bout.",
        ),
    ]


def _line(
    claim: str,
    bits: dict[tuple[str, str], float],
    sessions: Sequence[str],
    models: Sequence[str],
    holds: bool,
    why: str,
) -> Finding:
    shown = "; ".join(
        f"{session}: " + ", ".join(f"{model} {bits[session, model]:.3f}" for model in models)
        for session in sessions
    )
    return Finding(
        claim=claim,
        paper="not in the paper",
        ours=f"bits per choice on the second half of each session: {shown}",
        verdict=Verdict.holds_if(holds),
        why=f"Holds if so in each of the {len(sessions)} sessions, on choices that were not "
        "fitted; "
        f"no interval, since rows hold one number for each. {why}",
        figure="bits",
    )
