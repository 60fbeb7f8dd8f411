"""Plans to every goal on disk, from which the plan to one goal is read without reading the rest.

A folder holds one NumPy file per array, which are mapped into memory, and `plans.json`, which says
what they must be. That file is written last: without it there are no plans.
"""

import json
import tokenize
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.errors import InputError, check_index
from first_occupancy.core.files import whole_file, write_whole
from first_occupancy.planning.plans import Plan, check_every_goal

FORMAT = 1
_ARRAYS = ("policy", "subgoal", "log_discount")
_DESCRIPTION = "plans.json"


@dataclass(frozen=True, eq=False)
class SavedPlans:
    """Plans to every goal that stay on disk but for the parts that were looked at."""

    policy: Int[np.ndarray, "G S"]
    subgoal: Int[np.ndarray, "G S"]
    log_discount: Float[np.ndarray, "G S"]

    def to(self, goal: int) -> Plan:
        """Return the plan to one goal, whose arrays are NumPy's and still on disk.

        Nothing is copied, so this takes a few microseconds.
        """
        # The whole check takes longer than looking the plan up.
        if not (type(goal) is int and 0 <= goal < len(self.policy)):
            check_index("SavedPlans.to", "goal", goal, len(self.policy))
        rows = (self.policy[goal], self.subgoal[goal], self.log_discount[goal])
        return jax.tree.unflatten(_one_plan(), (np.int64(goal), *rows))


@cache
def _one_plan() -> jax.tree_util.PyTreeDef:
    nothing = jnp.zeros(0, int)
    return jax.tree.structure(Plan(jnp.array(0), nothing, nothing, jnp.zeros(0)))


def save_plans(plans: Plan, folder: Path | str) -> None:
    """Write the plans `plan_to_every_goal` returned to a folder, which is made if need be."""
    check_every_goal("save_plans", plans)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # Until all is written again, what was here before is neither the old plans nor the new.
    (folder / _DESCRIPTION).unlink(missing_ok=True)
    arrays = {name: np.asarray(getattr(plans, name)) for name in _ARRAYS}
    for name, array in arrays.items():
        with whole_file(folder / f"{name}.npy") as file:
            np.save(file, array, allow_pickle=False)
    shapes = {
        name: {"dtype": str(array.dtype), "shape": list(array.shape)}
        for name, array in arrays.items()
    }
    text = json.dumps({"format": FORMAT, "arrays": shapes}, indent=1) + "\n"
    write_whole(folder / _DESCRIPTION, text.encode())


def load_plans(folder: Path | str) -> SavedPlans:
    """Return the plans of a folder, mapped into memory.

    Raises `InputError` if one of its files is missing, cut off, of another format or another
    shape, and names it.
    """
    folder = Path(folder)
    described = _described(folder / _DESCRIPTION)
    return SavedPlans(*(_mapped(folder / f"{name}.npy", described[name]) for name in _ARRAYS))


def _described(path: Path) -> dict[str, dict]:
    try:
        content = json.loads(path.read_text())
    except FileNotFoundError:
        raise InputError(f"load_plans: {path} must be there, saved plans have it") from None
    except ValueError:
        raise InputError(f"load_plans: {path} must be JSON, but is damaged or cut off") from None
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise InputError(f"load_plans: {path} must be of format {FORMAT}, got {found}")
    arrays = content.get("arrays")
    for name in _ARRAYS:
        described = arrays.get(name) if isinstance(arrays, dict) else None
        if not isinstance(described, dict) or not {"dtype", "shape"} <= described.keys():
            raise InputError(f"load_plans: {path} must describe {name}, but does not")
    if len({str(arrays[name]["shape"]) for name in _ARRAYS}) != 1:
        raise InputError(f"load_plans: {path} must describe arrays of one shape, but does not")
    return arrays


def _mapped(path: Path, described: dict) -> np.ndarray:
    try:
        # Unlike `numpy.load` it takes nothing but arrays: no archives, no pickles.
        array = np.lib.format.open_memmap(path, mode="r")
    except FileNotFoundError:
        raise InputError(f"load_plans: {path} must be there, but is missing") from None
    except (ValueError, EOFError, SyntaxError, TypeError, tokenize.TokenError):
        raise InputError(f"load_plans: {path} is damaged or cut off") from None
    expected = f"{described['dtype']}{described['shape']}"
    found = f"{array.dtype}{list(array.shape)}"
    if found != expected:
        raise InputError(f"load_plans: {path} must hold {expected}, got {found}")
    return array
