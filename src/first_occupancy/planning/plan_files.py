"""Plans on disk, from which the plan to one goal is read without reading the rest.

A file holds goals, policies, subgoals and log discounts, and the names of states and policies if
the plan has them. `fo.save` and `fo.load` write and read whole files. `load_plans` maps plans to
many goals into memory, so that gigabytes of them are opened in a millisecond.

Whole numbers have the smallest type that holds them. Plans over many states are packed to three
or four bytes per pair of goal and state, if they have few different discounts, as deterministic
plans do (`_packed_rows.py`); a third of the size or less. Looking a plan up unpacks its row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.display import count
from first_occupancy.core.errors import InputError
from first_occupancy.planning._drafts import ESTIMATE, EXACT, LOWER_BOUND
from first_occupancy.planning._packed_rows import MOST_BYTES, PackedRows, packed, smallest
from first_occupancy.planning.limits import NOTHING
from first_occupancy.planning.plans import Origin, Plan, PlansOnHost, row_of
from first_occupancy.storage import archives, saved_files
from first_occupancy.storage.saving import Kind, made, register

KIND = "plan"
LAYOUT = 2
"""Version of the arrays of plans; the first had no small numbers."""

PACKED_FROM = 2**15
"""States from which plans to many goals are packed; smaller rows are looked up faster as is."""

_ARRAYS = ("goal", "policy", "subgoal", "log_promised")
_OPTIONAL = ("achieved", "probability", "expected_time")
_FACTS = ("state_names", "policy_names", "engine", "known")
_PACKED = ("planes", "leg_starts", "leg_policy", "leg_subgoal", "logs")


class SavedPlans(PlansOnHost):
    """Memory-mapped plans to many goals: only the parts that are accessed are read from disk."""

    def to(self, goal: int) -> Plan:
        """Return the plan to one goal, with whole numbers as int32."""
        row = row_of("SavedPlans.to", self.goal, goal, self.policy.shape[1])
        policy, subgoal = self._policy[row].astype(np.int32), self._subgoal[row].astype(np.int32)
        leaves = (np.int64(goal), policy, subgoal, self._logs[row])
        return jax.tree.unflatten(self._structure, leaves)

    # A slice of a memory map takes longer to make than one of an array.
    @cached_property
    def _policy(self) -> Int[np.ndarray, "G S"]:
        return np.asarray(self.policy)

    @cached_property
    def _subgoal(self) -> Int[np.ndarray, "G S"]:
        return np.asarray(self.subgoal)

    @cached_property
    def _logs(self) -> Float[np.ndarray, "G S"]:
        return np.asarray(self.log_promised)


class PackedPlans(SavedPlans):
    """Memory-mapped plans to many goals over many states, packed: a look-up unpacks one row.

    `policy`, `subgoal` and `log_promised` unpack all rows, and may not fit into memory.

    Args:
        goal: goals of the plans.
        rows: the packed rows.
        structure: the tree structure of a plan to one of the goals.
    """

    rows: PackedRows

    def __init__(
        self, goal: Int[np.ndarray, " G"], rows: PackedRows, structure: jax.tree_util.PyTreeDef
    ) -> None:
        for name, value in {"goal": goal, "rows": rows, "_structure": structure}.items():
            object.__setattr__(self, name, value)

    def to(self, goal: int) -> Plan:
        """Return the plan to one goal."""
        row = row_of("PackedPlans.to", self.goal, goal, self._size)
        return jax.tree.unflatten(self._structure, (np.int64(goal), *self.rows.row(row)))

    def _leg(self, row: int, state: int) -> tuple[int, int]:
        return self.rows.leg(row, state)

    @property
    def _size(self) -> int:
        return self.rows.planes.shape[2]

    def _all(self, part: int) -> np.ndarray:
        return np.stack([self.rows.row(number)[part] for number in range(len(self.goal))])

    @property
    def policy(self) -> Int[np.ndarray, "G S"]:  # pyrefly: ignore[bad-override]
        """Base policy to follow to each goal from each state, as in `Plan`."""
        return self._all(0)

    @property
    def subgoal(self) -> Int[np.ndarray, "G S"]:  # pyrefly: ignore[bad-override]
        """State at which to switch to the next policy, as in `Plan`."""
        return self._all(1)

    @property
    def log_promised(self) -> Float[np.ndarray, "G S"]:  # pyrefly: ignore[bad-override]
        """Log of the expected discount that FRP promises, as in `Plan`."""
        return self._all(2)

    def _summary(self) -> str:
        goals, size = len(self.goal), self.rows.planes.shape[2]
        return f"PackedPlans to {count(goals, 'goal')} over {count(size, 'state')}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle a plan, not its tree structure, which equinox compares by identity."""
        return _copied, (self.goal, self.rows, self.to(int(self.goal[0])))


def _copied(goal: np.ndarray, rows: PackedRows, one: Plan) -> PackedPlans:
    return PackedPlans(goal, rows, jax.tree.structure(one))


