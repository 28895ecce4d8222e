"""Results of a binding in a folder, their events as a subscriber receives them, and the fold of these events."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streaming.adapters.binding.history import ResultHistory
from streaming.adapters.committed import CommittedBatches
from streaming.storage.blobs import LocalFolder
from tests.webapp.exports.stored import StoredResults
from webapp.monitoring.row_keys import KeyFilter
from webapp.monitoring.subscribing.current import CurrentWork, FoldedRows
from webapp.monitoring.subscribing.output_rows import (
    NOTHING_RECEIVED,
    OutputCursor,
    OutputEvent,
    OutputEvents,
    StoredOutput,
)

FIELDS = {"n": "long"}
ROWS = {"row", "edge_start", "edge_end", "retraction"}
Key = Mapping[str, str | None]


@dataclass
class Followed:
    """The results of the binding `b` below `shared`."""

    shared: Path

    def __post_init__(self) -> None:
        self.results = StoredResults(self.shared / "results" / "b", FIELDS)
        self.folder = LocalFolder(self.results.folder)
        self.history = ResultHistory(LocalFolder(self.shared), "b", CommittedBatches(self.folder, "out"))

    def subscriber(self, cursor: OutputCursor = NOTHING_RECEIVED, key: Key | None = None) -> OutputEvents:
        return OutputEvents(StoredOutput("out", self.folder, self.history), KeyFilter(key or {}, FIELDS), cursor)

    def events(self, cursor: OutputCursor = NOTHING_RECEIVED, key: Key | None = None) -> list[OutputEvent]:
        return read(self.subscriber(cursor, key))

    def standing(self, as_of: int, *, upto: int | None = None, key: Key | None = None) -> list[str]:
        """Return the ids of the rows that `current` returns."""
        last = self.history.newest_batch() if upto is None else upto
        begin = StoredOutput("out", self.folder, self.history).begin(last)
        work = CurrentWork(str(self.results.folder), "out", begin, last, as_of, key or {}, FIELDS, None, 10)
        return [row["id"] for row in FoldedRows(work).standing_at(as_of)]


def read(subscriber: OutputEvents) -> list[OutputEvent]:
    return [each for each in subscriber.read() if isinstance(each, OutputEvent)]


def row_ids(events: Iterable[OutputEvent]) -> list[str]:
    return [str(each.cursor) for each in events if each.name in ROWS]


def last_cursor(events: Sequence[OutputEvent]) -> OutputCursor:
    """Return the id that a client sends after it has received `events`."""
    return events[-1].cursor if events else NOTHING_RECEIVED


def fold(events: Iterable[OutputEvent], as_of: int) -> list[str]:
    """Return the ids of the rows that stand at `as_of` after all `events`."""
    rows: list[dict[str, Any]] = []
    for event in events:
        row = json.loads(event.data)
        if event.name == "restarted":
            rows = []
        if event.name not in ROWS:
            continue
        if row.get("key") is not None:
            rows = [each for each in rows if each.get("key") != row["key"]]
        elif event.name == "retraction":
            rows.remove(next(each for each in rows if content(each) == content(row)))
        if event.name != "retraction":
            rows.append(row)
    return [row["id"] for row in rows if row["start"] <= as_of and (row["end"] is None or as_of < row["end"])]


def content(row: Mapping[str, Any]) -> object:
    return None if row.get("key") is not None else (row["start"], row["end"], row["payload"])
