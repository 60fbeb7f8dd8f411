r"""A finite world from a log of a continuous one: landmarks, and where actions lead from them.

From each landmark each of a few prototype actions is held for `stride` steps of the local model.
The place where that ends is shared out among the landmarks around it by a kernel, so that distances
below the spacing are not lost. The result is a `SparseMDP` whose moves take time, in which FRs
chain as in any other.

*Pessimism.* An action that n recorded steps support does something else, at most, with a
probability of

$$\beta_n = 1 - \alpha^{1/n}$$

at confidence $1 - \alpha$: the upper bound on the chance of an outcome that n tries did not show.
With that probability the model lets the agent stay where it is. Without support, it stays for sure.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array, diags_array, vstack
from scipy.spatial import KDTree

from first_occupancy.continuous._metrics import (
    Numbers,
    Observation,
    Observations,
    Places,
    fitted_metric,
)
from first_occupancy.continuous._resolution import (
    Prediction,
    chosen,
    predicted_well,
    predictions,
)
from first_occupancy.continuous._shares import balanced_shares, kernel_shares
from first_occupancy.continuous.landmarks import k_centres, k_means
from first_occupancy.continuous.local_models import LocalModel, fields_of, local_model
from first_occupancy.core.arguments import (
    Discount,
    Limits,
    NonNegativeInt,
    PositiveInt,
    check_arguments,
)
from first_occupancy.core.display import Displayed, count
from first_occupancy.core.episodes import Episodes
from first_occupancy.core.errors import InputError
from first_occupancy.core.sparse_mdp import SparseMDP
from first_occupancy.planning.plan import Planner

if TYPE_CHECKING:
    from first_occupancy.continuous.goal_plans import GoalPlan
    from first_occupancy.continuous.region_plans import RegionPlan

SAMPLED = 50_000
"""Observations from which landmarks are chosen."""

AROUND = {"nearest": 1, "kernel": 6, "balance": 12}
"""Landmarks that a place between them is shared out among."""

NUM_ACTIONS, CONFIDENCE, MEANS, AT_MOST = 9, 0.95, 1, 2000
"""Prototype actions; confidence of the pessimism; rounds of k-means; most landmarks of one kind."""

FRS_UP_TO = 500
"""Landmarks up to which the FRs of held actions are chained and refined (engine "dense"). Beyond,
plans begin with the luckiest path; refined, both have the same values."""

FEW = 30
"""Fewer landmarks than this can hardly tell places apart."""

Stride = Annotated[float, Limits(above=0, most=1000)]
"""Distance of landmarks, in typical steps."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Landmarks:
    """Landmarks in a local model: which of them stands for a place, and which are around it.

    Attributes:
        landmarks: observations that the states stand for.
        model: local model of the log, in scaled units.
        spacing: distance of landmarks, in scaled units.
        jumping: whether a landmark stands for observations from which the log jumps; these come
            last.
        sharing: how places are shared out among landmarks (`_shares`): with the nearest alone, by a
            kernel, or in balance, which is more accurate where there are no walls.
    """

    landmarks: Float[np.ndarray, "S O"]
    model: LocalModel
    spacing: float
    jumping: Bool[np.ndarray, " S"]
    sharing: Literal["nearest", "kernel", "balance"] = "kernel"

    @property
    def num_states(self) -> int:
        """S, the number of landmarks."""
        return len(self.landmarks)

    @cached_property
    def points(self) -> Float[np.ndarray, "S P"]:
        """The places of the landmarks."""
        return self.model.metric.places(self.landmarks)

    def place(self, observation: Observation) -> Float[np.ndarray, " P"]:
        """Return the place of one observation."""
        return self.model.metric.places(np.asarray(observation, np.float64)[None])[0]

    def scaled(self, observations: Observations) -> Places:
        """Return observations in units in which a typical step has length 1."""
        array = np.asarray(observations, np.float64)
        if array.ndim != 2 or array.shape[1] != self.landmarks.shape[1]:
            raise InputError(
                f"LandmarkWorld: an observation must have {self.landmarks.shape[1]} numbers, got "
                f"shape {list(array.shape[1:])}"
            )
        if not np.isfinite(array).all():
            raise InputError("LandmarkWorld: observations must be finite, got NaN or infinity")
        return self.model.metric.places(array)

    def regions(self, places: Places) -> Numbers:
        """Return the landmark that stands for each scaled observation."""
        chosen = self._smooth_tree.query(places)[1].astype(int)
        inside = self.model.jumps(places)
        if inside.any():
            chosen[inside] = self._smooth_tree.n + self._jump_tree.query(places[inside])[1]
        return chosen

    def shared(self, places: Places) -> csr_array:
        """Return how scaled observations are shared out among the landmarks around them [B S]."""
        size = min(AROUND[self.sharing], self._smooth_tree.n)
        far, chosen = self._smooth_tree.query(places, k=size)
        far, chosen = far.reshape(len(places), size), chosen.reshape(len(places), size)
        if self.sharing == "balance":
            weights = balanced_shares(self._smooth_tree.data[chosen] - places[:, None])
        else:
            weights = kernel_shares(far, self.spacing)
        inside = self.model.jumps(places)
        if inside.any():
            weights[inside] = np.eye(size)[0]
            chosen[inside, 0] = self._smooth_tree.n + self._jump_tree.query(places[inside])[1]
        begins = np.arange(len(places) + 1) * size
        return csr_array(
            (weights.ravel(), chosen.ravel(), begins), shape=(len(places), self.num_states)
        )

    def chains(
        self, ahead: Iterable[csr_array], doubt: Float[np.ndarray, "S N"]
    ) -> list[csr_array]:
        """Return the chain of each move: ahead or by a jump, and with the doubt nowhere."""
        jumps, chains = self._jumps(), []
        for number, rows in enumerate(ahead):
            if jumps is not None:
                rows = vstack([rows[: self._smooth_tree.n], jumps])
            own = doubt[:, number]
            chains.append(csr_array(diags_array(1 - own) @ rows + diags_array(own)))
        return chains

    def _jumps(self) -> csr_array | None:
        """Return where landmarks with jumps lead: to the recorded places, as often as recorded."""
        model, size = self.model, int(self.jumping.sum())
        if not size:
            return None
        places, arrivals = model.places[model.jumped], model.arrivals[model.jumped]
        whose = self._jump_tree.query(places)[1]
        # A landmark that no jump is nearest to leads where the nearest jump does.
        lacking = np.setdiff1d(np.arange(size), whose)
        nearest = KDTree(places).query(self._jump_tree.data[lacking])[1]
        rows = np.append(whose, lacking)
        columns = np.append(np.arange(len(whose)), nearest)
        counted = csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, len(places)))
        led = csr_array(counted @ self.shared(arrivals))
        return csr_array(diags_array(1 / np.asarray(led.sum(axis=1)).ravel()) @ led)

    @cached_property
    def _smooth_tree(self) -> KDTree:
        return KDTree(self.points[~self.jumping])

    @cached_property
    def _jump_tree(self) -> KDTree:
        return KDTree(self.points[self.jumping])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LandmarkWorld(Landmarks, Displayed):
    """A finite world of landmarks in a continuous one, made by `landmark_world`.

    Attributes:
        mdp: the finite world; its states are the landmarks, its actions the prototypes.
        actions: prototype actions, as the environment takes them.
        support: recorded steps near each landmark and prototype.
        doubt: probability that a move does nothing, by lack of support.
        hold: steps for which a move holds its action.
        skills: policies that take the place of prototype actions (`skill_worlds`), if any.
        predictions: how well held-out episodes are predicted, at each spacing that was tried.
    """

    mdp: SparseMDP
    actions: Float[np.ndarray, "N A"]
    support: Int[np.ndarray, "S N"]
    doubt: Float[np.ndarray, "S N"]
    hold: int
    skills: tuple[Any, ...] = ()
    predictions: tuple[Prediction, ...] = ()

    @property
    def reaching(self) -> Any:
        """Policy from observations and goals nearby to actions, if any."""
        return None

    def command(self, number: int, observation: Any) -> Any:
        """Return what the environment is to be given: a prototype action, or that of a skill.

        Args:
            number: number of the prototype action or skill.
            observation: current observation.
        """
        if not self.skills:
            return self.actions[number]
        from first_occupancy.continuous.skill_worlds import acted  # imports this module

        return acted(self.skills[number], np.asarray(observation, np.float64)[None])[0]

    def goal_plan(
        self, goal: Any, *, discount: float | None = None, refine: int | None = None
    ) -> "GoalPlan | RegionPlan":
        """Return the plan to an observation, or to a region: a function of observations [B O].

        Args:
            goal: observation, or function that says which observations are in a region.
            discount: discount factor per step; None for 1, the surest plan.
            refine: rounds of policy improvement, as for `fo.plan`.
        """
        from first_occupancy.continuous import goal_plans, region_plans  # import this module

        discount = 1.0 if discount is None else discount
        if callable(goal):
            return region_plans.plan_to_region(self, goal, discount=discount, refine=refine)
        return goal_plans.plan_to_observation(self, goal, discount=discount, refine=refine)

    def planner(self, discount: float, *, frs: bool = True) -> Planner:
        """Return the planner for a discount, prepared once for all goals.

        Args:
            discount: discount factor per step; 1 is the surest plan.
            frs: whether to chain FRs of held actions, up to `FRS_UP_TO` landmarks.
        """
        return _planner(self, float(discount), FRS_UP_TO if frs else 0)

    def ways(self, places: Places) -> tuple[Float[np.ndarray, "B N H O"], Float[np.ndarray, "B N"]]:
        """Return where each action leads if it is held from scaled observations.

        Returns:
            The places after 0 to `hold` steps, and after how many of them the action is let go: all
            but where it meets a jump. What the trend of the model does not explain is that of the
            landmarks around.
        """
        if self.skills:
            return _held(self.model, places, self.actions, self.model.jumps(places), self.hold)
        shares, size = self.shared(places), len(self.actions)
        rest = (shares @ self._unexplained).reshape(len(places), size, self.hold, -1)
        held = np.tile(self.actions, (len(places), 1))
        ways = [np.repeat(places, size, axis=0)]
        for step in range(self.hold):
            ahead = self.model.trend.moved(ways[-1], held)
            ways.append(ahead + rest[:, :, step].reshape(ahead.shape))
        ends = np.stack(ways, axis=1).reshape(len(places), size, self.hold + 1, -1)
        return ends, self.landmark_ways[1][self.regions(places)]

    @cached_property
    def _unexplained(self) -> Float[np.ndarray, "S K"]:
        """What the trend leaves unexplained of the ways from the landmarks, step by step."""
        ways, (size, each) = self.landmark_ways[0], self.support.shape
        before, after = ways[:, :, :-1], ways[:, :, 1:]
        held = np.repeat(np.tile(self.actions, (size, 1)), self.hold, axis=0)
        moved = self.model.trend.moved(before.reshape(size * each * self.hold, -1), held)
        return (after.reshape(moved.shape) - moved).reshape(size, -1)

    @cached_property
    def landmark_ways(self) -> tuple[Float[np.ndarray, "S N H O"], Float[np.ndarray, "S N"]]:
        """The ways from the landmarks (`ways`), by the local model."""
        return _held(self.model, self.points, self.actions, self.jumping, self.hold)

    def report(self) -> str:
        """Return what was learned of the log, a sentence to a line, and what to beware of."""
        steps = int(np.median(self.support[~self.jumping]))
        lines = [f"{steps} recorded steps support a move (median)"]
        wide = ", ".join(f"{each:.2g}" for each in self.spacing * self.model.scale)
        lines.append(f"landmarks are {wide} apart; thinner walls may be missed")
        wraps = self.model.metric.periods
        lines += [
            f"number {each} wraps around after {wraps[each]:.4g}" for each in wraps.nonzero()[0]
        ]
        if self.predictions:
            lines += predicted_well(chosen(list(self.predictions)))
        if self.num_states < FEW:
            lines.append(
                f"beware: {count(self.num_states, 'landmark')} can hardly tell places apart"
            )
        return "\n".join(lines)

    def _summary(self) -> str:
        jumps = f", {int(self.jumping.sum())} of them with jumps" if self.jumping.any() else ""
        kind = "skill" if self.skills else "prototype action"
        first = f"LandmarkWorld: {count(self.num_states, 'landmark')}{jumps}, "
        return first + "\n  ".join([count(len(self.actions), kind), *self.report().split("\n")])


