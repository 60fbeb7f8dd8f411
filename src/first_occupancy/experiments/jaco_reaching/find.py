"""What the rows say about the paper's claim, and about what it leaves open.

Every line says what was run, since the paper's size takes hours of a GPU and may not be there yet.
"""

from collections.abc import Sequence

import numpy as np

from first_occupancy.experiments.experiment import Finding, Row, Verdict
from first_occupancy.experiments.jaco_reaching.curves import (
    Curves,
    Setup,
    finetuning_curves,
    largest_targets,
    relative_values,
    setups,
)
from first_occupancy.experiments.jaco_reaching.statistics import (
    first_steps_at,
    interquartile_mean,
    interval,
    mean_returns,
    resampled,
)

FEWEST = 3
"""Seeds of each agent below which nothing is concluded."""

FASTER = "APF learns to reach faster than APS"
SOONER = "APF reaches half of the best return sooner than APS"
BETTER = "Pre-training helps: APF and APS do better than DDPG from scratch"
BOUNDED = "The target of APF as printed can be learned from"
PLAUSIBLE = "Pre-training's values are no more than its rewards are worth"
LEARNS = "DDPG alone, from scratch, learns to reach: the learner works on the arm"
RANDOM = 12.0
"""What an episode of uniformly random actions returns, ± 1.6."""
PAPER = "Fig. apf(b): 'the FF accelerated convergence'; no number printed"
ALLOWED = 2.0
"""Values may be so many times what they seem worth: policies may find more than the mean reward."""
GROWN = 10.0
"""Targets this many times those of APF, and still growing, count as growing without bound."""


def find(rows: Sequence[Row]) -> list[Finding]:
    """Return the ledger's lines: those of each setup, with what there is most of first."""
    found = setups(rows)
    if not found:
        return [_not_run(FASTER, "no run is kept")]
    questions = (_faster, _sooner, _better, _plausible)
    lines = [line for setup in found for ask in questions if (line := ask(setup)) is not None]
    learns = [line for setup in found if (line := _learns(setup)) is not None]
    return [*lines, *learns[:1], _bounded(found)]


def _not_run(claim: str, missing: str) -> Finding:
    return Finding(
        claim=claim,
        paper=PAPER,
        ours=f"not run yet: {missing}",
        verdict=Verdict.NOT_RUN,
        why="It takes MuJoCo and, at the paper's size of 10 seeds with 1M steps each of "
        "pre-training and fine-tuning, hours of a GPU: first-occupancy run jaco_reaching.",
    )


def _faster(setup: Setup) -> Finding:
    pair = _pair(setup)
    if pair is None:
        return _not_run(FASTER, f"too few runs so far ({what_was_run(setup)})")
    apf, aps = pair
    areas = [mean_returns(curves) for curves in pair]
    spread = [resampled(each, interquartile_mean, seed=i) for i, each in enumerate(areas)]
    difference = interquartile_mean(areas[0]) - interquartile_mean(areas[1])
    low, high = interval(spread[0] - spread[1])
    texts = [
        f"{name} {interquartile_mean(area):.1f} [{_range(interval(each))}], mean {area.mean():.1f} "
        f"± {_standard_error(area):.1f} (1 SE), at the end {curves.returns[:, -1].mean():.1f} "
        f"± {_standard_error(curves.returns[:, -1]):.1f}"
        for name, area, each, curves in zip(("APF", "APS"), areas, spread, (apf, aps), strict=True)
    ]
    return Finding(
        claim=f"{FASTER}{_how(setup)}",
        paper=PAPER,
        ours="Mean return while learning (area under the curve over steps), interquartile mean "
        f"over seeds: {'; '.join(texts)}. APF less APS: {difference:+.1f} [{_range((low, high))}]",
        verdict=Verdict.REPRODUCED if low > 0 else Verdict.DIFFERS,
        why=f"{_nothing(pair)}Reproduced if the difference's interval lies above 0. "
        f"{what_was_run(setup)}. "
        f"Intervals: 95%, by bootstrap over seeds. {_choices(setup)}",
        figure="reaching",
    )


