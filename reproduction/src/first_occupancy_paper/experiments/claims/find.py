"""What the rows say about the paper's statements, one by one; `findings.md` has the sentences.

What FourRooms says about iterations, operations and the printed algorithms.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

from .. import Line, Row, Verdict, line, where
from ..answers import PRINTED_MEAN

ROUNDING = 1e-9


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines, in the order of the paper."""
    sizes = where(rows, "printed", part="bounds")
    improvement, paths = (where(rows, part=part)[0] for part in ("improvement", "shortest_paths"))
    return [
        line("improvement", Verdict.reproduced_if(improvement["rises"] == 0), **improvement),
        *_chains(where(rows, "trials", part="chains"), where(rows, kind="circle")[0]),
        _bound_attained(sizes),
        _bound_by_size(sizes),
        line("shortest_paths", Verdict.reproduced_if(paths["mismatches"] == 0), **paths),
        *_rooms(where(rows, part="rooms"), where(rows, "value_iteration")[0]),
        *(each for row in where(rows, part="representations") for each in _products(row)),
    ]


def _chains(chains: Sequence[Row], circle: Row) -> list[Line]:
    """Return the lines on fixed points, contraction, convergence and norms."""
    found = _extremes(chains)
    share, half = _mean_share(chains)
    grows = circle["after"] > circle["discount"] * circle["before"] + ROUNDING
    ratio, tight = found["column_ratio_most"], found["norm_of_tight_most"]
    shrinks = ratio <= 1 + ROUNDING and found["diagonal_most"] == 0
    # Each discount bounds its own chains, so the comparison is made row by row.
    sharper = all(row["convergence_most"] <= row["discount"] + ROUNDING for row in chains)
    bounded = found["norm_least"] >= 1 - ROUNDING and found["norm_of_printed_most"] <= 1 + ROUNDING
    verdicts = {
        "fixed_point": Verdict.reproduced_if(found["printed_miss_most"] < ROUNDING),
        "contraction": Verdict.reproduced_if(share == 0 and not grows),
        "contraction_of_columns": Verdict.holds_if(shrinks),
        "convergence": Verdict.reproduced_if(found["convergence_most"] < 1),
        "bonus_of_the_sr": Verdict.reproduced_if(found["bonus_error_most"] < ROUNDING),
        "bounds_on_norms": Verdict.reproduced_if(bounded),
    }
    numbers: dict[str, Any] = {
        **found,
        "share": share,
        "half": half,
        "circle": circle,
        "attained": abs(ratio - 1) <= ROUNDING,
        "sharper": sharper,
        "tight_holds": tight <= 1 + ROUNDING,
    }
    return [line(id, verdict, **numbers) for id, verdict in verdicts.items()]


def _extremes(chains: Sequence[Row]) -> dict[str, Any]:
    """Return the smallest and the largest value of each measure over all kinds of chains."""
    return {
        "trials": sum(row["trials"] for row in chains),
        **{name: min(row[name] for row in chains) for name in chains[0] if name.endswith("_least")},
        **{name: max(row[name] for row in chains) for name in chains[0] if name.endswith("_most")},
    }


def _bound_attained(sizes: Sequence[Row]) -> Line:
    reached = max(row["attained"] / row["printed"] for row in sizes)
    return line(
        "bound_attained",
        Verdict.reproduced_if(reached >= 1 - ROUNDING),
        "reached",
        six=where(sizes, num_states=6)[0],
        exact=max(abs(row["attained"] / row["tight"] - 1) for row in sizes),
    )


