"""What enumeration returns: a sparse world, its ends, and how far its probabilities can be off."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int, Num
from scipy.sparse import csr_array

from first_occupancy.core.action_worlds import KnownByActions
from first_occupancy.core.display import Displayed
from first_occupancy.core.errors import InputError, as_given, is_known
from first_occupancy.core.mdp import MDP
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning.agents import Interface, first_action, interface_of_tables
from first_occupancy.planning.plans import Plan

CONFIDENCE = 0.95
"""Probability with which no transition probability is off by more than `EnumeratedWorld.error`."""

FALSE_ALARM = 1e-6
"""Upper bound on the probability that chance alone is taken for a difference."""


@dataclass(frozen=True, eq=False, repr=False)
class EnumeratedWorld(Displayed, KnownByActions):
    """A world whose states are known one by one; takes part in everything that worlds do.

    Attributes:
        mdp: transitions, mean rewards and starts.
        ended: whether each state ends an episode; nothing leaves such a state.
        samples: how many outcomes of each action in each state were drawn; 1 where steps are
            deterministic, or probabilities are known.
    """

    mdp: SparseMDP | MDP
    ended: Bool[np.ndarray, " S"]
    samples: int

    durations = None

    @property
    def num_states(self) -> int:
        """S, the number of states, ends included."""
        return self.mdp.num_states

    @property
    def num_actions(self) -> int:
        """A, the number of actions."""
        return self.mdp.num_actions

    @property
    def num_transitions(self) -> int:
        """Number of transitions with positive probability, from states that can be left."""
        return sum(int(np.diff(chain.indptr)[~self.ended].sum()) for chain in self.action_chains)

    @cached_property
    def action_chains(self) -> Sequence[csr_array]:
        """Where each action leads: one [S S] matrix of probabilities per action."""
        if isinstance(self.mdp, SparseMDP):
            return self.mdp.action_chains
        return [csr_array(table) for table in np.asarray(self.mdp.transition).swapaxes(0, 1)]

    @property
    def state_names(self) -> Any:
        """Names of the states, or None."""
        return self.mdp.state_names

    @property
    def action_names(self) -> Any:
        """Names of the actions, or None."""
        return self.mdp.action_names

    @property
    def start(self) -> int:
        """The most frequent first state of episodes."""
        return int(self.mdp.start_distribution.argmax())

    @property
    def ends(self) -> Int[np.ndarray, " E"]:
        """The states that end episodes."""
        return np.flatnonzero(self.ended)

    @property
    def error(self) -> float:
        r"""How far transition probabilities can be off; 0 if there is no chance, or it is known.

        With probability `CONFIDENCE` none of them is off by more, unseen outcomes included:
        $\sqrt{\log(2n / .05) / 2m}$ for n probabilities, each from m samples (Hoeffding's
        inequality, and the union bound over the n).
        """
        if self.samples == 1:
            return 0.0
        pairs = int((~self.ended).sum()) * self.num_actions
        count = max(self.num_transitions + pairs, 1)
        return min(1.0, float(np.sqrt(np.log(2 * count / (1 - CONFIDENCE)) / (2 * self.samples))))

    def number(self, state: Any, seen: Any = None, *, ended: Any = False) -> Any:
        """Return the number of a state; under `jit`, -1 if it was not met.

        Args:
            state: state, or a copied environment that is in it, not necessarily the world's own.
            seen: what was observed last; needed where copied environments are told apart by it.
            ended: whether the last step ended the episode.
        """
        number = self._found(state, seen, ended=ended)
        if is_known(number) and number < 0:
            raise InputError(
                f"number: state must be one that was met, got {as_given(state)}; begin with the "
                "world's seed, and say whether the state `ended` its episode"
            )
        return number

    def where(self, condition: Callable[[Any], Any]) -> Int[np.ndarray, " G"]:
        """Return the states that meet a condition, as a set of goals.

        Args:
            condition: function from a state to whether it counts. Environments in JAX call it under
                `vmap`, copied environments with the environment, put into the state, and
                environments with a table with what is observed.
        """
        holds = np.flatnonzero(self._holds(condition))
        if not len(holds):
            raise InputError(
                f"{type(self).__name__}.where: condition must hold somewhere, but does in none of "
                f"the {self.num_states} states"
            )
        return holds

    def interface(self, environment: Any, policies: Any) -> Interface:
        """Return what agents see and do; states are known by what they observe."""
        first = first_action(getattr(environment, "action_space", None))
        size = self.num_states, self.num_actions
        return interface_of_tables("agent", self._found, policies, *size, first=first)

    def picture(self, number: int) -> np.ndarray:
        """Return the environment's own picture of a state, as pixels."""
        raise NotImplementedError

    def pictures(self, plan: Plan, start: int | None = None) -> list[tuple[str, np.ndarray]]:
        """Return a plan in the environment's own pictures: the start, and the end of each leg.

        Returns:
            For each picture the policy that was followed until then, and its pixels.
        """
        begin = self.start if start is None else start
        shown = [("start", self.picture(begin))]
        for leg in plan.legs(begin):
            name = leg.policy_name or f"policy {leg.policy}"
            shown.append((name, self.picture(leg.subgoal)))
        return shown

    @property
    def positions(self) -> Float[np.ndarray, "S 2"] | None:
        """Where to draw each state, (x, y) with y pointing down; None if that is not known."""
        return None

    def _holds(self, condition: Callable[[Any], Any]) -> Any:
        """Return whether each state meets a condition."""
        raise NotImplementedError

    def _found(self, state: Any, seen: Any = None, *, ended: Any = False) -> Any:
        """Return the number of a state, or -1."""
        raise NotImplementedError

    def _summary(self) -> str:
        off = f", probabilities within {self.error:.2g}" if self.error else ""
        return (
            f"{type(self).__name__}({self.num_states} states, {len(self.ends)} ends, "
            f"{self.num_actions} actions, {self.num_transitions} transitions{off})"
        )


