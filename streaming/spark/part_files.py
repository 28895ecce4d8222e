"""What one task of the sink makes of its envelopes: parts of results and quarantine, and a summary for the commit."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.ipc import from_bytes, to_bytes
from streaming.engine.exchange.cti_chunk import ctis_of_chunk
from streaming.spark.binding import binding_of
from streaming.spark.carrier_messages import MESSAGES, SinkAction, StrayMessage
from streaming.spark.envelope import CarrierMessage
from streaming.spark.given_rows import given
from streaming.spark.layout import CarrierFolder
from streaming.spark.row_lines import lines_and_newest, table_lines
from streaming.spark.savepoints import FOLDER
from streaming.spark.state_change import StateChange
from streaming.spark.totals import LaneReport
from streaming.temporal.ticks import INFINITY
from streaming.wire.results import PartForm, PartKind, ResultPart, part_path
from streaming.wire.storage import BlobFolder

OUTPUT: Final = "output"
"""The word in a table of a part that says whose rows they are."""
RECENT_KEPT = 20
"""How many of the newest rows travel in a progress report."""
_SPILL_BYTES = 4 << 20


@dataclass
class BindingSummary:
    """What one task wrote and learned for one generation of a binding in one batch.

    `moved` are the CTIs of each output by bucket, `corrections` by bucket the totals by which what windows refused
    differs from what the feed counted, `failures` those of expressions in this batch. `repair` is one whose rows the
    batch gives too. `head` and
    `pieces` are those of a savepoint; pieces are files in the carrier's folder.
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
    """Writes one part out of sight; `finish` puts it in its place. Re-running a batch writes the same bytes."""

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
        """Put the part in its place; it counts once a commit lists it. Raises `OSError`."""
        self._spill()
        self._writing.finish()
        return ResultPart(kind=self._kind, path=self._path, rows=self._rows, bytes=self._bytes)

    def _spill(self) -> None:
        self._writing.add(self._waiting)
        self._bytes += self._size
        self._waiting.clear()
        self._size = 0


class TaskSink:
    """Takes the envelopes of one task of one batch in any order of bindings."""

    def __init__(self, carrier: CarrierFolder, task: int) -> None:
        self._carrier = carrier
        self._task = task
        self._summaries: dict[str, BindingSummary] = {}
        self._writers: dict[tuple[str, PartKind], PartWriter] = {}

    def take(self, row: CarrierMessage) -> None:
        """Write or note one envelope. Raises `OSError` when the disk does not take it."""
        summary = self._summaries.setdefault(row.binding, BindingSummary(row.binding, row.entry))
        match MESSAGES[row.kind].sink:
            case SinkAction.WRITES_RESULTS:
                self._take_rows(row, summary)
            case SinkAction.WRITES_LATE_ROWS:
                self._take_late(row, summary)
            case SinkAction.WRITES_SAVEPOINT:
                self._take_saved(row, summary)
            case noted:
                _note(noted, row, summary)

    def finish(self) -> list[BindingSummary]:
        """Put all parts in their places and hand over the summaries. Raises `OSError`."""
        for (key, _), writer in self._writers.items():
            self._summaries[key].parts.append(writer.finish())
        return list(self._summaries.values())

    def _take_rows(self, row: CarrierMessage, summary: BindingSummary) -> None:
        binding = binding_of(self._carrier, row.entry)
        table, incomplete = given(binding, row.input, from_bytes(row.chunk), row.lane)
        if not table.num_rows:
            return
        summary.rows += table.num_rows
        if self._carrier.settings.columns:
            self._writer(row, "results").add(table.num_rows, [to_bytes(table, {OUTPUT: row.input})])
            return
        schema = binding.plan.outputs[row.input]
        lines, newest = lines_and_newest(row.input, table, schema, RECENT_KEPT, incomplete)
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
    """Late rows as LateEvent has them: an end or a CTI of infinity is null."""
    for name in ("end", "cti"):
        column = late.column(name)
        finite = pc.if_else(pc.equal(column, INFINITY), None, column)
        late = late.set_column(late.schema.get_field_index(name), name, finite)
    return late
