"""The ledger's remark on bounded runs at the paper's full size, 1M + 1M steps.

`results/jaco_reaching/README.md` said before these runs what would be reported of them: two seeds
of each agent describe, and decide nothing. So they are set apart from runs that are judged.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from first_occupancy_paper.arm.runs.row_files import FIRST_ACTIONS
from first_occupancy_paper.arm.runs.run_config import RunConfig, as_data

from .. import Line, Verdict, line
from .comparing import about, mean_returns
from .run_curves import VARYING, Curves, Setup, finetuning_curves, largest_targets, split

SEEDS = (35, 36)
PART = "1M + 1M steps"
"""What the runs are called in figures."""
STRETCHES = (100_000, 430_000, 1_000_000)
"""Steps of fine-tuning over which returns are averaged."""

_RUN = RunConfig(environments=8, precision="bfloat16", bounded=True)
SETTINGS = {
    name: value
    for name, value in (as_data(_RUN) | {"first_actions": FIRST_ACTIONS[2]}).items()
    if name not in VARYING
}


def set_apart(found: Sequence[Setup]) -> list[Setup]:
    """Return the setups, with these runs apart from others: they get a setting `part`."""
    apart: list[Setup] = []
    for setup in found:
        apart += split(setup, (None, PART), _part) if _is_full_size(setup) else [setup]
    return apart


def remarks(found: Sequence[Setup]) -> Iterator[Line]:
    """Return what these runs returned, without a verdict; nothing if no seed has both agents."""
    for setup in set_apart(found):
        if setup.config.get("part") != PART:
            continue
        apf, aps = (finetuning_curves(setup, agent) for agent in ("apf", "aps"))
        if apf is None or aps is None:
            continue
        seeds = sorted(set(apf.seeds) & set(aps.seeds))
        if not seeds:
            continue
        yield line(
            "full_size",
            Verdict.REMARK,
            seeds=[{"seed": seed, "stretches": _compared(apf, aps, seed)} for seed in seeds],
            targets={agent: _targets(setup, agent) for agent in ("apf", "aps")},
            **about(setup),
        )


def _compared(apf: Curves, aps: Curves, seed: int) -> list[dict[str, Any]]:
    """Return what both agents of a seed returned over each stretch, and at the end."""
    last = int(min(apf.steps[-1], aps.steps[-1]))
    pair = [curves.until(last) for curves in (apf, aps)]
    found = [
        (True, step, [mean_returns(curves.until(step)) for curves in pair])
        for step in STRETCHES
        if step <= last
    ]
    found.append((False, last, [curves.returns[:, -1] for curves in pair]))
    stretches = []
    for whole, step, returns in found:
        x, y = (
            float(each[curves.seeds.index(seed)])
            for each, curves in zip(returns, pair, strict=True)
        )
        stretches.append({"whole": whole, "step": step, "apf": x, "aps": y, "lead": x - y})
    return stretches


def _targets(setup: Setup, agent: str) -> list[float | None]:
    return [points[-1][1] for points in largest_targets(setup, agent).values() if points]


def _is_full_size(setup: Setup) -> bool:
    return all(setup.config[name] == value for name, value in SETTINGS.items())


def _part(seed: int) -> str | None:
    return PART if seed in SEEDS else None
