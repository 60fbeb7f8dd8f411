"""What the rows say about the paper's statements, one by one; `findings.md` has the sentences.

What FourRooms says about iterations, operations and the printed algorithms.
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

from .. import Line, Row, Verdict, line
from ..answers import PRINTED_MEAN

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


def find_rooms(rooms: Sequence[Row], bounds: Row) -> Iterator[Line]:
    """Yield the ledger's lines on counts, in the order of the text.

    Args:
        rooms: rows of part "rooms".
        bounds: row of part "bounds" with the bounds on iterations.
    """
    goals = [row for row in rooms if row["kind"] == "iterations"]
    sweeps = [row for row in rooms if row["kind"] == "sweeps"]
    kinds = {row["kind"]: row for row in rooms}
    gpi = kinds["gpi"]
    yield from _endless(kinds["plain_argmax"], sweeps)
    yield from _iterations(goals, bounds)
    yield from _operations(goals, kinds["switches"])
    yield _three_turns(kinds["switches"], sweeps)
    yield line("gpi", Verdict.reproduced_if(gpi["same"] == gpi["reached"]), again=True, **gpi)


def _endless(plain: Row, sweeps: Sequence[Row]) -> Iterator[Line]:
    shares = {f"{name}_share": plain[name] / plain["pairs"] for name in ("chosen", "endless")}
    yield line("endless", Verdict.reproduced_if(plain["endless"] == 0), **plain, **shares)
    one = next(row for row in sweeps if row["sweeps"] == 1)
    together, apart = (one[name] / one["pairs"] for name in ("frp", "in_place"))
    yield line("sweeps", Verdict.REMARK, together=together, apart=apart, pairs=one["pairs"])


def _iterations(goals: Sequence[Row], bounds: Row) -> Iterator[Line]:
    n_vi, n_pi = bounds["value_iteration"], bounds["policy_iteration"]
    as_printed = (n_vi, n_pi) == (180, 106)
    yield line("bounds_on_iterations", Verdict.reproduced_if(as_printed), **bounds)
    until = {
        "num_goals": len(goals),
        "ending": _span(goals, "vi_ending_coarse"),
        "fine": _span(goals, "vi_ending_fine"),
        "paying": _span(goals, "vi_paying_coarse"),
    }
    enough = all(row["vi_ending_coarse"] >= n_vi for row in goals)
    yield line("value_iteration", Verdict.reproduced_if(enough), "one fewer", **until)
    about = [
        _about([row[name] for row in goals], n_vi)
        for name in ("vi_ending_coarse", "vi_paying_coarse")
    ]
    verdict = Verdict.reproduced_if(about[0]) if about[0] == about[1] else Verdict.UNDETERMINED
    yield line("about_180", verdict, "about", **until, margin=PRINTED_MEAN)
    fewest = min(row[name] for row in goals for name in ("pi_ending", "pi_paying"))
    yield line(
        "policy_iteration",
        Verdict.reproduced_if(fewest >= n_pi),
        "one fewer",
        num_goals=len(goals),
        ending=_span(goals, "pi_ending"),
        paying=_span(goals, "pi_paying"),
    )


def _about(counts: Sequence[int], printed: int) -> bool:
    """Return whether all counts are a printed one, within the margin of printed means."""
    return all(abs(count - printed) <= PRINTED_MEAN * printed for count in counts)


def _operations(goals: Sequence[Row], world: Row) -> Iterator[Line]:
    squared = world["num_states"] ** 2
    frp = [row["frp_stops"] * world["num_policies"] * squared for row in goals]
    vi = [row["vi_ending_coarse"] * world["num_actions"] * squared for row in goals]
    fewer = sum(mine < theirs for mine, theirs in zip(frp, vi, strict=True))
    sparse_frp = max(row["frp_stops"] for row in goals) * world["entries_of_frs"]
    sparse_vi = max(row["vi_ending_coarse"] for row in goals) * world["entries_of_transition"]
    yield line(
        "operations",
        Verdict.reproduced_if(fewer == len(goals)),
        fewer=fewer,
        num_goals=len(goals),
        frp_sweeps=_span(goals, "frp_stops"),
        vi_sweeps=_span(goals, "vi_ending_coarse"),
        frp=max(frp),
        vi=max(vi),
        sparse_frp=sparse_frp,
        sparse_vi=sparse_vi,
        entries_of_transition=world["entries_of_transition"],
        entries_of_frs=world["entries_of_frs"],
        smaller=sparse_frp * max(vi) > sparse_vi * max(frp),
    )
    bounded = world["above_path_length"] == 0
    yield line("sweeps_and_steps", Verdict.reproduced_if(bounded), **world)


def _three_turns(world: Row, sweeps: Sequence[Row]) -> Line:
    vi = next(row for row in sweeps if row["sweeps"] == 3)
    return line(
        "three_turns",
        Verdict.reproduced_if(world["most_sweeps"] == 3),
        again=True,
        most_sweeps=world["most_sweeps"],
        pairs=world["pairs"],
        optimal=[row["frp"] / row["pairs"] for row in sweeps[:4]],
        vi=vi["vi"] / vi["pairs"],
    )


def _span(rows: Sequence[Row], name: str) -> dict[str, Any]:
    """Return the range of a count over the goals, and whether goals differ."""
    low, high = min(row[name] for row in rows), max(row[name] for row in rows)
    return {"low": low, "high": high, "different": low != high}
