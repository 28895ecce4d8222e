"""The `delta` adapter: the rows appended to a table as one lane, in the order of its versions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from streaming.adapters.contract import AdapterError, Position, RecordSample
from streaming.adapters.delta.journal import PartJournal, TakenPart
from streaming.adapters.delta.log import DeltaLog, TableState
from streaming.adapters.delta.options import DeltaOptions
from streaming.adapters.delta.sampling import sample_of_table
from streaming.adapters.delta.taking import TablePart, TableVersions, rows_in
from streaming.adapters.delta.values import value_of
from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.parquet import ParquetFiles, ParquetPart, opened
from streaming.adapters.places import DataFolder, why
from streaming.adapters.seeking import BegunLanes, LaneHeld, positions_within
from streaming.adapters.times.ctis import CtiColumn
from streaming.adapters.times.selections import ARRIVAL, no_such_column, timed_by_arrival
from streaming.definition.counts import counted
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.outcomes import Reason
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of
from streaming.wire.rows.row_json import MalformedRow

LOOK_AGAIN_TICKS: Final = 10_000_000
"""Interval for re-reading the whole log if the next version is missing: the table may have been recreated."""
_BATCH_PARTS: Final = 100


class DeltaAdapter:
    """Reads a table as the lane "0"; position p counts the rows of the journaled files, and one row for each gap.

    Files are journaled (version, file, rows) before a position counts them, so that the same span gives the same rows
    in any process. A row arrives when its version was written; with implicit rowtimes it starts then (T17).
    """

    def __init__(
        self, options: DeltaOptions, stream: StreamDefinition, root: Path, journal: Path | None = None
    ) -> None:
        self._options = options
        self._stream = stream
        self._folder = DataFolder(root)
        self._log = DeltaLog(self._folder, options.path)
        self._versions = TableVersions(self._log, options)
        self._journal = PartJournal.at(journal)
        timed, self._implicit = timed_by_arrival(stream)
        ctis = CtiColumn.named(options.cti_column, timed, strict=options.cti_strict)
        self._parquet = ParquetFiles(timed, options.columns, options.chunk_rows, ctis)
        self._looked: int | None = None

    def lanes(self) -> Sequence[str]:
        """The one lane "0"."""
        return (ONLY_LANE,)

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the position `limit_rows` rows further, if there are versions; takes as many new files as that needs.

        Raises `AdapterError` for a missing table, one that can't be read exactly, and changed or lost rows.
        """
        reached = start.get(ONLY_LANE, 0)
        if reached > self._journal.rows():
            raise AdapterError(
                f"This run has read {counted(reached, 'row')} of the table '{self._log.shown}', but its journal holds "
                f"only {self._journal.rows()} because it was removed. Start the binding from the beginning."
            )
        self._take(reached + limit_rows, now)
        return {ONLY_LANE: max(reached, min(reached + limit_rows, self._journal.rows()))}

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Return True if the newest version was read to its end; never if the input waits for more versions."""
        last = self._journal.last()
        if self._options.follow or last is None or positions.get(ONLY_LANE, 0) < last.end or not last.closed:
            return False
        return last.version >= self._log.state().version

    @property
    def time_means(self) -> str:
        """When its version was written."""
        return "was appended then or later"

    def begin_at(self, place: SoughtBegin, input_id: str, *, now: int) -> BegunLanes:  # noqa: ARG002
        """Start after the newest version, after the last one before a time, or at a row that was already read."""
        if isinstance(place, BeginAtPositions):
            return positions_within(place, input_id, {ONLY_LANE: (0, self._journal.rows())})
        if self._journal.last() is None:
            state = self._log.state()
            at = self._versions.before(place.at, state) if isinstance(place, BeginAtTime) else state.version
            self._journal.append([self._taken(TablePart(at, 0, closed=True, at=0), 0, state)])
        last = self._journal.last()
        return BegunLanes({ONLY_LANE: 0}, last is not None and last.version >= 0)

    def held(self, *, now: int, since: int | None) -> Sequence[LaneHeld]:  # noqa: ARG002
        """The rows that a run reads from the beginning, or that were appended since `since`, as the log counts them."""
        state = self._log.state()
        commits = [commit for each in self._log.versions() if (commit := self._log.commit(each)) is not None]
        times = [each.at for each in commits]
        every = self._versions.files_from_the_beginning(commits, state)
        later = None if since is None else [file for each in commits if each.at >= since for file in each.readable]
        return [
            LaneHeld(
                ONLY_LANE,
                earliest=0,
                from_at=min(times, default=None),
                until_at=max(times, default=None),
                rows=rows_in(every),
                bytes=sum(each.size for each in every),
                rows_since=None if later is None else rows_in(later),
                bytes_since=None if later is None else sum(each.size for each in later),
            )
        ]

    def holds(self, lane: str, start: Position, end: Position) -> bool:  # noqa: ARG002
        """Return True if the files of these rows still exist."""
        if self._journal.rows() < end:
            return False
        return all(self._is_there(part) for part in self._journal.between(start, end) if part.path is not None)

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:  # noqa: ARG002
        """Yield the rows `[start, end)`, at most `chunk_rows` in a chunk. Raises `AdapterError`."""
        for part in self._journal.between(start, end):
            span = (max(start - part.first, 0), min(end - part.first, part.rows))
            if part.path is None:
                yield self._gap(part.first, part.reason)
            elif self._is_there(part):
                for arrived in self._parquet.read(self._stored(part), span, part.first):
                    arrivals = np.full(len(arrived.kind), part.at, dtype=np.int64)
                    yield replace(arrived, arrival=arrivals)
            else:
                yield self._gap(part.first + span[0], self._lost(part.path, part.version, span[1] - span[0]))

    def sample_records(self, most_records: int, most_bytes: int, *, now: int) -> RecordSample:  # noqa: ARG002
        """Return rows of the oldest, a middle and the newest file of the table. Raises `AdapterError`."""
        return sample_of_table(self._log, self._folder, most_records)

    def _take(self, rows: int, now: int) -> None:
        last = self._journal.last()
        if self._journal.rows() >= rows or (last is not None and not self._is_due(last, now)):
            return
        self._looked = now
        state = self._log.state()
        self._require(state)
        taken: list[TakenPart] = []
        end = self._journal.rows()
        for part in self._versions.after(last, state):
            taken.append(self._taken(part, end, state))
            end = taken[-1].end
            if len(taken) == _BATCH_PARTS or end >= rows:
                self._journal.append(taken)
                taken = []
            if end >= rows:
                self._looked = None
                return
        self._journal.append(taken)

    def _is_due(self, last: TakenPart, now: int) -> bool:
        looked = self._looked
        if looked is None or not last.closed or not 0 <= now - looked < LOOK_AGAIN_TICKS:
            return True
        return self._log.holds(last.version + 1)

    def _require(self, state: TableState) -> None:
        """Raise `AdapterError` for a required column that the table lacks."""
        there = list(state.columns) + ([ARRIVAL] if self._implicit else [])
        for name in self._parquet.needed(there):
            if name not in there:
                raise no_such_column(f"The table '{self._log.shown}'", name, list(state.columns))

    def _taken(self, part: TablePart, first: Position, state: TableState) -> TakenPart:
        """The journal entry of the part, with its rows counted. Raises `AdapterError`."""
        taken = TakenPart(
            first=first,
            table=state.table,
            version=part.version,
            number=part.number,
            closed=part.closed,
            at=part.at,
            rows=1 if part.reason else 0,
            snapshot=part.snapshot,
            reason=part.reason,
        )
        if part.file is None:
            return taken
        path = self._log.within(part.file.path)
        found = self._status(path)
        if found is None:
            return taken.model_copy(update={"rows": 1, "reason": self._lost(path, part.version, part.file.rows)})
        if found != part.file.size:
            raise AdapterError(
                f"The file '{path}' of the table has {counted(found, 'byte')}, but its log says {part.file.size}. "
                "Restore the file that the log describes."
            )
        with opened(FoundFile(0, path, found, self._folder)) as file:
            there = set(file.schema_arrow.names)
        beside = {name: kind for name, kind in state.columns.items() if name not in there or name in part.file.values}
        values = {name: part.file.values.get(name) for name in beside}
        taken = taken.model_copy(update={"path": path, "size": found, "values": values, "types": beside})
        rows, _ = self._parquet.describe(self._stored(taken))
        return taken.model_copy(update={"rows": rows})

    def _stored(self, part: TakenPart) -> ParquetPart:
        """The file of `part`, with the columns whose values are in the log and not in the file."""
        beside = {name: value_of(part.values[name], kind) for name, kind in part.types.items()}
        if self._implicit:
            beside[ARRIVAL] = pa.scalar(part.at, pa.int64())
        return ParquetPart(FoundFile(0, part.path or "", part.size, self._folder), beside)

    def _is_there(self, part: TakenPart) -> bool:
        return self._status(part.path or "") == part.size

    def _status(self, path: str) -> int | None:
        """The size of a file; None if it does not exist. Raises `AdapterError`."""
        try:
            found = self._folder.status(path)
        except OSError as error:
            raise AdapterError(f"The file '{path}' can't be read ({why(error)}). Make it readable.") from None
        return None if found is None else found.st_size

    def _lost(self, path: str, version: int, rows: int | None) -> str:
        """The message for rows whose file was removed. Raises `AdapterError` unless they may be skipped."""
        many = "Rows" if rows is None else counted(rows, "row").capitalize()
        message = (
            f"{many} of version {version} of the table '{self._log.shown}' can't be read: the file '{path}' was removed"
        )
        if self._options.lost == "fail":
            raise AdapterError(
                f"{message}, perhaps by VACUUM. Start the binding from the beginning with `start` set to snapshot, or "
                "set the option `lost` to skip. Keep files longer (delta.deletedFileRetentionDuration)."
            )
        return f"{message} before it was read."

    def _gap(self, position: Position, reason: str) -> Arrived:
        """One malformed row with the reason why rows could not be read."""
        return arrived_of([JudgedRow(position, MalformedRow(Reason.BAD_ROW), reason)], self._stream)