def _sooner(setup: Setup) -> Finding | None:
    pair = _pair(setup)
    if pair is None:
        return None
    level = max(curves.returns.mean(axis=0).max() for curves in pair) / 2
    times = [first_steps_at(curves, level) for curves in pair]
    # A run that never got there is put at the end: later than all others, by how much is unknown.
    ends = [np.minimum(each, curves.steps[-1]) for each, curves in zip(times, pair, strict=True)]
    spread = [resampled(each, interquartile_mean, seed=i) for i, each in enumerate(ends)]
    low, high = interval(spread[0] - spread[1])
    texts = [
        f"{name} {interquartile_mean(end):,.0f} steps [{_range(interval(each), ',.0f')}], "
        f"{np.isfinite(time).sum()} of {len(time)} runs got there"
        for name, end, each, time in zip(("APF", "APS"), ends, spread, times, strict=True)
    ]
    return Finding(
        claim=f"{SOONER}{_how(setup)}",
        paper=PAPER,
        ours=f"Until a return of {level:.1f}, interquartile mean over seeds: {'; '.join(texts)}",
        verdict=Verdict.REPRODUCED if high < 0 else Verdict.DIFFERS,
        why=f"{_nothing(pair)}Half of the best mean return of either agent; the first evaluation "
        "that is as high. "
        f"Runs that never were count as if they had been at the end. APF less APS: "
        f"[{_range((low, high), '+,.0f')}] steps; reproduced if that lies below 0. "
        f"{what_was_run(setup)}.",
        figure="reaching",
    )


def _nothing(pair: tuple[Curves, Curves]) -> str:
    """Return a warning where nobody has learned anything."""
    best = max(curves.returns.mean(axis=0).max() for curves in pair)
    if best > RANDOM:
        return ""
    return (
        f"Neither learned to reach: no mean over seeds was ever above {best:.1f}, and random "
        f"actions return {RANDOM:g}. So these numbers do not tell who is faster. "
    )


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
    return Finding(
        claim=f"{BETTER}{_how(setup)}",
        paper="not in the paper",
        ours=f"Mean return while learning, interquartile mean over seeds: {'; '.join(texts)}",
        verdict=Verdict.HOLDS if holds else Verdict.FAILS,
        why=f"Less DDPG: {less}; holds if all lie above 0. DDPG has the steps of fine-tuning only. "
        f"{what_was_run(setup)}.",
        figure="reaching",
    )


def _plausible(setup: Setup) -> Finding | None:
    worths = {agent: worth for agent in ("apf", "aps") if (worth := relative_values(setup, agent))}
    if not worths:
        return None
    texts = [
        f"{agent.upper()} {min(worth):.3g} to {max(worth):.3g} times"
        for agent, worth in worths.items()
    ]
    holds = all(max(worth) <= ALLOWED for worth in worths.values())
    return Finding(
        claim=f"{PLAUSIBLE}{_how(setup)}",
        paper="not in the paper",
        ours=f"Mean value aimed at when pre-training ends, seed by seed: {'; '.join(texts)} what a "
        "feature reward of 1 and the mean exploration reward are worth if they go on forever",
        verdict=Verdict.HOLDS if holds else Verdict.FAILS,
        why=f"Holds if all are at most {ALLOWED:g}. Whatever is beyond is critics that feed on "
        "their own overestimates, where the actor leads them; handed over, they have to be "
        f"unlearned before a reward can be seen. {what_was_run(setup)}.",
        figure="targets",
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
        verdict=Verdict.HOLDS if low > RANDOM else Verdict.FAILS,
        why=f"Holds if the interval (95%, by bootstrap over seeds) lies above the {RANDOM:g} that "
        f"random actions return (240 episodes); 250 is the most there is. {what_was_run(setup)}.",
        figure="reaching",
    )


def _bounded(found: Sequence[Setup]) -> Finding:
    for setup in found:
        runs = [points for points in largest_targets(setup, "apf_printed").values() if points]
        if runs:
            return _growth(setup, runs)
    return _not_run(BOUNDED, "no run of apf_printed is kept")


