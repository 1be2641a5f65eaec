"""Plain data as JSON: numbers to their last digit, and null where there is none."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any


def known(value: float | None) -> float | None:
    """A number that JSON can say: not NaN, not infinite."""
    return None if value is None or not math.isfinite(value) else float(value)


def json_text(value: Any, indent: int | None = 1) -> str:
    """A value as JSON text, which ends its last line; without indent it is one line."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, indent=indent) + "\n"


def _plain(value: Any) -> Any:
    """The same of dictionaries, lists and what JSON knows only."""
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if hasattr(value, "tolist"):  # an array of numpy, or one of its numbers
        return _plain(value.tolist())
    if isinstance(value, float):
        return known(value)
    return [_plain(each) for each in value] if isinstance(value, Iterable) else value
