"""The difference of two states of an object, in a form that is quick to read."""

from collections.abc import Mapping
from typing import Any


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the differing parts of both states; mappings are compared key by key, lists as a whole.

    A key that one state lacks is absent from its part too. Two equal states return two empty mappings.
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
