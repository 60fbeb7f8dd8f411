"""Saving and loading `Occupancies`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from first_occupancy.core.errors import InputError
from first_occupancy.representations.occupancies import Occupancies
from first_occupancy.representations.representation import Representation, named
from first_occupancy.storage.saving import REALS, Kind, check_arrays, made

_FACTS = ("discount", "state_names", "policy_names")


def _pack(occupancies: Occupancies) -> tuple[Mapping[str, np.ndarray], Mapping[str, Any]]:
    arrays = {"values": np.asarray(occupancies.values)}
    if occupancies.policies is not None:
        arrays["policies"] = np.asarray(occupancies.policies)
    facts = {name: getattr(occupancies, name) for name in _FACTS}
    representation = occupancies.representation
    facts |= {"representation": representation.name, "parameters": representation.parameters}
    return arrays, facts


def _unpack(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Occupancies:
    shapes = {"values": (REALS, "N S S")}
    if "policies" in arrays:
        shapes["policies"] = (REALS, "N S A")
    check_arrays(path, arrays, shapes)
    policies = jnp.asarray(arrays["policies"]) if "policies" in arrays else None
    return made(
        path,
        Occupancies,
        jnp.asarray(arrays["values"]),
        policies=policies,
        representation=made(path, _representation, facts),
        **{name: facts.get(name) for name in _FACTS},
    )


def _representation(facts: Mapping[str, Any]) -> Representation:
    name, parameters = facts.get("representation"), facts.get("parameters", {})
    if not isinstance(name, str) or not isinstance(parameters, dict):
        raise InputError("representation must be a name, and its parameters an object")
    return named(name, **parameters)


KINDS = {"occupancies": Kind(Occupancies, _pack, _unpack)}
