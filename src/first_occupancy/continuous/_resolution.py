r"""How far apart landmarks are, chosen by predicting held-out episodes.

Planning replaces a place by landmarks around it once per stride. So does a prediction here: from a
place of a held-out episode, again and again, a landmark is drawn from the shares of the place, and
the local model moves it by the recorded actions of one stride. Its error after n strides is the
root mean square distance from where the episode really was, over that of having stayed,

$$e_n = \sqrt{\mathrm E |x_n - \hat x_n|^2 / \mathrm E |x_n - x_0|^2}.$$

Chosen is the widest spacing whose mean error after 1, 4 and 16 strides is at most `GOOD`, or within
a factor `ENOUGH` of the best: fewer landmarks have more recorded steps each.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from first_occupancy.continuous._metrics import Metric, Numbers, Places
from first_occupancy.continuous.local_models import LocalModel, local_model
from first_occupancy.core.episodes import Episodes

if TYPE_CHECKING:
    from first_occupancy.continuous.landmark_worlds import Landmarks

SPACINGS = (4.0, 2.8, 2.0, 1.4, 1.0, 0.7, 0.5)
"""Spacings to choose from, in typical steps."""

STRIDES = (1, 4, 16)
"""Strides after which predictions are compared with held-out episodes."""

GOOD, ENOUGH = 0.45, 1.08
"""Errors up to this size are good enough; larger ones are if within this factor of the smallest."""

POOR = 0.9
"""Larger errors at the last stride are said to be poor."""

HELD_OUT, PREDICTED, DRAWN = 0.2, 150, 4
"""Share of episodes held out; predictions made of them, and landmarks drawn for each."""

LEARNT = 100_000
"""Transitions from which predictions are made: enough to compare spacings."""


class Prediction(NamedTuple):
    """How well held-out episodes are predicted at a spacing; see the module.

    Attributes:
        spacing: distance of landmarks, in typical steps.
        landmarks: number of landmarks.
        strides: numbers of strides ahead.
        errors: error after so many strides, of 1 if it is as large as that of staying.
        model_errors: error of the local model alone.
        misses: root mean square error, in spacings.
    """

    spacing: float
    landmarks: int
    strides: tuple[int, ...]
    errors: tuple[float, ...]
    model_errors: tuple[float, ...]
    misses: tuple[float, ...]


def predictions(
    log: Episodes,
    metric: Metric,
    spread: Callable[[LocalModel, float], "Landmarks"],
    rng: np.random.Generator,
) -> list[Prediction]:
    """Return predictions of held-out episodes at all spacings that a log has room for.

    Args:
        metric: metric of the whole log.
        spread: function from a local model and a spacing to landmarks.
    """
    numbers = rng.permutation(log.num_episodes)
    length = len(log) / log.num_episodes
    numbers = numbers[: max(2, int(LEARNT / length))]
    held_out = max(1, round(HELD_OUT * len(numbers)))
    learn, held = log.part(np.sort(numbers[held_out:])), log.part(np.sort(numbers[:held_out]))
    found: list[Prediction] = []
    for spacing in SPACINGS:
        model = local_model(learn, stride=spacing, metric=metric)
        landmarks = spread(model, spacing)
        found.append(predicted(landmarks, held, max(1, round(spacing)), rng))
        if landmarks.spacing > spacing:
            break  # as many landmarks as are allowed
    return found


def chosen(found: list[Prediction]) -> Prediction:
    """Return the widest spacing whose errors are as good as the best."""
    sizes = np.array([np.mean(each.errors) for each in found])
    return found[int(np.flatnonzero(sizes <= max(GOOD, ENOUGH * sizes.min()))[0])]


def predicted_well(found: Prediction) -> list[str]:
    """Return how well held-out episodes are predicted, in a sentence or two."""
    misses = zip(found.strides, found.misses, strict=True)
    near = ", ".join(f"{miss:.1f} after {strides}" for strides, miss in misses)
    lines = [f"held-out episodes are predicted within {near} strides, in distances of landmarks"]
    if found.errors[-1] > POOR:
        lines.append(
            f"beware: {found.strides[-1]} strides ahead, predictions are off by "
            f"{found.errors[-1]:.0%} of what the episodes moved"
        )
    return lines


def predicted(
    landmarks: "Landmarks", held: Episodes, hold: int, rng: np.random.Generator
) -> Prediction:
    """Return how well held-out episodes are predicted with landmarks."""
    lasts = np.flatnonzero(held.last)
    left = lasts[np.searchsorted(lasts, np.arange(len(held.last)))] - np.arange(len(held.last))
    strides = tuple(each for each in STRIDES if (left >= each * hold).any()) or STRIDES[:1]
    rows = np.flatnonzero(left >= min(strides[-1] * hold, left.max()))
    rows = np.repeat(rng.choice(rows, min(PREDICTED, len(rows)), replace=False), DRAWN)
    places = landmarks.model.metric.places(held.observations)
    rounded, plain, errors = places[rows], places[rows], []
    for step in range(min(strides[-1] * hold, left.max())):
        if step % hold == 0:
            rounded = landmarks.points[drawn(landmarks.shared(rounded), rng)]
        actions = held.actions[rows + step]
        rounded = landmarks.model.moved(rounded, actions)
        plain = landmarks.model.moved(plain, actions)
        if (step + 1) % hold == 0 and (step + 1) // hold in strides:
            true = places[rows + step + 1]
            size = max(_far(true, places[rows]), 1e-12)
            miss = _far(rounded, true)
            errors.append((miss / size, _far(plain, true) / size, miss / landmarks.spacing))
    errors = errors or [(1.0, 1.0, 1.0)]
    return Prediction(landmarks.spacing, landmarks.num_states, strides, *zip(*errors, strict=True))


def drawn(shares: csr_array, rng: np.random.Generator) -> Numbers:
    """Return a column of each row, drawn with the probabilities in it; rows are equally long."""
    reached = np.cumsum(shares.data.reshape(shares.shape[0], -1), axis=1)
    below = (rng.random((len(reached), 1)) >= reached).sum(axis=1)
    columns = shares.indices.reshape(len(reached), -1)
    return columns[np.arange(len(columns)), np.minimum(below, columns.shape[1] - 1)]


def _far(one: Places, other: Places) -> float:
    return float(np.sqrt(((one - other) ** 2).sum(axis=1).mean()))
