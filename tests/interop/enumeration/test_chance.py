"""Every draw is noticed, whatever it was drawn from, and its outcomes are sampled without bias."""

import itertools
import random

import numpy as np
import pytest

from first_occupancy.interop.enumeration._chance import inside, outside, seed_all, states_of
from first_occupancy.interop.enumeration.copied_worlds import enumerate_copies
from first_occupancy.interop.enumeration.copying import Copies, OwnCopies, ToyTextCopies, copies_of
from tosses import SOURCES, Board, BoardThatRewinds, BoardWithMethods, BoardWithTable

SLIPPERY = [[(0, 1), (0,)], [(1, 2), (0,)]]
"""A corridor of three cells, in which one of two actions slips half of the time."""

WAYS = {
    "deep copies": (Board, Copies),
    "methods": (BoardWithMethods, OwnCopies),
    "methods that rewind": (BoardThatRewinds, OwnCopies),
    "attributes": (BoardWithTable, ToyTextCopies),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("source", SOURCES)
def test_a_fair_coin_is_found_fair_whatever_is_tossed(source, way):
    kind, copies = WAYS[way]
    environment = kind(SLIPPERY, source)
    environment.reset(seed=0)
    assert type(copies_of(environment)) is copies
    world = enumerate_copies(environment, samples=100, progress=False)
    slipping, back = (chain.toarray() for chain in world.action_chains)
    assert np.abs(slipping[:2].ravel() - [0.5, 0.5, 0, 0, 0.5, 0.5]).max() < 5 * 0.05
    assert (slipping[:2].ravel() > 0).tolist() == [True, True, False, False, True, True]
    np.testing.assert_array_equal(back[:2], [[1, 0, 0], [1, 0, 0]])


def test_of_120_enumerations_none_is_refused_and_none_is_wrong():
    """The usual idiom of Gymnasium draws half words, of which the generator keeps every second."""
    samples, found = 100, []
    for seed in range(120):
        world = enumerate_copies(Board(SLIPPERY), seed=seed, samples=samples, progress=False)
        slipping = world.action_chains[0].toarray()
        found += [slipping[0, 0], slipping[1, 1]]
        assert max(abs(found[-2] - 0.5), abs(found[-1] - 0.5)) < world.error
    deviation = 0.5 / np.sqrt(samples)
    assert abs(np.mean(found) - 0.5) < 4 * deviation / np.sqrt(len(found))
    assert 0.8 < np.std(found) / deviation < 1.2


@pytest.mark.parametrize("source", SOURCES)
def test_each_of_several_draws_changes_the_state(source):
    environment = Board(SLIPPERY, source)
    environment.reset(seed=0)
    environment.action_space.seed(0)
    seen = []
    for _ in range(6):
        seen.append(states_of([*inside(environment), *outside(environment)]))
        environment.toss(environment, 2)
    assert all(one != other for one, other in itertools.pairwise(seen))
    assert states_of(inside(environment)) == states_of(inside(environment))


@pytest.mark.parametrize("source", SOURCES)
def test_numbers_after_seeding_depend_on_the_seed_alone(source):
    environment = Board(SLIPPERY, source)
    environment.reset(seed=0)
    environment.action_space.seed(0)
    tossed = []
    for seed, before in ((1, 0), (2, 0), (1, 1), (1, 2)):
        for _ in range(before):
            environment.toss(environment, 2)
        seed_all([*inside(environment), *outside(environment)], seed, 7)
        tossed.append([int(environment.toss(environment, 2)) for _ in range(40)])
    assert tossed[0] == tossed[2] == tossed[3] != tossed[1]


def test_sources_do_not_depend_on_each_other():
    sources = [np.random.PCG64(0), np.random.PCG64(0)]
    seed_all(sources, 3)
    assert sources[0].random_raw() != sources[1].random_raw()


def test_global_numbers_go_on_as_if_nothing_had_been_enumerated():
    before = states_of(outside(Board(SLIPPERY)))
    for source in ("global of NumPy", "global of Python", "of the module", "of the class"):
        enumerate_copies(Board(SLIPPERY, source), samples=10, progress=False)
    assert states_of(outside(Board(SLIPPERY))) == before


class Entropy(BoardWithMethods):
    def reset(self, *, seed=None, options=None):
        self.toss = lambda environment, sides: environment.system.randrange(sides)
        self.system = random.SystemRandom()
        return super().reset(seed=seed)


def test_numbers_of_the_operating_system_have_no_state_and_are_sampled_everywhere():
    world = enumerate_copies(Entropy(SLIPPERY), samples=100, progress=False)
    assert np.abs(world.action_chains[0].toarray()[:2, :2].diagonal() - 0.5).max() < 5 * 0.05


def test_sources_that_cannot_be_copied_are_told(error_of):
    board = Board(SLIPPERY)
    board.system = random.SystemRandom()
    told = error_of(lambda: enumerate_copies(board))
    assert told.startswith("enumerate_copies: environment must be one that copy.deepcopy takes")
