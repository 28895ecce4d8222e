"""The output of one task of the sink: parts of results and quarantine, and a summary for the commit."""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.ipc import from_bytes, to_bytes
from streaming.engine.exchange.cti_chunk import ctis_of_chunk
from streaming.spark.messages.carrier_messages import MESSAGES, SinkAction, StrayMessage
from streaming.spark.messages.envelope import CarrierMessage
from streaming.spark.query.binding import binding_of
from streaming.spark.query.blame import blame
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.savepoints import FOLDER
from streaming.spark.query.state_change import StateChange
from streaming.spark.query.totals import LaneReport
from streaming.spark.session.memory import at_hand
from streaming.spark.sink.already_emitted import historic_mark, select_new_rows
from streaming.spark.sink.row_lines import RowMarks, lines_and_newest, table_lines
from streaming.storage.blobs import BlobFolder
from streaming.storage.results import FOLDERS, PartForm, PartKind, ResultPart, part_path
from streaming.temporal.ticks import INFINITY

OUTPUT: Final = "output"
"""The metadata key in a table of a part that names the output of the rows."""
RECENT_KEPT = 20
"""The number of newest rows in a progress report."""
_SPILL_BYTES = 4 << 20


@dataclass
class BindingSummary:
    """The parts and facts of one generation of a binding from one task and one batch.

    `moved`: the CTIs of each output by bucket. `corrections`: by bucket, the differences to the feed's counts because
    of rows that windows refused. `failures`: failed expressions in this batch. `repair`: the repair whose rows the
    batch also emits. `head` and `pieces` belong to a savepoint; pieces are files in the carrier's folder.
    """

    key: str
    entry: int
    parts: list[ResultPart] = field(default_factory=list)
    counts: dict[str, dict[str, LaneReport]] = field(default_factory=dict)
    moved: dict[str, dict[int, list[int]]] = field(default_factory=dict)
    corrections: dict[int, dict[str, Any]] = field(default_factory=dict)
    failures: list[list[Any]] = field(default_factory=list)
    change: StateChange | None = None
    cleared: bool = False
    repair: str | None = None
    rows: int = 0
    head: dict[str, Any] | None = None
    pieces: list[str] = field(default_factory=list)
    recent_results: list[dict[str, Any]] = field(default_factory=list)
    recent_late: list[dict[str, Any]] = field(default_factory=list)


class PartWriter:
    """Writes one part out of sight; `finish` moves it into place. Re-running a batch writes the same bytes."""

    def __init__(self, folder: BlobFolder, kind: PartKind, path: str) -> None:
        self._kind = kind
        self._path = path
        self._writing = folder.writing(self._path)
        self._waiting: list[bytes] = []
        self._size = 0
        self._bytes = 0
        self._rows = 0

    def add(self, rows: int, pieces: Iterable[bytes]) -> None:
        """Append `rows` rows, in pieces of whole lines or tables. Raises `OSError`."""
        self._rows += rows
        for piece in pieces:
            self._waiting.append(piece)
            self._size += len(piece)
            if self._size > _SPILL_BYTES:
                self._spill()

    def finish(self) -> ResultPart:
        """Move the part into place; it counts once a commit lists it. Raises `OSError`."""
        self._spill()
        self._writing.finish()
        return ResultPart(kind=self._kind, path=self._path, rows=self._rows, bytes=self._bytes)

    def abandon(self) -> None:
        """Write no part. Raises `OSError`."""
        self._writing.abandon()

    def _spill(self) -> None:
        self._writing.add(self._waiting)
        self._bytes += self._size
        self._waiting.clear()
        self._size = 0


