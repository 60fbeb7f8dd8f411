"""This very process as a worker."""

from dataclasses import replace

import jax
import jax.numpy as jnp

from first_occupancy_paper.sweeps import sweep
from short_trials import TRIALS, Config


def test_precision_is_the_same_whoever_runs_a_job(tmp_path):
    def precision(config, seed):
        yield {"type": str(jnp.ones(()).dtype)}

    with jax.enable_x64(False):  # as in a script that says nothing of it
        asked = replace(TRIALS, run=precision)
        rows = sweep(asked, [Config("sums")], [0], out=tmp_path)
        assert str(jnp.ones(()).dtype) == "float32"
    assert [row["row"] for row in rows] == [{"type": "float64"}]  # as processes do
