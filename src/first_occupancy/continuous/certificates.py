r"""Bounds on the discount that an agent gets, from the worst and the best entry into each region.

Arriving in a region is not arriving at a point: where one enters decides what happens next. Let
$R_j$ be the observations for which landmark j stands, and let a skill lead from every $x \in R_i$
into $R_j$ with an expected discount of at least $\ell_{ij}$. If the goal can be reached from every
entry into $R_j$ with at least $L_j$, then from every $x \in R_i$

$$\Gamma(x) \ge \ell_{ij}\, L_j,$$

whatever the state of entry: the product holds for infima, and needs no Markov chain over regions.
An agent sees where it enters, and chooses its action there. So

$$L_i = \min_{x \in R_i} \max_a \gamma^{t(x, a)} L_{j(x, a)},$$

where action a is held from entry x for t steps until it leaves into region j. A held action counts
as long as it stays near recorded observations: beyond them the local model knows of no walls and
would walk through, so the way ends inside its region instead. Jumps are kept as chances. Of
n recorded steps from one of K regions with jumps, with values $L_j \in [0, \bar L]$, the mean may
by luck be too high; by Hoeffding's inequality

$$L_i = \gamma \Big(\frac1n \sum_j n_j L_j - \bar L \sqrt{\ln(K / \alpha) / 2n}\Big)^+$$

is at most the expectation in all K regions at once, at confidence $1 - \alpha$, as long as what
follows a jump is known. Upper bounds $U_i = \gamma \max_j U_j$ take the best entry: one step from
each region into any that the log shows to follow it, or that borders on it.

The entries are recorded observations, and their ways come from the local model; so the bounds hold
as far as the sample of entries and the model do. Agents also err where the model does, at walls
above all, and lose time. The lower bound allows for it: an agent may take up to `ALLOWANCE` times
as long in each region as the worst entry does in the model.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array, diags_array
from scipy.spatial import KDTree

from first_occupancy.continuous.goal_plans import GoalPlan
from first_occupancy.continuous.landmark_worlds import LandmarkWorld

ENTRIES = 24
"""Recorded observations of each region from which actions are held."""

ALLOWANCE = 2.0
"""How much longer than in the model an agent may take, for the lower bound."""

PATIENCE = 3
"""Actions are held for so many strides at most, until they leave a region."""

CONFIDENCE = 0.95
"""Confidence that jumps are not less favourable than lower bounds take them to be."""

SWEEPS = 2000
"""Largest number of sweeps; values settle much sooner."""


class Bounds(NamedTuple):
    """Bounds on the expected discount at the goal.

    Attributes:
        low: lower bound.
        high: upper bound.
    """

    low: float
    high: float


class _Flow(NamedTuple):
    """Ways from entries: B = S x entries of all regions, one after the other.

    Attributes:
        regions: region of each entry.
        ways: places after each step of each action, from 0 to H [B N H+1 O].
        left: steps after which the region was left; H if it was not.
        into: region that was entered then.
        follows: whether the log shows a step from one region into another, or they are neighbours.
        jumps: where regions with jumps lead; rows of other regions are empty.
        luck: by how much the recorded mean of a jump may exceed the expectation, in shares of the
            highest value.
        everywhere: region of each recorded observation.
    """

    regions: Int[np.ndarray, " B"]
    ways: Float[np.ndarray, "B N H O"]
    left: Int[np.ndarray, "B N"]
    into: Int[np.ndarray, "B N"]
    follows: csr_array
    jumps: csr_array
    luck: Float[np.ndarray, " S"]
    everywhere: Int[np.ndarray, " L"]


def bounds(plan: GoalPlan, observation: Float[np.ndarray, " O"]) -> Bounds:
    """Return bounds on the expected discount of reaching the plan's goal from an observation."""
    world = plan.world
    low, high = region_bounds(plan)
    place = world.scaled(np.asarray(observation, np.float64)[None])
    goal = world.place(plan.goal)
    if np.linalg.norm(place[0] - goal) <= plan.radius:
        return Bounds(1.0, 1.0)
    region = world.regions(place)
    if world.jumping[region[0]]:
        return Bounds(float(low[region[0]]), float(high[region[0]]))
    ways, left, into = _ways(world, place, region)
    values = _values(plan, ways, left, into, low)
    best = min(1.0, max(float(high[region[0]]), float(values.max())))
    return Bounds(float(values.max()), best)


def region_bounds(plan: GoalPlan) -> tuple[Float[np.ndarray, " S"], Float[np.ndarray, " S"]]:
    """Return the lower and the upper bound of every region."""
    world, flow = plan.world, _flow(plan.world)
    goal = world.place(plan.goal)
    entries = flow.ways[:, 0, 0]
    inside = np.linalg.norm(entries - goal, axis=1) <= plan.radius
    # A region has arrived for sure if all of its entries have, at best if any observation has.
    low = _settled(plan, flow, _all_of(flow, inside, world.num_states))
    recorded = np.linalg.norm(world.model.places - goal, axis=1) <= plan.radius
    arrived = np.bincount(flow.everywhere, recorded, minlength=world.num_states) > 0
    arrived[world.regions(goal[None])] = True
    high = _best(plan, flow, arrived)
    return low, np.maximum(high, low)


def _settled(
    plan: GoalPlan, flow: _Flow, arrived: Bool[np.ndarray, " S"]
) -> Float[np.ndarray, " S"]:
    size, discount = plan.world.num_states, plan.discount
    values = arrived.astype(float)
    begins = np.flatnonzero(np.diff(flow.regions, prepend=-1))
    known = flow.regions[begins]
    hits, gains = _hits(plan, flow.ways, flow.left)
    waited = discount ** (ALLOWANCE * flow.left)
    for _ in range(SWEEPS):
        each = np.where(hits, gains, waited * values[flow.into])
        new = np.zeros(size)
        new[known] = np.minimum.reduceat(each.max(axis=1), begins)
        new = np.where(plan.world.jumping, discount * _unlucky(flow, values), new)
        new = np.where(arrived, 1.0, np.maximum(new, values))
        if (new - values).max() <= 1e-9:
            break
        values = new
    return values


