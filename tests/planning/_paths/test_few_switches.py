"""Plans with at most K switches: what they are, and what finding them costs."""

import numpy as np
import pytest

from first_occupancy.planning._paths import few_switches
from first_occupancy.planning._paths.few_switches import cut_with_switches
from first_occupancy.planning._paths.shortest_paths import Keys
from first_occupancy.planning.paths import plan_paths, prepare
from oracles import cuts_by_plain_sweeps
from strategies import random_paths

WAYS = {
    "messages": ("SENDERS", few_switches.SENDERS),
    "one sender at a time": ("SENDERS", 1),
    "sweeps over all": ("EDGES_PER_ROUND", 10**6),
    "sweeps over all after two rounds": ("EDGES_PER_ROUND", few_switches.FEW_EDGES // 2),
    "keys beyond int32": ("packing", lambda *of: Keys(4, 30)),
}


@pytest.mark.parametrize("way", WAYS)
def test_cuts_are_those_of_plain_sweeps_ties_included(way, monkeypatch):
    monkeypatch.setattr(few_switches, *WAYS[way])
    for seed in range(100):
        table, goal = random_paths(seed)
        graph = prepare(table)
        for switches in (0, 1, 2, table.shape[1]):
            cuts = cut_with_switches(graph.by_state, graph.backwards, goal, switches)
            expected = cuts_by_plain_sweeps(table, goal, switches)
            assert [part.tolist() for part in cuts] == [*expected]


def test_more_switches_are_never_worse_and_end_at_the_shortest_path():
    table = np.random.default_rng(7).integers(40, size=(2, 40))
    graph, before = prepare(table), np.full(40, 10**6)
    for switches in range(12):
        steps = cut_with_switches(graph.by_state, graph.backwards, 3, switches).steps
        steps = np.where(steps < 0, 10**6, steps)
        assert (steps <= before).all()
        before = steps
    shortest = cuts_by_plain_sweeps(table, 3)[2]
    assert np.where(before == 10**6, -1, before).tolist() == shortest


def test_a_long_corridor_is_swept_at_once(monkeypatch):
    size, swept = 20_000, []
    nearest_ahead = few_switches.nearest_ahead
    monkeypatch.setattr(
        few_switches, "nearest_ahead", lambda *of: swept.append(1) or nearest_ahead(*of)
    )
    plan = plan_paths(
        np.minimum(np.arange(1, size + 1), size - 1)[None], size - 1, discount=0.99, max_switches=0
    )
    assert len(swept) == 1
    assert (plan.subgoal == size - 1).all()
    np.testing.assert_allclose(plan.log_promised, np.arange(size)[::-1] * np.log(0.99), rtol=1e-12)


def messages_counted(monkeypatch):
    """Return a list to which each round adds how many messages were passed on in it."""
    counts, passed_on = [], few_switches._Policies.passed_on

    def counting(policies, news):
        further = passed_on(policies, news)
        counts.append(len(further.states))
        return further

    monkeypatch.setattr(few_switches._Policies, "passed_on", counting)
    return counts


def test_policies_that_agree_do_not_multiply_messages(monkeypatch):
    size, counts = 20, messages_counted(monkeypatch)
    ahead = np.minimum(np.arange(1, size + 1), size - 1)
    graph = prepare(np.stack([ahead] * 3))
    assert graph.backwards.nnz == size - 1
    plan = plan_paths(graph, size - 1, discount=0.9, max_switches=0)
    assert plan.policy.tolist() == [0] * (size - 1) + [-1]
    assert counts == [3] * (size - 2) + [0]


def test_those_behind_a_path_do_not_hear_from_all_of_it(monkeypatch):
    """Policy 1 walks 200 states to the goal, policy 0 every other of them but the last one."""
    handle, size = 200, 30_000
    line = np.arange(handle)
    fast, slow = np.zeros((2, size), int)
    fast[line], slow[line] = np.minimum(line + 2, handle - 2 + line % 2), line + 1
    fast[handle] = slow[handle] = handle
    counts = messages_counted(monkeypatch)
    graph = prepare(np.stack([fast, slow]))
    plan = plan_paths(graph, handle, discount=0.9, max_switches=1)
    # By the slow policy from the last but one, to which the fast one leads.
    assert plan.subgoal[size - 1] == handle - 2
    np.testing.assert_allclose(
        plan.log_promised[size - 1], (handle // 2 + 2) * np.log(0.9), rtol=1e-12
    )
    # Nearly all states lie behind: they would hear from a hundred.
    assert sum(counts) < 10 * size
