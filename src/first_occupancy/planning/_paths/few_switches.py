r"""Shortest ways to one goal with at most K switches, for deterministic policies.

Sweep k of FRP (Alg. 1) gives every state its best leg to a state t whose way with k - 1 switches
is known: j steps along one policy's path, then the steps of t. A new leg can only pay to a t that
the sweep before made nearer, since legs to all others could have been taken then. So each of
these sends a message back along every policy's edges,

    to s, j steps before t on the path of n: "j + steps(t) steps, if you follow n to t",

which goes on as long as it is news: a state that needs no more steps already has no use for it, nor
have those behind, who may go there instead. So what a sweep costs depends on what it finds, not on
how large the world is.

A message alone in a corridor takes a round for every step, and where the sweep before made all of a
path nearer, those behind it hear from every state of it. When that takes longer than to sweep over
all states at once would, this is done instead (`representations.deterministic.nearest_ahead`).
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int
from scipy.sparse import csr_array

from first_occupancy.planning._paths.shortest_paths import NEVER, Cuts, Keys, decoded, packing
from first_occupancy.planning.plans import NOTHING
from first_occupancy.representations.deterministic import nearest_ahead

SENDERS = 4096
"""States whose messages are under way together: few, so that what they touch stays in the cache."""

FEW_EDGES = 16384
"""So many may be looked at however small the world is."""

EDGES_PER_ROUND = 256
"""A round takes about as long as it takes to look at so many edges, beside those it looks at."""

EDGES_PER_STATE = 2
"""A sweep over all states takes longer than to look at so many edges for each state and policy."""


class _News(NamedTuple):
    """For each of some states a key: the steps it would need, the subgoal and the policy."""

    states: Int[np.ndarray, " M"]
    keys: Int[np.ndarray, " M"]

    def only(self, which: Bool[np.ndarray, " M"]) -> "_News":
        return _News(self.states[which], self.keys[which])


class _Policies(NamedTuple):
    """The policies' edges, both ways, and how keys are packed."""

    by_state: Int[np.ndarray, "S N"]
    backwards: csr_array
    num_behind: Int[np.ndarray, " S"]
    keys: Keys

    def edges_to(self, states: Int[np.ndarray, " M"]) -> int:
        """Return how many edges `sent` and `passed_on` would look at."""
        return int(self.num_behind.take(states).sum())

    def sent(self, senders: Int[np.ndarray, " M"], bounds: Int[np.ndarray, " S"]) -> _News:
        """Return what is news to states one step from a sender, on any policy."""
        states, place = self._behind(senders)
        keys = (bounds.take(senders) + self.keys.one).take(place)
        # Before their policies are looked at, since most have nearly as short a way already.
        news = np.flatnonzero(keys < bounds.take(states))
        states, place, keys = states.take(news), place.take(news), keys.take(news)
        leads = self.by_state.take(states, axis=0) == senders.take(place)[:, None]
        edge, policy = np.divmod(np.flatnonzero(leads), leads.shape[1])
        return _News(states.take(edge), keys.take(edge) + policy)

    def passed_on(self, news: _News) -> _News:
        """Return what states hear that are one step further back, on the same policy."""
        states, place = self._behind(news.states)
        policies = news.keys.take(place) & ((1 << self.keys.policy_bits) - 1)
        # By one index into all rows, several times as fast as by a pair.
        slots = states * np.int64(self.by_state.shape[1]) + policies
        follows = self.by_state.reshape(-1).take(slots) == news.states.take(place)
        return _News(states[follows], news.keys.take(place[follows]) + self.keys.one)

    def _behind(
        self, states: Int[np.ndarray, " M"]
    ) -> tuple[Int[np.ndarray, " E"], Int[np.ndarray, " E"]]:
        """Return all states with an edge to one of these, and at which place that one is."""
        starts = self.backwards.indptr.take(states)
        counts = self.num_behind.take(states)
        place = np.repeat(np.arange(len(states)), counts)
        shifts = starts - (np.cumsum(counts) - counts)
        return self.backwards.indices.take(np.arange(len(place)) + shifts.take(place)), place


def cut_with_switches(
    by_state: Int[np.ndarray, "S N"], backwards: csr_array, goal: int, max_switches: int
) -> Cuts:
    """Return the shortest ways to `goal` with at most so many switches, cut into legs.

    `backwards` has one edge t -> s for every s that some policy leads to t. Ties go as in
    `frp.plan_to_goal`: the first subgoal, then the first policy that leads there.
    """
    keys = packing(*by_state.shape)
    policies = _Policies(by_state, backwards, np.diff(backwards.indptr), keys)
    best = np.full(len(by_state), NEVER)
    best[goal] = goal << keys.policy_bits
    bounds = best & -keys.one
    nearer = np.array([goal], np.int64)
    # As Python's number: one more than NumPy's uint8 of 255 would be 0.
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
    """Note the messages in `best`; return who needs fewer steps now, or None if they take long.

    A message goes on from a state where its key is below the bound: a key of the state's own
    steps, and from a sender on with itself as subgoal, since of ways as short that to the first
    subgoal is wanted.
    """
    # Of the senders' type, since the edges' int32 may have no room for a state and a policy.
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
    """What may still be spent on messages: less than a sweep over all states would take."""

    def __init__(self, num_states: int, num_policies: int) -> None:
        self.edges_left = FEW_EDGES + EDGES_PER_STATE * num_states * num_policies
        # At once only so many that what is known of them takes no more memory than the sweep.
        self.most_edges = FEW_EDGES + SENDERS * num_policies + num_states

    def allows(self, num_edges: int) -> bool:
        """Return whether so many edges may be looked at, and count them."""
        self.edges_left -= EDGES_PER_ROUND + num_edges
        return self.edges_left >= 0 and num_edges <= self.most_edges


def _note(
    news: _News, before: Int[np.ndarray, " M"], best: Int[np.ndarray, " S"]
) -> Int[np.ndarray, " K"]:
    """Note in `best` what saves steps, and return the states for which nothing else did so far."""
    saves = news.keys < before
    states, keys = news.states[saves], news.keys[saves]
    first = best.take(states) >= before[saves]
    np.minimum.at(best, states, keys)
    # Of those that reach a state in one round one is noted, since they name different policies.
    return states[first & (best.take(states) == keys)]


def _look_ahead(
    policies: _Policies, bounds: Int[np.ndarray, " S"], best: Int[np.ndarray, " S"]
) -> Int[np.ndarray, " K"]:
    """Note the best leg of every state in `best`, and return who needs fewer steps with it."""
    keys, size = policies.keys, len(best)
    known = np.minimum(bounds // keys.one, size)
    for policy, ahead in enumerate(policies.by_state.T):
        steps, subgoals = nearest_ahead(np.ascontiguousarray(ahead), known)
        found = np.flatnonzero(steps < known)
        key = steps[found] * keys.one + (subgoals[found] << keys.policy_bits) + policy
        best[found] = np.minimum(best[found], key)
    return np.flatnonzero(best < bounds)
