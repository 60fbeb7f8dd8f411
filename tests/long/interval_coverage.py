"""Print how often trusted intervals hold the truth, regime by regime.

    python tests/long/interval_coverage.py --logs 500 --seed 1

Coverage is that of trusted intervals, pooled over logs; its standard error counts logs, within
which intervals depend on each other. Next to it: the share of entries that are trusted, of all and
of those for which every state on the way has five or more recorded exits (see `fewest_exits`).
"""

import argparse
import sys
from pathlib import Path

import jax
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import interval_logs
from first_occupancy.representations import first_occupancy, successor

FIELDS = ("trusted", "hits", "open", "well_known", "known_trusted", "all_known", "all_trusted")


def main():
    options = _parser().parse_args()
    jax.config.update("jax_enable_x64", True)
    representation = successor if options.sr else first_occupancy
    print(f"{'regime':24} discount  coverage (se)   trusted: of all, well known, all known")
    pooled = []
    for name in options.regimes:
        for discount in options.discounts:
            rng = np.random.default_rng([options.seed, int(1e4 * discount), sum(name.encode())])
            tally = _tally(name, options.logs, rng, discount, representation, options.resamples)
            print(_row(name, discount, tally), flush=True)
            if name in interval_logs.RARELY_LEFT:
                pooled.append((discount, tally))
    for discount in options.discounts:
        together = [tally for at, tally in pooled if at == discount]
        if together:
            print(_row("ALL RARELY LEFT", discount, np.concatenate(together)))
    if pooled:
        print(_row("ALL RARELY LEFT", "all", np.concatenate([tally for _, tally in pooled])))


def _tally(name, logs, rng, discount, representation, resamples):
    """Return one row for each log, with the columns `FIELDS`."""
    rows, together = [], 100
    for _ in range(-(-logs // together)):
        seen = interval_logs.measure(
            name,
            together,
            rng,
            discount=discount,
            representation=representation,
            num_resamples=resamples,
        )
        parts = (seen.trusted, seen.trusted & seen.covered, seen.open, seen.well_known)
        parts += (seen.well_known & seen.trusted, seen.all_known, seen.all_known & seen.trusted)
        rows.append(np.stack([np.asarray(part).sum(axis=(1, 2)) for part in parts], axis=1))
    return np.concatenate(rows)


def ratio(over, under):
    """Return the ratio of two sums over logs, and its standard error."""
    if under.sum() == 0:
        return np.nan, np.nan
    value = over.sum() / under.sum()
    return value, np.sqrt(((over - value * under) ** 2).sum()) / under.sum()


def _row(name, discount, tally):
    columns = dict(zip(FIELDS, tally.T, strict=True))
    coverage = "{:.4f} ({:.4f})".format(*ratio(columns["hits"], columns["trusted"]))
    of_all, _ = ratio(columns["trusted"], columns["open"])
    of_known = ratio(columns["known_trusted"], columns["well_known"])
    of_all_known = ratio(columns["all_trusted"], columns["all_known"])
    return (
        f"{name:24} {discount!s:8} {coverage}   {of_all:.3f}  "
        f"{of_known[0]:.3f} ({of_known[1]:.3f}) of {columns['well_known'].sum()}  "
        f"{of_all_known[0]:.3f} ({of_all_known[1]:.3f}) of {columns['all_known'].sum()}"
    )


def _parser():
    names = [*interval_logs.RARELY_LEFT, *interval_logs.OTHERS]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--logs", type=int, default=500, help="per regime (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--discounts", type=float, nargs="+", default=[0.5, 0.9, 0.99, 0.999])
    parser.add_argument("--regimes", nargs="+", choices=names, default=names)
    parser.add_argument("--sr", action="store_true", help="intervals of SRs instead of FRs")
    return parser


if __name__ == "__main__":
    main()
