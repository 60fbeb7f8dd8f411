"""Durations as text."""


def duration(seconds: float) -> str:
    """Return a duration as text, with three significant digits and a suitable unit.

    >>> duration(0.0123), duration(75.0)
    ('12.3 ms', '75 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
