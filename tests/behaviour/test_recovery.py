"""Models and parameters that made the data are found again."""

import jax
import pytest

from first_occupancy.behaviour import models
from first_occupancy.behaviour.fitting import fit
from first_occupancy.behaviour.recovery import recover, simulated_like
from first_occupancy.behaviour.simulation import starts_of
from simulated_choices import LAYOUTS, simulated, starts

KEY = jax.random.key(0)


@pytest.mark.whole
def test_models_and_parameters_are_recovered():
    candidates = [models.random_walk(), models.habit_model(LAYOUTS), models.planning_model(2)]
    found = recover(candidates, LAYOUTS, starts(8, 40), KEY, num_starts=1)
    assert (found.wins.sum(axis=1) == 8).all()
    assert (found.rates >= 7 / 8).all(), found
    assert min(found.correlations[1].values()) > 0.8
    assert repr(found).splitlines()[0].startswith("random walk: recovered in ")


def test_subjects_simulated_from_a_fit_behave_like_the_recorded_ones():
    model = models.planning_model(3)
    subjects = simulated(model, {"discount": 0.85, "inverse_temperature": 14.0})
    like = simulated_like(
        fit(model, subjects, KEY), subjects, starts_of(subjects), KEY, num_moves=40
    )
    recorded, again = (
        who.num_choices.sum() / (who.choices.trials.max(axis=1) + 1).sum()
        for who in (subjects, like)
    )
    assert abs(recorded - again) < 2.0
