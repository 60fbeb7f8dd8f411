"""One sweep in three ways, against each other and against plain NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.planning._dense.sweep_step import (
    direct,
    sweep,
    sweep_by_groups,
    sweep_in_one_breath,
    sweep_over_few,
)
from first_occupancy.planning.frp import fold
from strategies import tied_frs


@pytest.mark.parametrize("size", [1, 32, 300])
def test_a_sweep_over_few_states_finds_what_one_over_all_does(size):
    table = fold(jnp.asarray(tied_frs(size)))
    plan = direct(table, jnp.array(size // 2, jnp.int32))
    raised = plan.log_discount > -jnp.inf
    over_few, over_all = jax.jit(sweep_over_few), jax.jit(sweep_by_groups)
    sweeps = 0
    while raised.any():
        few = over_few(table, plan, raised)
        jax.tree.map(np.testing.assert_array_equal, few, over_all(table, plan, raised))
        (plan, raised), sweeps = few, sweeps + 1
    assert sweeps >= min(size, 3)


def test_a_sweep_on_a_gpu_is_another_program_with_the_same_plan():
    table = fold(jnp.asarray(tied_frs(300)))
    plan = direct(table, jnp.array(150, jnp.int32))
    raised = plan.log_discount > -jnp.inf
    here = sweep(table, plan, raised)
    assert here[1].any()
    there = sweep_in_one_breath(table, plan, raised)
    jax.tree.map(np.testing.assert_array_equal, here, there)
    program = jax.jit(sweep).trace(table, plan, raised)
    for platform, in_one_breath in (("cuda", True), ("rocm", True), ("cpu", False)):
        lowered = program.lower(lowering_platforms=(platform,)).as_text()
        assert ("@argmax" in lowered) == in_one_breath, platform
