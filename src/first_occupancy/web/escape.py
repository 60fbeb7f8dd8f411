"""The escape as a story to watch: explore, escape, and both again, while the FR is learned.

The agent is that of `experiments.escape`, run a few steps at a time so that one can see what it
knows in between. An FR and an SR agent explore the same walk side by side; then each escapes in its
own way, the one by FR-planning and the other by GPI.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.experiments.escape import arena
from first_occupancy.experiments.escape.agent import Learning, Rule, escape, explore, initial
from first_occupancy.experiments.escape.run import Config
from first_occupancy.planning import frp
from first_occupancy.planning.legs import unroll
from first_occupancy.planning.plans import Plan
from first_occupancy.web.scenes import EscapeQuestion
from first_occupancy.web.work import Step

SIZE, EPISODES, MOST_STEPS = Config.size, Config.episodes, Config.max_steps
DISCOUNT, STEP_SIZE = Config.discount, Config.step_size
DECAYS = {"fr": 0.0, "sr": 1.0}

CHUNK = 25
"""Steps of exploration between two looks at what is known."""

Moment = dict[str, Any]


class Runner(NamedTuple):
    """An agent in a trial.

    Attributes:
        name: "fr" or "sr".
        reps: representations that it has learned.
        state: current state.
        touched: whether it has bumped into the barrier or a wall.
        hits: number of bumps.
        steps: steps taken so far.
    """

    name: str
    reps: Float[Array, "S N S"]
    state: int
    touched: bool
    hits: int
    steps: int

    @property
    def is_there(self) -> bool:
        """Whether the trial has ended in the shelter."""
        return self.state == arena.ends(SIZE)[1]


def story(question: EscapeQuestion) -> Iterator[Moment]:
    """Yield the moments of the whole story, as plain values: cells, maps over cells, legs."""
    start, shelter = arena.ends(SIZE)
    first, second, side = jax.random.split(jax.random.key(question.seed), 3)
    preference = arena.moves_by_preference(int(jax.random.randint(side, (), 0, 2)))
    count = arena.arena(SIZE, False).num_states
    reps = {name: initial(count, len(arena.NAMES)) for name in DECAYS}
    yield {"kind": "begin", **_place(), "start": _cell(start), "shelter": _cell(shelter)}
    summary = []
    for number, key in enumerate((first, second), start=1):
        barrier = question.variant != "new barrier" or number == 2
        reps = yield from _exploration(reps, key, question.episode_steps, number, barrier)
        runners = yield from _trial(reps, question.variant, preference, number)
        reps = {runner.name: runner.reps for runner in runners}
        summary.append({runner.name: _result(runner) for runner in runners})
    yield {"kind": "end", "trials": summary}


def warm_up(step: Step) -> None:
    """Compile what the story needs, by running its beginning; `step` is called in between."""
    moments = story(EscapeQuestion(episode_steps=CHUNK))
    for moment in moments:
        step()
        if moment["kind"] == "trial" and moment["fr"]["steps"] > 0:
            break
    moments.close()  # pyrefly: ignore[missing-attribute]


def _exploration(
    reps: dict[str, Array], key: Array, steps: int, number: int, barrier: bool
) -> Iterator[Moment]:
    """Yield a moment for every chunk of steps; return what was learned."""
    moves = arena.next_states(SIZE, barrier)
    _, shelter = arena.ends(SIZE)
    here = shelter
    for chunk in range(EPISODES * steps // CHUNK):
        if chunk * CHUNK % steps == 0:
            here = shelter
        chunk_key = jax.random.fold_in(key, chunk)
        logs = {}
        for name in DECAYS:
            reps[name], logs[name] = explore(
                reps[name],
                chunk_key,
                jnp.asarray(moves),
                here,
                CHUNK,
                1,
                _learning(name),
                most_steps=CHUNK,
            )
        # Both took the same steps: the policies were drawn with the same key.
        walk, policies = np.asarray(logs["fr"].states).tolist(), np.asarray(logs["fr"].policies)
        here = int(moves[policies[-1], walk[-1]])
        yield {
            "kind": "explore",
            "number": number,
            "barrier": barrier,
            "done": (chunk + 1) / (EPISODES * steps // CHUNK),
            "walk": _cells([*walk, here]),
            "maps": _maps(reps),
        }
    return reps


def _trial(
    reps: dict[str, Array], variant: str, preference: list[int], number: int
) -> Iterator[Moment]:
    """Yield a moment for every step of both agents; return them at their ends."""
    start, _ = arena.ends(SIZE)
    runners = [Runner(name, reps[name], start, False, 0, 0) for name in DECAYS]
    yield _trial_moment(number, runners, runners)
    for _ in range(MOST_STEPS):
        before = runners
        runners = [_step(runner, variant, preference) for runner in runners]
        yield _trial_moment(number, before, runners)
        if all(runner.is_there for runner in runners):
            break
    return runners


def _step(runner: Runner, variant: str, preference: list[int]) -> Runner:
    """Return the agent one step on; in the shelter it stays."""
    if runner.is_there:
        return runner
    moves = arena.next_states(SIZE, True)
    rule = Rule(
        settles=jnp.array(variant == "new barrier"),
        feels=jnp.array(variant == "feeling"),
        preference=jnp.asarray(preference),
    )
    reps, log = escape(
        runner.reps,
        jnp.asarray(moves),
        runner.state,
        arena.ends(SIZE)[1],
        rule,
        _learning(runner.name),
        plans=runner.name == "fr",
        max_steps=1,
        touched=runner.touched,
    )
    following = int(log.states[1])
    bumped = following == runner.state
    return Runner(
        runner.name,
        reps,
        following,
        runner.touched or bumped,
        runner.hits + bumped,
        runner.steps + 1,
    )


def _trial_moment(number: int, before: list[Runner], runners: list[Runner]) -> Moment:
    moment: Moment = {"kind": "trial", "number": number, "barrier": True}
    bumped = False
    for then, now in zip(before, runners, strict=True):
        bump = now.hits > then.hits
        bumped |= bump
        moment[now.name] = {
            "cell": _cell(now.state),
            "bumped": bump,
            "arrived": now.is_there,
            "steps": now.steps,
        }
    fr = runners[0]
    plan = _plan(fr.reps, arena.ends(SIZE)[1])
    known = bool(plan.reachable[fr.state])
    moment["fr"]["plan"] = [_cell(leg.subgoal) for leg in unroll(plan, fr.state)] if known else None
    worth = np.asarray(runners[1].reps[runners[1].state, :, arena.ends(SIZE)[1]])
    moment["sr"]["plan"] = [_cell(arena.ends(SIZE)[1])] if worth.max() > 0 else None
    first = before is runners
    moment["maps"] = (
        _maps({runner.name: runner.reps for runner in runners}) if bumped or first else None
    )
    return moment


def _result(runner: Runner) -> Moment:
    return {"steps": runner.steps, "hits": runner.hits, "arrived": runner.is_there}


def _learning(name: str) -> Learning:
    return Learning(DISCOUNT, STEP_SIZE, DECAYS[name])


@jax.jit
def _plan(reps: Float[Array, "S N S"], goal: int) -> Plan:
    return frp.plan_to_goal(jnp.moveaxis(reps, 1, 0), goal)


@jax.jit
def _best(reps: Float[Array, "S N S"], goal: int) -> Float[Array, " S"]:
    return reps[:, :, goal].max(axis=1)


def _maps(reps: dict[str, Array]) -> dict[str, list[float]]:
    """Return what each agent knows of the way to the shelter, from every cell."""
    shelter = arena.ends(SIZE)[1]
    reached = np.exp(np.asarray(_plan(reps["fr"], shelter).log_discount))
    visited = np.asarray(_best(reps["sr"], shelter))
    return {"fr": _over_cells(reached), "sr": _over_cells(visited)}


def _over_cells(values: Float[np.ndarray, " S"]) -> list[float]:
    free = arena.arena(SIZE, False).free
    result = np.zeros(free.size)
    result[free.ravel()] = values
    return [float(f"{value:.3g}") for value in result.tolist()]


def _place() -> Moment:
    open_, barred = arena.arena(SIZE, False).free, arena.arena(SIZE, True).free
    return {
        "rows": SIZE,
        "columns": SIZE,
        "walls": np.flatnonzero(~open_).tolist(),
        "barrier": np.flatnonzero(open_ & ~barred).tolist(),
    }


def _cells(states: list[int]) -> list[int]:
    rows_columns: Int[np.ndarray, "B 2"] = arena.arena(SIZE, False).cells[states]
    return (rows_columns @ np.array([SIZE, 1])).tolist()


def _cell(state: int) -> int:
    return _cells([state])[0]
