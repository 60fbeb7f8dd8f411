"""The ledger's lines on the paper's claim, and on what it leaves open.

Every line says what was run, since full-size runs take hours on a GPU and may be missing.
"""

from collections.abc import Sequence

import numpy as np

from first_occupancy.arm.runs.run_config import RunConfig, as_data
from first_occupancy.experiments import Finding, Row, Verdict
from first_occupancy.experiments.jaco_reaching import registered
from first_occupancy.experiments.jaco_reaching.find_values import bounded, outgrown, plausible
from first_occupancy.experiments.jaco_reaching.run_curves import (
    Curves,
    Setup,
    distinct_pretraining,
    finetuning_curves,
    setups,
)
from first_occupancy.experiments.jaco_reaching.statistics import (
    first_steps_at,
    interquartile_mean,
    interval,
    mean_returns,
    resampled,
)
from first_occupancy.experiments.jaco_reaching.wording import (
    PAPER,
    choices,
    how,
    not_run,
    what_was_run,
)

FEWEST = 3
"""Fewest seeds of each agent for a conclusion."""

FASTER = "APF learns to reach faster than APS"
SOONER = "APF reaches half of the best return sooner than APS"
BETTER = "Pre-training helps: APF and APS do better than DDPG from scratch"
LEARNS = "DDPG alone, from scratch, learns to reach: the learner works on the arm"
EARLY = "APF is ahead of APS over the first 100,000 steps of fine-tuning"
EARLY_STEPS, EARLY_SEEDS = 100_000, range(10, 20)
"""The lead was seen in seeds 0 to 9, so it is judged by these seeds, once all have been run."""
EARLY_SETTINGS = {"pretraining_steps": 500_000, "environments": 8, "precision": "bfloat16"}
"""Settings with which it was seen, as far as they are not the defaults."""
TESTS = 2
"""Number of lines on the paper's one claim, each of which could seem to reproduce it."""
ONE_OF_TWO = f"{100 - 5 / TESTS:g}%, because two lines test one claim"
RANDOM = 12.0
"""Return of an episode of uniformly random actions, ± 1.6."""


def find(rows: Sequence[Row]) -> list[Finding]:
    """Return the ledger's lines, those of the setup most relevant to the paper first."""
    found = setups(rows)
    if not found:
        return [not_run(FASTER, "no run is kept")]
    # Runs of a registered test are judged by its rule alone.
    judged = [setup for setup in registered.set_apart(found) if "part" not in setup.config]
    finetuned = [setup for setup in judged if setup.config["finetuning_steps"]] or judged
    pretrained = distinct_pretraining(judged)
    lines: list[Finding | None] = []
    for setup in judged:
        if setup in finetuned:
            lines += [ask(setup) for ask in (_faster, _sooner, _early, _better, outgrown)]
        if setup in pretrained:
            lines.append(plausible(setup))
    learns = [line for setup in found if (line := _learns(setup)) is not None]
    return [*filter(None, lines), *registered.findings(found), *learns[:1], bounded(found)]


def _faster(setup: Setup) -> Finding:
    pair = _pair(setup)
    if pair is None:
        return not_run(FASTER, f"too few runs so far ({what_was_run(setup)})")
    apf, aps = pair
    areas = [mean_returns(curves) for curves in pair]
    spread = [resampled(each, interquartile_mean, seed=i) for i, each in enumerate(areas)]
    difference = interquartile_mean(areas[0]) - interquartile_mean(areas[1])
    low, high = interval(spread[0] - spread[1], tests=TESTS)
    texts = [
        f"{name} {interquartile_mean(area):.1f} [{_range(interval(each))}], mean {area.mean():.1f} "
        f"± {_standard_error(area):.1f} (1 SE), at the end {curves.returns[:, -1].mean():.1f} "
        f"± {_standard_error(curves.returns[:, -1]):.1f}"
        for name, area, each, curves in zip(("APF", "APS"), areas, spread, (apf, aps), strict=True)
    ]
    return Finding(
        claim=f"{FASTER}{how(setup)}",
        paper=PAPER,
        ours="Mean return while learning (area under the curve over steps), interquartile mean "
        f"over seeds: {'; '.join(texts)}. APF less APS: {difference:+.1f} [{_range((low, high))}]",
        verdict=_compared(pair, low > 0, high < 0),
        why=f"{_nothing(pair)}Reproduced if the difference's interval lies above 0, not settled "
        f"while it holds 0. Compared up to step {apf.steps[-1]:,}. {what_was_run(setup)}. "
        f"Intervals: 95%, by bootstrap over seeds; of the difference {ONE_OF_TWO}. "
        f"{choices(setup)}",
        figure="reaching",
    )