@lru_cache(maxsize=8)
def _planner(world: LandmarkWorld, discount: float, dense_up_to: int) -> Planner:
    return Planner(world.mdp, discount=discount, dense_up_to=dense_up_to)


@check_arguments
def landmark_world(
    log: Episodes,
    *,
    stride: Stride | None = None,
    num_actions: PositiveInt = NUM_ACTIONS,
    confidence: Discount = CONFIDENCE,
    displaced: bool = True,
    means: NonNegativeInt = MEANS,
    at_most: PositiveInt = AT_MOST,
    seed: NonNegativeInt = 0,
) -> LandmarkWorld:
    """Return a finite world in which to plan to any observation that the log leads to.

    Args:
        log: recorded episodes, from `Episodes` or a reader of `interop.data`.
        stride: distance of landmarks, in typical steps; actions are held for as many steps. None
            chooses it by predicting held-out episodes.
        num_actions: number of prototype actions, chosen far apart from the recorded ones.
        confidence: confidence of the pessimism, below 1; 0 takes all recorded steps at face value.
        displaced: whether to predict moves by displacements; False is an ablation.
        means: rounds of k-means after k-centres, which draw landmarks to where data are dense.
        at_most: largest number of landmarks; if it is reached, they are farther apart.
        seed: seed of the sample from which landmarks are chosen.

    Raises:
        InputError: if an option is out of range, nothing in the log moves, or the stride is to be
            chosen and there is one episode only.
    """
    rng = np.random.default_rng(seed)
    spread = partial(spread_landmarks, at_most=at_most, means=means, rng=rng)
    tried: list[Prediction] = []
    rows, seen = log.steps, np.asarray(log.observations, np.float64)
    metric = fitted_metric(seen[rows], seen[rows + 1])
    if stride is None:
        if log.num_episodes < 2:
            raise InputError(
                "landmark_world: log must have at least 2 episodes, to hold some out, or a stride "
                "must be given, got 1 episode"
            )
        tried = predictions(log, metric, spread, rng)
    spacing = chosen(tried).spacing if stride is None else stride
    model = local_model(log, stride=spacing, displaced=displaced, metric=metric)
    landmarks = spread(model, spacing)
    actions = _prototypes(model.actions, num_actions, rng)
    made = connected(landmarks, actions, confidence, hold=max(1, round(spacing)))
    return replace(made, predictions=tuple(tried))