@check_arguments
def load_plans(path: Path | str) -> SavedPlans:
    """Return the plans to many goals that `fo.save` wrote, mapped into memory.

    The plans may be those of `plan_to_every_goal`, `plan_to_goals` or `plan_paths_to_goals`. Only
    the shapes of policies, subgoals and discounts are checked; checking values would read them all.

    Raises:
        InputError: if the file is damaged, truncated, of another format, or does not hold plans to
            many goals.
    """
    path = Path(path)
    kind, facts, arrays = saved_files.read(path, mapped=True)
    if kind != KIND:
        raise InputError(f"{path}: must hold plans, got {kind}")
    _check_layout(path, facts)
    if "planes" in arrays:
        return _packed_plans(path, facts, arrays)
    _check_arrays(path, arrays)
    if arrays["goal"].ndim == 0:
        raise InputError(f"{path}: must hold plans to many goals, got the plan to one")
    one = {name: np.asarray(arrays[name][0]) for name in _ARRAYS}
    # Goals are read at once: there are few of them, and every look-up searches them.
    goals = np.array(arrays["goal"])
    _check_limits(path, {"goal": goals}, arrays["policy"].shape[1])
    structure = jax.tree.structure(_plan(path, facts, one))
    rows = (arrays["policy"], arrays["subgoal"], arrays["log_promised"])
    return SavedPlans(goals, *rows, structure)


def _packed_plans(
    path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> PackedPlans:
    rows = _checked_rows(path, facts, arrays)
    goals = np.array(arrays["goal"])
    _check_limits(path, {"goal": goals}, rows.planes.shape[2])
    one = dict(zip(_ARRAYS[1:], rows.row(0), strict=True)) | {"goal": goals[0]}
    return PackedPlans(goals, rows, jax.tree.structure(_plan(path, facts, one)))


def _checked_rows(
    path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> PackedRows:
    """Return packed rows whose numbers point into the lists of legs and logs, or raise."""
    whole, real = saved_files.WHOLES, saved_files.REALS
    shapes = {"goal": (whole, "G"), "planes": (whole, "G B S"), "leg_starts": (whole, "E")}
    shapes |= {"leg_policy": (whole, "L"), "leg_subgoal": (whole, "L"), "logs": (real, "V")}
    saved_files.check_arrays(path, arrays, shapes)
    planes, bits = arrays["planes"], facts.get("leg_bits")
    # Everything but the planes is small, and read at once.
    lists = {name: np.array(arrays[name]) for name in _PACKED[1:]}
    starts = lists["leg_starts"]
    counts = np.diff(starts)
    fits = isinstance(bits, int) and 0 <= bits < 32 and planes.dtype == np.uint8
    fits = fits and planes.shape[1] <= MOST_BYTES and len(counts) == len(planes)
    fits = fits and starts[0] == 0 and starts[-1] == len(lists["leg_policy"])
    if not fits or counts.min() < 1:
        raise archives.damaged(path)
    limits = {"policy": lists["leg_policy"], "subgoal": lists["leg_subgoal"]}
    _check_limits(path, limits | {"log_promised": lists["logs"]}, planes.shape[2])
    # A slice of a memory map takes longer to make than one of an array.
    return PackedRows(np.asarray(planes), **lists, leg_bits=int(bits or 0))


def _check_layout(path: Path, facts: Mapping[str, Any]) -> None:
    if facts.get("layout") != LAYOUT:
        raise InputError(
            f"{path}: must hold plans as this version stores them, but an earlier one wrote it; "
            "make the plans again and save them with fo.save"
        )


def stacked(plans: Sequence[Plan]) -> Plan:
    """Return plans to one goal each as one record of plans to many goals, for `fo.save`.

    Args:
        plans: plans over the same states and base policies, to different goals.
    """
    first = plans[0]
    arrays = {
        name: np.stack([np.asarray(getattr(plan, name)) for plan in plans]) for name in _ARRAYS
    }
    return Plan(**jax.device_put(arrays), **{name: getattr(first, name) for name in _FACTS})


def _pack(plan: Plan) -> tuple[Mapping[str, np.ndarray], Mapping[str, Any]]:
    facts = {name: getattr(plan, name) for name in _FACTS}
    facts["layout"] = LAYOUT
    arrays = {name: np.asarray(getattr(plan, name)) for name in _ARRAYS}
    large = plan.goal.ndim == 1 and plan.policy.shape[-1] >= PACKED_FROM
    rows = packed(*(arrays[name] for name in _ARRAYS[1:])) if large else None
    if rows is not None:
        small = {name: getattr(rows, name) for name in _PACKED}
        return small | {"goal": arrays["goal"]}, facts | {"leg_bits": rows.leg_bits}
    arrays |= {name: smallest(arrays[name]) for name in _ARRAYS[1:3]}
    optional = _OPTIONAL if plan.arrives_at_once else _OPTIONAL[:1]
    known = {name: getattr(plan, name) for name in optional}
    return arrays | {name: np.asarray(it) for name, it in known.items() if it is not None}, facts


def _unpack(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Plan:
    _check_layout(path, facts)
    if "planes" in arrays:
        rows = _checked_rows(path, facts, arrays)
        parts = zip(*(rows.row(number) for number in range(len(rows.planes))), strict=True)
        whole = {name: np.stack(part) for name, part in zip(_ARRAYS[1:], parts, strict=True)}
        return _plan(path, facts, {**whole, "goal": arrays["goal"]})
    _check_arrays(path, arrays)
    return _plan(path, facts, arrays)


def _check_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    many = "G " if "goal" in arrays and arrays["goal"].ndim else ""
    shapes = dict.fromkeys(_ARRAYS, (saved_files.WHOLES, many + "S"))
    shapes |= {"goal": (saved_files.WHOLES, many), "log_promised": (saved_files.REALS, many + "S")}
    shapes |= {name: (saved_files.REALS, many + "S") for name in _OPTIONAL if name in arrays}
    saved_files.check_arrays(path, arrays, shapes)


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


register(Kind(KIND, Plan, _pack, _unpack))
