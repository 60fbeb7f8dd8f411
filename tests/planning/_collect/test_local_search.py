"""Local search: its shortcuts are compared with evaluating whole orders."""

import numpy as np
import pytest

from first_occupancy.planning._collect import local_search
from targets_at_random import some_targets


def problem(seed, count, homes=False):
    targets = some_targets(np.random.default_rng(seed), count + 1, count, homes=homes)
    start = int(np.setdiff1d(np.arange(count + 1), targets.states)[0])
    links = np.vstack([targets.between, targets.discounts[start]])
    endings = np.append(targets.endings[targets.states], 0.0)
    return local_search.Problem(links, targets.rewards, endings)


def value(links, rewards, endings, order):
    here, discount, total = len(links) - 1, 1.0, 0.0
    for there in order:
        discount *= links[here, there]
        total += discount * rewards[there]
        here = there
    return total + discount * endings[here]


@pytest.mark.parametrize("homes", [False, True])
def test_values_at_the_front_are_those_of_whole_orders(homes):
    given = problem(0, 7, homes)
    order = np.random.default_rng(1).permutation(7)
    after = local_search.tails(given, order)
    assert given[0][-1, order[0]] * after[0] == pytest.approx(value(*given, order), rel=1e-12)
    for place, found in enumerate(local_search.fronts(given, order)):
        front = [order[place], *np.delete(order, place)]
        assert found == pytest.approx(value(*given, front), rel=1e-12)


@pytest.mark.parametrize("homes", [False, True])
def test_no_part_that_is_turned_or_moved_improves_the_result(homes):
    for seed in range(4):
        given = problem(seed, 8, homes)
        begun = np.random.default_rng(seed).permutation(8)
        order = local_search.improved(given, begun)
        assert sorted(order) == list(range(8))
        best = value(*given, order)
        assert best >= value(*given, begun)
        for i in range(8):
            for j in range(i, 8):
                turned = [*order[:i], *order[i : j + 1][::-1], *order[j + 1 :]]
                assert value(*given, turned) <= best * (1 + 1e-9)
                rest = [*order[:i], *order[j + 1 :]]
                for place in range(len(rest) + 1) if j - i < 3 else ():
                    moved = [*rest[:place], *order[i : j + 1], *rest[place:]]
                    assert value(*given, moved) <= best * (1 + 1e-9)
