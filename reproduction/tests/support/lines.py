"""Lines of the ledger by their ids, and whether their sentences follow the rows."""

import warnings
from contextlib import suppress
from itertools import product
from random import Random

FEW = 20
UNFIT = LookupError, ValueError, TypeError, ArithmeticError, RuntimeError, StopIteration


def by_id(found):
    """Return lines or findings by id; no two share one."""
    ids = {each.id: each for each in found}
    assert len(ids) == len(found)
    return ids


def changed(value, factor, luck):
    """Return a value with half of its numbers scaled, or raised by 2, or turned round."""
    if isinstance(value, dict):
        return {key: changed(each, factor, luck) for key, each in value.items()}
    if isinstance(value, list):  # of long ones the first numbers are enough
        return [changed(each, factor, luck) for each in value[:FEW]] + value[FEW:]
    if not isinstance(value, int | float) or luck.random() < 0.5:
        return value
    if isinstance(value, bool):
        return not value
    return value + 2 if isinstance(value, int) else value * factor


def deaf(experiment, rows, *, besides=()):
    """Return the ids of lines whose sentences stay whatever numbers of the rows are changed.

    Those in `besides` are not looked at: small runs have no rows for them, or no numbers.

    Half of the numbers of one name are changed at a time, up and down. Rows that no longer fit
    together, as if a place were beyond the end of a list, tell nothing.
    """

    def told(rows):
        return {each.id: (each.ours, each.why) for each in experiment.findings(rows)}

    before = told(rows)
    silent = before.keys() - set(besides)
    names = sorted({name for row in rows for name in row})
    for seed, factor, name in product(range(3), (1.37, 0.61), names):
        if not silent:
            break
        luck = Random(seed)
        others = [
            {**row, name: changed(row[name], factor, luck)} if name in row else row for row in rows
        ]
        with suppress(*UNFIT), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            after = told(others)
            silent -= {id for id in silent & set(after) if after[id] != before[id]}
    return silent
