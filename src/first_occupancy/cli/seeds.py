"""Seeds as the command line takes them: how many, or the first and the last."""

from first_occupancy.core.errors import InputError


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
    return found
