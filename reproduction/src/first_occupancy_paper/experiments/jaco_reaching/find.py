"""The ledger's lines on the paper's claim, and on what it leaves open.

Every line says what was run, since full-size runs take hours on a GPU and may be missing.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from first_occupancy_paper.experiments import Finding, Row, Verdict
from first_occupancy_paper.experiments.jaco_reaching import find_full_size, registered
from first_occupancy_paper.experiments.jaco_reaching.comparing import (
    FEWEST,
    pair_of,
    settled,
    span,
    standard_error,
)
from first_occupancy_paper.experiments.jaco_reaching.find_early import early
from first_occupancy_paper.experiments.jaco_reaching.find_values import bounded, outgrown, plausible
from first_occupancy_paper.experiments.jaco_reaching.find_variants import is_soft, variants
from first_occupancy_paper.experiments.jaco_reaching.run_curves import (
    Curves,
    Setup,
    distinct_pretraining,
    finetuning_curves,
    setups,
)
from first_occupancy_paper.experiments.jaco_reaching.statistics import (
    difference,
    first_steps_at,
    interquartile_mean,
    mean_interval,
    mean_returns,
)
from first_occupancy_paper.experiments.jaco_reaching.wording import (
    PAPER,
    choices,
    how,
    not_run,
    what_was_run,
)

FASTER = "APF learns to reach faster than APS"
AS_PRINTED = "APF with the target as printed learns to reach faster than APS"
SOONER = "APF reaches half of the best return sooner than APS"
BETTER = "Pre-training helps: APF and APS do better than DDPG from scratch"
LEARNS = "DDPG alone, from scratch, learns to reach: the learner works on the arm"
TESTS = 3
"""Number of lines on the paper's one claim, each of which could seem to decide it."""
SHARED = f"{100 - 5 / TESTS:.4g}%, because three lines test one claim"
RANDOM = 12.0
"""Return of an episode of uniformly random actions, ± 1.6."""


def find(rows: Sequence[Row]) -> list[Finding]:
    """Return the ledger's lines, those of the setup most relevant to the paper first."""
    found = setups(rows)
    if not found:
        return [not_run(FASTER, "no run is kept")]
    # Runs of a registered test are judged by its rule alone, those at full size not at all.
    usual = find_full_size.set_apart([setup for setup in found if not is_soft(setup)])
    judged = [setup for setup in registered.set_apart(usual) if "part" not in setup.config]
    finetuned = [setup for setup in judged if setup.config["finetuning_steps"]] or judged
    pretrained = distinct_pretraining(judged)
    lines: list[Finding] = []
    for setup in judged:
        asks = (_faster, _sooner, _as_printed, early, _better, outgrown) * (setup in finetuned)
        asks += (plausible,) * (setup in pretrained)
        here = [line for ask in asks if (line := ask(setup)) is not None]
        # Other setups look at the same claims again.
        lines += [replace(line, again=line.again or setup is not judged[0]) for line in here]
    learns = [line for setup in found if (line := _learns(setup)) is not None]
    tested = [*registered.findings(found), *variants(found)]
    return [*lines, *tested, *find_full_size.remarks(found), *learns[:1], bounded(found)]


def _faster(setup: Setup) -> Finding:
    pair = pair_of(setup)
    if pair is None:
        return not_run(FASTER, f"too few runs so far ({what_was_run(setup)})")
    areas = [mean_returns(curves) for curves in pair]
    mean, low, high = difference(*map(_by_seed, pair, areas), tests=TESTS)
    texts = [
        f"{name} {area.mean():.1f} [{span(mean_interval(area))}], interquartile mean "
        f"{interquartile_mean(area):.1f}, at the end {curves.returns[:, -1].mean():.1f} "
        f"± {standard_error(curves.returns[:, -1]):.1f} (1 SE)"
        for name, area, curves in zip(("APF", "APS"), areas, pair, strict=True)
    ]
    return Finding(
        claim=f"{FASTER}{how(setup)}",
        paper=PAPER,
        ours="Mean return while learning (area under the curve over steps), mean over seeds: "
        f"{'; '.join(texts)}. APF less APS: {mean:+.1f} [{span((low, high))}]",
        verdict=_compared(pair, low > 0, high < 0),
        why=f"{_nothing(pair)}Reproduced if the difference's interval lies above 0, not settled "
        f"while it holds 0. Compared up to step {pair[0].steps[-1]:,}. {what_was_run(setup)}. "
        f"Intervals: 95%, t over seeds; of the difference {SHARED}{_pairing(pair)}. "
        f"{choices(setup)}",
        figure="reaching",
    )


def _sooner(setup: Setup) -> Finding | None:
    pair = pair_of(setup)
    if pair is None:
        return None
    level = _best(pair) / 2
    times = [first_steps_at(curves, level) for curves in pair]
    # A run that never reaches the level counts as if at the last step: how much later is unknown.
    ends = [np.minimum(each, curves.steps[-1]) for each, curves in zip(times, pair, strict=True)]
    mean, low, high = difference(*map(_by_seed, pair, ends), tests=TESTS)
    texts = [
        f"{name} {end.mean():,.0f} steps [{span(mean_interval(end), ',.0f')}], "
        f"{np.isfinite(time).sum()} of {len(time)} runs got there"
        for name, end, time in zip(("APF", "APS"), ends, times, strict=True)
    ]
    return Finding(
        claim=f"{SOONER}{how(setup)}",
        paper=PAPER,
        ours=f"Until a return of {level:.1f}, mean over seeds: {'; '.join(texts)}. APF less APS: "
        f"{mean:+,.0f} [{span((low, high), '+,.0f')}] steps",
        verdict=_compared(pair, high < 0, low > 0),
        why=f"{_nothing(pair)}Half of the best mean return of either agent; the first evaluation "
        "that is as high. Runs that never were count as if they had been at the end. Reproduced "
        f"if the difference's interval ({SHARED}; t over seeds{_pairing(pair)}) lies below 0, "
        f"not settled while it holds 0. Compared up to step {pair[0].steps[-1]:,}. "
        f"{what_was_run(setup)}.",
        figure="reaching",
        again=True,
    )


