"""What the rows say about the study's ranking of models, and about planning with few switches."""

from collections.abc import Sequence

import numpy as np

from first_occupancy_paper.experiments import Finding, Row, Verdict
from first_occupancy_paper.experiments.answers import Interval, above, every, interval_of
from first_occupancy_paper.experiments.tartarus.candidates import OURS, PUBLISHED, SWITCHES
from first_occupancy_paper.experiments.tartarus.find_moves import (
    detours_line,
    disagreements_line,
    phases_line,
    simulated_line,
)
from first_occupancy_paper.experiments.tartarus.numbers import (
    PUBLISHED_SUMS,
    SPECIES,
    chosen,
    frequencies,
    posterior_over_switches,
    scores,
    switch_names,
    total,
)

RIVALS = ("random walk", "turning biases", "Q-learning", "SR", "SR with traces", *switch_names())
"""Models that are compared by random effects; "model-based" is K = 9 but for a few choices."""

TO_THE_UNIT = 1.0
"""Sums of log-likelihoods are equal if they differ by less than this, in nats."""

NEARLY = 0.9
"""Three switches do nearly as well as nine if they bring this share of the improvement."""


def find(rows: Sequence[Row]) -> list[Finding]:
    """Return the ledger's lines."""
    if not rows:
        return [
            Finding(
                claim="Models of rats and humans in the Tartarus maze",
                paper="not in the paper",
                ours="no rows",
                verdict=Verdict.NOT_RUN,
                why="The recordings are not part of the project, and no rows are kept here.",
            )
        ]
    lines = []
    for species in SPECIES:
        if all(chosen(rows, species, name) for name in ("random walk", "SR", *switch_names())):
            lines += [
                _published(rows, species),
                _planning(rows, species),
                _switches(rows, species),
                _habits(rows, species),
                _all_models(rows, species),
            ]
            further = (phases_line, disagreements_line, simulated_line, detours_line)
            lines += [line for each in further if (line := each(rows, species)) is not None]
    return lines


def _published(rows: Sequence[Row], species: str) -> Finding:
    pairs = [
        (name, PUBLISHED_SUMS[species, name], total(row))
        for name in PUBLISHED
        if (row := chosen(rows, species, name)) is not None
    ]
    determined = [pair for pair in pairs if "model-free" not in pair[0]]
    exact = all(abs(theirs - ours) < TO_THE_UNIT for _, theirs, ours in determined)
    return Finding(
        claim=f"{species}: the published sums of log-likelihoods come out again",
        paper="; ".join(f"{name} {theirs:,}" for name, theirs, _ in pairs),
        ours="; ".join(f"{name} {ours:,.0f}" for name, _, ours in pairs),
        verdict=Verdict.holds_if(exact),
        why=f"Holds if each sum but the model-free agent's is within {TO_THE_UNIT:g} nat of the "
        "published one; no chance is involved. Inverse temperature 1, each subject fitted by "
        "itself. The study's model-based agent counts cells of a path instead of steps. The table "
        "with which its model-free agent starts is not described, so that one is left out: ours "
        "starts at the optimum of the open maze, with value 0 in the goal.",
        given="for all but the model-free agent",
    )


def _planning(rows: Sequence[Row], species: str) -> Finding:
    names = [name for name in RIVALS if name in scores(rows, species, RIVALS)[0]]
    selection = frequencies(rows, species, names)
    sums = dict(zip(names, scores(rows, species, names)[1].sum(axis=0), strict=True))
    shown = ("SR", "FRP, K = 9", "model-based")
    in_sample = {name: total(chosen(rows, species, name) or {}) for name in shown}
    best = names[int(np.argmax(selection.protected))]
    gained = _more(rows, species, "FRP, K = 9", "SR")
    answer = every([above(gained), best.startswith("FRP")])
    protected = ", ".join(
        f"{name} {chance:.2f}"
        for name, chance in zip(names, selection.protected, strict=True)
        if chance >= 0.005
    )
    return Finding(
        claim=f"{species}: with fitted temperature, planning describes choices better than the SR",
        paper="published, temperature fixed: the SR is best",
        ours=f"in sample: SR {in_sample['SR']:,.0f}, "
        f"FRP with K = 9 {in_sample['FRP, K = 9']:,.0f}, "
        f"model-based planning {in_sample['model-based']:,.0f}; "
        f"leaving one layout out: {sums['SR']:,.0f} and {sums['FRP, K = 9']:,.0f}, more by "
        f"{_nats(gained)} a subject; protected exceedance: {protected}",
        verdict=Verdict.holds_if(answer),
        why="Holds if held-out likelihoods of FRP with K = 9 are above those of the SR (95% t "
        "interval over subjects) and a planner has the largest protected exceedance probability. "
        "The published order, in which the SR is best, depends on a temperature fixed at 1: if "
        "this line holds, fitting it reverses the order. Where model-based planning, which has no "
        "FRs, fits as well as FRP, choices speak for planning, not for FRs. FR and SR give the "
        "same likelihoods, because trials end at the goal.",
        figure="switches",
        given="seen in a first look before" if species == "rats" else "",
    )


