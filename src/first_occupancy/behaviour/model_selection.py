r"""Random-effects model selection: how frequent is each model in the population?

Subjects may follow different models. With log evidences $\ell_{im}$, the frequencies r of the
models have a Dirichlet posterior, found by variational Bayes (Stephan et al. 2009):

$$u_{im} \propto e^{\ell_{im} + \psi(\alpha_m) - \psi(\sum \alpha)}, \qquad
  \alpha_m = 1 + \sum_i u_{im} .$$

The exceedance probability of a model is the posterior probability that it is the most frequent one.
Protected exceedance probabilities (Rigoux et al. 2014) allow for the possibility that all models
are equally frequent, with the Bayes omnibus risk as its posterior probability.
"""

import equinox as eqx
import numpy as np
from jaxtyping import Float
from scipy.special import digamma, gammaln, logsumexp

from first_occupancy.core.errors import InputError

MAX_ROUNDS = 1000


class ModelFrequencies(eqx.Module):
    """The posterior of a random-effects analysis.

    Attributes:
        concentrations: parameters of the Dirichlet posterior of the frequencies.
        responsibilities: posterior probability of each model for each subject.
        frequencies: expected frequency of each model.
        exceedance: probability that each model is the most frequent one.
        omnibus_risk: probability that all models are equally frequent.
        protected: protected exceedance probabilities.
    """

    concentrations: Float[np.ndarray, " M"]
    responsibilities: Float[np.ndarray, "I M"]
    frequencies: Float[np.ndarray, " M"]
    exceedance: Float[np.ndarray, " M"]
    omnibus_risk: float
    protected: Float[np.ndarray, " M"]


def model_frequencies(
    log_evidences: Float[np.ndarray, "I M"], *, num_samples: int = 100_000, seed: int = 0
) -> ModelFrequencies:
    """Return how frequent each model is among subjects.

    Args:
        log_evidences: log evidence of each model for each subject: Laplace approximations, held-out
            log-likelihoods, or -BIC / 2.
    """
    evidences = np.asarray(log_evidences, float)
    if evidences.ndim != 2 or evidences.shape[1] < 2 or not np.isfinite(evidences).all():
        raise InputError(
            "model_frequencies: log_evidences must be finite numbers for at least two models, "
            f"got shape {list(evidences.shape)}"
        )
    concentrations, shares = _variational(evidences)
    samples = np.random.default_rng(seed).dirichlet(concentrations, num_samples)
    count = evidences.shape[1]
    exceedance = np.bincount(samples.argmax(axis=1), minlength=count) / num_samples
    free_energy = _free_energy(evidences, concentrations, shares)
    null = float(logsumexp(evidences, axis=1).sum() - len(evidences) * np.log(count))
    risk = float(np.exp(-np.logaddexp(0.0, free_energy - null)))
    return ModelFrequencies(
        concentrations,
        shares,
        concentrations / concentrations.sum(),
        exceedance,
        risk,
        exceedance * (1 - risk) + risk / count,
    )


def _variational(
    evidences: Float[np.ndarray, "I M"],
) -> tuple[Float[np.ndarray, " M"], Float[np.ndarray, "I M"]]:
    concentrations = np.ones(evidences.shape[1])
    for _ in range(MAX_ROUNDS):
        logs = evidences + digamma(concentrations) - digamma(concentrations.sum())
        shares = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
        renewed = 1 + shares.sum(axis=0)
        change = np.abs(renewed - concentrations).max()
        concentrations = renewed
        if change < 1e-8:
            break
    return concentrations, shares


def _free_energy(
    evidences: Float[np.ndarray, "I M"],
    concentrations: Float[np.ndarray, " M"],
    shares: Float[np.ndarray, "I M"],
) -> float:
    """Return the variational lower bound on the log evidence of different frequencies."""
    logs = digamma(concentrations) - digamma(concentrations.sum())
    count = len(concentrations)
    prior = gammaln(count)
    posterior = gammaln(concentrations.sum()) - gammaln(concentrations).sum()
    posterior += ((concentrations - 1) * logs).sum()
    entropy = -(shares * np.log(np.maximum(shares, 1e-300))).sum()
    return float((shares * (evidences + logs)).sum() + prior - posterior + entropy)
