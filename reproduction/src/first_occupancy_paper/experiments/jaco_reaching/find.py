"""The ledger's lines on the paper's claim, and on what it leaves open.

`findings.md` has the sentences. Every line says what was run, since full-size runs take hours on a
GPU and may be missing.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import Line, Row, Verdict, line
from ..answers import interval_of
from . import find_full_size, registered
from .comparing import (
    FEWEST,
    about,
    by_seed,
    difference,
    first_steps_at,
    interquartile_mean,
    mean_returns,
    pair_of,
    settled,
    standard_error,
    together,
    words,
)
from .find_early import early
from .find_values import bounded, outgrown, plausible
from .find_variants import is_soft, variants
from .run_curves import Curves, Setup, distinct_pretraining, finetuning_curves, setups

TESTS = 3
"""Number of lines on the paper's one claim, each of which could seem to decide it."""
COVERAGE = 100 - 5 / TESTS
"""Coverage of the intervals of these lines, in percent."""
RANDOM = 12.0
"""Return of an episode of uniformly random actions, ± 1.6."""

Pair = tuple[Curves, Curves]


def find(rows: Sequence[Row]) -> list[Line]:
    """Return the ledger's lines, those of the setup most relevant to the paper first."""
    found = setups(rows)
    if not found:
        return [line("no_rows", Verdict.NOT_RUN)]
    # Runs of a registered test are judged by its rule alone, those at full size not at all.
    usual = find_full_size.set_apart([setup for setup in found if not is_soft(setup)])
    judged = [setup for setup in registered.set_apart(usual) if "part" not in setup.config]
    finetuned = [setup for setup in judged if setup.config["finetuning_steps"]] or judged
    pretrained = distinct_pretraining(judged)
    lines: list[Line] = []
    for setup in judged:
        asks = (_faster, _sooner, _as_printed, early, _better, outgrown) * (setup in finetuned)
        asks += (plausible,) * (setup in pretrained)
        here = [each for ask in asks if (each := ask(setup)) is not None]
        # Other setups look at the same claims again.
        lines += [
            replace(
                each,
                id=f"{each.id}:{', '.join(words(setup))}",
                numbers={**each.numbers, **about(setup)},
                again=each.again or setup is not judged[0],
            )
            for each in here
        ]
    learns = [each for setup in found if (each := _learns(setup)) is not None]
    tested = [*registered.lines(found), *variants(found)]
    return [*lines, *tested, *find_full_size.remarks(found), *learns[:1], bounded(found)]


def _faster(setup: Setup) -> Line:
    pair = pair_of(setup)
    if pair is None:
        return line("faster_not_run", Verdict.NOT_RUN)
    areas = [mean_returns(curves) for curves in pair]
    lead = difference(*map(by_seed, pair, areas), tests=TESTS)
    return line(
        "faster",
        _compared(pair, lead.low > 0, lead.high < 0),
        "faster",
        areas=[
            {
                "name": name,
                "mean": area.mean(),
                "interval": interval_of(area),
                "middle": interquartile_mean(area),
                "end": curves.returns[:, -1].mean(),
                "error": standard_error(curves.returns[:, -1]),
            }
            for name, area, curves in zip(("APF", "APS"), areas, pair, strict=True)
        ],
        lead=lead,
        **_of_pair(pair),
    )


def _sooner(setup: Setup) -> Line | None:
    pair = pair_of(setup)
    if pair is None:
        return None
    level = _best(pair) / 2
    times = [first_steps_at(curves, level) for curves in pair]
    # A run that never reaches the level counts as if at the last step: how much later is unknown.
    ends = [np.minimum(each, curves.steps[-1]) for each, curves in zip(times, pair, strict=True)]
    lead = difference(*map(by_seed, pair, ends), tests=TESTS)
    return line(
        "sooner",
        _compared(pair, lead.high < 0, lead.low > 0),
        "sooner",
        again=True,
        level=level,
        times=[
            {
                "name": name,
                "mean": end.mean(),
                "interval": interval_of(end),
                "arrived": np.isfinite(time).sum(),
                "runs": len(time),
            }
            for name, end, time in zip(("APF", "APS"), ends, times, strict=True)
        ],
        lead=lead,
        **_of_pair(pair),
    )


