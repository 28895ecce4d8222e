"""Results as rows of a table with columns: lifetimes as timestamps, the row's identity, and its deletion mark."""

import json
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.adapters.delta_output.options import DeltaOutputOptions
from streaming.definition.payload.types import Array, Fields, Struct, Timestamp, Type
from streaming.wire.rows.arrow_types import arrow_type
from streaming.wire.rows.payload_json import payload_from_json

START: Final = "window_start"
END: Final = "window_end"
RESULT_ID: Final = "result_key"
INCOMPLETE: Final = "incomplete"
DELETED: Final = "deleted"
DAY: Final = "day"
_INSTANT: Final = pa.timestamp("us", "UTC")


def lake_schema(fields: Fields, options: DeltaOutputOptions) -> pa.Schema:
    """The columns of the table: lifetime, fields, then ours. Raises `AdapterError` for duplicate names."""
    ours = [START, END, RESULT_ID, INCOMPLETE, DELETED, *([DAY] if options.by_day else [])]
    taken = [name for name in fields if name.lower() in ours]
    if taken:
        raise AdapterError(f"The table needs the column name {taken[0]} for itself. Rename that field in the query.")
    unknown = [name for name in options.key if name not in fields]
    if unknown:
        known = ", ".join(fields) or "no fields"
        raise AdapterError(f"The key names {unknown[0]}, but the results have {known}. Choose from these.")
    columns = [pa.field(START, _INSTANT), pa.field(END, _INSTANT)]
    columns += [pa.field(name, _lake_type(of)) for name, of in fields.items()]
    columns += [pa.field(RESULT_ID, pa.string()), pa.field(INCOMPLETE, pa.bool_()), pa.field(DELETED, pa.bool_())]
    return pa.schema([*columns, pa.field(DAY, pa.date32())] if options.by_day else columns)


def _lake_type(of: Type) -> pa.DataType:
    if isinstance(of, Timestamp):
        return _INSTANT
    if isinstance(of, Array):
        return pa.list_(_lake_type(of.element))
    if isinstance(of, Struct):
        return pa.struct([pa.field(name, _lake_type(inside)) for name, inside in of.fields])
    return arrow_type(of)


class DeltaBatch:
    """The rows of some batches; with upsert only the last row of each key."""

    def __init__(self, fields: Fields, options: DeltaOutputOptions, schema: pa.Schema) -> None:
        self._fields = fields
        self._options = options
        self._schema = schema
        self._rows: dict[Any, dict[str, Any]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, batch: DeliveryBatch) -> None:
        """Add the rows of a batch. Raises `AdapterError` if two of its final rows have the same key."""
        mine: set[str] = set()
        for index, row in enumerate(batch.rows):
            written = self._written(row)
            if self._options.mode == "append":
                self._rows[batch.number, index] = written
                continue
            key = written[RESULT_ID]
            if row.get("key") is None and not row.get("deleted"):
                if key in mine:
                    raise AdapterError(
                        f"Two results have the same start, end and key ({key}), so one would replace the other. "
                        "Add the fields to the key that distinguish them, or choose append."
                    )
                mine.add(key)
            self._rows[key] = written

    def table(self) -> pa.Table:
        """All rows, with the columns of the schema."""
        rows = list(self._rows.values())
        columns = {field.name: [row.get(field.name) for row in rows] for field in self._schema if field.name != DAY}
        table = pa.table({name: pa.array(values, self._schema.field(name).type) for name, values in columns.items()})
        if DAY in self._schema.names:
            table = table.append_column(DAY, pc.floor_temporal(table.column(START), unit="day").cast(pa.date32()))
        return table

    def _written(self, row: Mapping[str, Any]) -> dict[str, Any]:
        # A key field added by a later version is null in rows of earlier versions.
        payload = payload_from_json({name: row["payload"].get(name) for name in self._fields}, self._fields)
        return {
            **payload,
            START: row["start"],
            END: row["end"],
            RESULT_ID: self._identity(row),
            INCOMPLETE: bool(row.get("incomplete")),
            DELETED: bool(row.get("deleted")),
        }

    def _identity(self, row: Mapping[str, Any]) -> str | None:
        key: str | None = row.get("key")
        if key is not None or self._options.mode == "append":
            return key
        key_values = [row["payload"].get(name) for name in self._options.key]
        return json.dumps([row["start"], row["end"], *key_values], ensure_ascii=False)
