r"""Plans to an observation, and agents that follow them.

    world = landmark_world(log)
    plan = fo.plan(world, goal)                  # the surest; discount=0.99 for the soonest
    agent = plan.agent()
    action, _ = agent.predict(observation)

The goal is reached within a radius of the goal observation. The plan covers all landmarks. At each
step the agent asks, for each prototype action, where it would lead from *this* observation (the
observation plus the displacement at the nearest landmark), and takes the one that leads to the
highest value, interpolated between landmarks. Near the goal it heads straight for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import ArrayLike, Bool, Float, Int

from first_occupancy.continuous._metrics import Numbers, Observation, Observations, Places
from first_occupancy.continuous.landmark_worlds import LandmarkWorld
from first_occupancy.core.arguments import (
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Share,
    check_arguments,
)
from first_occupancy.core.display import Displayed, count
from first_occupancy.core.errors import InputError, as_given
from first_occupancy.planning.plan import Planner
from first_occupancy.planning.plans import Plan

if TYPE_CHECKING:
    from first_occupancy.continuous._success import Success
    from first_occupancy.continuous.followers import GoalAgent

ROLLOUTS, MAX_STEPS = 40, 1000
"""Rollouts for an estimate of success, and the steps after which one has failed."""

TIE = 0.9995
"""Discount per step by which the surest plan prefers soon arrivals when it acts."""

LOST = 1.5
"""An observation farther than so many spacings from all landmarks heads for the nearest of them."""

PATIENCE = 8
"""Steps over which an agent must move."""


Scores = Float[np.ndarray, "B N"]
"""A number for each place and each action from there."""


@dataclass(frozen=True, eq=False, repr=False)
class LandmarkPlan(Displayed):
    """What plans to observations and to regions share.

    Attributes:
        world: world of landmarks.
        plan: plan over the landmarks, and last, if there is one, the region.
        discount: discount that it was made for; 1 is the surest plan.
        values: value of each landmark by which the agent acts.
    """

    world: LandmarkWorld
    plan: Plan
    discount: float
    values: Float[np.ndarray, " S"]

    @property
    def acting_discount(self) -> float:
        """Discount per step by which the agent compares moves."""
        return self.discount if self.discount < 1 else TIE

    def agent(self, *, patience: int | None = PATIENCE) -> "GoalAgent":
        """Return an agent that follows the plan, and turns away from where it gets stuck.

        Args:
            patience: number of steps over which the agent must move; None never turns away.
        """
        from first_occupancy.continuous.followers import GoalAgent  # imports this module

        return GoalAgent(self, patience=patience)

    def bounds(self, observation: Observation) -> Any:
        """Return lower and upper bounds on the expected discount (`certificates.bounds`)."""
        from first_occupancy.continuous.certificates import bounds  # imports this module

        return bounds(self, observation)

    @partial(check_arguments, caller="success")
    def success(
        self,
        start: Float[ArrayLike, " O"] | Sequence[Any],
        *,
        max_steps: PositiveInt = MAX_STEPS,
        rollouts: PositiveInt = ROLLOUTS,
        seed: NonNegativeInt = 0,
    ) -> "Success":
        """Return the probability that an agent arrives from an observation, with an interval.

        Args:
            start: observation to start from.
            max_steps: steps within which to arrive.
            rollouts: agents that act in what the log says (`_success`).
            seed: seed of the rollouts.

        Raises:
            InputError: if the start is no observation of this world.
        """
        from first_occupancy.continuous import _success  # imports this module

        starts = np.repeat(np.asarray(start, np.float64)[None], rollouts, axis=0)
        times = _success.simulated(self, starts, max_steps, seed)
        arrived = int((times < np.inf).sum())
        return _success.estimate(arrived, rollouts, _success.worth_of(self.world))

    def expected(self, observation: Observation) -> float:
        """Return the expected discount from an observation; the probability of arriving at 1."""
        place = self.world.scaled(np.asarray(observation, float)[None])
        landmarks = np.asarray(self.plan.expected_discount)[: self.world.num_states]
        return min(1.0, float((self.world.shared(place) @ landmarks)[0]))

    def choose(self, observations: Observations) -> Numbers:
        """Return the number of the action or skill to take at each observation."""
        return self.scores(self.world.scaled(observations)).argmax(axis=1)

    def scores(self, places: Places) -> Scores:
        """Return what each action is worth at each place."""
        raise NotImplementedError

    def _worth(
        self, places: Places, regions: Numbers, ahead: Float[np.ndarray, " M"], times: Scores
    ) -> Scores:
        """Return what each action is worth that leads to a value after a time, or else nowhere."""
        doubt = self.world.doubt[regions]
        staying = (self.world.shared(places) @ self.values)[:, None]
        expected = (1 - doubt) * ahead.reshape(doubt.shape) + doubt * staying
        return self.acting_discount**times * expected

    def arrived_at(self, observations: Observations) -> Bool[np.ndarray, " B"]:
        """Return whether each observation has reached the goal."""
        raise NotImplementedError

    def arrived(self, observation: Observation) -> bool:
        """Return whether an observation has reached the goal."""
        return bool(self.arrived_at(np.asarray(observation, np.float64)[None])[0])

    def command(self, number: int, observation: Observation) -> Any:
        """Return what the environment is to be given."""
        return self.world.command(number, observation)

    def _to(self, goal: str) -> str:
        what = "surest" if self.discount == 1 else f"soonest (discount {self.discount:g})"
        kind, size = type(self).__name__, self.world.num_states
        return f"{kind}: the {what} plan to {goal} from {size} landmarks ({self.plan.engine})"


@dataclass(frozen=True, eq=False, repr=False)
class GoalPlan(LandmarkPlan):
    """A plan from every landmark to one observation.

    Attributes:
        goal: observation to reach.
        radius: distance within which the goal counts as reached, in scaled units.
    """

    goal: Observation
    radius: float

    @property
    def goal_landmarks(self) -> Int[np.ndarray, " G"]:
        """The landmarks at which the plan has arrived."""
        goals = self.plan.goal if self.plan.goals is None else self.plan.goals
        return np.atleast_1d(np.asarray(goals))

    def scores(self, places: Places) -> Scores:
        """Return the value after each action; near the goal, how close it comes."""
        world = self.world
        regions = world.regions(places)
        ways, times = world.ways(places)
        ahead = world.shared(ways[:, :, -1].reshape(-1, places.shape[1])) @ self.values
        values = self._worth(places, regions, ahead, times)
        goal = world.place(self.goal)
        near = self._near(places, regions)
        nearest = world.points[regions]
        lost = np.linalg.norm(places - nearest, axis=1) > LOST * world.spacing
        # Near the goal, head straight for it; far from all landmarks, for the nearest of them.
        target = np.where(near[:, None], goal, nearest)
        closer = -np.linalg.norm(ways[:, :, 1] - target[:, None], axis=2)
        return np.where((near | lost)[:, None], closer, values)

    def _near(self, places: Places, regions: Numbers) -> Bool[np.ndarray, " B"]:
        far = np.linalg.norm(places - self.world.place(self.goal), axis=1)
        return (far <= self.radius) | np.isin(regions, self.goal_landmarks)

    def command(self, number: int, observation: Observation) -> Any:
        """Return what the environment is to be given; near the goal, what heads straight for it.

        Args:
            number: number of the prototype action or skill.
            observation: current observation.
        """
        world = self.world
        if world.reaching is not None:
            place = world.scaled(observation[None])
            if self._near(place, world.regions(place))[0]:
                return world.reaching(observation[None], self.goal[None])[0]
        return world.command(number, observation)

    def arrived_at(self, observations: Observations) -> Bool[np.ndarray, " B"]:
        """Return whether each observation is within the radius of the goal."""
        off = self.world.scaled(observations) - self.world.place(self.goal)
        return np.linalg.norm(off, axis=1) <= self.radius

    def _summary(self) -> str:
        return self._to(str(np.round(self.goal, 3).tolist()))


@partial(check_arguments, caller="plan")
def plan_to_observation(
    world: LandmarkWorld,
    goal: Float[ArrayLike, " O"] | Sequence[Any],
    *,
    discount: Share = 1.0,
    radius: PositiveFloat | None = None,
    refine: NonNegativeInt | None = None,
    planner: Planner | None = None,
) -> GoalPlan:
    """Plan from all landmarks to an observation.

    Args:
        world: world of landmarks.
        goal: observation to reach.
        discount: discount factor per step. 1 plans for the highest probability of arriving at all,
            and less for arriving soon.
        radius: distance within which the goal counts as reached, in typical steps; None for the
            spacing of the landmarks.
        refine: rounds of policy improvement, as for `fo.plan`; None until no state improves.
        planner: planner of the same landmarks and discount to use; None for the world's own.

    Returns:
        The plan; its `agent` follows it.

    Raises:
        InputError: if the goal is no observation of this world, is far from all data, or no data
            lead there.
    """
    array, size = np.asarray(goal, np.float64), world.landmarks.shape[1]
    if array.shape != (size,) or not np.isfinite(array).all():
        raise InputError(
            f"plan: goal must be an observation of {count(size, 'finite number')}, got "
            f"{as_given(goal)}; to reach some of the numbers alone, plan to a region, as in "
            "fo.plan(world, lambda seen: abs(seen[:, 0] - 1) < 0.1)"
        )
    place = world.scaled(array[None])
    radius = world.spacing if radius is None else float(radius)
    away = world.model.distance(place)[0]
    if away > radius:
        raise InputError(
            f"plan: no data lead to the goal: the nearest recorded observation is {away:.3g} "
            f"typical steps away, more than the radius {radius:.3g}; a function of observations "
            "plans to a region instead, for example to some of the numbers"
        )
    far = np.linalg.norm(world.points - place, axis=1)
    near = np.flatnonzero((far <= radius) & ~world.jumping)
    goals = near if len(near) else np.array([int(far.argmin())])
    if planner is None:
        # FRs of single landmarks are solved once; a set would need FRs of its own for each goal.
        planner = world.planner(discount, frs=len(goals) == 1)
    return _planned(world, place[0], goals, planner, radius, refine)


def _planned(
    world: LandmarkWorld,
    place: Float[np.ndarray, " O"],
    goals: Int[np.ndarray, " G"],
    planner: Planner,
    radius: float,
    refine: int | None,
) -> GoalPlan:
    found = planner.plan(goals, refine=refine)
    values = acting_values(found, planner.discount)
    # Within the goal's radius, landmarks differ by how far they still are from the goal itself.
    acting = planner.discount if planner.discount < 1 else TIE
    values = values * acting**radius
    left = np.linalg.norm(world.points[goals] - place, axis=1)
    values[goals] = acting ** np.minimum(left, radius)
    return GoalPlan(
        world, found, planner.discount, values, world.model.metric.observations(place), radius
    )


def acting_values(found: Plan, discount: float) -> Float[np.ndarray, " S"]:
    """Return the values by which agents act; at a discount of 1 they prefer soon arrivals."""
    values = np.asarray(found.expected_discount, np.float64)
    if discount == 1:
        times = np.nan_to_num(np.asarray(found.expected_time, np.float64), posinf=0.0)
        values = values * TIE**times
    return values
