"""How much of the optimum do plans get where moves slip: promised, followed, refined?

FrozenLake8x8, CliffWalking and Taxi, read from Gymnasium's own tables, and a 15 x 15 maze with a
quarter of walls, at noise .1 to .5: with that probability a random move is made instead. Base
policies repeat one action each. Shares of the optimum are over all states from which the goal can
be reached, and goals; the optimum is that of policy iteration, dense and by itself.

    promised   FRP's value, one leg after the other
    followed   following that plan, looked up again in every state (`refine=0`)
    refined    after 1 and 2 rounds of improvement, and after as many as improve something
"""

from collections.abc import Iterator

import gymnasium
import jax
import numpy as np
from measuring import Row, compared, main, once
from worlds import random_maze

import first_occupancy as fo
from first_occupancy.interop.skills import skills_of
from first_occupancy.planning.dynamic_programming import policy_iteration

LEAST = 1e-12
"""States with a smaller optimum count as unable to reach the goal."""

STAGES = {"followed": 0, "refined, 1 round": 1, "refined, 2 rounds": 2, "refined": None}


def measure(quick: bool) -> Iterator[Row]:
    """Yield, for each world and discount, a row for each stage."""
    side = 10 if quick else 15
    with jax.enable_x64(True):
        for discount in (0.95, 0.99):
            for name in ("FrozenLake8x8-v1", "CliffWalking-v1", "Taxi-v4"):
                states = skills_of(gymnasium.make(name), discount=discount).states
                goals = states.ends[-1:] if name.startswith("FrozenLake") else states.ends
                yield from _stages(name, states.mdp, list(goals), discount)
            for noise in (0.1, 0.3, 0.5) if quick else (0.1, 0.2, 0.3, 0.4, 0.5):
                world = fo.maze(random_maze(side, walls=0.25).drawing, noise=noise)
                name = f"{side} x {side} maze, noise {noise:g}"
                yield from _stages(name, world.mdp, [world.num_states // 2], discount)


def _stages(name: str, mdp: fo.MDP, goals: list[int], discount: float) -> Iterator[Row]:
    seconds = once(lambda: _optima(mdp, goals, discount))
    optima = _optima(mdp, goals, discount)
    planner = fo.Planner(mdp, discount=discount)
    for stage, rounds in STAGES.items():
        took = once(lambda: [planner.plan(goal, refine=rounds) for goal in goals])
        plans = [planner.plan(goal, refine=rounds) for goal in goals]
        found = {stage: [np.asarray(plan.expected_discount) for plan in plans]}
        if rounds == 0:
            found = {"promised": [np.asarray(plan.promised) for plan in plans]} | found
        for what, values in found.items():
            shares = np.concatenate(
                [
                    each[best > LEAST] / best[best > LEAST]
                    for each, best in zip(values, optima, strict=True)
                ]
            )
            yield compared(
                f"share of the optimum, {what}",
                f"{name}, discount {discount:g}",
                ours=(f"worst state {shares.min():.4f}", took),
                peer=("policy iteration", seconds),
                ratio=float(shares.mean()),
                unit="on average",
            )


def _optima(mdp: fo.MDP, goals: list[int], discount: float) -> list[np.ndarray]:
    """Return the largest expected discount at the arrival in each goal, from every state."""
    found = []
    for goal in goals:
        transition = np.array(mdp.transition)
        # Arriving pays 1 and ends the walk.
        reward = np.zeros_like(transition)
        reward[..., goal] = 1
        reward[goal] = 0
        transition[goal] = np.eye(len(transition))[goal]
        best = np.array(
            policy_iteration.solve(fo.MDP(transition, reward), discount=discount).values
        )
        # A reward that comes with the step is discounted by one step less than the arrival.
        best *= discount
        best[goal] = 1
        found.append(best)
    return found


if __name__ == "__main__":
    main(measure)