def spread_landmarks(
    model: LocalModel, spacing: float, at_most: int, means: int, rng: np.random.Generator
) -> Landmarks:
    """Return landmarks of a log, and of its jumps.

    Args:
        at_most: largest number of landmarks of either kind.
    """
    smooth, spacing = covering(model.places[~model.jumped], spacing, at_most, means, rng)
    places = smooth
    if model.jumped.any():
        jumps, _ = covering(model.places[model.jumped], spacing, at_most, means, rng)
        places = np.vstack([smooth, jumps])
    return Landmarks(
        landmarks=model.metric.observations(places),
        model=model,
        spacing=spacing,
        jumping=np.arange(len(places)) >= len(smooth),
    )


def covering(
    places: Places,
    spacing: float,
    at_most: int,
    means: int,
    rng: np.random.Generator,
    *,
    sampled: int = SAMPLED,
) -> tuple[Float[np.ndarray, "K P"], float]:
    """Return landmarks, and the distance within which they cover all places.

    Args:
        spacing: distance wanted; 0 goes on until there are `at_most` landmarks.
        at_most: largest number of landmarks.
        means: rounds of k-means.
        sampled: number of places from which landmarks are chosen.
    """
    if len(places) > sampled:
        places = places[rng.choice(len(places), sampled, replace=False)]
    centres = places[k_centres(places, spacing=spacing, at_most=at_most)]
    if len(centres) == at_most:
        spacing = max(spacing, float(KDTree(centres).query(places)[0].max()))
    return k_means(places, centres, rounds=means), spacing


