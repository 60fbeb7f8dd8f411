"""What an engine finds: a choice of policies and legs, before it becomes a `Plan`."""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from first_occupancy.core.names import Names
from first_occupancy.planning._sparse.refinement import Refined
from first_occupancy.planning.plans import Plan


@dataclass(frozen=True, eq=False, kw_only=True)
class Found:
    """A plan as arrays on the host.

    Attributes:
        policy: base policy to follow from each state; -1 for none.
        subgoal: state at which to switch; -1 for none.
        log_discount: log of the expected discount that the legs promise.
        followed: expected discount of following the plan, re-choosing in every state; None if the
            world's dynamics are unknown.
        cost: expected time to the goal, given that it is reached; None if unknown.
        gap: upper bound on what another choice of base policies could gain; None if unknown.
    """

    policy: Int[np.ndarray, " S"]
    subgoal: Int[np.ndarray, " S"]
    log_discount: Float[np.ndarray, " S"]
    followed: Float[np.ndarray, " S"] | None = None
    cost: Float[np.ndarray, " S"] | None = None
    gap: float | None = None

    def refined(self, better: Refined, subgoal: Int[np.ndarray, " S"]) -> "Found":
        """Return the same with a better choice of policies; the promise stays the old one.

        Args:
            better: refined choice and its values.
            subgoal: where the legs of that choice end.
        """
        # A choice that is followed brings what it brings, also where no promise was made. Values
        # may underflow, promises do not.
        arriving = (better.values > 0) | (better.choice >= 0)
        promise = np.where(arriving, self.log_discount, -np.inf)
        return replace(
            self,
            policy=better.choice,
            subgoal=subgoal,
            log_discount=promise,
            followed=better.values,
            cost=time_given_arrival(better.values, better.times),
            gap=better.gap,
        )

    def as_plan(
        self,
        goals: Int[np.ndarray, " G"],
        engine: str,
        names: tuple[Names | None, Names | None] = (None, None),
        *,
        often: bool = False,
    ) -> Plan:
        """Return the record that users get, with numbers in JAX's precision.

        Args:
            goals: states to reach.
            engine: name of the planner.
            names: names of the states and of the policies.
            often: whether there have been so many plans that it pays to compile a program which
                moves the arrays to the device.
        """
        reals = jnp.result_type(float)
        arrays = (
            np.int32(goals[0]),
            np.asarray(self.policy, np.int32),
            np.asarray(self.subgoal, np.int32),
            *(
                None if each is None else np.asarray(each, reals)
                for each in (self.log_discount, self.followed, self.cost)
            ),
            np.asarray(goals, np.int32) if len(goals) > 1 else None,
        )
        # Not `jnp.asarray`, which compiles a program for each new number of states.
        moved = _moved(arrays) if often else jax.device_put(arrays)
        goal, policy, subgoal, log_discount, followed, cost, several = moved
        return Plan(
            goal,
            policy,
            subgoal,
            log_discount,
            *names,
            followed=followed,
            cost=cost,
            goals=several,
            engine=engine,
            gap=self.gap,
        )


@jax.jit
def _moved(arrays: tuple) -> tuple:
    """Return the arrays as they are, on the device: several times as fast as `jax.device_put`."""
    return arrays


def time_given_arrival(
    values: Float[np.ndarray, " S"], times: Float[np.ndarray, " S"] | None
) -> Float[np.ndarray, " S"] | None:
    """Return the expected time until arrival, given arrival; infinite where there is none.

    Args:
        values: probability of arriving.
        times: expected time until arrival, counting arrivals only.
    """
    if times is None:
        return None
    return np.divide(times, values, out=np.full(len(values), np.inf), where=values > 0)
