"""FRs sharded over several devices, for worlds that do not fit on one.

Planning is ordinary JAX, so it runs on the devices that hold its arrays. With rows sharded, each
device holds all legs from its own states and finds their best subgoals by itself; between two
sweeps the devices exchange one number per state.
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
    """Return the FRs sharded over devices by rows, that is by the state from which a leg starts.

    Pass the result to `frp.fold` or any planner; the plans are the same as on one device. JAX
    shards in equal parts, so states may be added at the end that reach nothing and are never
    reached; plans mark them as unreachable.

    Args:
        devices: devices to shard over; None takes all of `jax.devices()`.
    """
    check_shape("shard_by_rows", "frs", frs, "N S S")
    devices = jax.devices() if devices is None else list(devices)
    beyond = -frs.shape[1] % len(devices)
    # NumPy arrays are padded on the host, since they may not fit on one device.
    pad = np.pad if isinstance(frs, np.ndarray) else jnp.pad
    padded = pad(frs, ((0, 0), (0, beyond), (0, beyond))) if beyond else frs
    mesh = Mesh(np.array(devices), ("rows",))
    return jax.device_put(padded, NamedSharding(mesh, PartitionSpec(None, "rows", None)))
