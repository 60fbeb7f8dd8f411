r"""Fast learning of first-occupancy and successor features for many policies and seeds at once.

Plain TD reads and writes all weights at every step, and so waits for memory. But a whole stretch of
a walk can be processed together, with the same result up to rounding. Let W be the weights before a
stretch. Step j adds $\alpha_j b_j \delta_j^\top$, so after t steps the prediction at observation i
of the stretch is

$$b_i^\top W_t = b_i^\top W + \sum_{j < t} A_{ij}\, \delta_j^\top, \qquad
  A_{ij} = \alpha_j\, b_i^\top b_j.$$

Two matrix products give all $b_i^\top W$ and all $A_{ij}$, the small sums above give the errors
$\delta_t$ one after the other, and a last product adds them to W. Processors are fastest at matrix
products. Given the basis, the columns of W are independent, so all targets share one W, side by
side.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float, Int, Num, PyTree

from first_occupancy.core.axes import Scalar
from first_occupancy.core.errors import InputError, check_discount, check_finite, is_known
from first_occupancy.core.threads import own_settings, processors
from first_occupancy.representations.features.linear import StepSize
from first_occupancy.representations.features.maps import FeatureMap
from first_occupancy.representations.features.targets import Target, check_target

STRETCH = 25
"""Largest number of steps between two updates of the weights: enough for fast matrix products."""
BLOCK = 5
"""Steps that are unrolled: more would compile slowly and gain nothing."""
GROUP, LARGE_GROUP = 12, 3
"""Learners that advance together, and how many if their weights are large: more would not fit into
the cache of a core."""
LARGE = 2**18
"""Bytes from which on the weights of a learner are large."""


class Learned(eqx.Module):
    """Result of TD along many walks with one target."""

    weights: Float[Array, "*N K D"]
    """Learned weights of each learner."""
    errors: Float[Array, "*N E steps"]
    """L2 norm of the TD error at each step of each episode."""


def learn_walks(
    targets: Sequence[Target],
    observations: Num[Array, "*N E T O"] | Sequence[Num[ArrayLike, "_ _"]],
    *,
    features: FeatureMap,
    basis: FeatureMap | None = None,
    discount: Scalar,
    step_size: StepSize,
) -> tuple[Learned, ...]:
    r"""Return, for each target, what TD learns from each stack of E episodes of T observations.

    This is semi-gradient TD(0) along one episode after the other, starting from zero weights,

    $$W \leftarrow W + \alpha\, b(s)\, \delta^\top, \qquad
      \delta = \mathrm{target}(\phi(s), W^\top b(s'), \gamma) - W^\top b(s),$$

    with features $\phi$ and basis b. Nothing is learned across the end of an episode; if an episode
    terminates, repeat its last observation (see `linear`).

    Args:
        targets: what predictions should be, such as `[FirstOccupancy(thresholds), Successor()]`.
        observations: E episodes of T observations, T at least 2. Any leading axes *N, such as
            [seeds policies], are separate learners. A list of E arrays [T O] may hold episodes of
            different lengths; their errors are 0 after the end.
        features: feature map, what is predicted.
        basis: feature map in which the estimate is linear; None uses `features`.
        discount: discount factor per step, from 0 to 1 (exclusive).
        step_size: a number, or a function of the basis such as `normalised(fraction)`.

    Raises:
        InputError: if `targets` is a single target or empty.
    """
    check_discount("learn_walks", discount)
    if callable(targets):
        raise InputError("learn_walks: targets must be a sequence of targets, got a single one")
    if not targets:
        raise InputError("learn_walks: targets must name at least one target, got none")
    walks, lengths = _as_one_array(observations)
    check_walks("learn_walks", targets, walks, features=features, basis=basis)
    walks = jnp.asarray(walks)
    stack = jnp.reshape(walks, (-1, *walks.shape[-3:]))
    work = partial(_learn, tuple(targets), features, basis, discount, step_size, lengths)
    most = _fitting(tuple(targets), features, basis, stack)
    weights, errors = _in_groups(work, stack, most)
    lead = walks.shape[:-3]
    return tuple(
        Learned(
            weights[:, r].reshape(*lead, *weights.shape[2:]),
            errors[:, r].reshape(*lead, *errors.shape[2:]),
        )
        for r in range(len(targets))
    )


def _as_one_array(
    episodes: Num[Array, "*N E T O"] | Sequence[Num[ArrayLike, "_ _"]],
) -> tuple[Any, Int[Array, " E"] | None]:
    """Return episodes padded with their last observations, and the length of each if they differ.

    All must be matrices of observations of the same size.
    """
    if not isinstance(episodes, list | tuple):
        return episodes, None
    shapes = [np.shape(episode) for episode in episodes]
    if len(set(shapes)) <= 1:
        return jnp.asarray(episodes), None
    wrong = [n for n, shape in enumerate(shapes) if len(shape) != 2 or shape[1] != shapes[0][-1]]
    short = [n for n, shape in enumerate(shapes) if shape[:1] < (2,)]
    if wrong or short:
        place = (wrong or short)[0]
        raise InputError(
            "learn_walks: observations must be episodes [T O] of at least 2 observations, all with "
            f"the same O, got shape {list(shapes[place])} in episode {place}"
        )
    lengths = np.array([shape[0] for shape in shapes])
    rows = [np.minimum(np.arange(lengths.max()), length - 1) for length in lengths]
    padded = [np.asarray(each)[row] for each, row in zip(episodes, rows, strict=True)]
    return jnp.asarray(np.stack(padded)), jnp.asarray(lengths)


def check_walks(
    caller: str,
    targets: Sequence[Target],
    observations: Num[Array, "*N E T O"],
    *,
    features: FeatureMap,
    basis: FeatureMap | None = None,
) -> None:
    """Raise or warn before learning if the walks, features or targets do not fit together."""
    shape = np.shape(observations)
    if len(shape) < 3 or shape[-2] < 2 or 0 in shape:
        raise InputError(
            f"{caller}: observations must have shape [*N E T O], walks of at least 2 "
            f"observations, got {list(shape)}"
        )
    check_finite(caller, "observations", observations)
    extremes = _extremes(caller, "features", features, observations)
    if extremes is not None:
        for target in targets:
            check_target(caller, target, extremes)
    if basis is not None:
        _extremes(caller, "basis functions", basis, observations)


def _extremes(
    caller: str, what: str, mapping: FeatureMap, observations: Num[Array, "*N E T O"]
) -> Float[np.ndarray, "rows D"] | None:
    """Return rows with each feature's extreme values, after checking that they are finite vectors.

    The last observation of each walk has no target, so its features do not count as extremes. None
    if values are traced.
    """
    observations = jnp.asarray(observations)
    stack = jnp.reshape(observations, (-1, *observations.shape[-3:]))
    shape = jax.eval_shape(mapping, stack[0, 0, 0]).shape
    if len(shape) != 1 or not shape[0]:
        raise InputError(
            f"{caller}: {what} must be one row of numbers for an observation, "
            f"got shape {list(shape)}"
        )
    found = _in_groups(partial(_range, mapping), stack) if is_known(stack) else stack
    if not is_known(found):
        return None
    extremes, is_finite = map(np.asarray, found)
    wrong = np.flatnonzero(~is_finite.all(axis=0))
    if len(wrong):
        raise InputError(f"{caller}: {what} must be finite everywhere, number {wrong[0]} is not")
    return extremes.reshape(-1, *shape)


@eqx.filter_jit
def _range(
    mapping: FeatureMap, walks: Num[Array, "L E T O"]
) -> tuple[Float[Array, "L 2 D"], Bool[Array, "L D"]]:
    """Return each feature's lowest and highest value on a learner's walks, and if all are finite.

    Finiteness is tested by itself: on CPUs the maximum of many numbers may be a number even though
    one of them is NaN.
    """

    def wider(known: tuple[Array, Array, Array], walk: Array) -> tuple[tuple, None]:
        low, high, is_finite = known
        values = jax.vmap(mapping)(walk)
        low = jnp.minimum(low, jnp.min(values[:-1], axis=0))
        high = jnp.maximum(high, jnp.max(values[:-1], axis=0))
        return (low, high, is_finite & jnp.isfinite(values).all(axis=0)), None

    def of_learner(episodes: Array) -> tuple[Array, Array]:
        first = mapping(episodes[0, 0])
        begin = (first, first, jnp.isfinite(first))
        low, high, is_finite = jax.lax.scan(wider, begin, episodes)[0]
        return jnp.stack([low, high]), is_finite

    return jax.vmap(of_learner)(walks)


def _fitting(
    targets: tuple[Target, ...],
    features: FeatureMap,
    basis: FeatureMap | None,
    walks: Num[Array, "L E T O"],
) -> int:
    """Return how many learners to advance together, at most."""
    counted = jax.eval_shape(features, walks[0, 0, 0])
    expressed = counted if basis is None else jax.eval_shape(basis, walks[0, 0, 0])
    entries = len(targets) * counted.shape[0] * expressed.shape[0]
    itemsize = jnp.result_type(expressed.dtype, float).itemsize
    return LARGE_GROUP if entries * itemsize >= LARGE else GROUP


def _in_groups(
    work: partial[PyTree[Array]], stack: Num[Array, "L E T O"], most: int = GROUP
) -> PyTree[Array]:
    """Return the result of `work` for all learners, computed in groups with one thread per core.

    XLA runs operations of this size on one core, and releases Python's lock meanwhile.
    """
    # Within `jit` or `vmap` even a slice of a concrete array is traced, and threads cannot trace.
    traced = not is_known(stack[:1], work.args)
    if traced or any(device.platform != "cpu" for device in stack.devices()):
        return work(stack)
    cores = processors()
    num_groups = -(-len(stack) // min(most, -(-len(stack) // cores)))
    size = -(-len(stack) // num_groups)
    # Groups of equal size compile once; the last group is padded with the first learners.
    members = np.arange(-(-len(stack) // size) * size) % len(stack)
    groups = [stack[group] for group in members.reshape(-1, size)]
    as_here = own_settings()

    def in_thread(group: Array) -> PyTree[Array]:
        with as_here():
            return jax.block_until_ready(work(group))

    done = [work(groups[0])]  # first by itself, or each thread would compile
    if not is_known(done):  # a function closes over a traced value, as within `grad`
        return work(stack)
    with ThreadPoolExecutor(cores) as pool:
        done += pool.map(in_thread, groups[1:])
    return jax.tree.map(lambda *parts: jnp.concatenate(parts)[: len(stack)], *done)


@eqx.filter_jit
def _learn(
    targets: tuple[Target, ...],
    features: FeatureMap,
    basis: FeatureMap | None,
    discount: Scalar,
    step_size: StepSize,
    lengths: Int[Array, " E"] | None,
    walks: Num[Array, "L E T O"],
) -> tuple[Float[Array, "L R K D"], Float[Array, "L R E T-1"]]:
    """Return weights and error norms of L learners, for R targets."""
    L, E, T, _ = walks.shape
    stretches, is_step = _cut(walks, lengths)
    first = walks[0, 0, 0]
    express = features if basis is None else basis
    sizes = len(targets), len(express(first)), len(features(first))
    columns = sizes[0] * sizes[2]

    def advance(weights: Array, stretch: tuple[Array, Array]) -> tuple[Array, Array]:
        observations, is_step = stretch
        every = jax.vmap(jax.vmap(express))(observations)
        counted = every if basis is None else jax.vmap(jax.vmap(features))(observations)
        here = every[:, :-1]
        steps = jax.vmap(jax.vmap(step_size))(here) if callable(step_size) else step_size
        moves = here * jnp.broadcast_to(steps * is_step, here.shape[:2])[..., None]
        before = _product("lik,lkm->lim", every, weights)
        couplings = _product("lik,ljk->lij", every, moves)
        errors = _errors(targets, counted[:, :-1], before, couplings, discount)
        weights = weights + _product("ljk,ljm->lkm", moves, errors)
        norms = jnp.linalg.norm(errors.reshape(*here.shape[:2], *sizes[::2]), axis=-1)
        return weights, norms * is_step[..., None]

    dtype = jnp.result_type(express(first), float)
    weights = jnp.zeros((L, sizes[1], columns), dtype)
    weights, norms = jax.lax.scan(advance, weights, (stretches, is_step))
    weights = weights.reshape(L, sizes[1], sizes[0], sizes[2]).swapaxes(1, 2)
    norms = jnp.transpose(norms, (1, 3, 0, 2)).reshape(L, sizes[0], E, -1)
    return weights, norms[..., : T - 1]


def _cut(
    walks: Num[Array, "L E T O"], lengths: Int[Array, " E"] | None = None
) -> tuple[Num[Array, "stretches L points O"], Float[Array, "stretches 1 steps"]]:
    """Return the stretches of the walks in order, and 1 for each step in them, 0 for padding.

    Stretches overlap in one observation. The last stretch of an episode is padded with the last
    observation.
    """
    L, E, T, O = walks.shape  # noqa: E741
    count = -(-(T - 1) // STRETCH)
    length = -(-(T - 1) // (count * BLOCK)) * BLOCK
    times = np.arange(count)[:, None] * length + np.arange(length + 1)[None, :]
    cut = walks[:, :, np.minimum(times, T - 1)].reshape(L, E * count, length + 1, O)
    ends = jnp.full(E, T) if lengths is None else jnp.asarray(lengths)
    is_step = (times[None, :, :-1] < ends[:, None, None] - 1).reshape(E * count, 1, length)
    return cut.swapaxes(0, 1), jnp.asarray(is_step, float)


def _errors(
    targets: tuple[Target, ...],
    features: Float[Array, "L C D"],
    before: Float[Array, "L C+1 M"],
    couplings: Float[Array, "L C+1 C"],
    discount: Scalar,
) -> Float[Array, "L C M"]:
    """Return the TD errors of a stretch, given the predictions of the weights before it."""
    L, C, _ = features.shape

    def one_block(errors: Array, begin: Array) -> tuple[Array, None]:
        rows = jax.lax.dynamic_slice_in_dim(couplings, begin, BLOCK + 1, axis=1)
        # Errors of this and later blocks are still 0, so only those of earlier blocks are added.
        now = jax.lax.dynamic_slice_in_dim(before, begin, BLOCK + 1, axis=1)
        now = now + _product("lij,ljm->lim", rows, errors)
        within = jax.lax.dynamic_slice_in_dim(rows, begin, BLOCK, axis=2)
        counted = jax.lax.dynamic_slice_in_dim(features, begin, BLOCK, axis=1)
        found = [
            _errors_of_block(target, counted, predictions, within, discount)
            for target, predictions in zip(targets, jnp.split(now, len(targets), -1), strict=True)
        ]
        found = jnp.concatenate(found, axis=-1)
        return jax.lax.dynamic_update_slice_in_dim(errors, found, begin, axis=1), None

    nothing = jnp.zeros((L, C, before.shape[-1]), before.dtype)
    return jax.lax.scan(one_block, nothing, jnp.arange(0, C, BLOCK))[0]


def _errors_of_block(
    target: Target,
    features: Float[Array, "L C D"],
    before: Float[Array, "L C+1 D"],
    couplings: Float[Array, "L C+1 C"],
    discount: Scalar,
) -> Float[Array, "L C D"]:
    """Return the TD errors of a few steps, each computed from those before it."""
    errors, here = [], before[:, 0]
    for step in range(features.shape[1]):
        ahead = before[:, step + 1]
        for earlier, error in enumerate(errors):
            ahead = ahead + couplings[:, step + 1, earlier, None] * error
        aims = jax.vmap(target, in_axes=(0, 0, None))(features[:, step], ahead, discount)
        errors.append(aims - here)
        # The target uses the next prediction before this step's update; the next step starts from
        # the same prediction after the update.
        here = ahead + couplings[:, step + 1, step, None] * errors[-1]
    return jnp.stack(errors, axis=1)


def _product(axes: str, left: Array, right: Array) -> Array:
    return jnp.einsum(axes, left, right, precision="highest")
