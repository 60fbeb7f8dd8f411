"""What the rows say about phases of learning, disagreements of models, and simulated subjects."""

from collections.abc import Sequence

import numpy as np

from first_occupancy_paper.experiments import Finding, Row, Verdict
from first_occupancy_paper.experiments.answers import Interval, above, every, interval_of, within
from first_occupancy_paper.experiments.tartarus.candidates import SWITCHES
from first_occupancy_paper.experiments.tartarus.numbers import (
    by_layout,
    chosen,
    disagreements,
    expected_switches,
    switch_names,
)

BEST = "FRP, K = 9, turning"
"""The model with the largest held-out likelihood, whose simulated subjects are judged."""

FIRST_TRIAL, LATE_TRIALS = "trial 1", "trials 6 to 10"
"""Phases of learning that are compared."""

AS_OFTEN = 0.05
"""Rates of success are equal if they differ by no more than this."""


def phases_line(rows: Sequence[Row], species: str) -> Finding | None:
    """Return the line on K in phases of learning; None without such rows.

    Args:
        rows: stored rows.
        species: "rats" or "humans".
    """
    row = chosen(rows, species, switch_names()[0])
    if row is None or "by_phase" not in row:
        return None
    means = {phase: expected_switches(rows, species, phase) for phase in row["by_phase"]}
    shown = ", ".join(f"{phase} {mean.mean():.1f}" for phase, mean in means.items())
    more = interval_of(means[LATE_TRIALS] - means[FIRST_TRIAL])
    return Finding(
        claim=f"{species}: more switches describe late trials in a layout than the first one",
        paper="not in the paper",
        ours=f"posterior mean of K, averaged over subjects: {shown}. {LATE_TRIALS} less "
        f"{FIRST_TRIAL}: {more.low:+.1f} to {more.high:+.1f}",
        verdict=Verdict.holds_if(above(more)),
        why="Holds if the posterior mean of K is larger for the late trials, does not hold if "
        "smaller (95% t interval over subjects). Each subject's posterior over K is from held-out "
        "likelihoods of the choices in that phase and a uniform prior over K = "
        f"{', '.join(map(str, SWITCHES))}; discount and temperature are fitted to all phases. "
        "Fewer choices leave a posterior nearer to its prior mean of "
        f"{np.mean(SWITCHES):.1f}. Since all phases share a temperature, noisier choices in the "
        "first trial would favour small K as well: fewer switches are not told apart from more "
        "noise.",
        figure="phases",
    )


def disagreements_line(rows: Sequence[Row], species: str) -> Finding | None:
    """Return the line on choices at which models prefer different moves; None without such rows.

    Args:
        rows: stored rows.
        species: "rats" or "humans".
    """
    found = disagreements(rows, species)
    if not found:
        return None
    planner = "FRP, K = 9"
    ahead = {
        first: interval_of(shares[:, 1] - shares[:, 0])
        for (first, second), shares in found.items()
        if second == planner
    }
    shown = []
    for (first, second), shares in found.items():
        (row,) = [
            row
            for row in rows
            if row["kind"] == "disagreement"
            and (row["species"], row["first"], row["second"]) == (species, first, second)
        ]
        number = sum(map(sum, (row["did_first"], row["did_second"], row["did_neither"])))
        means = shares.mean(axis=0)
        shown.append(
            f"{first} or {second} ({number:,} of {sum(row['choices']):,} choices): "
            f"{means[0]:.0%} and {means[1]:.0%}"
        )
    rivals = [each for each in ("turning biases", "SR") if each in ahead]
    return Finding(
        claim=f"{species}: where models prefer different moves, subjects make the planner's",
        paper="not in the paper",
        ours="moves that either model prefers, mean over subjects: "
        + "; ".join(shown)
        + ". The planner's share less the rival's: "
        + "; ".join(
            f"{each} {100 * ahead[each].low:+.0f} to {100 * ahead[each].high:+.0f} points"
            for each in rivals
        ),
        verdict=Verdict.holds_if(every([above(ahead[each]) for each in rivals])),
        why="Judged against turning biases and the SR: holds if subjects made the move of FRP with "
        "K = 9 more often than either rival's, does not hold if less often than one (95% t "
        "interval over subjects). A model prefers the moves to which it gives the largest "
        "probability; two models disagree if they prefer none in common. Parameters are fitted on "
        "even layouts for odd ones, and the other way round. A fourth pair, K = 1 and K = 9, was "
        "left out after it had been seen: they disagree at 41 of the rats' choices.",
        figure="disagreements",
    )


