"""Learn a world by trying every action in every state that can be reached.

A random walk takes very long to leave a room. This explorer instead goes where it has not
tried everything: it knows where actions have led, walks to the nearest state with an action left
to try, and tries it; if chance leads it elsewhere, it looks for the nearest again. In a world
without chance that visits every pair of state and action in few more steps than there are.
"""

import warnings
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Int

from first_occupancy.core.errors import InputError, shown
from first_occupancy.interop.base_policies import first_action
from first_occupancy.interop.extras import check_environment, gymnasium, require
from first_occupancy.interop.gym.experience import Experience, Recorder
from first_occupancy.interop.states import States

IN_VAIN = 20
"""Starts in a row from which nothing untried can be reached, after which all is known."""

EXPLORER = 0
"""The number of the policy that acts."""


class UntriedWarning(UserWarning):
    """Some actions were tried too seldom to know where they lead."""


class _Known:
    """Where actions have led, and how often each was tried."""

    def __init__(self, num_actions: int, tries: int) -> None:
        self.num_actions, self.wanted = num_actions, tries
        self.tries: dict[int, list[int]] = {}
        self.led_to: dict[int, dict[int, list[int]]] = {}
        """For each state, those it has led to alive, and how often by each action."""

    def add(self, state: int, action: int, following: int, ended: bool) -> None:
        self.tries.setdefault(state, [0] * self.num_actions)[action] += 1
        # Nothing can be tried after a transition that ends the episode, so no path uses it. The
        # state it leads to may still be one to act in: a start, or reached alive by another way.
        if not ended:
            never = [0] * self.num_actions
            self.led_to.setdefault(state, {}).setdefault(following, never)[action] += 1

    def untried(self, state: int) -> int | None:
        """Return the least tried action in a state the agent can act in, if it is still wanted."""
        tries = self.tries.get(state, [0] * self.num_actions)
        least = min(tries)
        return None if least >= self.wanted else tries.index(least)

    def path(self, state: int) -> list[tuple[int, int | None]]:
        """Return the actions of a shortest known way to something untried, and that at last.

        With each action comes the state it is hoped to lead to.
        """
        reached: dict[int, tuple[int, int] | None] = {state: None}
        queue = deque([state])
        while queue:
            here = queue.popleft()
            action = self.untried(here)
            if action is not None:
                return [*self._back(reached, here), (action, None)]
            for following in self.led_to.get(here, {}):
                if following not in reached:
                    reached[following] = (here, self._surest(here, following))
                    queue.append(following)
        return []

    def _surest(self, state: int, following: int) -> int:
        """Return the action that has led there with the largest share of its tries."""
        led, tries = self.led_to[state][following], self.tries[state]
        shares = [count / max(tried, 1) for count, tried in zip(led, tries, strict=True)]
        return shares.index(max(shares))

    @staticmethod
    def _back(
        reached: dict[int, tuple[int, int] | None], state: int
    ) -> list[tuple[int, int | None]]:
        steps: list[tuple[int, int | None]] = []
        while (step := reached[state]) is not None:
            before, action = step
            steps.append((action, state))
            state = before
        return steps[::-1]


def explore(
    environment: Any, states: States, *, num_steps: int, seed: int, tries: int = 1
) -> Experience:
    """Return the experience of trying each action `tries` times in each state, if there is time.

    Every state in which the agent can act is explored: those in which episodes start, and those
    reached by a transition that does not end the episode. Exploring ends after `num_steps`, or
    when nothing is left to try.

    Args:
        environment: Gymnasium environment with numbered actions.
        states: numbering of its observations; new states are added as they are met.
        num_steps: upper bound on the number of steps.
        seed: seed of the environment.
        tries: how often to try each action in each state. In a stochastic world, take enough
            for frequencies to estimate probabilities.

    Returns:
        The transitions, in order.

    Raises:
        InputError: if the actions are not numbered, or `num_steps` or `tries` is below 1.
    """
    require("explore", gymnasium, "Gymnasium", "interop")
    check_environment("explore", environment)
    space = environment.action_space
    if not isinstance(space, gymnasium.spaces.Discrete):
        raise InputError(f"explore: needs numbered actions to try, got {space}")
    if num_steps < 1 or tries < 1:
        raise InputError(f"explore: needs steps and tries from 1, got {num_steps} and {tries}")
    recorder, known = Recorder(environment, states, seed), _Known(int(space.n), tries)
    path: list[tuple[int, int | None]] = []
    in_vain, steps = 0, 0
    while steps < num_steps and in_vain < IN_VAIN:
        if recorder.over:
            recorder.reset()
            path = []
        path = path or known.path(recorder.state)
        if not path:
            in_vain, recorder.over = in_vain + 1, True
            continue
        before, (action, hoped) = recorder.state, path.pop(0)
        following, ended = recorder.step(action + first_action(space), EXPLORER)
        known.add(before, action, following, ended)
        in_vain, steps = 0, steps + 1
        if following != hoped:
            path = []
    return recorder.experience()


def warn_of_untried(
    caller: str,
    seen: Experience,
    tried: Int[np.ndarray, "S A"],
    *,
    num_steps: int,
    tries: int,
    names: Sequence[str] | None,
) -> None:
    """Warn if exploring was cut short, or if one try of each action cannot be enough.

    Only states that were met while an episode was going on count: whether others can be reached
    is unknown, and where all episodes were over there was nothing to try.

    Args:
        caller: name of the function that explores, for the message.
        seen: what `explore` returned, with ends of their own (`ends.separate_ends`).
        tried: how often each action was tried in each state.
        num_steps: upper bound on the number of steps that `explore` had.
        tries: how often each action should have been tried.
        names: names of the states.
    """
    met = seen.alive
    few = int((tried[met] < tries).sum())
    if few:
        cut = len(seen) == num_steps
        remedy = "take a larger num_steps" if cut else "no start seen leads to them again"
        _warn(
            f"{caller}: {few} of {tried[met].size} pairs of state and action were tried fewer than "
            f"tries={tries} times in {len(seen)} steps, and what was never tried is taken to lead "
            f"nowhere; {remedy}"
        )
    pair = _led_apart(seen) if tries == 1 else None
    if pair is not None:
        state, action = pair
        _warn(
            f"{caller}: action {action} led from state {shown(state, names)} to different states, "
            "so there is chance, and tries=1 is too few for its frequencies; take a larger tries"
        )


def _led_apart(seen: Experience) -> tuple[int, int] | None:
    """Return the first state and action that were seen to lead to two different states."""
    outcomes = np.unique(np.stack([seen.states, seen.actions, seen.next_states], 1), axis=0)
    again = np.flatnonzero((outcomes[1:, :2] == outcomes[:-1, :2]).all(axis=1))
    return (int(outcomes[again[0], 0]), int(outcomes[again[0], 1])) if len(again) else None


def _warn(message: str) -> None:
    # Up to whoever called the function that learns: this one, the one above, and that.
    warnings.warn(message, UntriedWarning, stacklevel=4)
