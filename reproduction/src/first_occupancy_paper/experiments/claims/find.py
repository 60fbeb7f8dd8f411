"""What the rows say about the paper's statements, one by one; `findings.md` has the sentences."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

from first_occupancy_paper.experiments import Line, Row, Verdict, line
from first_occupancy_paper.experiments.claims.find_rooms import find_rooms

ROUNDING = 1e-9


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines, in the order of the paper."""
    chains = [row for row in rows if row["part"] == "chains" and row["kind"] != "circle"]
    circle = next(row for row in rows if row.get("kind") == "circle")
    sizes = [row for row in rows if row["part"] == "bounds" and "printed" in row]
    improvement = _only(rows, "improvement")
    paths = _only(rows, "shortest_paths")
    return [
        line("improvement", Verdict.reproduced_if(improvement["rises"] == 0), **improvement),
        *_operator(chains, circle),
        *_norms(chains),
        _bound_attained(sizes),
        _bound_by_size(sizes),
        line("shortest_paths", Verdict.reproduced_if(paths["mismatches"] == 0), **paths),
        *find_rooms(
            [row for row in rows if row["part"] == "rooms"],
            next(row for row in rows if "value_iteration" in row),
        ),
        *(each for row in rows if row["part"] == "representations" for each in _products(row)),
    ]


def _only(rows: Sequence[Row], part: str) -> Row:
    return next(row for row in rows if row["part"] == part)


def _operator(chains: Sequence[Row], circle: Row) -> list[Line]:
    """Return the lines on fixed points, contraction and convergence."""
    least, most = _range(chains, "printed_miss")
    share, half = _mean_share(chains)
    grows = circle["after"] > circle["discount"] * circle["before"] + ROUNDING
    ratio = _range(chains, "column_ratio")[1]
    shrinks = ratio <= 1 + ROUNDING and _range(chains, "diagonal")[1] == 0
    worst = _range(chains, "convergence")[1]
    trials = sum(row["trials"] for row in chains)
    return [
        line(
            "fixed_point",
            Verdict.reproduced_if(most < ROUNDING),
            least=least,
            most=most,
            corrected=_range(chains, "corrected_miss")[1],
            trials=trials,
        ),
        line(
            "contraction",
            Verdict.reproduced_if(share == 0 and not grows),
            share=share,
            half=half,
            circle=circle,
            trials=trials,
        ),
        line(
            "contraction_of_columns",
            Verdict.holds_if(shrinks),
            ratio=ratio,
            attained=abs(ratio - 1) <= ROUNDING,
            trials=trials,
        ),
        line(
            "convergence",
            Verdict.reproduced_if(worst < 1),
            worst=worst,
            # Each discount bounds its own chains, so the comparison is made row by row.
            sharper=all(row["convergence_most"] <= row["discount"] + ROUNDING for row in chains),
            trials=trials,
        ),
    ]


def _norms(chains: Sequence[Row]) -> list[Line]:
    error = _range(chains, "bonus_error")[1]
    least, share = _range(chains, "norm")[0], _range(chains, "norm_of_printed")[1]
    tight = _range(chains, "norm_of_tight")[1]
    return [
        line(
            "bonus_of_the_sr",
            Verdict.reproduced_if(error < ROUNDING),
            error=error,
            trials=sum(row["trials"] for row in chains),
        ),
        line(
            "bounds_on_norms",
            Verdict.reproduced_if(least >= 1 - ROUNDING and share <= 1 + ROUNDING),
            least=least,
            share=share,
            tight=tight,
            tight_holds=tight <= 1 + ROUNDING,
        ),
    ]


def _bound_attained(sizes: Sequence[Row]) -> Line:
    reached = max(row["attained"] / row["printed"] for row in sizes)
    return line(
        "bound_attained",
        Verdict.reproduced_if(reached >= 1 - ROUNDING),
        "reached",
        six=next(row for row in sizes if row["num_states"] == 6),
        exact=max(abs(row["attained"] / row["tight"] - 1) for row in sizes),
    )


def _bound_by_size(sizes: Sequence[Row]) -> Line:
    last = sizes[-1]
    half = next(row for row in sizes if row["num_states"] == last["num_states"] // 2)
    return line(
        "bound_by_size",
        Verdict.reproduced_if(last["printed"] > last["limit"]),
        "no limit",
        sizes=sizes[4::2],
        half_size=half["num_states"],
        size=last["num_states"],
        growth=last["printed"] / half["printed"],
        limit=last["limit"],
    )


def _products(row: Row) -> list[Line]:
    """Return the lines on features, values and products of representations."""
    products = row["products"]
    exact = {
        id: Verdict.reproduced_if(row[f"{id}_miss"] < ROUNDING) for id in ("features", "values")
    }
    return [
        *(line(id, verdict, "no more than rounding", **row) for id, verdict in exact.items()),
        line(
            "products",
            Verdict.reproduced_if(products[-1] > row["largest_sr"]),
            "products",
            **row,
            grow=sorted(products) == products,
        ),
    ]


def _range(rows: Sequence[Row], name: str) -> tuple[float, float]:
    """Return the smallest and the largest value over all kinds of chains."""
    return min(row[f"{name}_least"] for row in rows), max(row[f"{name}_most"] for row in rows)


def _mean_share(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the mean share of violated entries over all chains, and half its 95% interval."""
    count = sum(row["trials"] for row in rows)
    mean = sum(row["entrywise_mean_share"] * row["trials"] for row in rows) / count
    within = sum(row["entrywise_variance"] * row["trials"] for row in rows) / count
    return mean, NormalDist().inv_cdf(0.975) * sqrt(within / count)
