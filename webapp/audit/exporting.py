"""Export of events as text, in pieces: CSV for a spreadsheet, or one JSON object a line for a program."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final
from uuid import UUID

from webapp.audit.models import AuditEvent
from webapp.audit.reading import AuditCursor, AuditFilter, page_of
from webapp.core.context import organisation_context
from webapp.core.exported_files import csv_lines

PAGE: Final = 500
"""Events that are in memory at once."""
COLUMNS: Final = (
    "at",
    "action",
    "actor_kind",
    "actor_id",
    "actor",
    "token",
    "impersonator",
    "address",
    "request_id",
    "target_kind",
    "target_id",
    "target",
    "before",
    "after",
    "id",
)


def shown_event(event: AuditEvent) -> dict[str, Any]:
    """Return `event` as the API and the lines of JSON show it; `at` is ISO text in UTC."""
    return {
        "id": str(event.pk),
        "at": event.at.isoformat(),
        "action": event.action,
        "actor": {
            "kind": event.actor_kind,
            "id": event.actor_id,
            "label": event.actor_label,
            "token": event.token,
            "impersonator": event.impersonator,
            "address": event.address,
        },
        "request_id": event.request_id,
        "target": {"kind": event.target_kind, "id": event.target_id, "label": event.target_label},
        "before": event.before,
        "after": event.after,
    }


def csv_text(events: Iterable[AuditEvent]) -> str:
    """Return a line of CSV for each event, without the header."""
    return csv_lines(map(_cells, events))


def _cells(event: AuditEvent) -> list[object]:
    row = {
        **{name: getattr(event, name) for name in COLUMNS if name not in {"actor", "target"}},
        "at": event.at.isoformat(),
        "actor": event.actor_label,
        "target": event.target_label,
        "before": _json(event.before),
        "after": _json(event.after),
    }
    return [row[name] for name in COLUMNS]


def json_lines(events: Iterable[AuditEvent]) -> str:
    """Return one line of JSON for each event."""
    return "".join(f"{json.dumps(shown_event(event), ensure_ascii=False)}\n" for event in events)


WRITERS: Final[Mapping[str, tuple[str, Callable[[Iterable[AuditEvent]], str]]]] = {
    "csv": (csv_lines([COLUMNS]), csv_text),
    "json_lines": ("", json_lines),
}
"""By format: the header, and the function that writes events."""


def exported(organisation: UUID, wanted: AuditFilter, form: str) -> Iterator[bytes]:
    """Yield the events of `organisation` that match `wanted`, a page at a time, in one of the formats of `WRITERS`.

    Each page is read in its own transaction and context: a stream outlives its request, and a slow client must not keep
    a transaction open.
    """
    head, write = WRITERS[form]
    before: AuditCursor | None = None
    while True:
        with organisation_context(organisation):
            events, before = page_of(wanted, before, PAGE)
        yield (head + write(events)).encode()
        head = ""
        if before is None:
            return


def _json(state: Any) -> str | None:
    return None if state is None else json.dumps(state, ensure_ascii=False)
