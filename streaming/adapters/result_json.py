"""Rows of results as JSON for targets outside, in the form in which transcripts write rows."""

import json
from collections.abc import Mapping
from typing import Any, Final

from streaming.temporal.ticks import LAST_TICK, Tick, format_instant

LIFETIME: Final = ("start", "end")
_WHEN_SAID: Final = ("key", "edge", "deleted", "pane", "incomplete", "incomplete_columns", "repair")


def written_result(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a `DeliveryBatch` as the inputs for files and topics read it again; what is not said is left out."""
    said = {name: row[name] for name in _WHEN_SAID if row.get(name)}
    return {"start": written_bound(row, "start"), "end": written_bound(row, "end"), "payload": row["payload"], **said}


def written_bound(row: Mapping[str, Any], name: str) -> str | int | None:
    """The start or the end of a row as `written_time` has it; None for an open end."""
    at = row.get(name)
    return None if at is None else written_time(at)


def written_time(tick: int) -> str | int:
    """ISO 8601; ticks for the one time that is behind the last year."""
    return format_instant(Tick(tick)) if tick <= LAST_TICK else tick


def compact_json(value: Any) -> bytes:
    """`value` as JSON in UTF-8 without spaces; the same value, the same bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
