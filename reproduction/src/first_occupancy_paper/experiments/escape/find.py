"""What the rows say about the paper's claims; `findings.md` has the sentences."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import Line, Row, Verdict, grouped, line
from ..answers import Answer, Interval, above, every, interval_of, some
from . import arena, rates
from .rates import LengthRate, Rate, by_length, rate, select

MOST = 0.5
"""The text describes what 'the agent' does: we require the interval to lie above this share."""
SHORTEST, NEAR = 22, 1.2
"""Steps of the shortest path round the barrier; a mean of up to 1.2 times as many is near it."""
JUMP = 0.05
"""A TD error jumps if it is this share larger than one step before."""

SOME = "some length"
"""The rule for behaviours at several lengths of exploration, the best of which is a selection."""


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines."""
    return [
        *_in_the_printed_protocol(select(rows, "printed")),
        *_in_our_variants(rows),
        _no_barrier(rows),
        _successor_stuck(rows),
        _row_of_down(rows),
        _accumulates(rows),
        _jump(rows),
    ]


def _in_the_printed_protocol(printed: Sequence[Row]) -> list[Line]:
    hitting = [row for row in printed if rates.hits_first(row)]
    freed = rate(hitting, rates.round_first)
    bumps = [row["trial_1"]["hits"] for row in hitting]
    avoiding = by_length(printed, rates.avoids_second)
    runs = grouped(printed, "episode_steps")
    longest = runs[max(runs)]
    return [
        _at_some_length("barrier", by_length(printed, rates.hits_first)),
        line(
            "stuck",
            Verdict.reproduced_if(_most(freed)),
            "most",
            freed=freed,
            bumps=np.mean(bumps) if bumps else 0,
            changed=freed.count,
        ),
        _at_some_length(
            "second_trial",
            by_length(printed, rates.shorter_second),
            avoiding=avoiding,
            both_near=all(_mean_steps(longest, trial) <= NEAR * SHORTEST for trial in _TRIALS),
            shortest=SHORTEST,
        ),
        _at_some_length("both_trials", by_length(printed, rates.barrier_then_shorter)),
    ]


def _in_our_variants(rows: Sequence[Row]) -> list[Line]:
    feeling, fresh = select(rows, "feeling"), select(rows, "new barrier")
    shown = [row for row in feeling if rates.whole_story(row)]
    first, second = (_mean_steps(shown, trial) for trial in _TRIALS)
    return [
        _at_some_length(
            "feeling",
            by_length(feeling, rates.whole_story),
            again=True,
            first_steps=first,
            second_steps=second,
        ),
        _at_some_length(
            "new_barrier",
            by_length(fresh, rates.whole_story),
            again=True,
            round=by_length(fresh, rates.stuck_then_round),
        ),
    ]


def _mean_steps(rows: Sequence[Row], trial: str) -> float:
    return float(np.mean([row[trial]["steps"] for row in rows] or [0]))


def _most(found: Rate) -> Answer:
    return above(Interval(found.low, found.high), MOST)


def _at_some_length(id: str, found: Sequence[LengthRate], **numbers: Any) -> Line:
    """Return a line on a behaviour that most runs show at some length of exploration, or at none.

    The verdict's column names the lengths, unless it is all of them.
    """
    answers = [_most(at.rate) for at in found]
    where = [at.length for at, answer in zip(found, answers, strict=True) if answer]
    return line(
        id,
        Verdict.reproduced_if(some(answers)),
        SOME,
        rates=found,
        some=0 < len(where) < len(found),
        num_some=len(where),
        num_lengths=len(found),
        lengths=where,
        **numbers,
    )


def _no_barrier(rows: Sequence[Row]) -> Line:
    plans, srs = (select(rows, "open", name) for name in ("FR", "SR"))
    reached = by_length(plans, _reaches_first)
    reached_by_sr, straight_by_sr = (rate(srs, each) for each in (_reaches_first, _straight))
    most = map(_most, [*(at.rate for at in reached), reached_by_sr, straight_by_sr])
    return line(
        "no_barrier",
        Verdict.reproduced_if(every(most)),
        "every length",
        reached=reached,
        straight=by_length(plans, _straight),
        sr_reached=reached_by_sr,
        sr_straight=straight_by_sr,
    )


