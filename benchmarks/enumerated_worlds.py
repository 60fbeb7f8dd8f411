"""How fast does an environment become an exact world, and what are plans in it worth?

JAX environments: transitions per second of a whole search, compiled beforehand, numbering and all,
against a Python loop that takes the same compiled step, reads what came out of it and numbers the
states in a dictionary; both in processor time. Small worlds have too little to do at a time.

Worlds: for each environment the numbers of states and transitions; seconds to enumerate it, with
compilation and checks; the policy switches of the plan to its ends; and the share of the optimum
that following FRP's plan achieves, from the start. Plans are then followed in the environment
itself, to random goals: rows say how many arrive, and in how many steps of those promised.

Environments of packages that are not installed are left out: gymnax and Navix come with the extra
`jax-environments`, MiniGrid with `peers`.
"""

import importlib.util
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import numpy as np
from measuring import Row, compared, main

import first_occupancy as fo
from first_occupancy.interop.enumeration._jax_search import Search
from first_occupancy.interop.enumeration._jax_steps import Stepper
from first_occupancy.interop.enumeration.copied_worlds import CopiedWorld, enumerate_copies
from first_occupancy.interop.enumeration.enumerated_worlds import EnumeratedWorld
from first_occupancy.interop.enumeration.functional_environments import functional
from first_occupancy.interop.enumeration.jax_worlds import JaxWorld, enumerate_jax

DISCOUNT, GOALS, PYTHON_STEPS = 0.95, 100, 500

GYMNAX = {
    "FourRooms-misc": {"samples": 10_000},
    "FrozenLake-misc": {"samples": 10_000},
    "Catch-bsuite": {"num_resets": 100, "samples": 200},
    "DeepSea-bsuite": {"samples": 200},
    "MetaMaze-misc": {"samples": 20_000},
    "SimpleBandit-bsuite": {},
    "BernoulliBandit-misc": {},
    "DiscountingChain-bsuite": {"key": lambda state: state, "time_limit": True},
    "MemoryChain-bsuite": {"key": lambda state: state, "num_resets": 20},
    "UmbrellaChain-bsuite": {
        "key": lambda state: state,
        "num_resets": 20,
        "time_limit": True,
        "samples": 200,
    },
}
NAVIX = ("Navix-Empty-5x5-v0", "Navix-Empty-8x8-v0", "Navix-DoorKey-5x5-v0", "Navix-DoorKey-8x8-v0")
MINIGRID = (
    "MiniGrid-Empty-5x5-v0",
    "MiniGrid-Empty-8x8-v0",
    "MiniGrid-FourRooms-v0",
    "MiniGrid-DoorKey-5x5-v0",
    "MiniGrid-DoorKey-6x6-v0",
    "MiniGrid-DoorKey-8x8-v0",
)


def measure(quick: bool) -> Iterator[Row]:
    """Yield rows on the speed of searches, then on the worlds."""
    for name, environment, params, options in _jax_environments(quick):
        with jax.enable_x64(False):  # Navix works in 32 bits only
            row = _speed(name, environment, params, options.get("samples", 1000))
        yield row
    for name, environment, params, options in _jax_environments(quick):
        enumerate_it = partial(enumerate_jax, environment, params=params, **options)
        with jax.enable_x64(False):
            rows = list(_world(name, enumerate_it, _followed_jax))
        yield from rows
    for name in _gymnasium_names(quick):
        yield from _world(name, partial(_copied, name), partial(_followed_copied, name))


def _jax_environments(quick: bool) -> Iterator[tuple[str, Any, Any, dict[str, Any]]]:
    if importlib.util.find_spec("gymnax"):
        import gymnax

        for name in list(GYMNAX)[: 2 if quick else None]:
            yield (name, *gymnax.make(name), GYMNAX[name])
    if importlib.util.find_spec("navix"):
        import navix

        for name in NAVIX[: 1 if quick else None]:
            yield name, navix.make(name), None, {}