def _sooner(setup: Setup) -> Finding | None:
    pair = _pair(setup)
    if pair is None:
        return None
    level = _best(pair) / 2
    times = [first_steps_at(curves, level) for curves in pair]
    # A run that never reaches the level counts as if at the last step: how much later is unknown.
    ends = [np.minimum(each, curves.steps[-1]) for each, curves in zip(times, pair, strict=True)]
    spread = [resampled(each, interquartile_mean, seed=i) for i, each in enumerate(ends)]
    low, high = interval(spread[0] - spread[1], tests=TESTS)
    texts = [
        f"{name} {interquartile_mean(end):,.0f} steps [{_range(interval(each), ',.0f')}], "
        f"{np.isfinite(time).sum()} of {len(time)} runs got there"
        for name, end, each, time in zip(("APF", "APS"), ends, spread, times, strict=True)
    ]
    return Finding(
        claim=f"{SOONER}{how(setup)}",
        paper=PAPER,
        ours=f"Until a return of {level:.1f}, interquartile mean over seeds: {'; '.join(texts)}",
        verdict=_compared(pair, high < 0, low > 0),
        why=f"{_nothing(pair)}Half of the best mean return of either agent; the first evaluation "
        "that is as high. "
        f"Runs that never were count as if they had been at the end. APF less APS: "
        f"[{_range((low, high), '+,.0f')}] steps ({ONE_OF_TWO}); reproduced if that lies below 0, "
        f"not settled while it holds 0. Compared up to step {pair[0].steps[-1]:,}. "
        f"{what_was_run(setup)}.",
        figure="reaching",
    )


def _early(setup: Setup) -> Finding | None:
    """Return the line on a hypothesis, judged by seeds that were run after it was made."""
    pair = _pair(setup)
    if pair is None or not _is_of_the_guess(setup) or pair[0].steps[-1] < EARLY_STEPS:
        return None
    before, after = (
        [mean_returns(curves.until(EARLY_STEPS))[np.isin(curves.seeds, seeds)] for curves in pair]
        for seeds in (range(EARLY_SEEDS.start), EARLY_SEEDS)
    )
    ours, verdict = _confirmed(after)
    seen = f" ({_middles(before)})" if all(map(len, before)) else ""
    return Finding(
        claim=f"{EARLY}{how(setup)}",
        paper="not in the paper",
        ours=ours,
        verdict=verdict,
        why=f"Area under the curve. Seen in seeds 0 to {EARLY_SEEDS.start - 1}{seen}, and so to be "
        f"judged by {_those()} alone, all at once: holds if the interval (95%, by bootstrap over "
        f"seeds) lies above 0, fails if it lies below. {what_was_run(setup)}.",
        figure="reaching",
    )


def _confirmed(areas: Sequence[np.ndarray]) -> tuple[str, Verdict]:
    """Return what mean returns of APF and APS say about the hypothesis, and the verdict."""
    if min(map(len, areas)) < len(EARLY_SEEDS):
        return f"not run yet: {_those()}", Verdict.NOT_RUN
    spread = [resampled(each, interquartile_mean, seed=i) for i, each in enumerate(areas)]
    low, high = interval(spread[0] - spread[1])
    verdict = _settled(low > 0, high < 0, Verdict.HOLDS, Verdict.FAILS)
    ours = f"Mean return of {_those()}: {_middles(areas)}; APF less APS [{_range((low, high))}]"
    return ours, verdict


def _those() -> str:
    return f"seeds {EARLY_SEEDS.start} to {EARLY_SEEDS.stop - 1}"


def _middles(areas: Sequence[np.ndarray]) -> str:
    apf, aps = map(interquartile_mean, areas)
    return f"interquartile means: APF {apf:.1f}, APS {aps:.1f}"


def _is_of_the_guess(setup: Setup) -> bool:
    """Return whether the settings are those of the hypothesis, the steps of fine-tuning aside."""
    free = {"agents", "seeds", "finetuning_steps"}
    settings = {**as_data(RunConfig()), **EARLY_SETTINGS}
    return all(setup.config[name] == settings[name] for name in settings.keys() - free)


def _best(pair: tuple[Curves, Curves]) -> float:
    """Return the highest mean return over seeds of either agent, at any step."""
    return max(float(curves.returns.mean(axis=0).max()) for curves in pair)


