"""The ledger's remark on bounded runs at the paper's full size, 1M + 1M steps.

`results/jaco_reaching/README.md` said before these runs what would be reported of them: two seeds
of each agent describe, and decide nothing. So they are set apart from runs that are judged.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from first_occupancy_paper.arm.runs.run_config import RunConfig

from .. import Line, Verdict, line
from .comparing import about, by_seed, mean_returns, together
from .run_curves import Curves, Setup, last_targets, settings_of, split

SEEDS = (35, 36)
PART = "1M + 1M steps"
"""What the runs are called in figures."""
STRETCHES = (100_000, 430_000, 1_000_000)
"""Steps of fine-tuning over which returns are averaged."""

SETTINGS = settings_of(RunConfig(environments=8, precision="bfloat16", bounded=True))


def set_apart(found: Sequence[Setup]) -> list[Setup]:
    """Return the setups, with these runs apart from others: they get a setting `part`."""
    return split(found, SETTINGS, SEEDS, {False: None, True: PART})


def remarks(found: Sequence[Setup]) -> Iterator[Line]:
    """Return what these runs returned, without a verdict; nothing if no seed has both agents."""
    for setup in set_apart(found):
        pair = together(setup, "apf", "aps")
        if setup.config.get("part") != PART or len(pair) < 2:
            continue
        seeds = sorted(set(pair["apf"].seeds) & set(pair["aps"].seeds))
        if not seeds:
            continue
        yield line(
            "full_size",
            Verdict.REMARK,
            seeds=[{"seed": seed, "stretches": _compared(pair, seed)} for seed in seeds],
            targets={agent: list(last_targets(setup, agent).values()) for agent in pair},
            **about(setup),
        )


def _compared(pair: Mapping[str, Curves], seed: int) -> list[dict[str, Any]]:
    """Return what both agents of a seed returned over each stretch, and at the end."""
    last = int(pair["apf"].steps[-1])
    stretches = []
    for whole, step in [*((True, step) for step in STRETCHES if step <= last), (False, last)]:
        returns = {}
        for agent, curves in pair.items():
            numbers = mean_returns(curves.until(step)) if whole else curves.returns[:, -1]
            returns[agent] = by_seed(curves, numbers)[seed]
        lead = returns["apf"] - returns["aps"]
        stretches.append({"whole": whole, "step": step, **returns, "lead": lead})
    return stretches
