"""Grids: configs of an experiment for all combinations of given field values."""

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, Field, fields
from itertools import product
from typing import Any, get_type_hints

from first_occupancy.core.errors import InputError
from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.rows.settings import as_kind, from_text, in_words, to_text

BETWEEN_VALUES = ","


def grid(experiment: Experiment, **values: Iterable[Any]) -> list[Any]:
    """Return a config for every combination of the fields' values, the last field fastest.

    Args:
        experiment: the experiment whose config class is used.
        **values: the values of each field. Fields that are not named keep their default; fields
            without a default must be named.

    Raises:
        InputError: a field is unknown, missing or has no values, a value is of the wrong type, or
            the config class rejects a combination.
    """
    config_type = _config_type(experiment, list(values))
    hints = get_type_hints(config_type)
    checked = {
        name: _each(experiment, name, each, hints[name], as_kind) for name, each in values.items()
    }
    for name, each in checked.items():
        if not each:
            raise InputError(f"grid: {experiment.name} needs a value for {name}, got none")
    try:
        return [
            config_type(**dict(zip(checked, each, strict=True)))
            for each in product(*checked.values())
        ]
    except (TypeError, ValueError) as error:  # raised by the config class
        raise InputError(f"grid: {experiment.name} rejects these values: {error}") from None


def read_values(experiment: Experiment, settings: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values of fields, parsed from texts such as "steps=200,300".

    Args:
        experiment: the experiment whose config class says what type each field has.
        settings: one text "field=values" per field. Commas separate values, and colons separate
            the items of one value, as in "noises=0:0.2,0.5".

    Raises:
        InputError: a text has another form, names a field twice or one that is unknown, or a
            value is of the wrong type.
    """
    texts: dict[str, str] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name or not text:
            raise InputError(f"--set needs FIELD=VALUE[,VALUE...], got {setting!r}")
        if name in texts:
            raise InputError(f"--set needs each field once, got {name} twice")
        texts[name] = text
    hints = get_type_hints(_config_type(experiment, list(texts)))
    return {
        name: _each(experiment, name, text.split(BETWEEN_VALUES), hints[name], from_text)
        for name, text in texts.items()
    }


def describe_fields(experiment: Experiment) -> list[tuple[str, str, str, str]]:
    """Return each field's name, accepted values, default, and values in the full settings."""
    described = {}
    for kind in _config_types(experiment):
        hints = get_type_hints(kind, include_extras=True)
        for field in fields(kind):
            name, default = field.name, _default(field)
            shown = "" if default is MISSING else to_text(default)
            described[name] = (name, in_words(hints[name]), shown, _used(experiment, name))
    return list(described.values())


def check_can_run(experiment: Experiment) -> None:
    """Raise unless the experiment can be run with any config."""
    if experiment.kept is not None:
        raise InputError(
            f"sweep: {experiment.name} takes too long for a sweep, and its rows are kept with the "
            f"project; to train again: first-occupancy run {experiment.name}"
        )


def _config_types(experiment: Experiment) -> list[type]:
    check_can_run(experiment)
    listed = [*experiment.settings(False), *experiment.settings(True)]
    if not listed:
        raise InputError(
            f"grid: 'settings' of {experiment.name} must list at least one config, which says "
            "what fields there are, got none"
        )
    return list(dict.fromkeys(type(config) for config, _ in listed))


def _config_type(experiment: Experiment, names: Sequence[str]) -> type:
    """Return the first of the experiment's dataclasses that has all these fields."""
    kinds = _config_types(experiment)
    for kind in kinds:
        if {field.name for field in fields(kind)}.issuperset(names):
            for field in fields(kind):
                if field.name not in names and _default(field) is MISSING:
                    raise InputError(
                        f"grid: {experiment.name} needs a value for {field.name}, which has no "
                        f"default; its own runs use {_used(experiment, field.name)}"
                    )
            return kind
    known = list(dict.fromkeys(field.name for kind in kinds for field in fields(kind)))
    odd = [name for name in names if name not in known]
    if not odd:
        raise InputError(f"grid: no config of {experiment.name} has both {' and '.join(names)}")
    near = [name for name in known if odd[0] in name] or difflib.get_close_matches(odd[0], known)
    guess = f"; did you mean {near[0]}?" if near else ""
    raise InputError(
        f"grid: {experiment.name} has the fields {', '.join(known)}, got {odd[0]!r}{guess}"
    )


def _default(field: Field) -> Any:
    """Return the default of a field, `MISSING` if it has none."""
    return field.default_factory() if callable(field.default_factory) else field.default


def _used(experiment: Experiment, name: str) -> str:
    """Return the values of a field in the full settings, as texts."""
    configs = [config for config, _ in experiment.settings(False) if hasattr(config, name)]
    return ", ".join(dict.fromkeys(to_text(getattr(config, name)) for config in configs))


def _each(
    experiment: Experiment,
    name: str,
    values: Iterable[Any],
    hint: Any,
    convert: Callable[[Any, Any], Any],
) -> list[Any]:
    """Return the values converted to the field's type, without duplicates."""
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise InputError(
            f"grid: {name} of {experiment.name} must be a list of values, got {values!r}"
        )
    converted = []
    for value in values:
        try:
            each = convert(value, hint)
        except ValueError:
            raise InputError(
                f"grid: {name} of {experiment.name} must be {in_words(hint)}, got {value!r}"
            ) from None
        if each not in converted:
            converted.append(each)
    return converted
