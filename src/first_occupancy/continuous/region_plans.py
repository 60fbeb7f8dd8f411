r"""Plans to a region of observations, given by a function that says whether one lies inside.

    plan = fo.plan(world, lambda seen: seen[:, 0] > 0.9, discount=0.99)
    action, _ = plan.agent().predict(observation)

The goal becomes one more state of the finite world. A move that, in the local model, passes through
the region on its way has arrived there, after as many steps as it takes; so regions may be smaller
than the spacing of the landmarks, and may be crossed at speed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from scipy.sparse import csr_array, diags_array, hstack, vstack

from first_occupancy.continuous._metrics import Observation, Observations, Places
from first_occupancy.continuous.goal_plans import LandmarkPlan, Scores, acting_values
from first_occupancy.continuous.landmark_worlds import LandmarkWorld
from first_occupancy.core.arguments import NonNegativeInt, PositiveInt, Share, check_arguments
from first_occupancy.core.errors import InputError
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning.plan import Planner

NO_TIME = 1e-9
"""Duration of moves from landmarks that lie in the region: durations must be above 0."""

Region = Callable[[Observations], Any]


@dataclass(frozen=True, eq=False, repr=False)
class RegionPlan(LandmarkPlan):
    """A plan from every landmark to a region; given by a function.

    Attributes:
        inside: function from observations [B O] to whether each lies in the region.
        lookahead: moves that the agent tries out in the local model, one after the other, before it
            relies on the values of landmarks.
    """

    inside: Region
    lookahead: int = 1

    def arrived_at(self, observations: Observations) -> Bool[np.ndarray, " B"]:
        """Return whether each observation lies in the region."""
        return _inside(self.inside, observations)

    def expected(self, observation: Observation) -> float:
        """Return the expected discount from an observation; in the region it is 1."""
        return 1.0 if self.arrived(observation) else super().expected(observation)

    def scores(self, places: Places) -> Scores:
        """Return the discount of each move, followed by the best ones."""
        return self._ahead(places, self.lookahead)

    def _ahead(self, places: Places, moves: int) -> Scores:
        """Return the discount of each move, followed by the best sequence of `moves - 1` more."""
        world = self.world
        ways, times = world.ways(places)
        hits, when = _hits(world, self.inside, ways)
        ends, missed = ways[:, :, -1].reshape(-1, places.shape[1]), ~hits.ravel()
        ahead = np.ones(len(ends))
        if missed.any():
            ahead[missed] = world.shared(ends[missed]) @ self.values
        # Beyond a jump the local model does not lead: landmarks do.
        further = missed & ~world.model.jumps(ends)
        if moves > 1 and further.any():
            ahead[further] = self._ahead(ends[further], moves - 1).max(axis=1)
        return self._worth(places, world.regions(places), ahead, np.where(hits, when, times))

    def _summary(self) -> str:
        return self._to("a region")


@partial(check_arguments, caller="plan")
def plan_to_region(
    world: LandmarkWorld,
    goal: Region,
    *,
    discount: Share = 1.0,
    refine: NonNegativeInt | None = None,
    lookahead: PositiveInt = 1,
) -> RegionPlan:
    """Plan from all landmarks to a region of observations.

    Args:
        world: world of landmarks, from a log or from skills.
        goal: function from observations [B O] to whether each lies in the region.
        discount: discount factor per step. 1 plans for the highest probability of arriving at all,
            and less for arriving soon.
        refine: rounds of policy improvement, as for `fo.plan`; None until no state improves.
        lookahead: moves that the agent tries out in the local model before it relies on the values
            of landmarks, 1 or more. Values between landmarks are blurred, and more so the more
            numbers an observation has; the model is not. N actions take N to the power of
            `lookahead` tries per step.

    Returns:
        The plan; its `agent` follows it.

    Raises:
        InputError: if `goal` is no such function, no move of the model enters the region, or an
            option is out of range.
    """
    ways, _ = world.landmark_ways
    hits, when = _hits(world, goal, ways)
    arrived = _inside(goal, world.landmarks)
    if not (hits.any() or arrived.any()):
        raise InputError(
            f"plan: no data lead to the region: no move from {world.num_states} landmarks enters it"
        )
    planner = Planner(_with_region(world, hits, when, arrived), discount=discount, dense_up_to=0)
    found = planner.plan(world.num_states, refine=refine)
    values = np.where(arrived, 1.0, acting_values(found, discount)[:-1])
    return RegionPlan(world, found, float(discount), values, goal, int(lookahead))


def _with_region(
    world: LandmarkWorld,
    hits: Bool[np.ndarray, "S N"],
    when: Float[np.ndarray, "S N"],
    arrived: Bool[np.ndarray, " S"],
) -> SparseMDP:
    """Return the world with the region as its last state."""
    size, times = world.num_states, np.array(world.mdp.durations)
    chains = []
    for number, chain in enumerate(world.mdp.action_chains):
        hit, doubt = hits[:, number] & ~arrived, world.doubt[:, number]
        inner = diags_array(np.where(hit | arrived, 0.0, 1.0)) @ chain
        inner = inner + diags_array(np.where(hit, doubt, 0.0))
        into = np.where(arrived, 1.0, np.where(hit, 1 - doubt, 0.0))
        rows = hstack([csr_array(inner), csr_array(into[:, None])])
        end = csr_array(([1.0], ([0], [size])), shape=(1, size + 1))
        chains.append(csr_array(vstack([rows, end])))
        times[:, number] = np.where(hit, when[:, number], times[:, number])
    times[arrived] = NO_TIME
    return SparseMDP(chains, durations=np.vstack([times, times[:1]]))


def _hits(
    world: LandmarkWorld, inside: Region, ways: Float[np.ndarray, "B N H O"]
) -> tuple[Bool[np.ndarray, "B N"], Scores]:
    """Return which ways enter the region after their first place, and after how many steps."""
    later = ways[:, :, 1:]
    near = _inside(inside, world.model.metric.observations(later.reshape(-1, ways.shape[-1])))
    near = near.reshape(later.shape[:3])
    return np.asarray(near.any(axis=2)), np.asarray(near.argmax(axis=2) + 1.0)


def _inside(inside: Region, observations: Observations) -> Bool[np.ndarray, " B"]:
    if not callable(inside):
        raise InputError(f"plan: goal must be a function, got {type(inside).__name__}")
    found = np.asarray(inside(observations))
    if found.shape != (len(observations),) or found.dtype != bool:
        raise InputError(
            f"plan: goal must return True or False for each of {len(observations)} "
            f"observations, got {found.dtype} of shape {list(found.shape)}"
        )
    return found
