"""Draw random cases for as long as wanted and report each that breaks the contract.

    make test-long                  an hour
    make test-long ARGS="--seconds 600 --checks columns changed_rows --seed 7000"

Every check gets the same time. A case is named by its check and a seed, both printed with a
finding: `python tests/long/run.py --checks columns --seed 7012 --cases 1` draws it again.
"""

import argparse
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parent))

from checks import CHECKS, run_one

EVERY = 60.0
"""Seconds between two reports."""


def main():
    options = _parser().parse_args()
    names = options.checks or list(CHECKS)
    print(
        f"seeds from {options.seed}, {options.seconds:g} s, checks: {' '.join(names)}", flush=True
    )
    begin = told = time.monotonic()
    spent = dict.fromkeys(names, 0.0)
    cases = dict.fromkeys(names, 0)
    worst = dict.fromkeys(names, (0.0, None))
    found = 0
    while time.monotonic() - begin < options.seconds:
        waiting = [name for name in names if options.cases is None or cases[name] < options.cases]
        if not waiting:
            break
        name = min(waiting, key=spent.get)
        seed = options.seed + cases[name]
        start = time.process_time()
        error, trace = _tried(name, seed)
        spent[name] += time.process_time() - start
        cases[name] += 1
        if error > worst[name][0]:
            worst[name] = error, seed
        if not error <= 1:
            found += 1
            print(
                f"FOUND {name} --seed {seed}: {error:.3g} of what is allowed\n{trace}", flush=True
            )
        if time.monotonic() - told > EVERY:
            told = time.monotonic()
            print(f"{told - begin:.0f} s: {sum(cases.values())} cases, {found} found", flush=True)
    for name in names:
        error, seed = worst[name]
        print(
            f"{name:22} {cases[name]:8} cases, worst {error:.2g} of what is allowed (seed {seed})"
        )
    print(f"{sum(cases.values())} cases in {time.monotonic() - begin:.0f} s, {found} found")
    return 1 if found else 0


def _tried(name, seed):
    try:
        return run_one(name, seed), ""
    except Exception:
        return float("inf"), traceback.format_exc()


def _parser():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=3600.0, help="time limit (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first case (%(default)s)")
    parser.add_argument(
        "--cases", type=int, help="number of cases of each check (default: no limit)"
    )
    parser.add_argument("--checks", nargs="+", choices=list(CHECKS), help="checks (default: all)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