def _gymnasium_names(quick: bool) -> list[str]:
    names = ["FrozenLake-v1", "CliffWalking-v1", "Taxi-v4"]
    if importlib.util.find_spec("minigrid"):
        import minigrid  # noqa: F401  registers its environments

        names += MINIGRID
    return names[: 1 if quick else None]


def _speed(name: str, environment: Any, params: Any, samples: int) -> Row:
    functions = functional(environment, params)
    key = (lambda state: state) if "Chain" in name else functions.key or (lambda state: state)
    options = {"seed": 0, "samples": samples, "time_limit": "Chain" in name}
    stepper = Stepper(functions, key, **options)
    first = stepper.starts(1)
    state = jax.tree.map(lambda leaf: leaf[0], first.states)
    step = jax.jit(functions.full_step)
    keys = list(jax.random.split(jax.random.key(0), PYTHON_STEPS))
    found = []

    def search() -> None:
        found.append(Search(stepper, limit=10**6, report=lambda *_: None).run(1))

    def loop() -> None:
        here, numbers, edges = state, {}, []
        for count, random in enumerate(keys):
            following, reward, ended, _ = step(
                random, here, np.int32(count % functions.num_actions)
            )
            parts = tuple(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(following))
            number = numbers.setdefault((parts, bool(ended)), len(numbers))
            edges.append((number, float(reward)))
            here = state if ended else following

    times = _processor_times({"search": search, "loop": loop})
    alive = int((~found[-1].ended).sum())
    steps = alive * functions.num_actions * stepper.samples
    rate, peer = steps / times["search"], PYTHON_STEPS / times["loop"]
    return compared(
        "transitions of a JAX environment",
        f"{name}, {len(found[-1].ended)} states, {steps} steps",
        ours=(f"search, {rate:.3g} a second", times["search"]),
        peer=(f"Python loop, {peer:.3g} a second", times["loop"]),
        ratio=rate / peer,
        unit="times the steps per second",
        at_least=50,
    )


