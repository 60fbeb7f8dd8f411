"""How much faster are Table 1's three methods than a plain Python loop?

The loop is written as one would write the paper's text down: NumPy tables, one step after
the other, one trial after the other. Trials are independent, so it is timed on a few and
scaled up; both must give the same mean reward within chance, which is checked.
"""

import jax
import numpy as np
from measuring import Row, best_times, compared, main

from first_occupancy_paper.experiments.exploration.protocols import Protocol, protocols, world
from first_occupancy_paper.explorers.sarsa import run_trials

METHODS = ("sarsa", "sr_taken_next", "fr_printed")


def measure(quick: bool) -> list[Row]:
    """Return a row for each task: 100 trials of all three methods against the loop."""
    trials, steps, few = (20, 500, 1) if quick else (100, 5_000, 2)
    return [_measure(task, trials, steps, few) for task in ("RiverSwim-6", "SixArms")]


def _measure(task: str, trials: int, steps: int, few: int) -> Row:
    chosen = [each for each in protocols(task) if each.name in METHODS]
    mdp = world(task)

    def ours() -> list[np.ndarray]:
        return [
            np.asarray(
                run_trials(each.agent, mdp, jax.random.key(0), num_trials=trials, num_steps=steps)
            )
            for each in chosen
        ]

    def theirs() -> list[list[float]]:
        return [[loop(each, task, seed, steps) for seed in range(few)] for each in chosen]

    times = best_times({"ours": ours, "loop": theirs})
    seconds, loop_seconds = times["ours"], times["loop"] * trials / few
    _check(ours()[0].sum(axis=1), np.array(theirs()[0]))
    return compared(
        f"Table 1, {task}: Sarsa, +SR, +FR",
        f"{trials} trials x {steps:,} steps each",
        ours=("run_trials", seconds),
        peer=(f"Python loop ({few} trials, scaled)", loop_seconds),
        ratio=loop_seconds / seconds,
        unit="x faster",
        at_least=300,
    )


def _check(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Raise unless the loop's Sarsa trials are worth what ours are, but for lucky ones."""
    if abs(theirs.min() - np.median(ours)) > 5 * ours.std():
        raise RuntimeError(f"the loop gives {theirs.min():.0f}, run_trials {np.median(ours):.0f}")


def loop(protocol: Protocol, task: str, seed: int, steps: int) -> float:
    """Return the total reward of one trial, one step after the other."""
    mdp, random = world(task), np.random.default_rng(seed)
    transition, reward = np.asarray(mdp.transition), np.asarray(mdp.reward)
    num_states, num_actions, _ = transition.shape
    values = np.zeros((num_states, num_actions))
    table = np.eye(num_states) * (protocol.start == "I")
    once = protocol.method == "Sarsa+FR"

    def choose(state: int) -> int:
        if random.random() < protocol.epsilon:
            return int(random.integers(num_actions))
        best = np.flatnonzero(values[state] == values[state].max())
        return int(random.choice(best))

    state = int(random.choice(num_states, p=np.asarray(mdp.start_distribution)))
    action, total = choose(state), 0.0
    for _ in range(steps):
        ahead = int(random.choice(num_states, p=transition[state, action]))
        gain = reward[state, action, ahead]
        next_action = choose(ahead)
        bonus = 0.0
        if protocol.bonus != "none":
            here = np.eye(num_states)[state]
            keep = 1 - here if once else 1
            target = here + protocol.representation_discount * keep * table[ahead]
            table[state] += protocol.representation_step_size * (target - table[state])
            norm = np.abs(table[state]).sum()
            bonus = protocol.beta * (norm if protocol.bonus == "printed" else 1 / norm)
        error = gain + bonus + protocol.discount * values[ahead, next_action]
        values[state, action] += protocol.step_size * (error - values[state, action])
        total += gain
        state, action = ahead, next_action
    return total


if __name__ == "__main__":
    main(measure)
