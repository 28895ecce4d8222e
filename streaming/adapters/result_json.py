"""Rows of results as JSON for external targets, in the same form as transcript rows."""

import json
from collections.abc import Mapping
from typing import Any, Final

from streaming.temporal.ticks import LAST_TICK, Tick, format_instant

LIFETIME: Final = ("start", "end")
_OPTIONAL: Final = ("key", "edge", "deleted", "pane", "incomplete", "incomplete_columns", "repair")


def written_result(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a `DeliveryBatch` in the form that file and topic inputs read; unset members are omitted."""
    optional = {name: row[name] for name in _OPTIONAL if row.get(name)}
    return {
        "start": written_bound(row, "start"),
        "end": written_bound(row, "end"),
        "payload": row["payload"],
        **optional,
    }


def written_bound(row: Mapping[str, Any], name: str) -> str | int | None:
    """The start or the end of a row as `written_time` formats it; None for an open end."""
    at = row.get(name)
    return None if at is None else written_time(at)


def written_time(tick: int) -> str | int:
    """ISO 8601; ticks for the single time after the last year."""
    return format_instant(Tick(tick)) if tick <= LAST_TICK else tick


def compact_json(value: Any) -> bytes:
    """`value` as JSON in UTF-8 without spaces; equal values give equal bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
