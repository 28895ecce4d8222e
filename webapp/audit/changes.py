"""What differs between two states of a thing, in a form that is read at a glance."""

from collections.abc import Mapping
from typing import Any


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return of both states only what is not the same; mappings are compared key by key, lists as a whole.

    A key that one of them lacks is absent there too. Two equal states leave two empty ones.
    """
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for name in [*before, *(name for name in after if name not in before)]:
        here, there = name in before, name in after
        if here and there and before[name] == after[name]:
            continue
        if here and there and isinstance(before[name], Mapping) and isinstance(after[name], Mapping):
            old[name], new[name] = difference(before[name], after[name])
            continue
        if here:
            old[name] = before[name]
        if there:
            new[name] = after[name]
    return old, new