def _as_printed(setup: Setup) -> Finding | None:
    """Return how the paper's own target compares with APS, for the seeds that both have."""
    found = {agent: finetuning_curves(setup, agent) for agent in ("apf_printed", "apf", "aps")}
    there = {agent: curves for agent, curves in found.items() if curves is not None}
    if len(there) < len(found):
        return None
    last = min(int(curves.steps[-1]) for curves in there.values())
    areas = {
        agent: _by_seed(curves, mean_returns(curves.until(last))) for agent, curves in there.items()
    }
    seeds = sorted(set.intersection(*(set(each) for each in areas.values())))
    if len(seeds) < FEWEST:
        return None
    shared = {agent: {seed: each[seed] for seed in seeds} for agent, each in areas.items()}
    mean, low, high = difference(shared["apf_printed"], shared["aps"], tests=TESTS)
    repaired = difference(shared["apf_printed"], shared["apf"], tests=TESTS)
    texts = [
        f"{name} {' / '.join(f'{shared[agent][seed]:.0f}' for seed in seeds)}"
        for agent, name in (("apf_printed", "as printed"), ("apf", "repaired"), ("aps", "APS"))
    ]
    return Finding(
        claim=f"{AS_PRINTED}{how(setup)}",
        paper=PAPER,
        ours=f"Mean return while learning, seeds {seeds[0]} to {seeds[-1]}: {'; '.join(texts)}. "
        f"As printed less APS: {mean:+.1f} [{span((low, high))}]; less the repaired APF: "
        f"{repaired[0]:+.1f} [{span(repaired[1:])}]",
        verdict=settled(low > 0, high < 0, Verdict.REPRODUCED, Verdict.DIFFERS),
        why=f"Reproduced if the interval of the difference ({SHARED}; paired t) lies above 0, "
        "differs if below. Exploratory: no test was planned before these runs. The target diverges "
        "in pre-training (see the line on it) and is left behind when the agent is handed over. "
        f"Compared up to step {last:,}.",
        figure="reaching",
        given=f"{len(seeds)} seeds, exploratory",
        again=True,
    )


def _by_seed(curves: Curves, numbers: np.ndarray) -> dict[int, float]:
    return dict(zip(curves.seeds, map(float, numbers), strict=True))


def _pairing(pair: tuple[Curves, Curves]) -> str:
    return ", paired by seed" if set(pair[0].seeds) == set(pair[1].seeds) else ""


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
    return settled(learned and faster, learned and slower, Verdict.REPRODUCED, Verdict.DIFFERS)


def _better(setup: Setup) -> Finding | None:
    agents = {agent: finetuning_curves(setup, agent) for agent in ("apf", "aps", "ddpg")}
    there = {agent: curves for agent, curves in agents.items() if curves is not None}
    if "ddpg" not in there or len(there) == 1:
        return None
    if any(len(each.seeds) < FEWEST for each in there.values()):
        return None
    last = min(int(curves.steps[-1]) for curves in there.values())
    areas = {agent: mean_returns(curves.until(last)) for agent, curves in there.items()}
    numbers = {agent: _by_seed(there[agent], area) for agent, area in areas.items()}
    gains = {
        agent: difference(numbers[agent], numbers["ddpg"])[1:] for agent in areas if agent != "ddpg"
    }
    texts = [
        f"{agent.upper()} {area.mean():.1f} [{span(mean_interval(area))}]"
        for agent, area in areas.items()
    ]
    less = ", ".join(f"{agent.upper()} [{span(gain)}]" for agent, gain in gains.items())
    holds = all(low > 0 for low, _ in gains.values())
    fails = any(high < 0 for _, high in gains.values())
    return Finding(
        claim=f"{BETTER}{how(setup)}",
        paper="not in the paper",
        ours=f"Mean return while learning, mean over seeds: {'; '.join(texts)}",
        verdict=settled(holds, fails, Verdict.HOLDS, Verdict.FAILS),
        why=f"Less DDPG: {less}; holds if all lie above 0, fails if one lies below. DDPG has the "
        f"steps of fine-tuning only. Compared up to step {last:,}. {what_was_run(setup)}.",
        figure="reaching",
    )


def _learns(setup: Setup) -> Finding | None:
    curves = finetuning_curves(setup, "ddpg")
    if curves is None or len(curves.seeds) < FEWEST:
        return None
    ends = curves.returns[:, -1]
    low, high = mean_interval(ends)
    return Finding(
        claim=LEARNS,
        paper="not in the paper",
        ours=f"Return after {curves.steps[-1]:,} steps: {ends.mean():.1f} [{span((low, high))}], "
        f"seed by seed {', '.join(f'{end:.0f}' for end in sorted(ends))}",
        verdict=settled(low > RANDOM, high < RANDOM, Verdict.HOLDS, Verdict.FAILS),
        why=f"Holds if the interval (95%, t over seeds) lies above the {RANDOM:g} that "
        "random actions return (240 episodes), fails if it lies below; 250 is the most there is. "
        f"{what_was_run(setup)}.",
        figure="reaching",
    )
