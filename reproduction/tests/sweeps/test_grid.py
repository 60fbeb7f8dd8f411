"""Configs from values and from texts, and what is said about those that are none."""

from dataclasses import fields
from typing import Any, get_type_hints

import numpy as np
import pytest

from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments.registry import EXPERIMENTS, experiment
from first_occupancy_paper.rows.settings import from_text, to_text
from first_occupancy_paper.sweeps.grid import describe_fields, grid, read_values
from short_trials import TRIALS, Config


def test_every_combination_the_last_field_fastest():
    configs = grid(TRIALS, kind=["sums"], size=[1, 2], share=[0, 0.5])
    assert configs == [
        Config("sums", size=size, share=share) for size in (1, 2) for share in (0.0, 0.5)
    ]
    assert all(type(config.share) is float for config in configs)


def test_numbers_of_numpys_become_pythons():
    configs = grid(TRIALS, kind=["sums"], size=np.arange(2), share=np.linspace(0, 1, 2))
    assert [(config.size, config.share) for config in configs] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert {(type(config.size), type(config.share)) for config in configs} == {(int, float)}


def test_values_that_are_the_same_make_one_config():
    assert len(grid(TRIALS, kind=["sums"], share=[1, 1.0])) == 1


def test_texts_become_what_the_fields_take():
    texts = ["kind=sums,broken", "sizes=1:2,3", "is_odd=true", "limit=none,4", "share=1"]
    assert read_values(TRIALS, texts) == {
        "kind": ["sums", "broken"],
        "sizes": [(1, 2), (3,)],
        "is_odd": [True],
        "limit": [None, 4],
        "share": [1.0],
    }


@pytest.mark.parametrize("chosen", [each for each in EXPERIMENTS if each.kept is None])
def test_settings_of_every_experiment_can_be_said_in_texts(chosen):
    assert describe_fields(chosen)
    for config, _ in chosen.settings(True):
        for field in fields(config):
            value: Any = getattr(config, field.name)
            hint = get_type_hints(type(config))[field.name]
            if value not in ((), ""):
                assert from_text(to_text(value), hint) == value


def test_fields_are_described_with_their_limits():
    described = {name: takes for name, takes, *_ in describe_fields(experiment("four_rooms"))}
    assert described["part"] == "one of returns, noise, learning_curves"
    assert described["steps"] == "a whole number, at least 1"
    share = "a finite number, at least 0 and at most 1"
    assert described["noises"] == f'values joined by ":", each {share}'


FIELDS = "kind, size, seconds, share, sizes, is_odd, limit"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["kind=sum"], "grid: kind of short_trials must be one of sums, broken, got 'sum'"),
        (["kind=sums", "size=1.5"], "grid: size of short_trials must be a whole number, got '1.5'"),
        (
            ["kind=sums", "share=nan"],
            "grid: share of short_trials must be a finite number, got 'nan'",
        ),
        (["kind=sums", "is_odd=1"], "grid: is_odd of short_trials must be true or false, got '1'"),
        (
            ["kind=sums", "limit=x"],
            "grid: limit of short_trials must be a whole number or none, got 'x'",
        ),
        (
            ["kind=sums", "sizes=1:x"],
            'grid: sizes of short_trials must be values joined by ":", each a whole number, '
            "got '1:x'",
        ),
        (["siz=1"], f"grid: short_trials has the fields {FIELDS}, got 'siz'; did you mean size?"),
        (["q=1"], f"grid: short_trials has the fields {FIELDS}, got 'q'"),
        (
            ["size=1"],
            "grid: short_trials needs a value for kind, which has no default; "
            "its own runs use sums",
        ),
        (["size"], "--set needs FIELD=VALUE[,VALUE...], got 'size'"),
        (["size=1", "size=2"], "--set needs each field once, got size twice"),
        (
            ["kind=sums", "size=-1"],
            "grid: short_trials rejects these values: size must not be negative",
        ),
    ],
)
@pytest.mark.usefixtures("as_users_run_it")
def test_what_cannot_be_used_is_said_in_one_sentence(texts, message):
    with pytest.raises(InputError) as error:
        grid(TRIALS, **read_values(TRIALS, texts))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"size": ["3"]}, "size of short_trials must be a whole number, got '3'"),
        ({"size": [True]}, "size of short_trials must be a whole number, got True"),
        ({"size": []}, "short_trials needs a value for size, got none"),
        ({"sizes": [3]}, "sizes of short_trials must be values joined by"),
        ({"size": 3}, "size of short_trials must be a list of values, got 3"),
        ({"size": "12"}, "size of short_trials must be a list of values, got '12'"),
    ],
)
@pytest.mark.usefixtures("as_users_run_it")
def test_values_are_checked_as_texts_are(values, what):
    with pytest.raises(InputError, match=what):
        grid(TRIALS, kind=["sums"], **values)


def test_an_experiment_with_two_kinds_of_config_takes_the_one_that_fits():
    chosen = experiment("planned_exploration")
    (config,) = grid(chosen, goals=[2])
    assert type(config).__name__ == "HiddenGoalConfig"
    with pytest.raises(InputError, match="no config of planned_exploration has both goals"):
        grid(chosen, goals=[2], task=["SixArms"])
