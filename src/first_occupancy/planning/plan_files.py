"""Plans on disk, from which the plan to one goal is read without reading the rest.

A file holds goals, policies, subgoals and log discounts, and the names of states and policies if
the plan has them. Whole numbers have the smallest type that holds them all. `fo.save` and `fo.load`
write and read whole files. `load_plans` maps plans to many goals into memory, so that gigabytes of
them are opened in a millisecond.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.errors import InputError
from first_occupancy.core.memory import smallest
from first_occupancy.planning._drafts import ESTIMATE, EXACT, LOWER_BOUND
from first_occupancy.planning.limits import NOTHING
from first_occupancy.planning.plans import Origin, Plan, PlansOnHost
from first_occupancy.storage.saving import REALS, WHOLES, Kind, check_arrays, made, read

KIND = "plan"

_ARRAYS = ("goal", "policy", "subgoal", "log_promised")
_OPTIONAL = ("achieved", "probability", "expected_time")
_FACTS = ("state_names", "policy_names", "engine", "known")


@check_arguments
def load_plans(path: Path | str) -> PlansOnHost:
    """Return the plans to many goals that `fo.save` wrote, mapped into memory.

    The plans may be those of `plan_to_every_goal`, `plan_to_goals` or `plan_paths_to_goals`. Only
    the shapes of policies, subgoals and discounts are checked; checking values would read them all.

    Raises:
        InputError: if the file is damaged, truncated, of another format, or does not hold plans to
            many goals.
    """
    path = Path(path)
    facts, arrays = read(path, mapped=True)
    if facts["kind"] != KIND:
        raise InputError(f"{path}: must hold plans, got {facts['kind']}")
    _check_arrays(path, arrays)
    if arrays["goal"].ndim == 0:
        raise InputError(f"{path}: must hold plans to many goals, got the plan to one")
    one = {name: np.asarray(arrays[name][0]) for name in _ARRAYS}
    # Goals are read at once: there are few of them, and every look-up searches them.
    goals = np.array(arrays["goal"])
    _check_limits(path, {"goal": goals}, arrays["policy"].shape[1])
    _, known = _plan(path, facts, one)._parts()
    # A slice of a memory map takes longer to make than one of an array.
    policy, subgoal, log_promised = (np.asarray(arrays[name]) for name in _ARRAYS[1:])
    return PlansOnHost(goals, policy, subgoal, log_promised, known)


def stacked(plans: Sequence[Plan]) -> Plan:
    """Return plans to one goal each as one record of plans to many goals, for `fo.save`."""
    first = plans[0]
    arrays = {
        name: np.stack([np.asarray(getattr(plan, name)) for plan in plans]) for name in _ARRAYS
    }
    return Plan(**jax.device_put(arrays), **{name: getattr(first, name) for name in _FACTS})


def _pack(plan: Plan) -> tuple[Mapping[str, np.ndarray], Mapping[str, Any]]:
    facts = {name: getattr(plan, name) for name in _FACTS}
    arrays = {name: np.asarray(getattr(plan, name)) for name in _ARRAYS}
    arrays |= {name: smallest(arrays[name]) for name in _ARRAYS[1:3]}
    optional = _OPTIONAL if plan.arrives_at_once else _OPTIONAL[:1]
    known = {name: getattr(plan, name) for name in optional}
    return arrays | {name: np.asarray(it) for name, it in known.items() if it is not None}, facts


def _unpack(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Plan:
    _check_arrays(path, arrays)
    return _plan(path, facts, arrays)


def _check_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    many = "G " if "goal" in arrays and arrays["goal"].ndim else ""
    shapes = dict.fromkeys(_ARRAYS, (WHOLES, many + "S"))
    shapes |= {"goal": (WHOLES, many), "log_promised": (REALS, many + "S")}
    shapes |= {name: (REALS, many + "S") for name in _OPTIONAL if name in arrays}
    check_arrays(path, arrays, shapes)


def _check_limits(path: Path, arrays: Mapping[str, np.ndarray], size: int) -> None:
    limits: dict[str, tuple[float, float]] = {
        "goal": (0, size - 1),
        "policy": (NOTHING, 2**31 - 1),
        "subgoal": (NOTHING, size - 1),
        "log_promised": (-np.inf, 1e-5),
        "achieved": (0, 1 + 1e-5),
        "probability": (0, 1 + 1e-5),
        "expected_time": (0, np.inf),
    }
    for name, array in arrays.items():
        least, most = limits[name]
        # The negation also catches NaN.
        if not (array.min() >= least and array.max() <= most):
            raise InputError(f"{path}: {name} must be numbers from {least} to {most}")


def _plan(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Plan:
    _check_limits(path, arrays, arrays["policy"].shape[-1])
    goal, policy, subgoal = (jnp.asarray(arrays[name], jnp.int32) for name in _ARRAYS[:3])
    achieved = jnp.asarray(arrays["achieved"]) if "achieved" in arrays else None
    log_promised, engine = jnp.asarray(arrays["log_promised"]), facts.get("engine")
    known = facts.get("known", ESTIMATE)
    if not isinstance(engine, str | None) or known not in (EXACT, LOWER_BOUND, ESTIMATE):
        raise InputError(f"{path}: engine and known must be names, got {engine!r} and {known!r}")
    plan = Plan(goal, policy, subgoal, log_promised, achieved=achieved, engine=engine, known=known)
    if "probability" in arrays and "expected_time" in arrays:
        numbers = arrays["probability"], arrays["expected_time"]
        plan = replace(plan, origin=Origin(lambda: numbers))
    names = {"states": facts.get("state_names"), "policies": facts.get("policy_names")}
    return made(path, plan.named, **names)


KINDS = {KIND: Kind(Plan, _pack, _unpack)}