def _as_printed(setup: Setup) -> Line | None:
    """Return how the paper's own target compares with APS, for the seeds that both have."""
    names = {"apf_printed": "as printed", "apf": "repaired", "aps": "APS"}
    there = together(setup, *names)
    if len(there) < len(names):
        return None
    seeds = sorted(set.intersection(*(set(curves.seeds) for curves in there.values())))
    if len(seeds) < FEWEST:
        return None
    areas = {agent: by_seed(curves, mean_returns(curves)) for agent, curves in there.items()}
    shared = {agent: {seed: area[seed] for seed in seeds} for agent, area in areas.items()}
    lead = difference(shared["apf_printed"], shared["aps"], tests=TESTS)
    return line(
        "as_printed",
        settled(lead.low > 0, lead.high < 0, Verdict.REPRODUCED, Verdict.DIFFERS),
        "as printed",
        again=True,
        seeds=(seeds[0], seeds[-1]),
        num_seeds=len(seeds),
        areas=[
            {"name": name, "returns": list(shared[agent].values())} for agent, name in names.items()
        ],
        lead=lead,
        repaired=difference(shared["apf_printed"], shared["apf"], tests=TESTS),
        coverage=COVERAGE,
        last=there["aps"].steps[-1],
    )


def _best(pair: Pair) -> float:
    """Return the highest mean return over seeds of either agent, at any step."""
    return max(float(curves.returns.mean(axis=0).max()) for curves in pair)


def _of_pair(pair: Pair) -> dict[str, Any]:
    """Return numbers of a comparison, among them whether either agent has learned anything."""
    return {
        "learned": _best(pair) > RANDOM,
        "best": _best(pair),
        "random": RANDOM,
        "coverage": COVERAGE,
        "paired": set(pair[0].seeds) == set(pair[1].seeds),
        "last": pair[0].steps[-1],
    }


def _compared(pair: Pair, faster: bool, slower: bool) -> Verdict:
    """Return the verdict on a claim that APF is ahead; unsettled if neither learned anything."""
    learned = _best(pair) > RANDOM
    return settled(learned and faster, learned and slower, Verdict.REPRODUCED, Verdict.DIFFERS)


def _better(setup: Setup) -> Line | None:
    there = together(setup, "apf", "aps", "ddpg")
    if "ddpg" not in there or len(there) == 1:
        return None
    if any(len(curves.seeds) < FEWEST for curves in there.values()):
        return None
    areas = {agent: mean_returns(curves) for agent, curves in there.items()}
    numbers = {agent: by_seed(there[agent], area) for agent, area in areas.items()}
    floor = numbers.pop("ddpg")
    gains = {agent: difference(ours, floor) for agent, ours in numbers.items()}
    holds = all(gain.low > 0 for gain in gains.values())
    fails = any(gain.high < 0 for gain in gains.values())
    return line(
        "better",
        settled(holds, fails, Verdict.HOLDS, Verdict.FAILS),
        "less DDPG",
        areas=[
            {"name": agent.upper(), "mean": area.mean(), "interval": interval_of(area)}
            for agent, area in areas.items()
        ],
        gains=[{"name": agent.upper(), "gain": gain} for agent, gain in gains.items()],
        last=there["ddpg"].steps[-1],
    )


def _learns(setup: Setup) -> Line | None:
    curves = finetuning_curves(setup, "ddpg")
    if curves is None or len(curves.seeds) < FEWEST:
        return None
    ends = curves.returns[:, -1]
    interval = interval_of(ends)
    return line(
        "learns",
        settled(interval.low > RANDOM, interval.high < RANDOM, Verdict.HOLDS, Verdict.FAILS),
        "above random",
        last=curves.steps[-1],
        mean=ends.mean(),
        interval=interval,
        ends=sorted(ends),
        random=RANDOM,
        **about(setup),
    )
