"""FRs spread over four devices, which a CPU can pretend to be if told so before JAX starts."""

import os
import subprocess
import sys

import numpy as np
import pytest

from first_occupancy.core import InputError
from first_occupancy.planning.sharding import shard_by_rows

PROGRAM = """
import re
import jax, jax.numpy as jnp, numpy as np
from first_occupancy.planning._dense.chaining import chain_to_goal
from first_occupancy.planning.frp import fold, plan_to_every_goal, plan_to_goal
from first_occupancy.planning.sharding import shard_by_rows

assert len(jax.devices()) == 4
frs = (np.random.default_rng(0).random((3, 54, 54)) ** 8).astype(np.float32)
spread = shard_by_rows(frs)
assert spread.shape == (3, 56, 56)
assert {shard.data.shape for shard in spread.addressable_shards} == {(3, 14, 56)}
table = fold(spread)
assert {shard.data.shape for shard in table.legs.addressable_shards} == {(64, 14)}

alone = fold(jnp.asarray(frs))
for one, other in (
    (plan_to_goal(table, 7), plan_to_goal(alone, 7)),
    (plan_to_every_goal(table).to(7), plan_to_every_goal(alone).to(7)),
):
    for name in ("policy", "subgoal", "log_promised"):
        ours, theirs = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        np.testing.assert_array_equal(ours[:54], theirs)
    assert not one.reachable[54:].any()

# What the devices tell each other is a vector of the states' length at most.
program = chain_to_goal.lower(table, jnp.array(7), 54).compile().as_text()
sent = re.findall(r"= \\w+\\[([\\d,]*)\\]\\S* (?:all|collective)-", program)
assert sent and all(np.prod([int(n) for n in shape.split(",") if n]) <= 64 for shape in sent), sent
print("the same")
"""


def test_four_devices_find_the_plans_of_one_and_send_only_vectors():
    flags = f"{os.environ['XLA_FLAGS']} --xla_force_host_platform_device_count=4"
    environment = os.environ | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "the same\n"


@pytest.mark.usefixtures("as_users_run_it")
def test_one_matrix_is_no_stack_of_frs():
    with pytest.raises(InputError, match=r"shard_by_rows: frs must have shape \[N S S\], got"):
        shard_by_rows(np.eye(3))