def _nothing(pair: tuple[Curves, Curves]) -> str:
    """Return a warning if neither agent has learned anything."""
    best = _best(pair)
    if best > RANDOM:
        return ""
    return (
        f"Neither learned to reach: no mean over seeds was ever above {best:.1f}, and random "
        f"actions return {RANDOM:g}. So these numbers do not tell who is faster. "
    )


def _compared(pair: tuple[Curves, Curves], faster: bool, slower: bool) -> Verdict:
    """Return the verdict on a claim that APF is ahead; unsettled if neither learned anything."""
    learned = _best(pair) > RANDOM
    return _settled(learned and faster, learned and slower, Verdict.REPRODUCED, Verdict.DIFFERS)


def _better(setup: Setup) -> Finding | None:
    agents = {agent: finetuning_curves(setup, agent) for agent in ("apf", "aps", "ddpg")}
    there = {agent: curves for agent, curves in agents.items() if curves is not None}
    if "ddpg" not in there or len(there) == 1:
        return None
    if any(len(each.seeds) < FEWEST for each in there.values()):
        return None
    last = min(int(curves.steps[-1]) for curves in there.values())
    areas = {agent: mean_returns(curves.until(last)) for agent, curves in there.items()}
    spread = {
        agent: resampled(area, interquartile_mean, seed=i)
        for i, (agent, area) in enumerate(areas.items())
    }
    gains = {agent: interval(spread[agent] - spread["ddpg"]) for agent in areas if agent != "ddpg"}
    texts = [
        f"{agent.upper()} {interquartile_mean(area):.1f} [{_range(interval(spread[agent]))}]"
        for agent, area in areas.items()
    ]
    less = ", ".join(f"{agent.upper()} [{_range(gain)}]" for agent, gain in gains.items())
    holds = all(low > 0 for low, _ in gains.values())
    fails = any(high < 0 for _, high in gains.values())
    return Finding(
        claim=f"{BETTER}{how(setup)}",
        paper="not in the paper",
        ours=f"Mean return while learning, interquartile mean over seeds: {'; '.join(texts)}",
        verdict=_settled(holds, fails, Verdict.HOLDS, Verdict.FAILS),
        why=f"Less DDPG: {less}; holds if all lie above 0, fails if one lies below. DDPG has the "
        f"steps of fine-tuning only. Compared up to step {last:,}. {what_was_run(setup)}.",
        figure="reaching",
    )


def _learns(setup: Setup) -> Finding | None:
    curves = finetuning_curves(setup, "ddpg")
    if curves is None or len(curves.seeds) < FEWEST:
        return None
    ends = curves.returns[:, -1]
    low, high = interval(resampled(ends, lambda each: each.mean(axis=-1), seed=0))
    return Finding(
        claim=LEARNS,
        paper="not in the paper",
        ours=f"Return after {curves.steps[-1]:,} steps: {ends.mean():.1f} [{_range((low, high))}], "
        f"seed by seed {', '.join(f'{end:.0f}' for end in sorted(ends))}",
        verdict=_settled(low > RANDOM, high < RANDOM, Verdict.HOLDS, Verdict.FAILS),
        why=f"Holds if the interval (95%, by bootstrap over seeds) lies above the {RANDOM:g} that "
        "random actions return (240 episodes), fails if it lies below; 250 is the most there is. "
        f"{what_was_run(setup)}.",
        figure="reaching",
    )


def _settled(holds: bool, fails: bool, yes: Verdict, no: Verdict) -> Verdict:
    """Return the verdict of an interval that lies on one side of a threshold, or on neither."""
    return yes if holds else no if fails else Verdict.UNSETTLED


def _pair(setup: Setup) -> tuple[Curves, Curves] | None:
    """Return curves of APF and APS over the same steps, if there are enough runs of both."""
    apf, aps = (finetuning_curves(setup, agent) for agent in ("apf", "aps"))
    if apf is None or aps is None or min(len(apf.seeds), len(aps.seeds)) < FEWEST:
        return None
    last = min(int(apf.steps[-1]), int(aps.steps[-1]))
    return apf.until(last), aps.until(last)


def _standard_error(samples: np.ndarray) -> float:
    return float(samples.std(ddof=1) / np.sqrt(len(samples)))


def _range(bounds: tuple[float, float], form: str = ".1f") -> str:
    return f"{bounds[0]:{form}}, {bounds[1]:{form}}"