def _successor_stuck(rows: Sequence[Row]) -> Line:
    feeling = select(rows, "feeling", "SR")
    never = rate(select(rows, "printed", "SR"), rates.never_past)
    return line(
        "successor_stuck",
        Verdict.reproduced_if(never.count == never.total > 0),
        "none past",
        never=never,
        passed=rate(feeling, rates.round_first),
        arrived=rate(feeling, rates.reaches_second),
    )


def _row_of_down(rows: Sequence[Row]) -> Line:
    shown = select(rows, "printed", detailed=True)
    start, _ = arena.ends(25)
    below = arena.next_states(25, True)[arena.DOWN, start]
    untouched = sum(row["before"] == np.eye(len(row["before"]))[start].tolist() for row in shown)
    learned = [row["after"][below] for row in shown]
    exact = shown[0]["exact"]
    beyond = max(np.max(np.array(row["after"])[np.array(exact) == 0]) for row in shown)
    accurate = all(np.allclose(row["after"], exact, atol=0.05) for row in shown)
    return line(
        "row_of_down",
        Verdict.reproduced_if(untouched == len(shown) and accurate and beyond == 0),
        "accurate",
        untouched=untouched,
        runs=len(shown),
        least=min(learned),
        most=max(learned),
        true=exact[below],
        beyond=beyond,
        stops=beyond == 0,
        exploration=_exploration(shown),
    )


def _accumulates(rows: Sequence[Row]) -> Line:
    shown = {name: select(rows, "printed", name, detailed=True) for name in ("FR", "SR")}
    fr, sr = (np.array([row["at_barrier"] for row in shown[name]]) for name in ("FR", "SR"))
    learned = interval_of(sr)
    once = bool(np.all(np.abs(fr - 1) < 1e-6))
    return line(
        "accumulates",
        Verdict.reproduced_if(every([above(learned, 1.5), once])),
        "accumulates",
        mean=sr.mean(),
        learned=learned,
        least=fr.min(),
        most=fr.max(),
        runs=len(sr),
        exploration=_exploration(shown["SR"]),
    )


def _jump(rows: Sequence[Row]) -> Line:
    errors, jumps = [], []
    for name in ("FR", "SR"):
        shown = select(rows, "printed", name, detailed=True)
        hitting = [row for row in shown if rates.hits_first(row)]
        before, at = np.array([_errors_around_hit(row) for row in hitting] or [(0.0, 0.0)]).T
        jumps.append(above(interval_of(at - (1 + JUMP) * before)))
        errors.append(
            {
                "name": name,
                "before": before.mean(),
                "hit": at.mean(),
                "change": interval_of(at - before),
                "runs": len(hitting),
            }
        )
    return line(
        "jump",
        Verdict.reproduced_if(every(jumps)),
        "jump",
        errors=errors,
        jump=JUMP,
        exploration=_exploration(shown),
    )


def _exploration(shown: Sequence[Row]) -> list[int]:
    """Return the lengths of exploration in the runs of the figures, which are a choice of ours."""
    return sorted({row["episode_steps"] for row in shown})


_TRIALS = ("trial_1", "trial_2")


def _errors_around_hit(row: Row) -> tuple[float, float]:
    """Return the TD error's norm one step before the first hit and at it, for 'down'."""
    errors = dict(zip(row["trial_times"], row["trial_errors"], strict=True))
    hit = row["trial_1"]["first_hit"]
    return errors.get(hit - 1, 0.0), errors.get(hit, 0.0)


def _reaches_first(row: Row) -> bool:
    return row["trial_1"]["reached"]


def _straight(row: Row) -> bool:
    columns = arena.arena(25, False).cells[row["trial_1"]["walk"], 1]
    return row["trial_1"]["reached"] and bool((columns == columns[0]).all())
