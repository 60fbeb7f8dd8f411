"""The type of the rows that experiments yield.

It is defined apart from findings, which can change while rows stay the same.
"""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
"""One observation: a mapping from names to values that JSON can hold; no NaN, no infinity."""
