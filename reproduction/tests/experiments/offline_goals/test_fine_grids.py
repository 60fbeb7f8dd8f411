"""Value iteration on grids: against SciPy's interpolation and plain sweeps."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

from first_occupancy_paper.experiments.offline_goals import fine_grids
from first_occupancy_paper.experiments.offline_goals.control import DISCOUNT
from first_occupancy_paper.experiments.offline_goals.control_tasks import CONTROL_TASKS, upright

TASKS = CONTROL_TASKS.values()


def interpolator(grid, values):
    """Return SciPy's interpolation; angles go once around, to the first node again."""
    table, axes = np.asarray(values, float).reshape(grid.shape), []
    for axis, wraps in enumerate(grid.world.wraps):
        ends = grid.shape[axis] + bool(wraps)
        axes.append(np.linspace(grid.low[axis], grid.high[axis], ends))
        if wraps:
            table = np.concatenate([table, table.take([0], axis=axis)], axis=axis)
    asked = RegularGridInterpolator(axes, table)

    def at(states):
        return asked(np.clip(states, grid.low, grid.high))

    return at


def plain_sweep(grid, values, inside, discount):
    """Return the values after a sweep over stored arrivals, with SciPy's interpolation."""
    # In single precision, since rounding decides whether nodes at the edge of a region are inside.
    world, states = grid.world, np.asarray(grid.nodes(jnp.arange(grid.num_nodes)))
    arrived = np.asarray(inside(np.asarray(world.observe(jnp.asarray(states)))))
    led = [
        np.asarray(world.step(jnp.asarray(states), jnp.full(len(states), action, jnp.float32)))
        for action in grid.actions
    ]
    hits = [np.asarray(inside(np.asarray(world.observe(jnp.asarray(each))))) for each in led]
    at = interpolator(grid, values)
    ahead = [np.where(hit, 1.0, at(each)) for hit, each in zip(hits, led, strict=True)]
    return np.where(arrived, 1.0, discount * np.max(ahead, axis=0))


@pytest.mark.parametrize("task", TASKS, ids=CONTROL_TASKS)
def test_interpolation_is_scipys(task):
    grid = task.fine_grid(6.0)
    rng = np.random.default_rng(0)
    values = jnp.asarray(rng.normal(size=grid.num_nodes), jnp.float32)
    # Some states lie beyond the grid, where numbers that are no angles can.
    margin = np.where(grid.world.wraps, 0.0, 0.1) * (grid.high - grid.low)
    states = rng.uniform(grid.low - margin, grid.high + margin, (200, len(grid.low)))
    found = np.asarray(grid.at(values, jnp.asarray(states)))
    assert found == pytest.approx(interpolator(grid, values)(states), abs=1e-5)


@pytest.mark.parametrize("task", TASKS, ids=CONTROL_TASKS)
def test_plain_sweeps_leave_the_values_as_they_are(task, monkeypatch):
    grid = task.fine_grid(12.0)
    monkeypatch.setattr(fine_grids, "CHUNK", grid.num_nodes // 3)  # several parts, the last short
    inside = task.regions[len(task.regions) // 2]
    found = np.asarray(grid.values(inside, discount=0.9))
    assert found.max() > 0.8
    # Sweeps are contractions, so what one of them hardly changes is close to where all lead.
    again = plain_sweep(grid, found, inside, 0.9)
    assert again == pytest.approx(found, abs=3 * fine_grids.SETTLED)


def test_values_of_a_coarser_grid_are_only_a_beginning():
    task = CONTROL_TASKS["pendulum"]
    coarse, grid = task.fine_grid(20.0), task.fine_grid(10.0)
    values = grid.values(upright, discount=DISCOUNT)
    begin = grid.taken_from(coarse, coarse.values(upright, discount=DISCOUNT))
    assert np.abs(np.asarray(begin - values)).max() > 0.01
    found = grid.values(upright, discount=DISCOUNT, begin=begin)
    assert np.asarray(found) == pytest.approx(np.asarray(values), abs=2e-3)


def test_grid_values_are_a_fixed_point_of_bellmans_equation():
    task = CONTROL_TASKS["pendulum"]
    grid = task.fine_grid(10.0)
    values = grid.values(upright, discount=DISCOUNT)
    nodes = np.asarray(grid.nodes(jnp.arange(grid.num_nodes)))
    inside = np.asarray(upright(np.asarray(task.world.observe(jnp.asarray(nodes)))))
    ahead = DISCOUNT * grid.ahead(values, nodes, upright).max(axis=0)
    assert np.asarray(values) == pytest.approx(np.where(inside, 1.0, ahead), abs=1e-4)
