"""Seeds on the command line: their number, or the first and the last."""

from first_occupancy.core.errors import InputError

MOST = 100_000
"""Maximum number of seeds. More are probably a mistake: a single seed given as their number."""

LARGEST = 2**63 - 1
"""Largest seed that JAX's keys accept."""


def read_seeds(text: str) -> range:
    """Return the seeds given by their number, as "10", or by first and last, as "4-7".

    >>> list(read_seeds("3")), list(read_seeds("4-6"))
    ([0, 1, 2], [4, 5, 6])
    """
    first, dash, last = text.partition("-")
    try:
        found = range(int(first), int(last) + 1) if dash else range(int(first))
    except ValueError:
        found = range(0)
    if not found:
        raise InputError(f"--seeds must be a number of at least 1, or FIRST-LAST, got {text!r}")
    if found[-1] - found[0] >= MOST or found[-1] > LARGEST:
        raise InputError(
            f"--seeds must be at most {MOST:,} seeds, none above {LARGEST}, got {text!r}; "
            "for a single seed write FIRST-LAST, as in 7-7"
        )
    return found