class TaskSink:
    """Takes the envelopes of one task of one batch in any order of bindings.

    If a binding fails here, its change has `undo`: its state is already written, so the batch must be repeated without
    it. No more of it is taken; every other binding's part is written.
    """

    def __init__(self, carrier: CarrierFolder, task: int) -> None:
        self._carrier = carrier
        self._task = task
        self._summaries: dict[str, BindingSummary] = {}
        self._writers: dict[tuple[str, PartKind], PartWriter] = {}
        self._failed: set[str] = set()

    def take(self, row: CarrierMessage) -> None:
        """Write or record one envelope. Raises `OSError` if the disk refuses it."""
        key = row.binding
        if key in self._failed:
            return
        try:
            self._take(row, self._summaries.setdefault(key, BindingSummary(key, row.entry)))
        except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others continue
            self._fail(key, row.entry, error)

    def finish(self) -> list[BindingSummary]:
        """Move all parts into place and return the summaries. Raises `OSError`."""
        for (key, _), writer in self._writers.items():
            if key in self._failed:
                continue
            try:
                self._summaries[key].parts.append(writer.finish())
            except Exception as error:  # noqa: BLE001 - as above
                self._fail(key, self._summaries[key].entry, error)
        return list(self._summaries.values())

    def _fail(self, key: str, entry: int, error: Exception) -> None:
        change = blame(self._carrier, key, error, "writing the results")
        self._failed.add(key)
        self._summaries[key] = BindingSummary(key, entry, parts=self._summaries[key].parts, change=change)
        for kind in FOLDERS:
            writer = self._writers.get((key, kind))
            if writer is not None:
                with suppress(OSError):  # a leftover file is not listed anywhere
                    writer.abandon()

    def _take(self, row: CarrierMessage, summary: BindingSummary) -> None:
        match MESSAGES[row.kind].sink:
            case SinkAction.WRITES_RESULTS:
                with at_hand(self._carrier.local, row.binding, row.batch):
                    self._take_rows(row, summary)
            case SinkAction.WRITES_LATE_ROWS:
                with at_hand(self._carrier.local, row.binding, row.batch):
                    self._take_late(row, summary)
            case SinkAction.WRITES_SAVEPOINT:
                self._take_saved(row, summary)
            case noted:
                _note(noted, row, summary)

    def _take_rows(self, row: CarrierMessage, summary: BindingSummary) -> None:
        binding = binding_of(self._carrier, row.entry)
        marks = row.lane.split()
        table, incomplete = select_new_rows(binding, row.input, from_bytes(row.chunk), marks)
        if not table.num_rows:
            return
        summary.rows += table.num_rows
        if self._carrier.settings.columns:
            self._writer(row, "results").add(table.num_rows, [to_bytes(table, {OUTPUT: row.input})])
            return
        schema = binding.plan.outputs[row.input]
        marked = RowMarks(incomplete, historic_mark(binding, marks))
        lines, newest = lines_and_newest(row.input, table, schema, RECENT_KEPT, marked)
        self._writer(row, "results").add(table.num_rows, lines)
        summary.recent_results = [*summary.recent_results, *newest][-RECENT_KEPT:]

    def _take_late(self, row: CarrierMessage, summary: BindingSummary) -> None:
        late = with_null_for_infinity(from_bytes(row.chunk))
        self._writer(row, "late").add(late.num_rows, table_lines(late))
        newest: list[dict[str, Any]] = late.slice(max(0, late.num_rows - RECENT_KEPT)).to_pylist()
        summary.recent_late = [*summary.recent_late, *newest][-RECENT_KEPT:]

    def _take_saved(self, row: CarrierMessage, summary: BindingSummary) -> None:
        if row.input == "head":
            summary.head = json.loads(row.chunk)
            return
        name = f"{FOLDER}/{row.batch}-{row.binding}-{row.input}-{row.seq}.piece"
        self._carrier.folder.write(name, bytes(row.chunk))
        summary.pieces.append(name)

    def _writer(self, row: CarrierMessage, kind: PartKind) -> PartWriter:
        key = (row.binding, kind)
        if key not in self._writers:
            folder = self._carrier.results_of(row.entry)
            form: PartForm = "arrow" if kind == "results" and self._carrier.settings.columns else "jsonl"
            self._writers[key] = PartWriter(folder, kind, part_path(kind, row.batch, self._task, form))
        return self._writers[key]


def _note(action: SinkAction, row: CarrierMessage, summary: BindingSummary) -> None:
    match action:
        case SinkAction.NOTES_CTIS:
            summary.moved.setdefault(row.input, {})[row.bucket] = ctis_of_chunk(row.chunk)[0][0].tolist()
        case SinkAction.NOTES_CORRECTIONS:
            summary.corrections[row.bucket] = json.loads(row.chunk)
        case SinkAction.NOTES_FAILURES:
            summary.failures += json.loads(row.chunk)
        case SinkAction.NOTES_COUNTS:
            summary.counts.setdefault(row.input, {})[row.lane] = LaneReport.of_chunk(row.chunk)
        case SinkAction.NOTES_STATE:
            summary.change = StateChange.of_json(row.chunk)
        case SinkAction.NOTES_CLEARING:
            summary.cleared = True
        case SinkAction.NOTES_REPAIR:
            summary.repair = bytes(row.chunk).decode()
        case _:
            raise StrayMessage(row.kind, "sink")


def with_null_for_infinity(late: pa.Table) -> pa.Table:
    """Return late rows as LateEvent defines them: an end or a CTI of infinity is null."""
    for name in ("end", "cti"):
        column = late.column(name)
        finite = pc.if_else(pc.equal(column, INFINITY), None, column)
        late = late.set_column(late.schema.get_field_index(name), name, finite)
    return late