def _prototypes(
    actions: Float[np.ndarray, "L A"], size: int, rng: np.random.Generator
) -> Float[np.ndarray, "N A"]:
    """Return recorded actions far apart from each other, the extreme ones first."""
    some = actions[rng.choice(len(actions), min(len(actions), SAMPLED), replace=False)]
    distance = ((some - some.mean(axis=0)) ** 2).sum(axis=1)
    some = some[np.argsort(-distance, kind="stable")]
    return some[k_centres(some, at_most=size)]


def connected(
    landmarks: Landmarks,
    actions: Float[np.ndarray, "N A"],
    confidence: float,
    *,
    hold: int,
    skills: tuple[Any, ...] = (),
) -> LandmarkWorld:
    """Return the world of given landmarks.

    Args:
        confidence: confidence of the pessimism; 0 for none.
        skills: policies that the actions stand for, if any.
    """
    model, jumping, each = landmarks.model, landmarks.jumping, len(actions)
    places = landmarks.points
    ways, times = _held(model, places, actions, jumping, hold)
    starts, held = np.repeat(places, each, axis=0), np.tile(actions, (len(places), 1))
    support = model.support(starts, held).reshape(times.shape)
    doubt = doubt_of(support, confidence)
    doubt[jumping] = 0
    shares = landmarks.shared(ways[:, :, -1].reshape(-1, places.shape[1]))
    chains = landmarks.chains((shares[number::each] for number in range(each)), doubt)
    return LandmarkWorld(
        **fields_of(landmarks),
        mdp=SparseMDP(chains, durations=times),
        actions=actions,
        support=support,
        doubt=doubt,
        hold=hold,
        skills=skills,
    )


