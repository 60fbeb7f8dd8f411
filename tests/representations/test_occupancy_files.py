"""`Occupancies` come back from files as they were; what cannot be one is named."""

import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from saved_things import refusal_of, skills

nan = np.nan


def test_loaded_frs_are_planned_with_without_remembering_anything(tmp_path):
    fo.save(skills(), tmp_path / "skills.npz")
    loaded = fo.load(tmp_path / "skills.npz")
    assert (loaded.discount, loaded.representation) == (0.5, fo.first_occupancy)
    plan = planning.plan_to_goal(loaded, loaded.state_names.number_of("attic"))
    assert [str(leg) for leg in plan.legs(0)] == ["climb until attic"]
    with pytest.raises(fo.InputError, match="plan_to_goal: frs must be first-occupancy, got succ"):
        planning.plan_to_goal(skills(representation=fo.successor), 2)


CHANGES = {
    "NaN": (
        {"values": np.full((2, 3, 3), nan)},
        "{path}: Occupancies: values must hold expected discounts in [0, 1], got nan to nan",
    ),
    "discount": (
        {"facts": {"discount": "much"}},
        "{path}: Occupancies: discount must be a finite number, got 'much'",
    ),
    "decay": (
        {"facts": {"representation": "lambda_representation", "parameters": {"decay": "x"}}},
        "{path}: LambdaRepresentation: decay must be at least 0 and at most 1, got 'x'",
    ),
    "no decay": (
        {"facts": {"representation": "lambda_representation"}},
        "{path}: lambda_representation: takes other parameters, got none",
    ),
    "a decay too many": (
        {"facts": {"representation": "successor", "parameters": {"decay": 0.5}}},
        "{path}: successor: takes other parameters, got decay",
    ),
    "representation": (
        {"facts": {"representation": []}},
        "{path}: representation must be a name, and its parameters an object",
    ),
    "unknown representation": (
        {"facts": {"representation": "third_occupancy"}},
        "{path}: representation must be one of first_occupancy, lambda_representation, "
        "successor, got 'third_occupancy'",
    ),
    "no policies": (
        {"policies": np.zeros((2, 3, 2))},
        "{path}: Occupancies: policies at policy 0 'climb', state 0 'hall' does not sum to one "
        "(sums to 0)",
    ),
}


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize("name", CHANGES)
def test_files_that_hold_what_cannot_be_occupancies_are_named(tmp_path, name):
    change, message = CHANGES[name]
    path = tmp_path / "thing.npz"
    assert refusal_of(path, skills(), change).startswith(message.format(path=path))