def simulated_line(rows: Sequence[Row], species: str) -> Finding | None:
    """Return the line on how often simulated subjects reach the goal; None if none are.

    Args:
        rows: stored rows.
        species: "rats" or "humans".
    """
    found = {
        name: row
        for name in ("SR", "FRP, K = 9", BEST)
        if (row := chosen(rows, species, name)) is not None and "simulated_success" in row
    }
    if BEST not in found:
        return None
    shown = ", ".join(
        f"{name} {by_layout(row, 'simulated_success').mean():.0%}" for name, row in found.items()
    )
    recorded = by_layout(found[BEST], "recorded_success")
    apart = interval_of(by_layout(found[BEST], "simulated_success") - recorded)
    return Finding(
        claim=f"{species}: subjects simulated with fitted parameters reach the goal as often",
        paper="not tested in this form",
        ours=f"within 45 moves: recorded {recorded.mean():.0%}; simulated {shown}. {BEST}, less "
        f"the recorded rate: {100 * apart.low:+.0f} to {100 * apart.high:+.0f} points",
        verdict=Verdict.holds_if(within(apart, -AS_OFTEN, AS_OFTEN)),
        why=f"A posterior-predictive check, judged for {BEST}, the best model when held out: holds "
        f"if within {100 * AS_OFTEN:g} points of the recorded rate, does not hold if further off "
        "(95% t interval over layouts). A good model of single choices need not walk like the "
        "subjects.",
        figure="detours",
        given="model and interval chosen afterwards",
    )


def detours_line(rows: Sequence[Row], species: str) -> Finding | None:
    """Return the line on detours of simulated subjects, layout by layout; None if none are.

    Args:
        rows: stored rows.
        species: "rats" or "humans".
    """
    found = {
        name: row
        for name in ("SR", "FRP, K = 9", BEST)
        if (row := chosen(rows, species, name)) is not None and "simulated_detours" in row
    }
    if BEST not in found:
        return None
    shown = []
    for name, row in found.items():
        low, high = _correlation(row)
        mean = np.nanmean(by_layout(row, "simulated_detours"))
        shown.append(f"{name} {mean:.1f} moves, correlation {low:.2f} to {high:.2f}")
    recorded = np.nanmean(by_layout(found[BEST], "recorded_detours"))
    return Finding(
        claim=f"{species}: simulated subjects make detours where recorded ones do",
        paper="not in the paper",
        ours=f"moves beyond the shortest path, mean over layouts: recorded {recorded:.1f}; "
        f"simulated: {'; '.join(shown)}",
        verdict=Verdict.holds_if(above(_correlation(found[BEST]))),
        why=f"A posterior-predictive check, judged for {BEST}: holds if the correlation over "
        "layouts of recorded and simulated detours is above 0 (95% interval by Fisher's "
        "transformation). Trials that reach the goal within 45 moves.",
        figure="detours",
    )


def _correlation(row: Row) -> Interval:
    """Return the interval of the correlation over layouts of recorded and simulated detours."""
    pair = np.stack([by_layout(row, f"{who}_detours") for who in ("recorded", "simulated")])
    pair = pair[:, np.isfinite(pair).all(axis=0)]
    middle, half = np.arctanh(np.corrcoef(pair)[0, 1]), 1.96 / np.sqrt(pair.shape[1] - 3)
    return Interval(float(np.tanh(middle - half)), float(np.tanh(middle + half)))
