"""From an environment to a world to plan in, whatever it is written in.

    world = fo.from_environment(gymnasium.make("MiniGrid-DoorKey-8x8-v0"))
    plan = fo.plan(world, world.ends, discount=0.95)
    agent = plan.agent(environment)

| environment | world |
| --- | --- |
| of Gymnasium, with a transition table: FrozenLake, Taxi | exact, from the table (`gym.tables`) |
| in JAX: gymnax, Navix, your own | every state stepped in bulk (`enumeration.jax_worlds`) |
| any other of Gymnasium, MiniGrid | every state copied (`enumeration.copied_worlds`) |
| with `outcomes(state, action)` | exact, from these (`enumeration.outcome_worlds`) |
"""

from collections.abc import Callable
from typing import Any

from first_occupancy.core.arguments import NonNegativeInt, PositiveInt, check_arguments
from first_occupancy.core.errors import InputError
from first_occupancy.interop.enumeration.copied_worlds import CopiedWorld, enumerate_copies
from first_occupancy.interop.enumeration.copying import Copies
from first_occupancy.interop.enumeration.functional_environments import is_functional
from first_occupancy.interop.enumeration.jax_worlds import JaxWorld, enumerate_jax
from first_occupancy.interop.enumeration.outcome_worlds import OutcomeWorld, world_of_outcomes
from first_occupancy.interop.extras import TO_ACT_IN, check_environment, gymnasium, require
from first_occupancy.interop.gym.tables import TableWorld, read_table


@check_arguments
def from_environment(
    environment: Any,
    *,
    params: Any = None,
    outcomes: Callable[[Any, int], Any] | None = None,
    key: Callable[[Any], Any] | None = None,
    seed: NonNegativeInt = 0,
    num_resets: PositiveInt = 1,
    samples: PositiveInt | None = None,
    limit: PositiveInt | None = None,
    names: Callable[[Any], str] | None = None,
    progress: bool | None = None,
) -> TableWorld | JaxWorld | CopiedWorld | OutcomeWorld:
    """Return the exact world of an environment, by its table or by visiting every state.

    Args:
        environment: environment of Gymnasium, MiniGrid, gymnax or Navix, `Copies` of one of your
            own, or functions in JAX (`FunctionalEnvironment`). Pass a fresh one: it is used.
        params: parameters of a gymnax environment; None for its own.
        outcomes: function from a state and an action, counted from 0, to the exact outcomes, a list
            of (probability, next state), perhaps with reward and end; nothing is sampled then.
            States are observations, or what `key` returns. None takes a method `outcomes` of the
            environment, if there is one, which needs `start` and `num_actions` alone.
        key: function from a state (in JAX, any tree of arrays) or the environment (else: numbers,
            text, tuples, arrays) to the part that matters. States with one key are one state. None
            takes all that is known to matter: for gymnax everything but the clock, for Navix and
            MiniGrid the grid and everything in it, for others in JAX the whole state, for others
            of Gymnasium the observation.
        seed: seed of resets and of stochastic steps.
        num_resets: number of episodes, with seeds from `seed` up, whose first states are starts,
            with their frequencies.
        samples: how often each action that draws random numbers is tried in each state.
        limit: upper bound on the number of states.
        names: function from a state, or the environment, to the name of its state.
        progress: whether to show a progress bar; None shows it in a terminal.

    Returns:
        The world, with `ends`, the states that end episodes, `start`, `where(condition)`, and
        `error`, how far sampled probabilities can be off.

    Raises:
        InputError: if the environment cannot be taken apart; the message says why.
    """
    given = {"key": key, "samples": samples, "limit": limit, "names": names, "progress": progress}
    chosen: dict[str, Any] = {name: each for name, each in given.items() if each is not None}
    counts = {"seed": seed, "num_resets": num_resets}
    exact = getattr(environment, "outcomes", None) if outcomes is None else outcomes
    if callable(exact):
        starts, count = _beginnings(environment, key, range(seed, seed + num_resets))
        return world_of_outcomes(exact, starts, count, limit=limit or 100_000, names=names)
    if is_functional(environment):
        return enumerate_jax(environment, params=params, **counts, **chosen)
    if params is not None:
        raise InputError("from_environment: params are of gymnax environments only")
    if isinstance(environment, Copies):
        return enumerate_copies(environment, **counts, **chosen)
    if gymnasium is not None:
        check_environment("from_environment", environment)
    require("from_environment", gymnasium, "Gymnasium", "interop")
    if not chosen and hasattr(getattr(environment, "unwrapped", environment), "P"):
        return read_table(environment)
    return enumerate_copies(environment, **counts, **chosen)


def _beginnings(environment: Any, key: Any, seeds: range) -> tuple[list[Any], int]:
    """Return the first states of episodes where outcomes are known, and the number of actions."""
    own, count = getattr(environment, "start", None), getattr(environment, "num_actions", None)
    if own is not None and isinstance(count, int) and count > 0:
        return [own], count
    if not all(hasattr(environment, name) for name in TO_ACT_IN):
        raise InputError(
            "from_environment: an environment with outcomes must have a start and num_actions, or "
            f"be one of Gymnasium, got {type(environment).__name__}"
        )
    starts = []
    for seed in seeds:
        seen, _ = environment.reset(seed=seed)
        starts.append(seen if key is None else key(environment))
    count = getattr(environment.action_space, "n", None)
    if count is None:
        raise InputError(
            f"from_environment: actions must be Discrete, got {environment.action_space}"
        )
    return starts, int(count)
