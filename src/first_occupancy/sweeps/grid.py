"""Grids: configs of an experiment from the values that its fields should take.

A field may be a number, a text, true or false, one of some texts (`Literal`), several of one
of these (`tuple`), or none of them (`| None`), as the experiment's dataclass says.
"""

import difflib
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from itertools import product
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from first_occupancy.core.errors import InputError
from first_occupancy.experiments import Experiment

BETWEEN_VALUES, BETWEEN_ITEMS = ",", ":"


def grid(experiment: Experiment, **values: Iterable[Any]) -> list[Any]:
    """Return a config for every combination of the fields' values, the last field fastest.

    Fields that are not named keep their default, and those without one must be named.
    """
    config_type = _config_type(experiment, list(values))
    hints = get_type_hints(config_type)
    checked = {
        name: [_checked(experiment, name, value, hints[name]) for value in each]
        for name, each in values.items()
    }
    for name, each in checked.items():
        if not each:
            raise InputError(f"sweep: {experiment.name} needs a value for {name}, got none")
    try:
        found = [
            config_type(**dict(zip(checked, each, strict=True)))
            for each in product(*checked.values())
        ]
    except (TypeError, ValueError) as error:  # whatever the config itself refuses
        raise InputError(f"sweep: {experiment.name} does not take these values: {error}") from None
    return [config for number, config in enumerate(found) if config not in found[:number]]


def read_values(experiment: Experiment, settings: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values of fields from texts such as "steps=200,300" and "noises=0:0.2,0.5".

    Commas stand between values, and colons between the items of one value.
    """
    texts: dict[str, str] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name or not text:
            raise InputError(f"sweep: --set needs FIELD=VALUE[,VALUE...], got {setting!r}")
        if name in texts:
            raise InputError(f"sweep: --set needs each field once, got {name} twice")
        texts[name] = text
    hints = get_type_hints(_config_type(experiment, list(texts)))
    return {
        name: [_read(experiment, name, value, hints[name]) for value in text.split(BETWEEN_VALUES)]
        for name, text in texts.items()
    }


def describe_fields(experiment: Experiment) -> list[tuple[str, str, str, str]]:
    """Return for each field its name, what it takes, its default, and what the paper's runs use."""
    described = {}
    for config_type in _config_types(experiment):
        hints = get_type_hints(config_type)
        for field in fields(config_type):
            default = "" if _is_required(field) else _text(_default(field))
            used = dict.fromkeys(_text(value) for value in _used(experiment, field.name))
            described[field.name] = (
                field.name,
                _words(hints[field.name]),
                default,
                ", ".join(used),
            )
    return list(described.values())


def check_can_run(experiment: Experiment) -> None:
    """Raise unless the experiment can be run with configs of our own."""
    if experiment.kept is not None:
        raise InputError(
            f"sweep: {experiment.name} takes too long for a sweep and its rows are kept with the "
            f"project; train anew with: first-occupancy run {experiment.name}"
        )


def _config_types(experiment: Experiment) -> list[type]:
    check_can_run(experiment)
    listed = [*experiment.settings(False), *experiment.settings(True)]
    if not listed:
        raise InputError(
            f"sweep: 'settings' of {experiment.name} must list a config, so that its fields are "
            "known, got none"
        )
    return list(dict.fromkeys(type(config) for config, _ in listed))


def _config_type(experiment: Experiment, names: Sequence[str]) -> type:
    """Return the first of the experiment's dataclasses that has all these fields."""
    kinds = _config_types(experiment)
    for kind in kinds:
        if {field.name for field in fields(kind)}.issuperset(names):
            _check_required(experiment, kind, names)
            return kind
    known = list(dict.fromkeys(field.name for kind in kinds for field in fields(kind)))
    odd = [name for name in names if name not in known]
    if not odd:
        raise InputError(f"sweep: no config of {experiment.name} has {' and '.join(names)} at once")
    near = difflib.get_close_matches(odd[0], known, n=1, cutoff=0.5)
    guess = f"; did you mean {near[0]}?" if near else ""
    raise InputError(
        f"sweep: {experiment.name} has the fields {', '.join(known)}, got {odd[0]!r}{guess}"
    )


def _check_required(experiment: Experiment, kind: type, names: Sequence[str]) -> None:
    for field in fields(kind):
        if _is_required(field) and field.name not in names:
            used = dict.fromkeys(_text(value) for value in _used(experiment, field.name))
            raise InputError(
                f"sweep: {experiment.name} needs a value for {field.name}, which has no default; "
                f"its own runs use {', '.join(used)}"
            )


def _is_required(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _default(field: Any) -> Any:
    return field.default_factory() if field.default is MISSING else field.default


def _used(experiment: Experiment, name: str) -> list[Any]:
    configs = [config for config, _ in experiment.settings(False)]
    return [getattr(config, name) for config in configs if hasattr(config, name)]


def _checked(experiment: Experiment, name: str, value: Any, hint: Any) -> Any:
    """Return a value as the field's type has it, or say what the field takes."""
    try:
        return _as(value, hint)
    except ValueError:
        raise _refused(experiment, name, value, hint) from None


def _read(experiment: Experiment, name: str, text: str, hint: Any) -> Any:
    try:
        return _from_text(text, hint)
    except ValueError:
        raise _refused(experiment, name, text, hint) from None


def _refused(experiment: Experiment, name: str, value: Any, hint: Any) -> InputError:
    return InputError(f"sweep: {name} of {experiment.name} must be {_words(hint)}, got {value!r}")


def _as(value: Any, hint: Any) -> Any:
    """Return the value if it is of the type; whole numbers are numbers, lists are tuples."""
    if hint is Any:
        return value
    if hint is float and type(value) is int:
        return float(value)
    if get_origin(hint) is Literal:
        if value in get_args(hint):
            return value
    elif get_origin(hint) in (Union, types.UnionType):
        return _first_of(lambda each: _as(value, each), get_args(hint))
    elif get_origin(hint) is tuple:
        if isinstance(value, tuple | list):
            return tuple(map(_as, value, _item_hints(hint, len(value))))
    elif type(value) is (type(None) if hint is None else hint):
        return value
    raise ValueError


def _from_text(text: str, hint: Any) -> Any:
    """Return the value that a text stands for, of the type."""
    if hint is bool:
        return {"true": True, "false": False}.get(text.lower(), text) if text else text
    if get_origin(hint) is Literal:
        return _as(next((each for each in get_args(hint) if str(each) == text), text), hint)
    if get_origin(hint) in (Union, types.UnionType):
        return _first_of(lambda each: _from_text(text, each), get_args(hint))
    if get_origin(hint) is tuple:
        items = text.split(BETWEEN_ITEMS)
        return tuple(map(_from_text, items, _item_hints(hint, len(items))))
    if hint in (None, type(None)):
        return _as(None if text == "none" else text, hint)
    return hint(text)
