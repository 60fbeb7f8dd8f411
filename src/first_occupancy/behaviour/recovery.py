"""Recovery: would the analysis find the truth if it were one of the models?

Before a comparison is trusted, subjects are simulated from each model with parameters drawn from
its priors, fitted with all models, and counted: how often does the model win that made the data,
and do estimates correlate with the parameters that made them?
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float, Int

from first_occupancy.behaviour.fitting import Fit, UndeterminedWarning, fit
from first_occupancy.behaviour.models import Model
from first_occupancy.behaviour.parameters import Parameter, draw, named
from first_occupancy.behaviour.simulation import Starts, simulate
from first_occupancy.behaviour.subjects import Layouts, Subjects, joined
from first_occupancy.core.axes import PRNGKey


class Recovery(eqx.Module):
    """How often each model wins, by the model that made the data.

    Attributes:
        names: names of the models.
        wins: number of subjects by (model that made the data, model that won by the BIC).
        correlations: for each model, the correlation over subjects of true and estimated
            parameters on the unconstrained scale, by the parameter's name.
    """

    names: tuple[str, ...] = eqx.field(static=True)
    wins: Int[np.ndarray, "M M"]
    correlations: tuple[dict[str, float], ...]

    @property
    def rates(self) -> Float[np.ndarray, " M"]:
        """Share of subjects for whom the model won that made their data."""
        return np.diag(self.wins) / self.wins.sum(axis=1)

    def __repr__(self) -> str:
        lines = []
        for name, rate, found in zip(self.names, self.rates, self.correlations, strict=True):
            known = ", ".join(f"{each} r = {value:.2f}" for each, value in found.items())
            lines.append(f"{name}: recovered in {rate:.0%}; {known or 'no parameters'}")
        return "\n".join(lines)


def recover(
    models: Sequence[Model],
    layouts: Layouts,
    starts: Starts,
    key: PRNGKey,
    *,
    num_moves: int = 50,
    num_starts: int = 3,
    scale: float = 0.5,
    centres: Mapping[str, float] | None = None,
) -> Recovery:
    """Return how well models and their parameters are recovered from simulated subjects.

    The subjects of all models are fitted together, model by model.

    Args:
        starts: where the trials begin; as many subjects are simulated from each model.
        centres: medians from which subjects are drawn, by the parameter's name, in place of its
            typical value; None for typical values.
    """
    number, truths, made = len(starts.states), [], []
    for place, model in enumerate(models):
        drawing, moving = jax.random.split(jax.random.fold_in(key, place))
        centred = [
            replace(each, typical=(centres or {}).get(each.name, each.typical))
            for each in model.parameters
        ]
        truths.append(draw(centred, (number,), drawing, scale=scale))
        values = named(model.parameters, truths[-1])
        made.append(simulate(model, values, layouts, starts, moving, num_moves=num_moves))
    subjects = joined(made)
    with warnings.catch_warnings():  # wrong models have parameters without effect
        warnings.simplefilter("ignore", UndeterminedWarning)
        fitting = jax.random.fold_in(key, len(models))
        fits = [fit(model, subjects, fitting, num_starts=num_starts) for model in models]
    best = np.stack([each.bic for each in fits]).argmin(axis=0)
    wins = np.stack(
        [np.bincount(own, minlength=len(models)) for own in best.reshape(len(models), number)]
    )
    correlations = [
        _correlations(model.parameters, found.numbers[place * number :][:number], truth)
        for place, (model, found, truth) in enumerate(zip(models, fits, truths, strict=True))
    ]
    return Recovery(tuple(model.name for model in models), wins, tuple(correlations))


def _correlations(
    parameters: Sequence[Parameter], numbers: Float[Array, "I P"], truth: Float[np.ndarray, "I P"]
) -> dict[str, float]:
    """Return the correlation of true and estimated parameters, by name.

    Estimates far outside of what was simulated, where a fit has run towards a bound, are ranked:
    the correlation is Spearman's.
    """
    ranks = [np.argsort(np.argsort(each, axis=0), axis=0).T for each in (numbers, truth)]
    pairs = zip(parameters, *ranks, strict=True)
    return {each.name: float(np.corrcoef(one, other)[0, 1]) for each, one, other in pairs}


def simulated_like(
    found: Fit, subjects: Subjects, starts: Starts, key: PRNGKey, *, num_moves: int = 50
) -> Subjects:
    """Return subjects simulated with fitted parameters: a posterior-predictive check."""
    options = {"num_moves": num_moves, "names": subjects.names}
    return simulate(found.model, found.values, subjects.layouts, starts, key, **options)