def assembled(
    edges: Num[np.ndarray, "4 K"],
    rewards: Float[np.ndarray, "S A"],
    ended: Bool[np.ndarray, " S"],
    starts: Int[np.ndarray, " E"],
    *,
    samples: int,
    state_names: Sequence[str] | None = None,
    action_names: Sequence[str] | None = None,
) -> SparseMDP:
    """Return the sparse world of counted transitions.

    Args:
        edges: state, action, next state, and how many of the samples led there.
        ended: whether each state ends an episode; it leads to itself, for nothing.
    """
    size, count = rewards.shape
    (states, actions, following), times = edges[:3].astype(np.int64), edges[3]
    chains = []
    for action in range(count):
        mine = actions == action
        ends = np.flatnonzero(ended)
        share = np.append(times[mine] / samples, np.ones(len(ends)))
        rows, columns = np.append(states[mine], ends), np.append(following[mine], ends)
        chains.append(csr_array((share, (rows, columns)), shape=(size, size)))
    return SparseMDP(
        chains,
        rewards=np.where(ended[:, None], 0.0, rewards),
        start_distribution=np.bincount(starts, minlength=size) / len(starts),
        state_names=state_names,
        action_names=action_names,
    )


def names_of(names: Iterable[str], ended: Bool[np.ndarray, " S"]) -> list[str]:
    """Return the names of states, with those of ends marked."""
    return [f"{name}, ended" if end else name for name, end in zip(names, ended, strict=True)]


def differ(counts: Counter[Any], others: Counter[Any]) -> bool:
    """Return whether two samples of outcomes differ by more than chance explains (Hoeffding)."""
    samples = max(counts.total(), others.total())
    kinds = counts.keys() | others.keys()
    gap = max(abs(counts[k] / counts.total() - others[k] / others.total()) for k in kinds)
    bound = np.sqrt(2 * np.log(4 * len(kinds) / FALSE_ALARM) / samples)
    return bool(gap > (0 if samples == 1 else bound))
