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
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Bool, Float, Int

from first_occupancy.continuous.landmark_worlds import LandmarkWorld
from first_occupancy.core.arguments import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    Share,
    check_arguments,
)
from first_occupancy.core.display import Displayed
from first_occupancy.core.errors import InputError, as_given
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning.agents import Agent
from first_occupancy.planning.plan import Planner
from first_occupancy.planning.plans import NOTHING, Plan

TIE = 0.9995
"""Discount per step by which the surest plan prefers soon arrivals when it acts."""

LOST = 1.5
"""An observation farther than so many spacings from all landmarks heads for the nearest of them."""

PATIENCE = 8
"""Steps over which an agent must move."""

STALLED = 0.25
"""An agent that moves by less than this share of typical steps has stalled."""

FAR = 3.0
"""Goals farther than so many spacings from all landmarks are refused."""


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
        """Return an agent that follows the plan, and replans when the world surprises it.

        Args:
            patience: number of steps over which the agent must move; None never replans.
        """
        return GoalAgent(self, patience=patience)

    def _to(self, goal: str) -> str:
        what = "surest" if self.discount == 1 else f"soonest (discount {self.discount:g})"
        kind, size = type(self).__name__, self.world.num_states
        return f"{kind}: the {what} plan to {goal} from {size} landmarks"


@dataclass(frozen=True, eq=False, repr=False)
class GoalPlan(LandmarkPlan):
    """A plan from every landmark to one observation.

    Attributes:
        goal: observation to reach.
        radius: distance within which the goal counts as reached, in scaled units.
    """

    goal: Float[np.ndarray, " O"]
    radius: float

    @property
    def goal_landmarks(self) -> Int[np.ndarray, " G"]:
        """The landmarks at which the plan has arrived."""
        goals = self.plan.goal if self.plan.goals is None else self.plan.goals
        return np.atleast_1d(np.asarray(goals))

    def expected(self, observation: Float[np.ndarray, " O"]) -> float:
        """Return the expected discount from an observation; the probability of arriving at 1."""
        place = self.world.scaled(np.asarray(observation, float)[None])
        return float((self.world.shared(place) @ np.asarray(self.plan.expected_discount))[0])

    def bounds(self, observation: Float[np.ndarray, " O"]) -> Any:
        """Return lower and upper bounds on the expected discount (`certificates.bounds`)."""
        from first_occupancy.continuous.certificates import bounds  # imports this module

        return bounds(self, observation)

    def choose(self, observations: Float[np.ndarray, "B O"]) -> Int[np.ndarray, " B"]:
        """Return the prototype action to take at each observation."""
        world = self.world
        places = world.scaled(observations)
        regions = world.regions(places)
        ways, times = world.ways(places)
        ahead = world.shared(ways[:, :, -1].reshape(-1, places.shape[1])) @ self.values
        doubt = world.doubt[regions]
        staying = (world.shared(places) @ self.values)[:, None]
        waited = self.acting_discount**times
        values = waited * ((1 - doubt) * ahead.reshape(doubt.shape) + doubt * staying)
        goal = self.goal / world.model.scale
        near = self._near(places, regions)
        nearest = world.landmarks[regions] / world.model.scale
        lost = np.linalg.norm(places - nearest, axis=1) > LOST * world.spacing
        # Near the goal, head straight for it; far from all landmarks, for the nearest of them.
        target = np.where(near[:, None], goal, nearest)
        closer = -np.linalg.norm(ways[:, :, 1] - target[:, None], axis=2)
        return np.where((near | lost)[:, None], closer, values).argmax(axis=1)

    def _near(
        self, places: Float[np.ndarray, "B O"], regions: Int[np.ndarray, " B"]
    ) -> Bool[np.ndarray, " B"]:
        far = np.linalg.norm(places - self.goal / self.world.model.scale, axis=1)
        return (far <= self.radius) | np.isin(regions, self.goal_landmarks)

    def command(self, number: int, observation: Float[np.ndarray, " O"]) -> Any:
        """Return what the environment is to be given; near the goal, what heads straight for it."""
        world = self.world
        if world.reaching is not None:
            place = world.scaled(observation[None])
            if self._near(place, world.regions(place))[0]:
                return world.reaching(observation[None], self.goal[None])[0]
        return world.command(number, observation)

    def arrived(self, observation: Float[np.ndarray, " O"]) -> bool:
        """Return whether an observation is within the radius of the goal."""
        place = self.world.scaled(np.asarray(observation, np.float64)[None])[0]
        return bool(np.linalg.norm(place - self.goal / self.world.model.scale) <= self.radius)

    def without(self, region: int, action: int) -> "GoalPlan":
        """Return the plan of a world in which one move does nothing."""
        world = without_move(self.world, region, action)
        planner = Planner(world.mdp, discount=self.discount, dense_up_to=0)
        place = self.goal / world.model.scale
        return _planned(world, place, self.goal_landmarks, planner, self.radius, None)

    def _summary(self) -> str:
        return self._to(str(np.round(self.goal, 3).tolist()))


