"""Judge the registered test of bounded critics: `python reproduction/protocols/arm_bounded.py`.

`arm_bounded.md` beside this file is the registration; both were committed before the first run of
seeds 25 to 34. Nothing is computed until all twenty runs are there.
"""

import json
from pathlib import Path

import numpy as np
from scipy import stats

ROWS = Path(__file__).parents[1] / "results" / "jaco_reaching"
AGENTS = ("apf", "aps")
UNBOUNDED, BOUNDED = tuple(range(10, 20)), tuple(range(25, 35))
FILES = {
    UNBOUNDED: ("{}_as_published_seeds_10-14.jsonl", "{}_as_published_seeds_15-19.jsonl"),
    BOUNDED: ("{}_bounded_seeds_25-29.jsonl", "{}_bounded_seeds_30-34.jsonl"),
}
SETTINGS = {
    "batch": 1024,
    "environments": 8,
    "episodes": 10,
    "evaluate_every": 10_000,
    "finetuning_steps": 500_000,
    "first_steps": 4_000,
    "hand_over": "as_published",
    "precision": "bfloat16",
    "pretraining_steps": 500_000,
    "replay": 1_000_000,
    "steps_per_update": 2,
    "task": "reach_top_left",
    "threshold": 0.3,
    "width": 1024,
}
EVERY, EARLY, LATE = 10_000, 100_000, 430_000
MARGIN = 10.0
"""The smallest difference of mean returns that would matter."""
LEVEL = 1 - 0.05 / 3
"""Three primary comparisons share an error rate of 5%."""


def main() -> None:
    """Print what each primary comparison says, and what else is reported."""
    returns = {(agent, seeds): returns_of(agent, seeds) for agent in AGENTS for seeds in FILES}
    missing = [f"{agent} {seed}" for agent in AGENTS for seed in _missing(agent, returns)]
    if missing:
        print(f"not judged: no complete run of {', '.join(missing)}")
        return
    early, late = (
        {key: np.array([mean_return(runs[seed], last) for seed in key[1]]) for key, runs in each}
        for last, each in ((EARLY, returns.items()), (LATE, returns.items()))
    )
    gains = [(early[agent, BOUNDED], early[agent, UNBOUNDED]) for agent in AGENTS]
    lead = late["apf", BOUNDED] - late["aps", BOUNDED]
    print(f"Primary, intervals of {100 * LEVEL:.2f}%")
    for agent, pair in zip(AGENTS, gains, strict=True):
        _tell(f"gain of {agent}, bounded less unbounded, first {EARLY:,} steps", welch(*pair))
    _tell(f"lead of apf over aps, both bounded, first {LATE:,} steps", paired(lead))
    print("Secondary, intervals of 95%, no verdicts")
    later = [welch(late[agent, BOUNDED], late[agent, UNBOUNDED], 0.95) for agent in AGENTS]
    for agent, found in zip(AGENTS, later, strict=True):
        print(f"  gain of {agent}, first {LATE:,} steps: {_text(found)}")
    first = paired(early["apf", BOUNDED] - early["aps", BOUNDED], 0.95)
    print(f"  lead of apf over aps, both bounded, first {EARLY:,} steps: {_text(first)}")
    recommended = all(verdict(*welch(*pair)[1:]) == "confirmed" for pair in gains)
    recommended = recommended and not any(high < 0 for _, _, high in later)
    print(f"--bounded is {'' if recommended else 'not '}recommended")


def mean_return(curve: dict[int, float], last: int) -> float:
    """Return the area under a run's curve from step 0 to `last`, divided by `last`."""
    steps = range(0, last + EVERY, EVERY)
    return float(np.trapezoid([curve[step] for step in steps], dx=EVERY) / last)


def welch(x: np.ndarray, y: np.ndarray, level: float = LEVEL) -> tuple[float, float, float]:
    """Return the difference of means and its interval by Welch's t."""
    low, high = stats.ttest_ind(x, y, equal_var=False).confidence_interval(level)
    return float(x.mean() - y.mean()), float(low), float(high)


def paired(differences: np.ndarray, level: float = LEVEL) -> tuple[float, float, float]:
    """Return the mean difference and its interval by Student's t."""
    low, high = stats.ttest_1samp(differences, 0).confidence_interval(level)
    return float(differences.mean()), float(low), float(high)


def verdict(low: float, high: float) -> str:
    """Return the outcome that an interval stands for; the first that applies."""
    if low > 0:
        return "confirmed"
    return "refuted" if high < MARGIN else "not settled"


def returns_of(agent: str, seeds: tuple[int, ...]) -> dict[int, dict[int, float]]:
    """Return evaluation returns by seed and step of fine-tuning; a number that is none is 0."""
    found: dict[int, dict[int, float]] = {}
    for name in FILES[seeds]:
        path = ROWS / name.format(agent)
        if not path.exists():
            continue
        origin, *rows = map(json.loads, path.read_text().splitlines())
        expected = {**SETTINGS, "agents": [agent], "bounded": seeds == BOUNDED}
        odd = [name for name, value in expected.items() if origin["config"][name] != value]
        if odd:
            raise ValueError(f"{path}: other settings than registered: {', '.join(odd)}")
        for row in rows:
            if row["phase"] == "finetuning" and row["seed"] in seeds:
                found.setdefault(row["seed"], {})[row["step"]] = row["evaluation_return"] or 0.0
    return found


def _missing(agent: str, returns: dict) -> list[int]:
    steps = set(range(0, LATE + EVERY, EVERY))
    return [
        seed
        for seeds in FILES
        for seed in seeds
        if not steps <= returns[agent, seeds].get(seed, {}).keys()
    ]


def _tell(what: str, found: tuple[float, float, float]) -> None:
    print(f"  {what}: {_text(found)}: {verdict(*found[1:])}")


def _text(found: tuple[float, float, float]) -> str:
    return "{:+.1f} [{:+.1f}, {:+.1f}]".format(*found)


if __name__ == "__main__":
    main()
