"""What one task of the sink makes of its envelopes: parts of results and quarantine, and a summary for the commit."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from streaming.definition.types import Array, DecimalOf, Fields, Struct, Timestamp, Type
from streaming.spark.arrow_ipc import table_of
from streaming.spark.binding import binding_of
from streaming.spark.envelope import Row
from streaming.spark.layout import CarrierFolder
from streaming.spark.state_change import StateChange
from streaming.temporal.ticks import INFINITY, Tick, format_instant
from streaming.wire.results import Part, PartKind, part_path

RECENT_KEPT = 20
"""How many of the newest rows travel in a progress report."""
_SPILL_BYTES = 4 << 20


@dataclass
class BindingSummary:
    """What one task wrote and learned for one generation of a binding in one batch."""

    key: str
    entry: int
    parts: list[Part] = field(default_factory=list)
    counts: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    moved: dict[str, list[int]] = field(default_factory=dict)
    change: StateChange | None = None
    cleared: bool = False
    rows: int = 0
    recent_results: list[dict[str, Any]] = field(default_factory=list)
    recent_late: list[dict[str, Any]] = field(default_factory=list)


class PartWriter:
    """Writes one part beside its place; `finish` renames it there. Re-running a batch writes the same bytes."""

    def __init__(self, folder: Path, kind: PartKind, batch: int, task: int) -> None:
        self._kind = kind
        self._path = part_path(kind, batch, task)
        self._target = folder / self._path
        self._staged = self._target.with_name(f".{self._target.name}.staged")
        self._waiting: list[bytes] = []
        self._size = 0
        self._rows = 0
        self._begun = False

    def add(self, lines: Iterable[bytes]) -> None:
        """Append lines, each without its end. Raises `OSError`."""
        for line in lines:
            self._waiting.append(line)
            self._size += len(line)
            self._rows += 1
            if self._size > _SPILL_BYTES:
                self._spill()

    def finish(self) -> Part:
        """Put the part in its place; it counts once a commit lists it. Raises `OSError`."""
        self._spill()
        self._staged.replace(self._target)
        return Part(kind=self._kind, path=self._path, rows=self._rows)

    def _spill(self) -> None:
        self._target.parent.mkdir(parents=True, exist_ok=True)
        with self._staged.open("ab" if self._begun else "wb") as file:
            file.writelines(line + b"\n" for line in self._waiting)
        self._begun = True
        self._waiting.clear()
        self._size = 0


class TaskSink:
    """Takes the envelopes of one task of one batch in any order of bindings."""

    def __init__(self, carrier: CarrierFolder, task: int) -> None:
        self._carrier = carrier
        self._task = task
        self._summaries: dict[str, BindingSummary] = {}
        self._writers: dict[tuple[str, PartKind], PartWriter] = {}

    def take(self, row: Row) -> None:
        """Write or note one envelope. Raises `OSError` when the disk does not take it."""
        summary = self._summaries.setdefault(row.binding, BindingSummary(row.binding, row.entry))
        if row.kind == "rows":
            self._take_rows(row, summary)
        elif row.kind == "late":
            self._take_late(row, summary)
        elif row.kind == "moved":
            summary.moved.setdefault(row.input, []).extend(table_of(row.chunk).column("cti").to_pylist())
        elif row.kind == "counts":
            summary.counts.setdefault(row.input, {})[row.lane] = json.loads(row.chunk)
        elif row.kind == "state":
            summary.change = StateChange.of_json(row.chunk)
        elif row.kind == "clear":
            summary.cleared = True

    def finish(self) -> list[BindingSummary]:
        """Put all parts in their places and hand over the summaries. Raises `OSError`."""
        for (key, _), writer in self._writers.items():
            self._summaries[key].parts.append(writer.finish())
        return list(self._summaries.values())

    def _take_rows(self, row: Row, summary: BindingSummary) -> None:
        schema = binding_of(self._carrier, row.entry).plan.outputs[row.input]
        results = result_rows(row.input, table_of(row.chunk), schema)
        self._writer(row, "results").add(json.dumps(each, ensure_ascii=False).encode() for each in results)
        summary.rows += len(results)
        summary.recent_results = [*summary.recent_results, *results][-RECENT_KEPT:]

    def _take_late(self, row: Row, summary: BindingSummary) -> None:
        late = late_rows(table_of(row.chunk))
        self._writer(row, "late").add(json.dumps(each, ensure_ascii=False).encode() for each in late)
        summary.recent_late = [*summary.recent_late, *late][-RECENT_KEPT:]

    def _writer(self, row: Row, kind: PartKind) -> PartWriter:
        key = (row.binding, kind)
        if key not in self._writers:
            folder = results_folder(self._carrier, row.entry)
            self._writers[key] = PartWriter(folder, kind, row.batch, self._task)
        return self._writers[key]


def results_folder(carrier: CarrierFolder, entry: int) -> Path:
    """The folder of results of the binding that control entry `entry` added."""
    return carrier.home / carrier.control.added(entry).spec.results


def result_rows(output: str, table: pa.Table, schema: Fields) -> list[dict[str, Any]]:
    """ResultRow values as JSON: lifetimes in ticks (infinity null), timestamps in the payload as ISO text."""
    starts, ends, *columns = (column.to_pylist() for column in table.columns)
    named = [_converted(column, of) for column, of in zip(columns, schema.values(), strict=True)]
    names = list(schema)
    payloads: Sequence[tuple[Any, ...]] = list(zip(*named, strict=True)) if named else [()] * len(starts)
    return [
        {
            "output": output,
            "start": start,
            "end": None if end == INFINITY else end,
            "payload": dict(zip(names, payload, strict=True)),
        }
        for start, end, payload in zip(starts, ends, payloads, strict=True)
    ]


def late_rows(table: pa.Table) -> list[dict[str, Any]]:
    """LateEvent values as JSON; an end of infinity is null."""
    rows: list[dict[str, Any]] = table.to_pylist()
    for row in rows:
        for name in ("end", "cti"):
            if row[name] == INFINITY:
                row[name] = None
    return rows


def _converted(column: list[Any], of: Type) -> list[Any]:
    convert = _converter(of)
    return column if convert is None else [None if value is None else convert(value) for value in column]


def _converter(of: Type) -> Callable[[Any], Any] | None:
    """How a value becomes JSON; None when it already is."""
    match of:
        case Timestamp():
            return _instant
        case DecimalOf():
            return _decimal
        case Array(element):
            inner = _converter(element)
            return None if inner is None else lambda values: [None if v is None else inner(v) for v in values]
        case Struct(fields):
            inners = {name: _converter(each) for name, each in fields}
            return lambda value: {
                name: value[name] if inner is None or value[name] is None else inner(value[name])
                for name, inner in inners.items()
            }
        case _:
            return None


def _decimal(value: Decimal) -> str:
    return str(value)


def _instant(value: int) -> str | int:
    try:
        return format_instant(Tick(value))
    except OverflowError:
        return value
