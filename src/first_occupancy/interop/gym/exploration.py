"""Learn a world by trying every action in every reachable state.

A random walk takes very long to leave a room. This explorer instead remembers where actions have
led, walks to the nearest state with an untried action, and tries it. If a stochastic transition
leads elsewhere, it searches again from there. In a deterministic world it visits every state-action
pair in few more steps than there are pairs.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Int

from first_occupancy.core.arguments import PositiveInt, check_arguments
from first_occupancy.core.errors import InputError, shown, warn
from first_occupancy.interop.extras import check_environment, gymnasium, require
from first_occupancy.interop.gym.experience import Experience, Recorder
from first_occupancy.interop.states import States
from first_occupancy.planning.agents import first_action

IN_VAIN = 20
"""Exploration stops after this many consecutive starts that lead to nothing untried."""

EXPLORER = 0
"""The policy number recorded for the explorer's transitions."""


Route = list[tuple[int, int | None]]
"""Actions, each with the next state that it should lead to; None where that is not known."""


class UntriedWarning(UserWarning):
    """Some actions were tried too rarely to know where they lead."""


class _Known:
    """The transitions seen so far, and how often each action was tried."""

    def __init__(self, num_actions: int, tries: int) -> None:
        self.num_actions, self.wanted = num_actions, tries
        self.tries: dict[int, list[int]] = {}
        self.led_to: dict[int, dict[int, list[int]]] = {}
        """For each state and next state, how often each action led there without terminating."""

    def add(self, state: int, action: int, following: int, ended: bool) -> None:
        self.tries.setdefault(state, [0] * self.num_actions)[action] += 1
        # Nothing can be tried after a terminating transition, so no path uses it. The agent may
        # still get to act in its next state, if that is a start or is reached in another way.
        if not ended:
            never = [0] * self.num_actions
            self.led_to.setdefault(state, {}).setdefault(following, never)[action] += 1

    def untried(self, state: int) -> int | None:
        """Return the least tried action of a state, or None if all were tried often enough."""
        tries = self.tries.get(state, [0] * self.num_actions)
        least = min(tries)
        return None if least >= self.wanted else tries.index(least)

    def path(self, state: int) -> Route:
        """Return a shortest known path to an untried action; that action is its last."""
        paths: dict[int, Route] = {state: []}
        queue = [state]
        for here in queue:  # which grows
            action = self.untried(here)
            if action is not None:
                return [*paths[here], (action, None)]
            for following in self.led_to.get(here, {}):
                if following not in paths:
                    paths[following] = [*paths[here], (self._surest(here, following), following)]
                    queue.append(following)
        return []

    def _surest(self, state: int, following: int) -> int:
        """Return the action with the highest empirical probability of leading to `following`."""
        led, tries = self.led_to[state][following], self.tries[state]
        shares = [count / max(tried, 1) for count, tried in zip(led, tries, strict=True)]
        return shares.index(max(shares))


@check_arguments
def explore(
    environment: Any,
    states: States,
    *,
    num_steps: PositiveInt,
    seed: int,
    tries: PositiveInt = 1,
) -> Experience:
    """Return the experience of trying each action `tries` times in each state, steps permitting.

    Every state in which the agent can act is explored: those in which episodes start, and those
    reached by a transition that does not terminate the episode. Exploration ends after `num_steps`,
    or when nothing is left to try.
    """
    require("explore", gymnasium, "Gymnasium", "interop")
    check_environment("explore", environment)
    space = environment.action_space
    if not isinstance(space, gymnasium.spaces.Discrete):
        raise InputError(f"explore: needs an environment with Discrete actions, got {space}")
    recorder, known = Recorder(environment, states, seed), _Known(int(space.n), tries)
    path: Route = []
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
    """Warn if exploration was cut short, or if one try per action turned out to be too few.

    Only states that were met during an episode count: whether others can be reached is unknown,
    and in terminal states (separated by `ends.separate_ends`) there is nothing to try.
    """
    met = seen.alive
    few = int((tried[met] < tries).sum())
    if few:
        cut = len(seen) == num_steps
        remedy = "pass a larger num_steps" if cut else "no start seen leads back to them"
        warn(
            f"{caller}: {few} of {tried[met].size} state-action pairs were tried fewer than "
            f"tries={tries} times in {len(seen)} steps, and untried actions are assumed to stay "
            f"in place; {remedy}",
            UntriedWarning,
        )
    pair = _led_apart(seen) if tries == 1 else None
    if pair is not None:
        state, action = pair
        warn(
            f"{caller}: action {action} led from state {shown(state, names)} to different states, "
            "so it is stochastic, and tries=1 is too few to estimate probabilities; "
            "pass a larger tries",
            UntriedWarning,
        )


def _led_apart(seen: Experience) -> tuple[int, int] | None:
    """Return the first state and action that led to two different next states, if any."""
    outcomes = np.unique(np.stack([seen.states, seen.actions, seen.next_states], 1), axis=0)
    again = np.flatnonzero((outcomes[1:, :2] == outcomes[:-1, :2]).all(axis=1))
    return (int(outcomes[again[0], 0]), int(outcomes[again[0], 1])) if len(again) else None
