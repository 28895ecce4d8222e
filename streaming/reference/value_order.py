"""The order of values, in which rows are released and lists collected."""

from collections.abc import Mapping
from typing import Any


def sort_key(value: Any) -> tuple[Any, ...]:
    """An order over values of one type with nulls first, so that released rows have one order."""
    if value is None:
        return (0,)
    if isinstance(value, Mapping):
        return (1, tuple(sort_key(inner) for inner in value.values()))
    if isinstance(value, list | tuple):
        return (1, tuple(sort_key(inner) for inner in value))
    return (1, value)