def _switches(rows: Sequence[Row], species: str) -> Finding:
    sums = scores(rows, species, switch_names())[1].sum(axis=0)
    posterior = posterior_over_switches(rows, species)
    best = [SWITCHES[place] for place in posterior.argmax(axis=1)]
    counts = ", ".join(f"K = {each}: {best.count(each)}" for each in SWITCHES if each in best)
    gain = (sums[SWITCHES.index(3)] - sums[0]) / (sums[-1] - sums[0])
    excess = _beyond(rows, species)
    return Finding(
        claim=f"{species}: three switches describe choices nearly as well as nine",
        paper="not in the paper",
        ours=f"held out, K = {', '.join(map(str, SWITCHES))}: "
        f"{', '.join(f'{each:,.0f}' for each in sums)}; K = 3 brings {gain:.1%} of what K = 9 "
        f"does, {_nats(excess)} a subject more than {NEARLY:.0%} of it. Most probable K, subjects: "
        f"{counts}",
        verdict=Verdict.holds_if(above(excess)),
        why=f"Nearly means {NEARLY:.0%} of the improvement over K = 0: holds if what K = 3 brings, "
        f"less {NEARLY:.0%} of what K = 9 does, is above 0, does not hold if below (95% t interval "
        "over subjects). One layout left out at a time. The rats' curve was known when the margin "
        "was set, the humans' was not.",
        figure="switches",
        given="with a margin set afterwards" if species == "rats" else "",
    )


def _more(rows: Sequence[Row], species: str, model: str, than: str) -> Interval:
    """Return the interval of how much more likely a model makes a subject's held-out choices."""
    found = scores(rows, species, [than, model])[1]
    return interval_of(found[:, 1] - found[:, 0])


def _beyond(rows: Sequence[Row], species: str) -> Interval:
    """Return the interval of what K = 3 brings, less the share of K = 9 that it has to."""
    by_switches = scores(rows, species, switch_names())[1]
    none, three, nine = (by_switches[:, SWITCHES.index(k)] for k in (0, 3, 9))
    return interval_of((three - none) - NEARLY * (nine - none))


def _nats(interval: Interval) -> str:
    return f"{interval.low:+,.0f} to {interval.high:+,.0f} nats"


def _habits(rows: Sequence[Row], species: str) -> Finding:
    names = [
        name
        for name in ("turning biases", "SR", "SR, turning", "FRP, K = 9", "FRP, K = 9, turning")
        if name in scores(rows, species, [name])[0]
    ]
    sums = {name: scores(rows, species, [name])[1].sum() for name in names}
    ahead = _more(rows, species, "SR", "turning biases")
    return Finding(
        claim=f"{species}: the SR describes choices better than turning biases that know no goal",
        paper="not tested",
        ours="held out: "
        + "; ".join(f"{name} {each:,.0f}" for name, each in sums.items())
        + f". SR less turning biases: {_nats(ahead)} a subject",
        verdict=Verdict.holds_if(above(ahead)),
        why="Holds if that difference is above 0, does not hold if below (95% t interval over "
        "subjects). Three biases, for turning right, back and left after the last move. A random "
        "walk is "
        "too weak a baseline: subjects seldom turn back. Biases and plans add up: neither "
        "explains the other away.",
        figure="subjects",
    )


def _all_models(rows: Sequence[Row], species: str) -> Finding:
    parts = []
    for name in ("random walk", *OURS):
        row = chosen(rows, species, name)
        if row is not None:
            out = f" ({total(row, 'held_out'):,.0f})" if row["held_out"] else ""
            parts.append(f"{name} {total(row):,.0f}{out}")
    return Finding(
        claim=f"{species}: all models with fitted temperature",
        paper="not in the paper",
        ours="; ".join(parts),
        verdict=Verdict.REMARK,
        why="Sums of log-likelihoods over subjects in nats, in sample and, in brackets, leaving "
        "one layout out. The FR is the SR with another temperature, because trials end at the "
        "goal, and was not held out. Q-learning starts at the optimum of the open maze, which "
        "possible moves never contradict: its step size has no effect.",
        figure="subjects",
    )
