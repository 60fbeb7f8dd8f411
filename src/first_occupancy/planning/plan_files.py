"""Plans on disk, from which the plan to one goal is read without reading the rest.

A file holds goals, policies, subgoals and log discounts, and the names of states and policies if
the plan has them. `fo.save` and `fo.load` write and read whole files. `load_plans` maps plans to
many goals into memory, so that gigabytes of them are opened in a millisecond.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.planning.plans import NOTHING, Plan, PlansOnHost
from first_occupancy.storage import saved_files
from first_occupancy.storage.saving import Kind, made, register

KIND = "plan"
_ARRAYS = ("goal", "policy", "subgoal", "log_discount")


class SavedPlans(PlansOnHost):
    """Memory-mapped plans to many goals: only the parts that are accessed are read from disk."""


def load_plans(path: Path | str) -> SavedPlans:
    """Return the plans to many goals that `fo.save` wrote, mapped into memory.

    The plans may be those of `plan_to_every_goal`, `plan_to_goals` or `plan_paths_to_goals`. Only
    the shapes of policies, subgoals and discounts are checked; checking values would read them all.

    Raises:
        InputError: if the file is damaged, truncated, of another format, or does not hold plans to
            many goals.
    """
    path = Path(path)
    kind, facts, arrays = saved_files.read_mapped(path)
    if kind != KIND:
        raise InputError(f"{path}: must hold plans, got {kind}")
    _check_arrays(path, arrays)
    if arrays["goal"].ndim == 0:
        raise InputError(f"{path}: must hold plans to many goals, got the plan to one")
    one = {name: np.asarray(arrays[name][0]) for name in _ARRAYS}
    # Goals are read at once: there are few of them, and every look-up searches them.
    goals = np.array(arrays["goal"])
    _check_limits(path, {"goal": goals}, arrays["policy"].shape[1])
    structure = jax.tree.structure(_plan(path, facts, one))
    rows = (arrays["policy"], arrays["subgoal"], arrays["log_discount"])
    return SavedPlans(goals, *rows, structure)


def stacked(plans: Sequence[Plan]) -> Plan:
    """Return plans to one goal each as one record of plans to many goals, for `fo.save`.

    Args:
        plans: plans over the same states and base policies, to different goals.
    """
    first = plans[0]
    arrays = {
        name: np.stack([np.asarray(getattr(plan, name)) for plan in plans]) for name in _ARRAYS
    }
    names = {"state_names": first.state_names, "policy_names": first.policy_names}
    return Plan(**jax.device_put(arrays), **names, engine=first.engine)


def _pack(plan: Plan) -> tuple[Mapping[str, np.ndarray], Mapping[str, Any]]:
    facts = {name: getattr(plan, name) for name in ("state_names", "policy_names", "engine")}
    arrays = {name: np.asarray(getattr(plan, name)) for name in _ARRAYS}
    if plan.followed is not None:
        arrays["followed"] = np.asarray(plan.followed)
    return arrays, facts


def _unpack(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Plan:
    _check_arrays(path, arrays)
    return _plan(path, facts, arrays)


def _check_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    many = "G " if "goal" in arrays and arrays["goal"].ndim else ""
    shapes = dict.fromkeys(_ARRAYS, (saved_files.WHOLES, many + "S"))
    shapes |= {"goal": (saved_files.WHOLES, many), "log_discount": (saved_files.REALS, many + "S")}
    if "followed" in arrays:
        shapes["followed"] = (saved_files.REALS, many + "S")
    saved_files.check_arrays(path, arrays, shapes)


def _check_limits(path: Path, arrays: Mapping[str, np.ndarray], size: int) -> None:
    limits: dict[str, tuple[float, float]] = {
        "goal": (0, size - 1),
        "policy": (NOTHING, 2**31 - 1),
        "subgoal": (NOTHING, size - 1),
        "log_discount": (-np.inf, 1e-5),
        "followed": (0, 1 + 1e-5),
    }
    for name, array in arrays.items():
        least, most = limits[name]
        # The negation also catches NaN.
        if not (array.min() >= least and array.max() <= most):
            raise InputError(f"{path}: {name} must be numbers from {least} to {most}")


def _plan(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Plan:
    _check_limits(path, arrays, arrays["policy"].shape[-1])
    goal, policy, subgoal = (jnp.asarray(arrays[name], jnp.int32) for name in _ARRAYS[:3])
    followed = jnp.asarray(arrays["followed"]) if "followed" in arrays else None
    log_discount, engine = jnp.asarray(arrays["log_discount"]), facts.get("engine")
    if not isinstance(engine, str | None):
        raise InputError(f"{path}: engine must be a name, got {engine!r}")
    plan = Plan(goal, policy, subgoal, log_discount, followed=followed, engine=engine)
    names = {"states": facts.get("state_names"), "policies": facts.get("policy_names")}
    return made(path, plan.named, **names)


register(Kind(KIND, Plan, _pack, _unpack))
