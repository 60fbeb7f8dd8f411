"""The ledger's lines on the values that critics learn, in pre-training and in fine-tuning."""

from collections.abc import Sequence

from first_occupancy_paper.experiments import Finding, Verdict
from first_occupancy_paper.experiments.jaco_reaching.run_curves import (
    End,
    Setup,
    ends,
    largest_targets,
    relative_values,
)
from first_occupancy_paper.experiments.jaco_reaching.wording import how, not_run, what_was_run

BOUNDED = "The target of APF as printed does not diverge in pre-training"
PLAUSIBLE = "Pre-training's values are no more than its rewards are worth"
OUTGROWN = "Runs whose values end beyond what rewards are worth are those that fail"
ALLOWED = 2.0
"""Tolerated ratio of values to rewards: policies may find more than the mean reward."""
GROWN = 10.0
"""Targets this many times those of APF and APS, and still growing, count as unbounded."""


def plausible(setup: Setup) -> Finding | None:
    """Return how values compare with the largest possible return, if there are any rows."""
    worths = {agent: worth for agent in ("apf", "aps") if (worth := relative_values(setup, agent))}
    if not worths:
        return None
    texts = [
        f"{agent.upper()} {min(worth):.3g} to {max(worth):.3g} times"
        for agent, worth in worths.items()
    ]
    holds = all(max(worth) <= ALLOWED for worth in worths.values())
    return Finding(
        claim=f"{PLAUSIBLE}{how(setup)}",
        paper="not in the paper",
        ours=f"Mean value aimed at when pre-training ends, seed by seed: {'; '.join(texts)} what a "
        "feature reward of 1 and the mean exploration reward are worth if they go on forever",
        verdict=Verdict.HOLDS if holds else Verdict.FAILS,
        why=f"Holds if all are at most {ALLOWED:g}. {'' if holds else _beyond(setup)}"
        f"{what_was_run(setup)}.",
        figure="targets",
    )


def _beyond(setup: Setup) -> str:
    """Return in words where values beyond their worth come from, and what fine-tuning does."""
    source = "What is beyond probably comes from critics that feed on their own overestimates. "
    if not setup.config["finetuning_steps"]:
        return f"{source}These rows end with pre-training. "
    if setup.config["hand_over"] == "as_published":
        return f"{source}The published way leaves it behind: heads and targets begin anew. "
    return f"{source}Handed over, it has to be unlearned before a reward can be seen. "


def outgrown(setup: Setup) -> Finding | None:
    """Return whether the runs that fail are those whose values exceed any possible return."""
    agents = {agent: last for agent in setup.runs if (last := ends(setup, agent))}
    everyone = [end for last in agents.values() for end in last]
    beyond = [end.earned for end in everyone if end.aimed_at > ALLOWED]
    within = [end.earned for end in everyone if end.aimed_at <= ALLOWED]
    if not beyond:
        return None
    return Finding(
        claim=f"{OUTGROWN}{how(setup)}",
        paper="not in the paper",
        ours="Mean value aimed at when last seen, in parts of what a reward of 1 forever is worth, "
        f"and the return then: {'; '.join(_told(*each) for each in agents.items())}",
        verdict=Verdict.HOLDS if within and max(beyond) < min(within) else Verdict.FAILS,
        why=f"Holds if every run with a value above {ALLOWED:g} returns less than every other. "
        "Looked for after these runs had been seen, and at their ends alone: values may have been "
        f"beyond before. {what_was_run(setup)}.",
        figure="reaching",
        given="seen afterwards",
    )


def _told(agent: str, last: Sequence[End]) -> str:
    """Return in words how an agent's runs ended."""
    parts = []
    for words, some in (
        ("above", [end for end in last if end.aimed_at > ALLOWED]),
        ("at most", [end for end in last if end.aimed_at <= ALLOWED]),
    ):
        if some:
            values, returns = [end.aimed_at for end in some], [end.earned for end in some]
            parts.append(
                f"{len(some)} {words} {ALLOWED:g} ({_span(values, '.2g')}), "
                f"returning {_span(returns, '.0f')}"
            )
    return f"{agent.upper()} {' and '.join(parts)}"


def _span(numbers: Sequence[float], form: str) -> str:
    low, high = format(min(numbers), form), format(max(numbers), form)
    return low if low == high else f"{low} to {high}"


def bounded(found: Sequence[Setup]) -> Finding:
    """Return whether the printed target stays finite, in the first setup that ran it."""
    for setup in found:
        runs = [points for points in largest_targets(setup, "apf_printed").values() if points]
        if runs:
            return _growth(setup, runs)
    return not_run(BOUNDED, "no run of apf_printed is kept")


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