def _bound_by_size(sizes: Sequence[Row]) -> Line:
    last = sizes[-1]
    half = where(sizes, num_states=last["num_states"] // 2)[0]
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


def _mean_share(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the mean share of violated entries over all chains, and half its 95% interval."""
    count = sum(row["trials"] for row in rows)
    mean = sum(row["entrywise_mean_share"] * row["trials"] for row in rows) / count
    within = sum(row["entrywise_variance"] * row["trials"] for row in rows) / count
    return mean, NormalDist().inv_cdf(0.975) * sqrt(within / count)


def _rooms(rooms: Sequence[Row], bounds: Row) -> Iterator[Line]:
    """Yield the lines on counts, in the order of the text.

    Args:
        rooms: rows of part "rooms".
        bounds: row of part "bounds" with the bounds on iterations.
    """
    goals, sweeps = where(rooms, kind="iterations"), where(rooms, kind="sweeps")
    kinds = {row["kind"]: row for row in rooms}
    gpi, world = kinds["gpi"], kinds["switches"]
    names = [name for name in goals[0] if name.startswith(("vi_", "pi_", "frp_"))]
    spans = {name: _span([row[name] for row in goals]) for name in names}
    counts = {"num_goals": len(goals), **spans}
    yield from _endless(kinds["plain_argmax"], sweeps)
    yield from _iterations(counts, bounds)
    yield _operations(goals, counts, world)
    bounded = world["above_path_length"] == 0
    yield line("sweeps_and_steps", Verdict.reproduced_if(bounded), **world)
    yield _three_turns(world, sweeps)
    yield line("gpi", Verdict.reproduced_if(gpi["same"] == gpi["reached"]), again=True, **gpi)


def _endless(plain: Row, sweeps: Sequence[Row]) -> Iterator[Line]:
    shares = {f"{name}_share": plain[name] / plain["pairs"] for name in ("chosen", "endless")}
    yield line("endless", Verdict.reproduced_if(plain["endless"] == 0), **plain, **shares)
    one = where(sweeps, sweeps=1)[0]
    together, apart = (one[name] / one["pairs"] for name in ("frp", "in_place"))
    yield line("sweeps", Verdict.REMARK, together=together, apart=apart, pairs=one["pairs"])


def _iterations(counts: Mapping[str, Any], bounds: Row) -> Iterator[Line]:
    n_vi, n_pi = bounds["value_iteration"], bounds["policy_iteration"]
    as_printed = (n_vi, n_pi) == (180, 106)
    yield line("bounds_on_iterations", Verdict.reproduced_if(as_printed), **bounds)
    ending, paying = counts["vi_ending_coarse"], counts["vi_paying_coarse"]
    enough = Verdict.reproduced_if(ending["low"] >= n_vi)
    yield line("value_iteration", enough, "one fewer", **counts)
    about = [
        all(abs(span[end] - n_vi) <= PRINTED_MEAN * n_vi for end in ("low", "high"))
        for span in (ending, paying)
    ]
    verdict = Verdict.reproduced_if(about[0]) if about[0] == about[1] else Verdict.UNDETERMINED
    yield line("about_180", verdict, "about", **counts, margin=PRINTED_MEAN)
    fewest = min(counts[name]["low"] for name in ("pi_ending", "pi_paying"))
    yield line("policy_iteration", Verdict.reproduced_if(fewest >= n_pi), "one fewer", **counts)


def _operations(goals: Sequence[Row], counts: Mapping[str, Any], world: Row) -> Line:
    squared = world["num_states"] ** 2
    frp = [row["frp_stops"] * world["num_policies"] * squared for row in goals]
    vi = [row["vi_ending_coarse"] * world["num_actions"] * squared for row in goals]
    fewer = sum(mine < theirs for mine, theirs in zip(frp, vi, strict=True))
    sparse_frp = counts["frp_stops"]["high"] * world["entries_of_frs"]
    sparse_vi = counts["vi_ending_coarse"]["high"] * world["entries_of_transition"]
    return line(
        "operations",
        Verdict.reproduced_if(fewer == len(goals)),
        **counts,
        **world,
        fewer=fewer,
        frp=max(frp),
        vi=max(vi),
        sparse_frp=sparse_frp,
        sparse_vi=sparse_vi,
        smaller=sparse_frp * max(vi) > sparse_vi * max(frp),
    )


def _three_turns(world: Row, sweeps: Sequence[Row]) -> Line:
    vi = where(sweeps, sweeps=3)[0]
    return line(
        "three_turns",
        Verdict.reproduced_if(world["most_sweeps"] == 3),
        again=True,
        most_sweeps=world["most_sweeps"],
        pairs=world["pairs"],
        optimal=[row["frp"] / row["pairs"] for row in sweeps[:4]],
        vi=vi["vi"] / vi["pairs"],
    )


def _span(counts: Sequence[int]) -> dict[str, Any]:
    """Return the range of a count over the goals, and whether goals differ."""
    return {"low": min(counts), "high": max(counts), "different": min(counts) != max(counts)}
