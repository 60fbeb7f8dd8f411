"""The type of the rows that experiments yield."""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
"""One observation: a mapping from names to values that JSON can hold; no NaN, no infinity."""
