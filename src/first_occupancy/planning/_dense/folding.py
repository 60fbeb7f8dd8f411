r"""The base policies folded into one table of legs, which is all that FR-planning reads.

The legs of a plan multiply, so only $\max_\pi F^\pi(s, s')$ matters, and which policy attains it.
To plan to many goals, fold once and pass the result to every call.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.axes import Index
from first_occupancy.core.errors import InputError, check_range, check_shape, is_known
from first_occupancy.core.mdp import floats
from first_occupancy.core.memory import check_fits
from first_occupancy.representations.fr import FirstOccupancyRepresentation
from first_occupancy.representations.occupancies import Occupancies


class BestLegs(eqx.Module):
    r"""The best leg between any two states, subgoal first.

    The subgoal comes first because a sweep searches the best one of all states at once: states
    that are adjacent in memory are adjacent in a vector register.

    Attributes:
        legs: `legs[x, s]` is $\log \max_\pi F^\pi(s, x)$, minus infinity where x = s, and where
            no policy leads from s to x.
        leader: `leader[x, s]` is the first policy that attains the maximum.
    """

    legs: Float[Array, "S S"]
    leader: Int[Array, "S S"]

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        return self.legs.shape[1]


@check_arguments
def best_legs(frs: Float[Array, "N S S"] | Occupancies) -> BestLegs:
    """Return the base policies' FRs as a table of best legs, which planners take in their place.

    It takes little more memory than one of the N FRs.
    """
    return folded("best_legs", frs)


def folded(caller: str, frs: Float[Array, "N S S"] | BestLegs | Occupancies) -> BestLegs:
    """Return the FRs as a table of legs; error messages begin with the name of the `caller`."""
    if isinstance(frs, BestLegs):
        return frs
    if isinstance(frs, Occupancies):
        if not isinstance(frs.representation, FirstOccupancyRepresentation):
            name = frs.representation.name
            raise InputError(f"{caller}: frs must be first-occupancy, got {name}")
        frs = frs.values
    frs = floats(frs)
    check_shape(caller, "frs", frs, "N S S")
    if is_known(frs):
        check_fits(caller, fold_bytes(frs), instead="plan_paths, or FRs in float32,")
    # An entry above 1 would make cycles profitable.
    are = "expected discounts in [0, 1]"
    check_range(caller, "frs", frs, lowest=0.0, highest=1 + 1e-5, are=are)
    # Two programs: in one, the part after the loop would take XLA three times as long.
    return _as_legs(*_best_and_leader(frs))


def fold_bytes(frs: Float[Array, "N S S"]) -> int:
    """Return the memory a device needs to fold, beside the FRs: three tables, and leaders twice."""
    count, size, _ = frs.shape
    return size**2 * (3 * frs.dtype.itemsize + 2 * _leader_dtype(count).itemsize)


def _leader_dtype(count: int) -> jnp.dtype:
    # int8 takes a quarter of the memory, and is enough for most sets of policies.
    return jnp.dtype(jnp.int8 if count <= jnp.iinfo(jnp.int8).max else jnp.int32)


@jax.jit
def _as_legs(best: Float[Array, "S S"], leader: Int[Array, "S S"]) -> BestLegs:
    # Entries above 1 are rounding errors; uncorrected, they would make cycles profitable.
    best = jnp.minimum(best, 1)
    # Subnormal numbers lack digits: better no leg than a wrong one.
    logs = jnp.log(jnp.where(best < jnp.finfo(best.dtype).tiny, 0, best))
    states = jnp.arange(len(logs))
    return BestLegs(jnp.where(states[:, None] == states[None], -jnp.inf, logs).T, leader.T)


@jax.jit
def _best_and_leader(
    frs: Float[Array, "N S S"],
) -> tuple[Float[Array, "S S"], Int[Array, "S S"]]:
    """Return the largest FR of each pair of states, and the first policy that attains it."""
    dtype = _leader_dtype(len(frs))

    def challenge(policy: Index, champion: tuple[Array, Array]) -> tuple[Array, Array]:
        best, leader = champion
        better = frs[policy] > best
        number = jnp.asarray(policy, dtype)
        return jnp.where(better, frs[policy], best), jnp.where(better, number, leader)

    # One policy after another, because XLA's argmax takes ten times as long on a CPU; unrolled, so
    # that the champions stay in registers.
    first = (frs[0], jnp.zeros(frs.shape[1:], dtype))
    return jax.lax.fori_loop(1, len(frs), challenge, first, unroll=8)