@partial(check_arguments, caller="plan")
def plan_to_observation(
    world: LandmarkWorld,
    goal: Float[ArrayLike, " O"] | Sequence[Any],
    *,
    discount: Share = 1.0,
    radius: NonNegativeFloat | None = None,
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
    place = world.scaled(np.asarray(goal, np.float64)[None])
    radius = world.spacing if radius is None else float(radius)
    far = np.linalg.norm(world.landmarks / world.model.scale - place, axis=1)
    if far.min() > FAR * world.spacing:
        raise InputError(
            f"plan: no data lead to the goal: the nearest landmark is "
            f"{far.min():.3g} typical steps away, more than {FAR * world.spacing:.3g}"
        )
    near = np.flatnonzero((far <= radius) & ~world.jumping)
    goals = near if len(near) else np.array([int(far.argmin())])
    planner = world.planner(discount) if planner is None else planner
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
    values = np.asarray(found.expected_discount, np.float64)
    if planner.discount == 1:
        times = np.nan_to_num(np.asarray(found.expected_time, np.float64), posinf=0.0)
        values = values * TIE**times
    # Within the goal's radius, landmarks differ by how far they still are from the goal itself.
    acting = planner.discount if planner.discount < 1 else TIE
    values = values * acting**radius
    left = np.linalg.norm(world.landmarks[goals] / world.model.scale - place, axis=1)
    values[goals] = acting ** np.minimum(left, radius)
    return GoalPlan(world, found, planner.discount, values, place * world.model.scale, radius)


class GoalAgent(Agent):
    """An agent that goes to an observation, and replans when the world surprises it.

    A *surprise* is to have hardly moved in `patience` steps, on the way to a goal that the plan
    expects to come closer. The agent then stops trusting the move that it made last, plans anew,
    and first heads straight for the best landmark around it. With skills it never
    replans: standing still may be part of a skill.

    Args:
        plan: plan to follow, to an observation or a region.
        patience: number of steps over which the agent must move; None never replans.
    """

    @check_arguments
    def __init__(self, plan: LandmarkPlan, *, patience: PositiveInt | None = PATIENCE) -> None:
        if not isinstance(plan, LandmarkPlan):
            raise InputError(
                f"GoalAgent: plan must be made in a landmark world, got {as_given(plan)}"
            )
        self.replans, self._last = 0, 0
        self._patience = None if plan.world.skills else patience
        self._trail: list[Float[np.ndarray, " O"]] = []
        self._detour: tuple[int, int] | None = None
        """A landmark to head for, and for how many more steps."""
        self.follow(plan)

    def follow(self, plan: Any) -> None:
        """Follow another plan from now on."""
        self.plan: Any = plan
        self.reset()

    def predict(
        self,
        observation: Any = None,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[Any, Any]:
        """Return the action for an observation, and `state`, as Stable-Baselines3 models do.

        Args:
            observation: current observation.
            state: passed through.
            episode_start: ignored; call `reset` when an episode begins.
            deterministic: ignored: the agent always is.
        """
        del episode_start, deterministic
        observation, place = self._seen(observation)
        self._trail.append(place)
        if self._is_surprised(observation, place):
            self._replan(place)
        self._last = self._on_detour(place)
        if self._last == NOTHING:
            self._last = int(self.plan.choose(observation[None])[0])
        return self.plan.command(self._last, observation), state

    @partial(check_arguments, caller="predict")
    def _seen(
        self, observation: Float[ArrayLike, " O"] | Sequence[Any]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return an observation as an array, and scaled."""
        array = np.asarray(observation, np.float64)
        return array, self.plan.world.scaled(array[None])[0]

    def copy(self) -> "GoalAgent":
        """Return an agent with the same plan and memory, to go on from here in another way."""
        other = copy(self)
        other._trail = list(self._trail)
        return other

    def reset(self) -> None:
        """Begin a new episode; what was learned from surprises is kept."""
        self._trail, self._detour = [], None

    def _is_surprised(
        self, observation: Float[np.ndarray, " O"], place: Float[np.ndarray, " O"]
    ) -> bool:
        if self._patience is None or len(self._trail) <= self._patience:
            return False
        moved = np.linalg.norm(place - self._trail.pop(0))
        if moved >= STALLED * self._patience or self.plan.arrived(observation):
            return False
        # Where no way leads to the goal, standing still is no surprise.
        return bool(self.plan.values[self.plan.world.regions(place[None])[0]] > 0)

    def _on_detour(self, place: Float[np.ndarray, " O"]) -> int:
        """Return the action that heads for the landmark of a detour; -1 if there is none."""
        if self._detour is None:
            return NOTHING
        landmark, steps = self._detour
        world = self.plan.world
        target = world.landmarks[landmark] / world.model.scale
        if steps == 0 or np.linalg.norm(place - target) < 1:
            self._detour = None
            return NOTHING
        self._detour = (landmark, steps - 1)
        here = np.repeat(place[None], len(world.actions), axis=0)
        ahead = world.model.moved(here, world.actions)
        return int(np.linalg.norm(ahead - target, axis=1).argmin())

    def _replan(self, place: Float[np.ndarray, " O"]) -> None:
        self.plan = self.plan.without(int(self.plan.world.regions(place[None])[0]), self._last)
        world = self.plan.world
        self.replans += 1
        self._trail = []
        far = np.linalg.norm(world.landmarks / world.model.scale - place, axis=1)
        around = np.flatnonzero((far < 2 * world.spacing) & (far > 0.5 * world.spacing))
        if len(around):
            best = int(around[self.plan.values[around].argmax()])
            self._detour = (best, round(3 * world.spacing))


def without_move(world: LandmarkWorld, region: int, action: int) -> LandmarkWorld:
    """Return a world in which one move does nothing."""
    chains = [chain.copy() for chain in world.mdp.action_chains]
    changed = chains[action].tolil()
    changed[region] = 0
    changed[region, region] = 1
    chains[action] = changed.tocsr()
    doubt = world.doubt.copy()
    doubt[region, action] = 1
    mdp = SparseMDP(chains, durations=world.mdp.durations)
    return replace(world, mdp=mdp, doubt=doubt)