def _processor_times(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the best processor time of each call; they take turns, after a first warm one.

    A search uses all cores, a loop but one, so time on the wall would favour the search.
    """
    best = dict.fromkeys(calls, float("inf"))
    for turn in range(3):
        for name, call in calls.items():
            begin = time.process_time()
            jax.block_until_ready(call())
            if turn:
                best[name] = min(best[name], time.process_time() - begin)
    return best


def _world(
    name: str,
    enumerate_it: Callable[[], EnumeratedWorld],
    followed: Callable[[Any, list[Any], np.ndarray], tuple[int, float, float]],
) -> Iterator[Row]:
    begin = time.perf_counter()
    world = enumerate_it()
    seconds = time.perf_counter() - begin
    goal = world.ends if len(world.ends) else world.num_states - 1
    plan = fo.plan(world, goal, discount=DISCOUNT)
    best = fo.plan(world, goal, discount=DISCOUNT, refine=None)
    start = world.start
    legs = len(plan.legs(start)) if plan.reachable[start] else 0
    share = (
        float(plan.expected_discount[start] / best.expected_discount[start])
        if best.expected_discount[start]
        else 1.0
    )
    yield compared(
        f"plan to the ends of {name}",
        f"{world.num_states} states, {world.num_transitions} transitions, error {world.error:.2g}",
        ours=(f"enumerated; {max(legs - 1, 0)} switches", seconds),
        peer=("optimum over all policies", 0.0),
        ratio=share,
        unit="of the optimum",
    )
    within = np.flatnonzero(np.isfinite(_distances(world)) & ~world.ended)
    goals = np.random.default_rng(0).choice(within, GOALS)
    plans, costs = _plans(world, goals)
    sure = float(np.mean([float(plan.expected_discount[world.start]) for plan in plans]))
    arrived, steps, promised = followed(world, plans, costs)
    yield compared(
        f"plans followed in {name} itself",
        f"{len(goals)} random goals",
        ours=(f"{arrived} arrived, mean steps {steps:.2f}", 0.0),
        peer=(f"promised {promised:.2f}" + (f", {sure:.3f} of them" if world.error else ""), 0.0),
        ratio=arrived / len(goals),
        unit="of the goals reached",
        at_least=None if world.error else 1,
    )


def _distances(world: EnumeratedWorld) -> np.ndarray:
    """Return the number of steps from the start to each state, on the luckiest path."""
    from scipy.sparse.csgraph import dijkstra

    return dijkstra(sum(world.action_chains), indices=world.start, unweighted=True)


MOST_STEPS, JAX_STEPS = 5000, 6000
"""Steps after which a plan that has not arrived is given up."""


def _plans(world: EnumeratedWorld, goals: np.ndarray) -> tuple[list[Any], np.ndarray]:
    planner = fo.Planner(world, discount=1.0 if world.samples > 1 else DISCOUNT)
    plans = [planner.plan(int(goal), refine=None) for goal in goals]
    return plans, np.array([float(plan.expected_time[world.start]) for plan in plans])


def _followed_jax(
    world: JaxWorld, plans: list[Any], promised: np.ndarray
) -> tuple[int, float, float]:
    """Return how many plans arrive, their mean number of steps, and what plans promised."""
    start, goals = world.start, np.array([int(plan.goal) for plan in plans])
    environment = world.environment
    assert environment is not None
    assert world.table is not None  # made here, not inside the program

    def walk(policy: Any, goal: Any, key: Any) -> Any:
        def advance(carry: Any, key: Any) -> Any:
            state, here, count = carry
            action = jax.numpy.maximum(policy[here], 0).astype(jax.numpy.int32)
            following, _, ended, _ = environment.full_step(key, state, action)
            there = world.number(following, ended=ended)
            done = (here == goal) | world_ended[here]
            keep = partial(jax.numpy.where, done)
            state = jax.tree.map(
                lambda old, new: keep(old, new.astype(old.dtype)), state, following
            )
            return (state, keep(here, there), count + ~done), None

        first = jax.tree.map(jax.numpy.asarray, world.state(start))
        begin = (first, jax.numpy.array(start), jax.numpy.array(0))
        (_, here, count), _ = jax.lax.scan(advance, begin, jax.random.split(key, JAX_STEPS))
        return here == goal, count

    world_ended = jax.numpy.asarray(world.ended)
    policies = np.stack([np.asarray(plan.policy) for plan in plans])
    keys = jax.random.split(jax.random.key(1), len(goals))
    arrived, counts = jax.jit(jax.vmap(walk))(policies, goals, keys)
    arrived, counts = np.asarray(arrived), np.asarray(counts)
    return int(arrived.sum()), float(counts[arrived].mean()), float(promised[arrived].mean())


def _copied(name: str) -> CopiedWorld:
    import gymnasium

    options = {
        "FrozenLake-v1": {"samples": 1000},
        "CliffWalking-v1": {},
        "Taxi-v4": {"samples": 1},
    }
    return enumerate_copies(gymnasium.make(name), **options.get(name, {}))


def _followed_copied(
    name: str, world: CopiedWorld, plans: list[Any], promised: np.ndarray
) -> tuple[int, float, float]:
    import gymnasium

    environment = gymnasium.make(name, max_episode_steps=10**9)
    counts = []
    for number, plan in enumerate(plans):
        goal = int(plan.goal)
        observation, _ = environment.reset(seed=0)
        environment.unwrapped.np_random = np.random.default_rng(number)  # chance of its own
        agent, count, ended = plan.agent(environment), 0, False
        while world.number(environment, observation, ended=ended) != goal and not ended:
            observation, _, ended, _, _ = environment.step(agent.predict(observation)[0])
            count += 1
            if count > MOST_STEPS:
                break
        arrived = world.number(environment, observation, ended=ended) == goal
        counts.append(count if arrived else np.nan)
    arrived = np.isfinite(counts)
    return int(arrived.sum()), float(np.mean(np.array(counts)[arrived])), promised[arrived].mean()


if __name__ == "__main__":
    main(measure)