def _held(
    model: LocalModel,
    places: Places,
    actions: Float[np.ndarray, "N A"],
    jumping: Bool[np.ndarray, " B"],
    steps: int,
) -> tuple[Float[np.ndarray, "B N H O"], Float[np.ndarray, "B N"]]:
    """Return the places after 0 to `steps` steps of held actions, and how long they were held."""
    size, each = len(places), len(actions)
    held, starts = np.tile(actions, (size, 1)), np.repeat(places, each, axis=0)
    ways, times = np.repeat(starts[:, None], steps + 1, axis=1), np.ones(len(starts))
    rows = np.flatnonzero(np.repeat(~jumping, each))
    for step in range(1, steps + 1):
        ahead = model.moved(ways[rows, step - 1], held[rows])
        ways[rows, step:] = ahead[:, None]
        times[rows] = step
        rows = rows[~model.jumps(ahead)]
        if not len(rows):
            break
    return ways.reshape(size, each, steps + 1, -1), times.reshape(size, each)


def doubt_of(support: Int[np.ndarray, "S N"], confidence: float) -> Float[np.ndarray, "S N"]:
    """Return the probability that a move does something else than its samples show, at most.

    Args:
        support: recorded steps that support each move; without any, the doubt is 1.
        confidence: confidence of the bound; 0 for no doubt at all.
    """
    if confidence == 0:
        return np.zeros(support.shape)
    return np.where(support > 0, 1 - (1 - confidence) ** (1 / np.maximum(support, 1)), 1.0)
