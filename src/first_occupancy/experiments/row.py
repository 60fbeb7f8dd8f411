"""What experiments yield, apart from what is made of it: findings can change and rows stay."""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
"""One observation: names to numbers, texts, or lists of them; no NaN, no infinity."""
