"""What FourRooms says about iterations, operations and the printed algorithms."""

from collections.abc import Iterator, Sequence
from typing import Any

from first_occupancy_paper.experiments import Line, Row, Verdict, line
from first_occupancy_paper.experiments.answers import PRINTED_MEAN


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
