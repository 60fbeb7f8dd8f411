"""Several models side by side: a table, scores per subject, and who wins."""

from collections.abc import Callable, Sequence

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Float, Int

from first_occupancy.behaviour.fitting import Fit, fit
from first_occupancy.behaviour.held_out import HeldOut, held_out, usual_folds
from first_occupancy.behaviour.model_selection import ModelFrequencies, model_frequencies
from first_occupancy.behaviour.models import Model
from first_occupancy.behaviour.subjects import Subjects
from first_occupancy.core.arguments import PositiveInt, check_arguments
from first_occupancy.core.axes import PRNGKey
from first_occupancy.core.display import Displayed
from first_occupancy.core.errors import InputError, check_key

Folds = Callable[[Subjects], Int[np.ndarray, "I T"]]
"""A function such as `folds_by_layout`, from subjects to the fold of each choice."""


class Comparison(Displayed, eqx.Module):
    """Fits of several models to the same choices.

    Attributes:
        fits: one fit per model.
        held_out: held-out log-likelihoods of each model; None if nothing was held out.
    """

    fits: tuple[Fit, ...]
    held_out: tuple[HeldOut, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(each.model.name for each in self.fits)

    @property
    def scores(self) -> Float[np.ndarray, "I M"]:
        """What models are compared by: held-out log-likelihoods, or else -BIC / 2."""
        if self.held_out is not None:
            return np.stack([each.log_likelihoods for each in self.held_out], axis=1)
        return np.stack([-each.bic / 2 for each in self.fits], axis=1)

    @property
    def best(self) -> str:
        """Name of the model with the largest summed score."""
        return self.names[int(self.scores.sum(axis=0).argmax())]

    @property
    def winners(self) -> tuple[str, ...]:
        """Name of the model with the largest score, for each subject."""
        return tuple(self.names[place] for place in self.scores.argmax(axis=1))

    def frequencies(self) -> ModelFrequencies:
        """Return how frequent each model is among subjects, by random effects."""
        return model_frequencies(self.scores)

    def table(self) -> list[dict[str, str | int | float]]:
        """Return one row per model: parameters, sums over subjects, and model selection."""
        selection = self.frequencies() if len(self.fits) > 1 else None
        rows = []
        for place, each in enumerate(self.fits):
            row: dict[str, str | int | float] = {
                "model": each.model.name,
                "parameters": each.numbers.shape[-1],
                "log_likelihood": each.log_likelihood,
                "aic": float(each.aic.sum()),
                "bic": float(each.bic.sum()),
            }
            if self.held_out is not None:
                row["held_out"] = self.held_out[place].log_likelihood
            if selection is not None:
                row["wins"] = self.winners.count(each.model.name)
                row["frequency"] = float(selection.frequencies[place])
                row["protected"] = float(selection.protected[place])
            rows.append(row)
        return rows

    def _summary(self) -> str:
        rows = self.table()
        lines = [list(rows[0])] + [[_text(value) for value in row.values()] for row in rows]
        first, *widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        layout = f"{{:<{first}}}" + "".join(f"{{:>{2 + width}}}" for width in widths)
        return "\n".join(layout.format(*line) for line in lines)


def _text(value: str | int | float) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if 0 <= value <= 1 else f"{value:,.1f}"
    return str(value)


@check_arguments
def compare(
    models: Sequence[Model],
    subjects: Subjects,
    key: PRNGKey | None = None,
    *,
    num_starts: PositiveInt = 4,
    folds: Folds | None = usual_folds,
) -> Comparison:
    """Return the fits of several models, with held-out log-likelihoods; shown as a table.

    Args:
        models: models with different names.
        subjects: recorded choices.
        key: JAX random key, for the starts; None for the key of seed 0.
        num_starts: number of starts per fit.
        folds: how to hold choices out, by default layout by layout, or by time where there is one
            layout; None to compare by the BIC instead.

    Raises:
        InputError: if there are no models, or two of one name.
    """
    names = [model.name for model in models]
    if not names or len(set(names)) < len(names):
        raise InputError(f"compare: models must have different names, got {names}")
    key = jax.random.key(0) if key is None else key
    check_key("compare", "key", key)
    fits = tuple(
        fit(model, subjects, jax.random.fold_in(key, number), num_starts=num_starts)
        for number, model in enumerate(models)
    )
    if folds is None:
        return Comparison(fits)
    parts = np.asarray(folds(subjects))
    if parts.shape != subjects.choices.states.shape:
        raise InputError(
            "compare: folds must return a number for each choice, "
            f"{list(subjects.choices.states.shape)}, got shape {list(parts.shape)}"
        )
    return Comparison(fits, tuple(held_out(whole, subjects, folds=parts) for whole in fits))
