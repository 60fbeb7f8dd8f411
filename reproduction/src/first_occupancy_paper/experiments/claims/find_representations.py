"""What the rows say about features, values and products of representations."""

from first_occupancy_paper.experiments import Finding, Row, Verdict

ROUNDING = 1e-9


def find_representations(row: Row) -> list[Finding]:
    """Return the ledger's lines on `representations`."""
    drawn = f"{row['trials']} random chains of {row['num_states']} states"
    products = ", ".join(f"{each:,.0f}" for each in row["products"])
    grows = row["products"][-1] > row["largest_sr"]
    return [
        Finding(
            claim="First-occupancy features with one-hot features and thresholds of 1 are the FR",
            paper="'recovers the FR' (section 4.2)",
            ours=f"Largest difference {row['features_miss']:.0e} on {drawn}",
            verdict=Verdict.reproduced_if(row["features_miss"] < ROUNDING),
            why="Reproduced if there is none but rounding. The features' recursion, iterated, "
            "against the FR solved for.",
        ),
        Finding(
            claim="r F(s) is the value of rewards that are had once, at the first visit",
            paper="the FR evaluates rewards that are consumed (section 3)",
            ours=f"Largest difference {row['values_miss']:.0e} on {drawn}",
            verdict=Verdict.reproduced_if(row["values_miss"] < ROUNDING),
            why="Reproduced if there is none but rounding. Compared with the value in a world "
            "whose states also say what has been visited.",
        ),
        Finding(
            claim="Alg. 1 is ill-defined with the SR beyond GPI (K > 0)",
            paper="'ill-defined for K > 0'",
            ours=f"FourRooms, largest product of SRs after each sweep: {products}; no SR exceeds "
            f"{row['largest_sr']:.0f}",
            verdict=Verdict.reproduced_if(grows),
            why="Reproduced if products exceed every possible SR. They multiply expected numbers "
            "of visits, which is the value of nothing, and grow with each sweep. An SR whose "
            "columns are divided by its diagonal is an FR, and Alg. 1 runs on it, so planning as "
            "such is possible with SRs (docs/theory.md).",
        ),
    ]
