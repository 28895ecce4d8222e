"""Small inputs for the tests of adapters: files with chosen times, and all data that an adapter reads from them."""

import gzip
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from streaming.adapters.contract import InputAdapter
from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.temporal.events import Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element, MalformedRow

POINTS = StreamDefinition(
    fields={"k": "string", "v": "long"}, event_time=EventTime(start=TimeColumn(column="ts", unit="us"))
)
"""Points at `ts` (us) with a string and a long."""
INTERVALS = StreamDefinition(
    shape=Shape.INTERVAL,
    fields={"k": "string"},
    event_time=EventTime(start=TimeColumn(column="ts", unit="us"), end=TimeColumn(column="until", unit="us")),
)


def write(path: Path, content: str | bytes, *, modified_s: int = 1_000) -> Path:
    """Write a file with that content (compressed for .gz) and modification time."""
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    os.utime(path, (modified_s, modified_s))
    return path


def files(
    root: Path,
    stream: StreamDefinition = POINTS,
    journal: Path | None = None,
    **options: Any,
) -> InputAdapter:
    """A file adapter on `root` (or on `path` inside it)."""
    return input_adapter("file", {"path": ".", **options}, stream, root, journal)


def chunks(adapter: InputAdapter, step: int = 1_000_000) -> list[Arrived]:
    """All chunks of all lanes, read `step` rows at a time, until no more come."""
    found: list[Arrived] = []
    reached: Mapping[str, int] = dict.fromkeys(adapter.lanes(), 0)
    while True:
        further = adapter.latest(reached, now=0, limit_rows=step)
        if dict(further) == dict(reached):
            return found
        for lane in adapter.lanes():
            found += adapter.read(lane, reached[lane], further[lane])
        reached = further


def rows(adapter: InputAdapter, step: int = 1_000_000) -> list[Element]:
    """All elements in arrival order."""
    return [element for chunk in chunks(adapter, step) for element in elements(chunk)]


def payloads(found: Sequence[Element], field: str) -> list[Any]:
    """The values of one field; a malformed row is represented by its reason."""
    return [row.payload[field] if isinstance(row, Event) else _reason(row) for row in found]


def _reason(row: Element) -> Reason | Element:
    return row.reason if isinstance(row, MalformedRow) else row


def malformed(adapter: InputAdapter) -> list[tuple[int, Reason, str]]:
    """Position, reason and original text of every malformed row."""
    return [
        (int(chunk.positions[index]), reason, chunk.raw([index])[0])
        for chunk in chunks(adapter)
        for index, reason in chunk.malformed.items()
    ]
