"""Seeds as the command line takes them: how many, or the first and the last."""

from first_occupancy.core.errors import InputError

MOST = 100_000
"""More are a slip, as one seed for a number of them, and would take hours to count out."""

LARGEST = 2**63 - 1
"""What fits into JAX's keys."""


def read_seeds(text: str) -> range:
    """Return the seeds of a number of them, "10", or of the first and last, "4-7".

    >>> list(read_seeds("3")), list(read_seeds("4-6"))
    ([0, 1, 2], [4, 5, 6])
    """
    first, dash, last = text.partition("-")
    try:
        found = range(int(first), int(last) + 1) if dash else range(int(first))
    except ValueError:
        found = range(0)
    if not found:
        raise InputError(f"--seeds must be a number from 1, or FIRST-LAST, got {text!r}")
    if found[-1] - found[0] >= MOST or found[-1] > LARGEST:
        raise InputError(
            f"--seeds must be at most {MOST:,} of them, none above {LARGEST}, got {text!r}; "
            "one alone is FIRST-LAST too, as in 7-7"
        )
    return found