def _unlucky(flow: _Flow, values: Float[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
    """Return the expected value of each region's jumps, at least, at the stated confidence."""
    highest = _highest(flow.jumps, values)
    return np.maximum(flow.jumps @ values - flow.luck * highest, 0)


def _luck(counts: Float[np.ndarray, " S"], tests: int) -> Float[np.ndarray, " S"]:
    """Return by how much means of values up to 1 may exceed their expectations (Hoeffding)."""
    return np.sqrt(np.log(max(tests, 1) / (1 - CONFIDENCE)) / (2 * np.maximum(counts, 1)))


def _highest(follows: csr_array, values: Float[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
    """Return the highest value among those that follow each region; 0 where none does."""
    highest = np.zeros(len(values))
    rows = np.repeat(np.arange(len(values)), np.diff(follows.indptr))
    np.maximum.at(highest, rows, values[follows.indices])
    return highest


def _best(plan: GoalPlan, flow: _Flow, arrived: Bool[np.ndarray, " S"]) -> Float[np.ndarray, " S"]:
    values = arrived.astype(float)
    for _ in range(SWEEPS):
        new = _highest(flow.follows, values)
        new = np.where(plan.world.jumping, flow.jumps @ values, new) * plan.discount
        new = np.where(arrived, 1.0, np.maximum(new, values))
        if (new - values).max() <= 1e-9:
            break
        values = new
    return values


def _hits(
    plan: GoalPlan, ways: Float[np.ndarray, "B N H O"], left: Int[np.ndarray, "B N"]
) -> tuple[Bool[np.ndarray, "B N"], Float[np.ndarray, "B N"]]:
    """Return which ways meet the goal before they leave their region, and their discounts."""
    goal = plan.world.place(plan.goal)
    near = np.linalg.norm(ways - goal, axis=-1) <= plan.radius
    near &= np.arange(ways.shape[2]) <= left[..., None]
    return near.any(axis=-1), plan.discount ** (ALLOWANCE * near.argmax(axis=-1))


def _values(
    plan: GoalPlan,
    ways: Float[np.ndarray, "B N H O"],
    left: Int[np.ndarray, "B N"],
    into: Int[np.ndarray, "B N"],
    low: Float[np.ndarray, " S"],
) -> Float[np.ndarray, "B N"]:
    hits, gains = _hits(plan, ways, left)
    return np.where(hits, gains, plan.discount ** (ALLOWANCE * left) * low[into])


def _all_of(flow: _Flow, inside: Bool[np.ndarray, " B"], size: int) -> Bool[np.ndarray, " S"]:
    outside = np.bincount(flow.regions, ~inside, minlength=size)
    return (outside == 0) & (np.bincount(flow.regions, minlength=size) > 0)


def _ways(
    world: LandmarkWorld, starts: Float[np.ndarray, "B O"], regions: Int[np.ndarray, " B"]
) -> tuple[Float[np.ndarray, "B N H O"], Int[np.ndarray, "B N"], Int[np.ndarray, "B N"]]:
    """Return the ways of all actions, until they leave their region or what was visited."""
    each, steps = len(world.actions), PATIENCE * round(world.spacing)
    places = np.repeat(starts, each, axis=0)
    actions = np.tile(world.actions, (len(starts), 1))
    whose = np.repeat(regions, each)
    ways = np.repeat(places[:, None], steps + 1, axis=1)
    left, into = np.full(len(places), steps), whose.copy()
    rows = np.arange(len(places))
    for step in range(1, steps + 1):
        ahead = world.model.moved(ways[rows, step - 1], actions[rows])
        known = world.model.visited(ahead)
        rows = rows[known]
        if not len(rows):
            break
        ways[rows, step:] = ahead[known, None]
        now = world.regions(ways[rows, step])
        gone = now != whose[rows]
        left[rows[gone]], into[rows[gone]] = step, now[gone]
        rows = rows[~gone]
    shape = (len(starts), each)
    return ways.reshape(*shape, *ways.shape[1:]), left.reshape(shape), into.reshape(shape)


@lru_cache(maxsize=4)
def _flow(world: LandmarkWorld) -> _Flow:
    model = world.model
    rng = np.random.default_rng(0)
    regions = world.regions(model.places)
    order = rng.permutation(len(regions))
    order = order[np.argsort(regions[order], kind="stable")]
    begins = np.flatnonzero(np.diff(regions[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    chosen = order[(rank < ENTRIES) & ~world.jumping[regions[order]]]
    ways, left, into = _ways(world, model.places[chosen], regions[chosen])
    ahead = world.regions(model.arrivals)
    size = world.num_states
    counts = csr_array((np.ones(len(ahead)), (regions, ahead)), shape=(size, size))
    total = counts.sum(axis=1)
    jumps = csr_array(diags_array(world.jumping / np.maximum(total, 1)) @ counts)
    jumps.eliminate_zeros()
    luck = _luck(total, int(world.jumping.sum()))
    # An agent may also step between neighbours where the log happens not to.
    points = KDTree(world.points)
    border = points.sparse_distance_matrix(points, 2 * world.spacing, output_type="coo_matrix")
    follows = csr_array(counts + csr_array(border))
    return _Flow(regions[chosen], ways, left, into, follows, jumps, luck, regions)
