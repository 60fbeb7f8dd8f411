r"""Shortest paths to one goal with at most K switches, for deterministic policies.

Sweep k of FRP (Alg. 1) gives every state its best leg to a state t whose path with k - 1 switches
is known: j steps along one policy's path, then the steps of t. A new leg can only help if the
previous sweep brought t nearer to the goal: legs to all other states were available before. So each
such t sends a message backwards along every policy's edges,

    to s, j steps before t on the path of n: "j + steps(t) steps, if you follow n to t",

which is passed on as long as it is an improvement. A state that already needs no more steps has no
use for it, nor have the states behind, which can go to that state instead. So the cost of a sweep
depends on the number of improvements, not on the size of the world.

A single message in a corridor takes one round per step, and if the previous sweep brought all of a
path nearer, the states behind receive a message from each state of it. When messages would take
longer than a sweep over all states, that sweep is done instead
(`representations.deterministic.nearest_ahead`).
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int
from scipy.sparse import csr_array

from first_occupancy.planning._paths.shortest_paths import NEVER, Cuts, Keys, decoded, packing
from first_occupancy.planning.limits import NOTHING
from first_occupancy.representations.deterministic import nearest_ahead

SENDERS = 4096
"""States that send messages together: few, so that the data they need stay in the cache."""

FEW_EDGES = 16384
"""Number of edges that may be visited however small the world is."""

EDGES_PER_ROUND = 256
"""Overhead of a round, in visited edges."""

EDGES_PER_STATE = 2
"""A sweep over all states takes longer than visiting so many edges for each state and policy."""


class _News(NamedTuple):
    """Messages to states. A key packs the steps that the state would need, subgoal and policy."""

    states: Int[np.ndarray, " M"]
    keys: Int[np.ndarray, " M"]

    def only(self, which: Bool[np.ndarray, " M"]) -> "_News":
        return _News(self.states[which], self.keys[which])


class _Policies(NamedTuple):
    """The policies' edges in both directions, and the packing of keys."""

    by_state: Int[np.ndarray, "S N"]
    backwards: csr_array
    num_behind: Int[np.ndarray, " S"]
    keys: Keys

    def edges_to(self, states: Int[np.ndarray, " M"]) -> int:
        """Return how many edges `sent` and `passed_on` would visit."""
        return int(self.num_behind.take(states).sum())

    def sent(self, senders: Int[np.ndarray, " M"], bounds: Int[np.ndarray, " S"]) -> _News:
        """Return the messages that improve states one step before a sender, on any policy."""
        states, place = self._behind(senders)
        keys = (bounds.take(senders) + self.keys.one).take(place)
        # Filter before reading the policies, since most states already have as short a path.
        news = np.flatnonzero(keys < bounds.take(states))
        states, place, keys = states.take(news), place.take(news), keys.take(news)
        leads = self.by_state.take(states, axis=0) == senders.take(place)[:, None]
        edge, policy = np.divmod(np.flatnonzero(leads), leads.shape[1])
        return _News(states.take(edge), keys.take(edge) + policy)

    def passed_on(self, news: _News) -> _News:
        """Return the messages to the states one step further back, on the same policy."""
        states, place = self._behind(news.states)
        policies = news.keys.take(place) & ((1 << self.keys.policy_bits) - 1)
        # A flat index is several times as fast as a pair of indices.
        slots = states * np.int64(self.by_state.shape[1]) + policies
        follows = self.by_state.reshape(-1).take(slots) == news.states.take(place)
        return _News(states[follows], news.keys.take(place[follows]) + self.keys.one)

    def _behind(
        self, states: Int[np.ndarray, " M"]
    ) -> tuple[Int[np.ndarray, " E"], Int[np.ndarray, " E"]]:
        """Return all states with an edge to one of `states`, and the position of that one."""
        starts = self.backwards.indptr.take(states)
        counts = self.num_behind.take(states)
        place = np.repeat(np.arange(len(states)), counts)
        shifts = starts - (np.cumsum(counts) - counts)
        return self.backwards.indices.take(np.arange(len(place)) + shifts.take(place)), place


