"""FRs under noise, for planning: a table of best legs over all cells of the room.

Without noise a policy's FR is a walk and nothing of this is needed (`planning.paths`). With it,
every policy has an FR over all pairs of cells. Cells in rows make that cheap
(`representations._solvers.banded`); JAX compiles the planner once for each number of states, so
cells that lead nowhere fill rooms up to one of a few sizes, and `warm_up` compiles those.

FRs are exact in float64 and kept for planning in float32, which takes half the time: discounts have
six digits on the page. A table of 1,024 cells takes 5 MB; the last few are kept, since sliding K
asks again.
"""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from first_occupancy.planning import frp
from first_occupancy.planning._sparse.noisy_mazes import best_discount
from first_occupancy.planning.plans import NOTHING, Plan
from first_occupancy.representations._solvers import banded
from first_occupancy.web.rooms import Room
from first_occupancy.web.work import Step

SIZES = (144, 400, 640, 1024)
"""Numbers of cells that rooms are filled up to."""

POLICIES = (4, 8)

ALIGNED = 16
"""Numbers of float32 to whose multiples JAX wants arrays aligned."""

KEPT = 8
"""Tables and optima kept: 5 MB each at the largest."""


class Tables:
    """What the last few rooms took long to find; safe to share by threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[bytes, int | None], Any] = OrderedDict()
        self._lock = Lock()

    def of(self, room: Room, step: Step) -> frp.Folded:
        """Return the room's table of legs.

        Args:
            room: the room.
            step: called between policies; raises if the work should stop.
        """
        return self._remembered((_key(room), None), lambda: _fold(room, step))

    def optimum(
        self, room: Room, goal: int, guess: Float[np.ndarray, " S"]
    ) -> Float[np.ndarray, " S"]:
        """Return the largest expected discounts to a goal, which do not depend on the switches.

        Args:
            room: the room.
            goal: state to reach.
            guess: expected discounts to start the iteration from.
        """
        find = partial(best_discount, discount=room.discount, noise=room.maze.noise, guess=guess)
        return self._remembered((_key(room), goal), lambda: find(room.maze.next_states, goal))

    def _remembered(self, key: tuple[bytes, int | None], find: Callable[[], Any]) -> Any:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = find()
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found


def is_small_enough(room: Room) -> bool:
    """Return whether plans under noise can be exact in a room of this size."""
    return room.maze.free.size <= SIZES[-1]


def warm_up(step: Step) -> None:
    """Compile what plans under noise need, for all sizes; `step` is called in between."""
    for size in SIZES:
        tables = []
        for count in POLICIES:
            step()
            tables.append(_fold_known(jnp.zeros((count, size, size), jnp.float32)))
        step()
        frp.plan_to_goal(tables[0], 0)


def plan(table: frp.Folded, room: Room, goal: int, max_switches: int | None) -> Plan:
    """Return the plan to a goal over the room's states, as NumPy arrays.

    With JAX's arrays, each access would be compiled for every number of states. Logarithms are in
    float64, so that discounts below 1e-45 are still numbers.

    Args:
        table: table of legs over all cells of the room.
        room: the room.
        goal: state to reach.
        max_switches: upper bound on policy switches; 0 is generalised policy improvement, None
            plans until convergence.
    """
    whole = frp.plan_to_goal(table, int(room.cells[goal]), max_switches=max_switches)
    policy, subgoal, logs = (
        np.asarray(part)[room.cells] for part in (whole.policy, whole.subgoal, whole.log_discount)
    )
    states = np.full(room.maze.free.size, NOTHING)
    states[room.cells] = np.arange(len(room.cells))
    subgoal = np.where(subgoal == NOTHING, NOTHING, states[subgoal])
    parts = (np.int32(goal), policy, subgoal.astype(np.int32), logs.astype(np.float64))
    return jax.tree.unflatten(jax.tree.structure(whole), parts)


def blocks(room: Room, actions: Int[np.ndarray, "N S"]) -> banded.Blocks:
    """Return the chains of policies over all cells of the drawing; walls lead nowhere.

    Policies differ in one entry for each cell, so the part of the noise is computed once.

    Args:
        room: the room.
        actions: the move that each policy takes in each state.
    """
    (height, width), noise = room.maze.free.shape, room.maze.noise
    row, here = divmod(room.cells, width)
    states = np.arange(len(row))

    def places(following: Int[np.ndarray, " S"]) -> tuple[np.ndarray, ...]:
        next_row, there = divmod(room.cells[following], width)
        return next_row - row + 1, row, here, there

    slips = np.zeros((3, height, width, width))
    for targets in room.maze.next_states:
        slips[places(targets)] += room.discount * noise / room.maze.num_actions
    chances = np.repeat(slips[:, None], len(actions), axis=1)
    for number, action in enumerate(actions):
        chances[:, number][places(room.maze.next_states[action, states])] += room.discount * (
            1 - noise
        )
    return banded.Blocks(*chances)


def _fold(room: Room, step: Step) -> frp.Folded:
    count = next(size for size in POLICIES if size >= len(room.actions))
    size = next(size for size in SIZES if size >= room.maze.free.size)
    frs = _empty_frs(count, size)
    for number, fr in enumerate(banded.solve_each(blocks(room, room.actions))):
        step()
        frs[number, : len(fr), : len(fr)] = fr
    # A policy more than there are is the first one again, and never leads.
    frs[len(room.actions) :] = frs[0]
    step()
    return _fold_known(jax.device_put(frs))


# Compiled, `fold` cannot check that all entries are discounts, which takes time: these are.
_fold_known = jax.jit(frp.fold)


def _empty_frs(count: int, size: int) -> Float[np.ndarray, "N S S"]:
    """Return zeros at an address that JAX takes arrays from without copying them."""
    numbers = count * size * size
    memory = np.zeros(numbers + ALIGNED, np.float32)
    begin = -memory.ctypes.data % (4 * ALIGNED) // 4
    return memory[begin : begin + numbers].reshape(count, size, size)


def _key(room: Room) -> bytes:
    numbers = np.array([room.discount, room.maze.noise, room.maze.num_actions])
    shape = np.array(room.maze.free.shape)
    parts = (numbers, shape, np.packbits(room.maze.free), room.actions)
    return b"|".join(part.tobytes() for part in parts)
