"""What type hints say of a setting is what is taken, from Python and from texts."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest

from first_occupancy.core.arguments import (
    Discount,
    Limits,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    Share,
)
from first_occupancy.core.errors import InputError
from first_occupancy_paper.rows.settings import (
    OneOf,
    as_kind,
    check_least,
    check_settings,
    from_text,
    in_words,
    to_text,
)

MEASURES = Literal["mean", True, 3, None]


@pytest.mark.parametrize(
    ("hint", "values"),
    [
        (str | None, (None, "mean")),
        (tuple[str | None, ...], ((None, "mean"), (None,))),
        (MEASURES, ("mean", True, 3, None)),
    ],
)
def test_what_a_value_is_shown_as_stands_for_it(hint, values):
    assert [from_text(to_text(value), hint) for value in values] == list(values)


def test_a_word_that_is_none_of_several_values_is_none_of_them():
    with pytest.raises(ValueError, match=r"^$"):
        from_text("median", MEASURES)


@dataclass(frozen=True)
class Settings:
    kind: Literal["sums", ""] = "sums"
    world: Annotated[str, OneOf(("room", "maze"))] = "room"
    size: PositiveInt = 1
    discount: Discount = 0.5
    rate: PositiveFloat = 1.0
    shares: tuple[Share, ...] = ()
    shape: tuple[PositiveInt, PositiveInt] = (1, 1)
    limit: NonNegativeFloat | None = None
    is_odd: bool = False
    other: Any = None

    def __post_init__(self):
        check_settings(self)


@pytest.mark.usefixtures("as_users_run_it")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "sum"}, "kind must be one of sums, \"\", got 'sum'"),
        ({"world": "hall"}, "world must be one of room, maze, got 'hall'"),
        ({"world": 3}, "world must be a text, got 3"),
        ({"size": 0}, "size must be at least 1, got 0"),
        ({"size": 1.0}, "size must be a whole number, got 1.0"),
        ({"size": True}, "size must be a whole number, got True"),
        ({"discount": 1}, "discount must be at least 0 and below 1, got 1"),
        ({"discount": float("nan")}, "discount must be a finite number, got nan"),
        ({"rate": 0.0}, "rate must be above 0, got 0.0"),
        ({"shares": (0.5, 2.0)}, "shares must be at least 0 and at most 1, got 2.0"),
        ({"shares": [2]}, "shares must be at least 0 and at most 1, got 2"),
        ({"shares": 0.5}, 'shares must be values joined by ":", each a finite number'),
        ({"shape": (1, 0)}, "shape must be at least 1, got 0"),
        ({"shape": (1,)}, 'shape must be 2 values joined by ":", each a whole number'),
        ({"limit": -1.0}, "limit must be a finite number, at least 0 or none, got -1.0"),
        ({"is_odd": 1}, "is_odd must be true or false, got 1"),
    ],
)
def test_values_that_a_hint_does_not_allow_are_refused(settings, message):
    with pytest.raises(InputError) as error:
        Settings(**settings)
    assert str(error.value).startswith(message)


def test_values_that_hints_allow_pass():
    Settings("", "maze", 2, 0, 0.1, (0, 1.0), (2, 3), 0, True, object())


def test_limits_may_depend_on_other_settings_and_errors_name_who_asks():
    with pytest.raises(InputError, match=r"^Settings: size must be at least 2, got 1$"):
        check_least(Settings(), "Settings", size=2)
    with pytest.raises(InputError, match=r"^Trial: rate must be above 0, got -1\.0$"):
        check_settings(as_if(rate=-1.0), "Trial")


def as_if(**settings):
    """Return settings that were never checked."""
    made = Settings()
    for name, value in settings.items():
        object.__setattr__(made, name, value)
    return made


def test_values_are_converted_by_the_same_hints():
    assert as_kind([1, 0], tuple[Share, ...]) == (1.0, 0.0)
    assert from_text("0.5:1", tuple[Share, ...]) == (0.5, 1.0)
    assert from_text("none", PositiveInt | None) is None


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(least=0, below=1), "at least 0 and below 1"),
        (Limits(above=0, most=2.5), "above 0 and at most 2.5"),
        (Limits(most=3), "at most 3"),
    ],
)
def test_limits_are_said_in_words(limits, words):
    assert str(limits) == words
    assert in_words(Annotated[int, limits]) == f"a whole number, {words}"