def _growth(setup: Setup, runs: Sequence[list[tuple[int, float | None]]]) -> Finding:
    lasts = [points[-1][1] for points in runs]
    finite = [last for last in lasts if last is not None]
    middles = [points[len(points) // 2][1] for points in runs]
    grows = [
        last is None or (middle is not None and last > middle)
        for last, middle in zip(lasts, middles, strict=True)
    ]
    step = runs[0][-1][0]
    others = {agent: _largest_at_end(setup, agent) for agent in ("apf", "aps")}
    usual = max((each for each in others.values() if each is not None), default=None)
    unbounded = [
        last is None or (usual is not None and last > GROWN * usual and grow)
        for last, grow in zip(lasts, grows, strict=True)
    ]
    beside = ", ".join(f"{a.upper()} {v:.3g}" for a, v in others.items() if v is not None)
    return Finding(
        claim=BOUNDED,
        paper="y = r^F + r^explore + γ [w·1 − r^F + 1] V (appendix)",
        ours=f"Largest target after {step:,} steps of pre-training: "
        + (f"{min(finite):.3g} to {max(finite):.3g}" if finite else "beyond all floats")
        + f", {len(lasts) - len(finite)} of {len(lasts)} runs no longer finite; "
        + (beside or "no other agent beside it"),
        verdict=Verdict.DIFFERS if any(unbounded) else Verdict.REPRODUCED,
        why="The factor in brackets exceeds 1 for half of all tasks w, so that values feed on "
        "themselves. Differs if, for some seed, targets are no longer finite or more than "
        f"{GROWN:g} times the others' and still growing. The repaired form has a target for each "
        f"feature and contracts. {what_was_run(setup)}.",
        figure="targets",
    )


def _largest_at_end(setup: Setup, agent: str) -> float | None:
    lasts = [points[-1][1] for points in largest_targets(setup, agent).values() if points]
    finite = [last for last in lasts if last is not None]
    return max(finite) if finite else None


def _pair(setup: Setup) -> tuple[Curves, Curves] | None:
    """Return curves of APF and APS over the same steps, if there are enough runs of both."""
    apf, aps = (finetuning_curves(setup, agent) for agent in ("apf", "aps"))
    if apf is None or aps is None or min(len(apf.seeds), len(aps.seeds)) < FEWEST:
        return None
    last = min(int(apf.steps[-1]), int(aps.steps[-1]))
    return apf.until(last), aps.until(last)


def what_was_run(setup: Setup) -> str:
    """Return exactly what was run, in words."""
    config = setup.config
    counts = []
    for agent in setup.runs:
        curves, finished = finetuning_curves(setup, agent), len(setup.finished(agent))
        reached = 0 if curves is None else int(curves.steps[-1])
        counts.append(
            f"{agent} {len(setup.runs[agent])} seeds, {finished} of them to the end, "
            f"compared up to step {reached:,}"
        )
    return (
        f"Run: {'; '.join(counts)}; {config['pretraining_steps']:,} + "
        f"{config['finetuning_steps']:,} steps planned, width {config['width']}, batch "
        f"{config['batch']}, {config['environments']} environments a run, matrix products in "
        f"{config['precision']}, {config['episodes']} episodes every {config['evaluate_every']:,} "
        f"steps, task {config['task']}, on {' and '.join(setup.hardware)}"
    )


def _choices(setup: Setup) -> str:
    return (
        "APF is the repaired form (a target for each feature); threshold "
        f"{setup.config['threshold']} is ours, the paper gives none. The task is fitted to what "
        f"{setup.config['first_actions']} found in the first {setup.config['first_steps']:,} steps."
    )


def _how(setup: Setup) -> str:
    published = setup.config["hand_over"] == "as_published"
    bounded = ", values bounded" if setup.config["bounded"] else ""
    return f" ({'handed over as published' if published else 'all parts handed over'}{bounded})"


def _standard_error(samples: np.ndarray) -> float:
    return float(samples.std(ddof=1) / np.sqrt(len(samples)))


def _range(bounds: tuple[float, float], form: str = ".1f") -> str:
    return f"{bounds[0]:{form}}, {bounds[1]:{form}}"
