"""A table that is loaded whole: each load of its files is a snapshot, read from a copy (T50, T51)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from streaming.adapters.contract import AdapterError, Position
from streaming.adapters.file.adapter import FileAdapter
from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.options import FileOptions
from streaming.adapters.file.source import FileStore
from streaming.adapters.table_loads.journal import LoadJournal, TableLoad, copy_files, forget_copies
from streaming.definition.streams.stream import EventTime, Rowtime, StreamDefinition, TableClock, TimeColumn
from streaming.definition.streams.tables import table_rules
from streaming.definition.streams.time_patterns import time_pattern
from streaming.temporal.events import Payload, Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.tables import MalformedVersion
from streaming.temporal.ticks import Tick, parse_duration
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.rows.arrived import Arrived, RowKind
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of
from streaming.wire.rows.row_json import Element, MalformedRow, snapshot_elements


def rows_of_table(stream: StreamDefinition) -> StreamDefinition:
    """Return `stream` with its rows as events: at the time of their load if it is in a column, else of their file."""
    word, _, name = ("" if stream.load is None else stream.load.effective).partition(" ")
    update = {"shape": Shape.POINT, "load": None, "keys": None, "version": None, "first": None, "max_keys": None}
    update |= {"clock": None, "follow": None}
    if word != "column":
        return stream.model_copy(update={**update, "event_time": None, "rowtime": Rowtime.IMPLICIT})
    known = stream.event_time
    time = known if known is not None and known.start.column == name else EventTime(start=TimeColumn(column=name))
    return stream.model_copy(update={**update, "event_time": time})


class TableLoads:
    """Polls the files of a table, and journals a copy of them whenever they have changed: the lane "0" has the loads.

    A load counts when it is in the journal. Files that change while they are copied are no load; the next poll copies
    them again. Replaying a load reads its copy, so the same versions come (law 12).
    """

    def __init__(self, options: FileOptions, stream: StreamDefinition, source: FileStore, folder: Path) -> None:
        if stream.load is None:
            raise TypeError("the stream has no loads")
        self._options = options
        self._stream = stream
        self._load = stream.load
        self._rules = table_rules(stream)
        self._source = source
        self._folder = folder
        self._journal = LoadJournal.at(folder)
        self._due = 0

    def lanes(self) -> Sequence[str]:
        """The one lane "0"."""
        return (ONLY_LANE,)

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:  # noqa: ARG002
        """Return the position after the next load, if there is one; poll if it is time. Raises `AdapterError`."""
        reached = start.get(ONLY_LANE, 0)
        if len(self._journal.entries()) <= reached and now >= self._due and not self._has_all(reached):
            self._poll(now)
            self._due = now + parse_duration(self._load.every)
        return {ONLY_LANE: max(reached, min(len(self._journal.entries()), reached + 1))}

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Return True after the first load of a static table."""
        return self._has_all(positions.get(ONLY_LANE, 0))

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:  # noqa: ARG002
        """Yield each load as a snapshot, and the rows that it refuses."""
        for load in self._journal.entries()[start:end]:
            note: dict[str, Any] = {"load": load.first, "files": [path for path, _, _ in load.source]}
            try:
                found = self._elements(load)
            except (AdapterError, OSError) as error:
                found, note["error"] = [_refused(load.at, Reason.BAD_ROW)], str(error)
            raw = json.dumps(note, ensure_ascii=False)
            yield arrived_of([JudgedRow(load.first, each, raw) for each in found], self._stream)

    def holds(self, lane: str, start: Position, end: Position) -> bool:  # noqa: ARG002
        """Return True if the copies of these loads are kept."""
        loads = self._journal.entries()
        return end <= len(loads) and all(
            any(self._folder.glob(self._journal.pattern(load))) for load in loads[start:end]
        )

    def _has_all(self, reached: Position) -> bool:
        return self._stream.clock is TableClock.STATIC and reached > 0

    def _poll(self, now: int) -> None:
        self._source.at(now)
        files = self._source.find()
        word, _, pattern = self._load.effective.partition(" ")
        if word == "path":
            for at, file in self._dated(files, pattern):
                self._take(at, [file])
        elif files:
            times = {"poll": now, "file_time": max(each.modified_ns for each in files) // 1_000}
            self._take(times.get(word), files)

    def _dated(self, files: Sequence[FoundFile], pattern: str) -> list[tuple[int, FoundFile]]:
        """Return the files that were not loaded yet by the dates in their names."""
        known = {path for load in self._journal.entries() for path, _, _ in load.source}
        found = []
        for file in files:
            at = time_pattern(pattern).read(Path(file.path).name, "UTC")
            if at is None:
                raise AdapterError(
                    f"The name of the file '{file.path}' doesn't match the pattern {pattern} of the table's loads. "
                    "Correct the pattern, or narrow the files by 'pattern' of the adapter."
                )
            if file.path not in known:
                found.append((at, file))
        return sorted(found)

    def _take(self, at: int | None, files: Sequence[FoundFile]) -> None:
        """Copy and journal a load, unless nothing has changed and no clock waits for it."""
        loads = self._journal.entries()
        source = [(each.path, each.modified_ns, each.size) for each in files]
        number, last = len(loads), loads[-1] if loads else None
        if last is not None and last.source == source:
            if self._load.effective == "poll" and self._stream.clock is TableClock.POLL:
                self._journal.append([TableLoad(first=number, at=at, copy_of=last.copy_of, source=source)])
            return
        if copy_files(self._folder, number, files):
            self._journal.append([TableLoad(first=number, at=at, copy_of=number, source=source)])
            forget_copies(self._folder, self._journal.entries())

    def _elements(self, load: TableLoad) -> Sequence[Element]:
        """Return the rows of a load as one snapshot, or as one malformed row: it is taken whole or not at all.

        Raises `AdapterError`, `OSError` for a damaged file: nothing of it counts either.
        """
        options = self._options.model_copy(
            update={"path": ".", "pattern": self._journal.pattern(load), "follow": False, "cti_column": None}
        )
        files = FileAdapter(options, rows_of_table(self._stream), self._folder)
        most = 2 * self._rules.max_keys
        rows: list[Payload] = []
        times = set[int]()
        end = files.latest({}, now=0, limit_rows=most + 1)[ONLY_LANE]
        for chunk in files.read(ONLY_LANE, 0, min(end, most)):
            if chunk.malformed:
                return [_refused(load.at, next(iter(chunk.malformed.values())))]
            rows += chunk.payload.to_pylist()
            times.update(chunk.start[chunk.kind == RowKind.INSERT].tolist())
        at = load.at if load.at is not None else times.pop() if len(times) == 1 else None
        if at is None:
            return [MalformedRow(Reason.BAD_TIME)]
        if end > most:
            return [_refused(at, Reason.TOO_MANY_KEYS)]
        return snapshot_elements(Tick(at), rows, self._stream)


def _refused(at: int | None, reason: Reason) -> Element:
    return MalformedRow(reason) if at is None else MalformedVersion(Tick(at), reason)
