"""The columns of an export: lifetime and change, the fields of the output, then the state of each row."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from streaming.adapters.result_json import written_time
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import (
    BOOLEAN,
    LONG,
    STRING,
    TIMESTAMP,
    Array,
    Boolean,
    Double,
    Fields,
    Long,
    String,
    Struct,
    Timestamp,
    Type,
)
from streaming.wire.rows.arrow_types import arrow_type
from streaming.wire.rows.payload_json import payload_from_json
from webapp.monitoring.exporting.problems import ExportProblem

ALL_COLUMNS: Final = "all columns"
"""The text in the column `incomplete` of a row that is incomplete in each column."""
_INSTANT: Final = pa.timestamp("us", "UTC")
Values = tuple[Any, ...]
"""The values of one row by column, as results store them: times as ISO text or ticks, decimals as text."""


@dataclass(frozen=True)
class ExportColumn:
    """One column; a `field` of the output has values of `of`, or texts if its type is not the same in all runs."""

    name: str
    of: Type
    field: str | None = None
    as_text: bool = False


@dataclass(frozen=True)
class RowState:
    """The facts about a row that are not in it: its run, and whether it can still change (None: not known)."""

    run: str | None
    final: bool | None


class ExportTable:
    """The columns of one export and the values of its rows. With `every_change` rows also have the key of changes.

    A column of ours gets underscores before its name if a field has that name, in any case.
    """

    def __init__(self, fields: Mapping[str, Type | None], *, every_run: bool, every_change: bool) -> None:
        """Take the `fields` in order; None: the type is not the same in all runs."""
        self._fields = dict(fields)
        taken = {name.casefold() for name in fields}
        before: dict[str, Type] = {"start": TIMESTAMP, "end": TIMESTAMP, "op": STRING}
        before |= {"run": STRING} if every_run else {}
        before |= {"key": STRING} if every_change else {}
        after: dict[str, Type] = {"final": BOOLEAN, "dropped": LONG, "repaired": BOOLEAN, "incomplete": STRING}
        self._every_run, self._every_change = every_run, every_change
        self.columns: Sequence[ExportColumn] = (
            *(ExportColumn(_free(name, taken), of) for name, of in before.items()),
            *(ExportColumn(name, of or STRING, name, of is None) for name, of in fields.items()),
            *(ExportColumn(_free(name, taken), of) for name, of in after.items()),
        )

    def values(self, row: Mapping[str, Any], state: RowState) -> Values:
        """Return the values of `row`, null for fields that its version did not have.

        Raises `ExportProblem` for a row with a field that has no column.
        """
        payload = row["payload"]
        if not payload.keys() <= self._fields.keys():
            raise _unrecorded(min(payload.keys() - self._fields.keys()))
        return (
            row["start"],
            row["end"],
            operation(row) if self._every_change else "insert",
            *((state.run,) if self._every_run else ()),
            *((row.get("key"),) if self._every_change else ()),
            *(_text(payload.get(name)) if of is None else payload.get(name) for name, of in self._fields.items()),
            state.final,
            row.get("dropped"),  # rows without this count were stored before anybody counted: not known, so empty
            row.get("repair") is not None,
            _incomplete(row),
        )

    def arrow_schema(self) -> pa.Schema:
        """Return the columns for Arrow and Parquet: times are timestamps in UTC."""
        return pa.schema([pa.field(column.name, _exported_type(column.of)) for column in self.columns])

    def arrow_table(self, rows: Sequence[Values], schema: pa.Schema) -> pa.Table:
        """Return `rows` as Arrow columns. Raises `ValueError` if a value is not of its column's type."""
        columns = zip(*rows, strict=True) if rows else [()] * len(self.columns)
        arrays = [
            pa.array(exact_values(values, column.of), field.type)
            for values, column, field in zip(columns, self.columns, schema, strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=schema)


def _unrecorded(field: str) -> ExportProblem:
    return ExportProblem(
        f"Some rows have the field {field}, but their run is from before the columns of runs were recorded, so its "
        "type is not known.",
        "Export the newer runs, one by one.",
    )


def operation(row: Mapping[str, Any]) -> str:
    """Return what a stored row does to the result: `insert`, `update` (of the row with its key) or `delete`."""
    if row.get("deleted"):
        return "delete"
    pane = row.get("pane")
    return "update" if row.get("edge") == "end" or (pane is not None and pane["index"] > 0) else "insert"


def union_of(versions: Iterable[Mapping[str, str]]) -> dict[str, Type | None]:
    """Return the fields of all `versions`, newest first, in order; None for one with several types."""
    found: dict[str, Type | None] = {}
    for texts in versions:
        fields: Fields = parse_fields(dict(texts))
        for name, of in fields.items():
            found[name] = of if name not in found or found[name] == of else None
    return found


def exact_values(values: Iterable[Any], of: Type) -> list[Any]:
    """Return values as results store them as those of the type: decimals exact, times as ticks."""
    if isinstance(of, Long | String | Boolean):
        return list(values)
    if isinstance(of, Double):
        return [None if value is None else float(value) for value in values]
    fields = {"_": of}
    return [payload_from_json({"_": value}, fields)["_"] for value in values]


def cell_text(of: Type) -> Callable[[Any], Any] | None:
    """Return the conversion of values of `of` for a table of texts; None if they need none."""
    if isinstance(of, Timestamp):
        return lambda value: written_time(value) if isinstance(value, int) else value
    if isinstance(of, Array | Struct):
        return lambda value: json.dumps(value, ensure_ascii=False)
    return None


def _free(name: str, taken: set[str]) -> str:
    while name.casefold() in taken:
        name = f"_{name}"
    return name


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _incomplete(row: Mapping[str, Any]) -> str | None:
    if not row.get("incomplete"):
        return None
    return ", ".join(row.get("incomplete_columns") or ()) or ALL_COLUMNS


def _exported_type(of: Type) -> pa.DataType:
    if isinstance(of, Timestamp):
        return _INSTANT
    if isinstance(of, Array):
        return pa.list_(_exported_type(of.element))
    if isinstance(of, Struct):
        return pa.struct([pa.field(name, _exported_type(inner)) for name, inner in of.fields])
    return arrow_type(of)
