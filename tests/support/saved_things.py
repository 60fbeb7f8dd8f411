"""Things to save, and files of them that were changed by hand."""

from pathlib import Path

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy.storage import archives


def house():
    climb, rest = np.eye(3)[[1, 2, 2]], np.eye(3)
    return fo.MDP(
        np.stack([climb, rest], axis=1),
        np.arange(18.0).reshape(3, 2, 3),
        np.array([0.0, 1.0, 0.0]),
        state_names=["hall", "Küche", "attic"],
        action_names=["climb", "rest"],
    )


def skills(**options):
    world = house()
    return fo.occupancies(world, fo.constant_policies(world), discount=0.5, **options)


def altered(path: Path, *, facts=None, **arrays):
    """Write the same file with some of its facts or arrays changed; None takes one out."""
    about, there = archives.read(path)
    kept = {k: a for k, a in (there | arrays).items() if a is not None}
    archives.write(path, kept, facts=about | (facts or {}))


def refusal_of(path: Path, thing, change) -> str:
    """Return what one is told who loads a thing from a file that was changed."""
    fo.save(thing, path)
    altered(path, **change)
    with pytest.raises(fo.InputError) as caught:
        fo.load(path)
    return str(caught.value)
