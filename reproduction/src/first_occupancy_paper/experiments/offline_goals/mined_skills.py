r"""Skills mined from a log: from each landmark to others nearby, as recorded episodes went.

    world = mined_skill_world(log)                     # instead of landmark_world(log)
    agent = fo.plan(world, goal).agent()

A segment of the log that passes through the region of landmark i and enters that of j within a
few steps shows that a skill "reach j" exists there, and how long it takes. The skill itself is
regression on such segments (`goal_regression`): one network for all pairs, from an observation and
a landmark to an action. The finite world has, at each landmark, the best supported of these skills
as its moves. Nothing is predicted by displacements, and no move leads through a wall, since no
segment does.

As with `landmark_world`, a move that n segments support fails with the probability that n tries
without a failure leave open. The log does not tell which segments meant to reach j and failed, so
failures of the skill itself are not counted.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array

from first_occupancy.continuous._metrics import fitted_metric
from first_occupancy.continuous.landmark_worlds import (
    AT_MOST,
    CONFIDENCE,
    MEANS,
    Landmarks,
    LandmarkWorld,
    Stride,
    doubt_of,
    fields_of,
    spread_landmarks,
)
from first_occupancy.continuous.local_models import LocalModel, local_model
from first_occupancy.core.arguments import (
    Discount,
    Limits,
    NonNegativeInt,
    PositiveInt,
    check_arguments,
)
from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.representations.features.networks import Training
from first_occupancy_paper.experiments.offline_goals.goal_regression import GoalPolicy, goal_policy

NUM_SKILLS, HORIZON = 12, 2.0
"""Skills at each landmark, and the longest segment, in strides."""

TRAINING = Training(hidden=128, depth=2, num_updates=6000, batch_size=256, learning_rate=1e-3)
"""Sizes and rates of the regression."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MinedModel(LocalModel):
    """Where skills lead in one step: towards their landmark, as fast as segments went there.

    Its actions are rows of the identity matrix: which skill acts.

    Attributes:
        centres: the landmarks.
        targets: landmark to which each skill leads from the region of each landmark.
        times: steps that it takes.
    """

    centres: Landmarks
    targets: Int[np.ndarray, "S N"]
    times: Float[np.ndarray, "S N"]

    @cached_property
    def points(self) -> Float[np.ndarray, "S O"]:
        """The scaled landmarks."""
        return self.centres.points

    def headed(
        self, places: Float[np.ndarray, "B O"], skills: Int[np.ndarray, " B"]
    ) -> tuple[Float[np.ndarray, "B O"], Float[np.ndarray, " B"]]:
        """Return the scaled landmark to which a skill leads from each place, and its speed."""
        here = self.centres.regions(places)
        to = self.points[self.targets[here, skills]]
        return to, np.linalg.norm(to - self.points[here], axis=1) / self.times[here, skills]

    def moved(
        self, places: Float[np.ndarray, "B O"], actions: Float[np.ndarray, "B N"]
    ) -> Float[np.ndarray, "B O"]:
        """Return where one step of a skill leads."""
        to, speed = self.headed(places, actions.argmax(axis=1))
        left = np.linalg.norm(to - places, axis=1)
        share = np.minimum(speed / np.maximum(left, 1e-9), 1)
        return places + share[:, None] * (to - places)

    def sampled(
        self,
        places: Float[np.ndarray, "B O"],
        actions: Float[np.ndarray, "B N"],
        believed: Bool[np.ndarray, "B E"],
        rng: np.random.Generator,
    ) -> Float[np.ndarray, "B O"]:
        """Return where one step of a skill leads: all rollouts believe the whole log."""
        del believed, rng
        return self.moved(places, actions)

    def crossed(
        self, places: Float[np.ndarray, "B O"], after: Float[np.ndarray, "B O"]
    ) -> Float[np.ndarray, "B O"]:
        """Return where skills lead, as far as anything was recorded there."""
        return np.where(self.visited(after)[:, None], after, places)


@dataclass(frozen=True)
class MinedSkill:
    """A base policy: from wherever it is, to one of the landmarks nearby.

    Attributes:
        number: number of the skill among those of each landmark.
        policy: regression on segments, the same for all skills.
        model: model that knows the landmarks.
    """

    number: int
    policy: GoalPolicy
    model: MinedModel

    def __call__(self, observations: Float[np.ndarray, "B O"]) -> Float[np.ndarray, "B A"]:
        """Return an action for each observation."""
        places = self.model.metric.places(observations)
        landmarks, _ = self.model.headed(places, np.full(len(places), self.number))
        return self.policy(observations, self.model.metric.observations(landmarks))


@dataclass(frozen=True, eq=False, repr=False)
class MinedWorld(LandmarkWorld):
    """A world of landmarks whose moves are skills mined from a log; made by `mined_skill_world`."""

    @property
    def reaching(self) -> GoalPolicy:
        """Policy that heads for an observation nearby."""
        return self.skills[0].policy

    def ways(
        self, places: Float[np.ndarray, "B O"]
    ) -> tuple[Float[np.ndarray, "B N 2 O"], Float[np.ndarray, "B N"]]:
        """Return where skills lead from scaled observations: to the landmark that each reaches.

        Returns:
            The places before and after, and the steps that recorded segments took.
        """
        model = self.model
        assert isinstance(model, MinedModel)
        regions = self.regions(places)
        ends = model.points[model.targets[regions]]
        starts = np.broadcast_to(places[:, None], ends.shape)
        return np.stack([starts, ends], axis=2), model.times[regions]


