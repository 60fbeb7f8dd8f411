"""FRs spread over several devices, for worlds that one device cannot hold.

Everything in planning is ordinary JAX, so it runs where its arrays are. Spread by rows, each device
has all legs from its own states and finds their best subgoals by itself; between two sweeps the
devices tell each other one number per state.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Float

from first_occupancy.core.errors import check_shape


def shard_by_rows(
    frs: Float[Array, "N S S"] | Float[np.ndarray, "N S S"],
    devices: Sequence[jax.Device] | None = None,
) -> Float[Array, "N P P"]:
    """Return the FRs spread over the devices, all of JAX's unless told, by the states one is in.

    Pass the result to `frp.fold` or any planner; plans are those of one device. JAX spreads in
    equal parts, so if need be states are added at the end that reach nothing and that nothing
    reaches; plans say so of them.
    """
    check_shape("shard_by_rows", "frs", frs, "N S S")
    devices = jax.devices() if devices is None else list(devices)
    beyond = -frs.shape[1] % len(devices)
    # Padded where the FRs are: whoever comes with NumPy's may have no device that holds them.
    pad = np.pad if isinstance(frs, np.ndarray) else jnp.pad
    padded = pad(frs, ((0, 0), (0, beyond), (0, beyond))) if beyond else frs
    mesh = Mesh(np.array(devices), ("rows",))
    return jax.device_put(padded, NamedSharding(mesh, PartitionSpec(None, "rows", None)))
