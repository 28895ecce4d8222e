"""The order of values for released rows, collected lists and versions of tables."""

from collections.abc import Mapping
from typing import Any


def sort_key(value: Any) -> tuple[Any, ...]:
    """Return the sort key of values of one type, nulls first, so that rows have one order."""
    if value is None:
        return (0,)
    if isinstance(value, Mapping):
        return (1, tuple(sort_key(inner) for inner in value.values()))
    if isinstance(value, list | tuple):
        return (1, tuple(sort_key(inner) for inner in value))
    return (1, value)
