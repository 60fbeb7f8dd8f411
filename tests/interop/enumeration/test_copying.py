"""States come back as they were saved, in each way of saving; MiniGrid is in `tests/peers`."""

import numpy as np
import pytest

from first_occupancy.interop.enumeration.copying import (
    Copies,
    OwnCopies,
    ToyTextCopies,
    copies_of,
)
from functional_worlds import RIGHT, Corridor

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


class OwnCorridor(Corridor):
    def get_state(self):
        return self.place

    def set_state(self, state):
        self.place = state


def toy():
    return gymnasium.make("FrozenLake-v1", is_slippery=False)


@pytest.mark.parametrize(
    ("make", "kind"), [(Corridor, Copies), (OwnCorridor, OwnCopies), (toy, ToyTextCopies)]
)
def test_a_state_comes_back_as_it_was_saved(make, kind):
    environment = make()
    environment.reset(seed=0)
    copies = copies_of(environment)
    assert type(copies) is kind
    copies.reset(0)
    first, key = copies.save(), copies.whole()
    copies.step(RIGHT)
    assert copies.whole() != key
    for _ in range(2):
        copies.restore(first)
        assert (copies.whole(), copies.seen) == (key, key)
        copies.step(RIGHT)


def test_wrappers_that_have_a_state_of_their_own_are_copied_too():
    environment = gymnasium.wrappers.StickyAction(toy(), 0.5)
    environment.reset(seed=0)
    assert type(copies_of(environment)) is Copies


def test_random_numbers_depend_on_the_seed_alone_and_draws_are_noticed():
    environment = gymnasium.make("FrozenLake-v1")
    environment.reset(seed=0)
    copies = copies_of(environment)
    copies.reset(0)
    first, seen = copies.save(), []
    for seed in (1, 2, 1):
        copies.restore(first)
        copies.reseed(seed, 5)
        before = copies.position()
        seen.append([copies.step(RIGHT) and copies.whole() for _ in range(4)])
        assert copies.position() != before
    assert seen[0] == seen[2]
    assert Copies(np).position() == []
