"""Stored rows as JSON members: read again, completed from the previous row, and cut off where they are too long."""

import json
from collections.abc import Mapping
from typing import Final

from streaming.adapters.formats.text.split import MAX_RECORD_BYTES

NOT_KNOWN: Final = '"_not_known":'
"""Replaces a row with a large value that is neither in the change nor stored: not JSON, so it is malformed."""


def members_of(row: str) -> dict[str, str]:
    """The members of a stored row: name and value, as JSON. Members that were cut off are missing."""
    read = json.JSONDecoder().raw_decode
    found: dict[str, str] = {}
    at = 0
    while at < len(row):
        try:
            _, colon = read(row, at)
            _, end = read(row, colon + 1)
        except (ValueError, RecursionError):
            break
        found[row[at:colon]] = row[colon + 1 : end]
        at = end + 1
    return found


def completed(members: Mapping[str, str | None], before: str | None) -> str:
    """The row with `members`; a value that is None comes from the row `before`, else the row is not known."""
    known = members_of(before or "") if None in members.values() else {}
    parts = []
    for name, value in members.items():
        text = known.get(name) if value is None else value
        if text is None:
            return NOT_KNOWN
        parts.append(f"{name}:{text}")
    return truncated(",".join(parts))


def truncated(row: str) -> str:
    """Return the row as it is stored: one longer than the record limit is cut off, and so malformed."""
    return row if len(row) <= MAX_RECORD_BYTES else row[: MAX_RECORD_BYTES + 1]
