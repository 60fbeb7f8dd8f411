"""What the rows say about the explorer and its peers."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from .. import Line, Row, Verdict, line
from ..answers import MATTERS, Answer, Interval, above, every, interval_of, mean_of, needed
from .estimates import Shares, shares_by_task
from .peers import TOLD, UNCHAINED

TARGETS = {"RiverSwim-6": 0.95, "RiverSwim-12": 0.92, "RiverSwim-24": 0.88}


def against_peers(rows: Sequence[Row]) -> list[Line]:
    """Return for each task whether the explorer that is told is ahead, and meets its target."""
    found = {
        task: methods
        for task, methods in shares_by_task(rows, "peer", "agent").items()
        if TOLD in methods
    }
    ahead = [_ahead(task, methods) for task, methods in found.items()]
    targets = [_target(task, found[task][TOLD]) for task in TARGETS if task in found]
    return [*ahead, *targets, *_chaining(found)]


def tasks_by_answer(answers: Mapping[str, Answer]) -> dict[Answer, list[str]]:
    """Return the tasks on which an answer is yes, no, and open."""
    return {
        sort: [task for task, answer in answers.items() if answer is sort]
        for sort in (True, False, None)
    }


def _ahead(task: str, found: Shares) -> Line:
    others = {name: share for name, share in found.items() if name not in (TOLD, UNCHAINED)}
    gains = {name: _gain(task, found[TOLD], share, len(others)) for name, share in others.items()}
    best = max(others, key=lambda name: others[name].mean())
    most = max(map(len, found.values()))
    fewer = [
        {"name": name, "trials": len(share)} for name, share in found.items() if len(share) < most
    ]
    return line(
        f"peers:{task}",
        Verdict.holds_if(every(above(gain) for gain in gains.values())),
        "ahead of all",
        place=task,
        shares=[{"name": name, "share": mean_of(found[name])} for name in (TOLD, *others)],
        best=best,
        lead=gains[best],
        trials=most,
        any_fewer=bool(fewer),
        fewer=fewer,
    )


def _gain(task: str, mine: np.ndarray, theirs: np.ndarray, tests: int = 1) -> Interval:
    """Return the interval of a difference of means; hidden goals are the same for all methods."""
    if task == "hidden goal":
        return interval_of(mine - theirs, tests=tests)
    middle = float(mine.mean() - theirs.mean())
    factor = stats.t.ppf(1 - 0.025 / tests, len(mine) + len(theirs) - 2)
    half = float(factor * np.hypot(stats.sem(mine), stats.sem(theirs)))
    return Interval(middle - half, middle + half)


def _target(task: str, mine: np.ndarray) -> Line:
    return line(
        f"peer_target:{task}",
        Verdict.holds_if(above(interval_of(mine), TARGETS[task])),
        "above the target",
        task=task,
        target=TARGETS[task],
        mine=mean_of(mine),
        trials=len(mine),
    )


def _chaining(found: Mapping[str, Shares]) -> list[Line]:
    """Return whether chains of policies, Alg. 1, are what helps."""
    pairs = {
        task: (methods[TOLD], methods[UNCHAINED])
        for task, methods in found.items()
        if UNCHAINED in methods
    }
    if not pairs:
        return []
    answers = {task: needed(_gain(task, *pair)) for task, pair in pairs.items()}
    tasks = tasks_by_answer(answers)
    return [
        line(
            "chaining",
            Verdict.holds_if(every(answers.values())),
            "chaining",
            shares=[
                {"task": task, "told": mean_of(told), "unchained": mean_of(unchained)}
                for task, (told, unchained) in pairs.items()
            ],
            num_tasks=len(pairs),
            matters=MATTERS,
            helps=tasks[True],
            without=tasks[False],
            unsure=tasks[None],
        )
    ]