@check_arguments
def mined_skill_world(
    log: Episodes,
    *,
    stride: Stride = 4.0,
    horizon: Annotated[float, Limits(above=0, most=1000)] = HORIZON,
    num_skills: Annotated[int, Limits(least=2)] = NUM_SKILLS,
    confidence: Discount = CONFIDENCE,
    training: Training | None = None,
    at_most: PositiveInt = AT_MOST,
    seed: NonNegativeInt = 0,
) -> MinedWorld:
    """Return a finite world whose moves are skills that reach landmarks nearby, mined from a log.

    Args:
        log: recorded episodes, from `Episodes` or a reader of `interop.data`.
        stride: distance of landmarks, in typical steps.
        horizon: longest segment from which skills are mined, in strides.
        num_skills: number of skills at each landmark, those that segments show most. The first
            heads for the landmark itself.
        confidence: confidence of the pessimism, below 1; 0 takes all segments at face value.
        training: sizes and rates of the regression; None for `TRAINING`.
        at_most: largest number of landmarks.
        seed: seed of the sample from which landmarks are chosen, and of the regression.

    Returns:
        The world, to plan in with `fo.plan`.

    Raises:
        InputError: if an option is out of range, or nothing in the log moves.
    """
    if horizon * stride < 1:
        raise InputError(
            f"mined_skill_world: horizon must be at least a step, got {horizon} strides of {stride}"
            " steps"
        )
    rows = log.steps
    metric = fitted_metric(log.observations[rows], log.observations[rows + 1], axes=True)
    plain = local_model(log, stride=stride, metric=metric)
    rng = np.random.default_rng(seed)
    spread = spread_landmarks(plain, stride, at_most, MEANS, rng)
    centres = replace(spread, sharing="nearest")
    # A segment ends before a jump: where that leads is chance, not skill.
    whole = log.last.copy()
    whole[log.steps[plain.jumped]] = True
    smooth = Episodes.of_rows(log.observations, log.actions, whole)
    steps = round(horizon * stride)
    regions = centres.regions(plain.metric.places(log.observations))
    support, times = _mined(regions, whole, centres.num_states, steps)
    targets, counts, taken = _best_supported(support, times, num_skills)
    model = MinedModel(**fields_of(plain), centres=centres, targets=targets, times=taken)
    policy = goal_policy(smooth, horizon=steps, training=training or TRAINING, seed=seed)
    skills = tuple(MinedSkill(number, policy, model) for number in range(num_skills))
    return _connected(model, counts, confidence, skills)


def _mined(
    regions: Int[np.ndarray, " T"], last: Bool[np.ndarray, " T"], size: int, steps: int
) -> tuple[csr_array, csr_array]:
    """Return how many segments lead from region to region [S S], and the mean steps they took."""
    lasts = np.flatnonzero(np.append(last[:-1], True))
    left = lasts[np.searchsorted(lasts, np.arange(len(regions)))] - np.arange(len(regions))
    shape = (size, size)
    support, counts, sums = (csr_array(shape) for _ in range(3))
    for step in range(1, steps + 1):
        rows = np.flatnonzero(left >= step)
        here, there = regions[rows], regions[rows + step]
        entered = (there != regions[rows + step - 1]) & (there != here)
        # A visit of a region counts once, by its last row; it takes the mean over all its rows.
        once = entered & (regions[rows + 1] != here)
        support = support + _counted(here[once], there[once], shape)
        found = _counted(here[entered], there[entered], shape)
        counts, sums = counts + found, sums + step * found
    counts.data = 1 / counts.data
    return support, csr_array(sums * counts)


def _counted(
    rows: Int[np.ndarray, " B"], columns: Int[np.ndarray, " B"], shape: tuple[int, int]
) -> csr_array:
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)


def _best_supported(
    support: csr_array, times: csr_array, num_skills: int
) -> tuple[Int[np.ndarray, "S N"], Int[np.ndarray, "S N"], Float[np.ndarray, "S N"]]:
    """Return the skills of each landmark: where they lead, their segments and their steps.

    Segments count as a share of all that enter a landmark, so that landmarks that are seldom
    visited, as in corners, are some skill's target too.
    """
    size = support.shape[0]
    visits = np.maximum(np.asarray(support.sum(axis=0)).ravel(), 1)
    targets = np.tile(np.arange(size)[:, None], num_skills)
    counts, taken = np.zeros((size, num_skills), int), np.ones((size, num_skills))
    for row in range(size):
        part = slice(support.indptr[row], support.indptr[row + 1])
        shares = support.data[part] / visits[support.indices[part]]
        order = np.argsort(-shares, kind="stable")[: num_skills - 1]
        chosen = support.indices[part][order]
        own = slice(1, 1 + len(chosen))
        targets[row, own], counts[row, own] = chosen, support.data[part][order]
        taken[row, own] = times[[row], :].toarray()[0, chosen]
    return targets, counts, taken


def _connected(
    model: MinedModel,
    support: Int[np.ndarray, "S N"],
    confidence: float,
    skills: tuple[Any, ...],
) -> MinedWorld:
    doubt, centres = doubt_of(support, confidence), model.centres
    doubt[centres.jumping] = 0
    size = centres.num_states
    ahead = (_counted(np.arange(size), to, (size, size)) for to in model.targets.T)
    inherited: dict[str, Any] = {**fields_of(centres), "model": model}
    return MinedWorld(
        **inherited,
        mdp=SparseMDP(centres.chains(ahead, doubt), durations=model.times),
        actions=np.eye(len(skills)),
        support=support,
        doubt=doubt,
        hold=1,
        skills=skills,
    )