def cut_with_switches(
    by_state: Int[np.ndarray, "S N"], backwards: csr_array, goal: int, max_switches: int
) -> Cuts:
    """Return the shortest paths to `goal` with at most so many switches, cut into legs.

    `backwards` has one edge t -> s for every s that some policy leads to t. Tie-breaking is that of
    `frp.plan_to_goal`: the first subgoal, then the first policy that leads there.
    """
    keys = packing(*by_state.shape)
    policies = _Policies(by_state, backwards, np.diff(backwards.indptr), keys)
    best = np.full(len(by_state), NEVER)
    best[goal] = goal << keys.policy_bits
    bounds = best & -keys.one
    nearer = np.array([goal], np.int64)
    # As a Python int: adding one to a NumPy uint8 of 255 would give 0.
    for _ in range(int(max_switches) + 1):
        bounds[nearer] += nearer << keys.policy_bits
        heard = _hear(policies, nearer, bounds, best)
        bounds[nearer] &= -keys.one
        nearer = _look_ahead(policies, bounds, best) if heard is None else heard
        bounds[nearer] = best[nearer] & -keys.one
        if not len(nearer):
            break
    steps = np.where(best == NEVER, NOTHING, best // keys.one).astype(np.int32)
    return decoded(best, steps, keys=keys, goal=goal)


def _hear(
    policies: _Policies,
    senders: Int[np.ndarray, " M"],
    bounds: Int[np.ndarray, " S"],
    best: Int[np.ndarray, " S"],
) -> Int[np.ndarray, " K"] | None:
    """Record the messages in `best`; return the states that need fewer steps now.

    A message is passed on from a state where its key is below the bound, which is the key of the
    state's own steps. A sender's bound includes itself as subgoal, since ties go to the first
    subgoal. The result is None if messages would take longer than a sweep over all states.
    """
    # With the senders' dtype, since int32 may be too narrow for a state and a policy.
    nearer = [senders[:0]]
    effort = _Effort(*policies.by_state.shape)
    for begin in range(0, len(senders), SENDERS):
        some = senders[begin : begin + SENDERS]
        if not effort.allows(policies.edges_to(some)):
            return None
        news = policies.sent(some, bounds)
        while len(news.states):
            bound = bounds.take(news.states)
            before = bound & -policies.keys.one
            nearer.append(_note(news, before, best))
            news = news.only(news.keys < bound)
            if not effort.allows(policies.edges_to(news.states)):
                return None
            news = policies.passed_on(news)
    return np.concatenate(nearer)


class _Effort:
    """The budget for messages: less than the cost of a sweep over all states."""

    def __init__(self, num_states: int, num_policies: int) -> None:
        self.edges_left = FEW_EDGES + EDGES_PER_STATE * num_states * num_policies
        # Edges visited at once, limited so that they take no more memory than a sweep.
        self.most_edges = FEW_EDGES + SENDERS * num_policies + num_states

    def allows(self, num_edges: int) -> bool:
        """Return whether so many edges may be visited, and count them."""
        self.edges_left -= EDGES_PER_ROUND + num_edges
        return self.edges_left >= 0 and num_edges <= self.most_edges


def _note(
    news: _News, before: Int[np.ndarray, " M"], best: Int[np.ndarray, " S"]
) -> Int[np.ndarray, " K"]:
    """Record messages that save steps in `best`; return the states that had not improved before."""
    saves = news.keys < before
    states, keys = news.states[saves], news.keys[saves]
    first = best.take(states) >= before[saves]
    np.minimum.at(best, states, keys)
    # Exactly one of a state's messages in a round matches, since keys differ in the policy.
    return states[first & (best.take(states) == keys)]


def _look_ahead(
    policies: _Policies, bounds: Int[np.ndarray, " S"], best: Int[np.ndarray, " S"]
) -> Int[np.ndarray, " K"]:
    """Record the best leg of every state in `best`; return the states that need fewer steps."""
    keys, size = policies.keys, len(best)
    known = np.minimum(bounds // keys.one, size)
    for policy, ahead in enumerate(policies.by_state.T):
        steps, subgoals = nearest_ahead(np.ascontiguousarray(ahead), known)
        found = np.flatnonzero(steps < known)
        key = steps[found] * keys.one + (subgoals[found] << keys.policy_bits) + policy
        best[found] = np.minimum(best[found], key)
    return np.flatnonzero(best < bounds)
