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
from functools import partial

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
    doubt_of,
    fields_of,
    spread_landmarks,
)
from first_occupancy.continuous.local_models import local_model
from first_occupancy.core.episodes import Episodes
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.representations.features.networks import Training
from first_occupancy_paper.experiments.offline_goals.goal_regression import GoalPolicy, goal_policy

NUM_SKILLS, HORIZON = 12, 2.0
"""Skills at each landmark, and the longest segment, in strides."""

TRAINING = Training(hidden=128, depth=2, num_updates=6000, batch_size=256, learning_rate=1e-3)
"""Sizes and rates of the regression."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MinedWorld(LandmarkWorld):
    """A world of landmarks whose moves are skills mined from a log; made by `mined_skill_world`.

    Attributes:
        targets: landmark to which each skill leads from the region of each landmark.
        policy: regression on segments, the same for all skills.
    """

    targets: Int[np.ndarray, "S N"]
    policy: GoalPolicy

    @property
    def reaching(self) -> GoalPolicy:
        """Policy that heads for an observation nearby."""
        return self.policy

    def ways(
        self, places: Float[np.ndarray, "B O"]
    ) -> tuple[Float[np.ndarray, "B N 2 O"], Float[np.ndarray, "B N"]]:
        """Return where skills lead from scaled observations: to the landmark that each reaches.

        Returns:
            The places before and after, and the steps that recorded segments took.
        """
        regions = self.regions(places)
        ends = self.points[self.targets[regions]]
        starts = np.broadcast_to(places[:, None], ends.shape)
        return np.stack([starts, ends], axis=2), np.asarray(self.mdp.durations)[regions]


def mined_skill_world(
    log: Episodes,
    *,
    stride: float = 4.0,
    horizon: float = HORIZON,
    num_skills: int = NUM_SKILLS,
    training: Training = TRAINING,
    at_most: int = AT_MOST,
) -> MinedWorld:
    """Return a finite world whose moves are skills that reach landmarks nearby, mined from a log.

    Bounds on its plans mean nothing, since its local model knows of actions, not of skills.

    Args:
        log: recorded episodes, from `Episodes` or a reader of `interop.data`.
        stride: distance of landmarks, in typical steps.
        horizon: longest segment from which skills are mined, in strides.
        num_skills: number of skills at each landmark, at least 2, those that segments show most.
            The first heads for the landmark itself.
        training: sizes and rates of the regression.
        at_most: largest number of landmarks.
    """
    rows = log.steps
    metric = fitted_metric(log.observations[rows], log.observations[rows + 1], axes=True)
    model = local_model(log, stride=stride, metric=metric)
    spread = spread_landmarks(model, stride, at_most, MEANS, np.random.default_rng(0))
    centres = replace(spread, sharing="nearest")
    # A segment ends before a jump: where that leads is chance, not skill.
    whole = log.last.copy()
    whole[log.steps[model.jumped]] = True
    smooth = Episodes.of_rows(log.observations, log.actions, whole)
    steps, size = round(horizon * stride), centres.num_states
    regions = centres.regions(metric.places(log.observations))
    targets, counts, times = _best_supported(*_mined(regions, whole, size, steps), num_skills)
    doubt = doubt_of(counts, CONFIDENCE)
    doubt[centres.jumping] = 0
    ahead = (_counted(np.arange(size), to, (size, size)) for to in targets.T)
    policy = goal_policy(smooth, horizon=steps, training=training)
    return MinedWorld(
        **fields_of(centres),
        mdp=SparseMDP(centres.chains(ahead, doubt), durations=times),
        actions=np.eye(num_skills),
        support=counts,
        doubt=doubt,
        hold=1,
        skills=tuple(partial(_heading, policy, centres, to) for to in targets.T),
        targets=targets,
        policy=policy,
    )


def _heading(
    policy: GoalPolicy,
    centres: Landmarks,
    targets: Int[np.ndarray, " S"],
    observations: Float[np.ndarray, "B O"],
) -> Float[np.ndarray, "B A"]:
    """Return the actions of a skill: from wherever it is, to one of the landmarks nearby."""
    metric = centres.model.metric
    to = targets[centres.regions(metric.places(observations))]
    return policy(observations, metric.observations(centres.points[to]))


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
