"""Rows of a table before a stream says what they mean, with the types that the table declares."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from streaming.adapters.contract import AdapterError, RecordSample, RecordSpan
from streaming.adapters.delta.log import DataFile, DeltaLog
from streaming.adapters.delta.values import value_of
from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.parquet import ParquetPart, opened
from streaming.adapters.file.parquet_sampling import first_rows, record_values, typed_columns
from streaming.adapters.places import DataFolder, why

STRETCHES = 3


def sample_of_table(log: DeltaLog, folder: DataFolder, most_records: int) -> RecordSample:
    """At most about so many rows of the oldest, a middle and the newest file. Raises `AdapterError`."""
    state = log.state()
    files = log.files_at(state.version)
    if not files:
        raise AdapterError(
            f"There is nothing in the table '{log.shown}' yet, from which a stream could be proposed. Have rows "
            "appended, or write the fields yourself."
        )
    chosen = [files[at] for at in sorted({0, len(files) // 2, len(files) - 1})]
    spans: list[RecordSpan] = []
    schema, whole = pa.schema([]), len(chosen) == len(files)
    for file in chosen:
        records, schema, all_of_it = _records(log, folder, file, state.columns, most_records // STRETCHES)
        where = f"{'all' if all_of_it else 'the beginning'} of {file.path} in {log.shown}"
        spans.append(RecordSpan(where, records))
        whole = whole and all_of_it
    types, notes = typed_columns(pa.schema([schema.field(name) for name in state.columns if name in schema.names]))
    return RecordSample(spans=spans, columns=list(types), whole=whole, types=types, notes=notes)


def _records(
    log: DeltaLog, folder: DataFolder, file: DataFile, columns: Mapping[str, str], most: int
) -> tuple[list[Mapping[str, Any]], pa.Schema, bool]:
    """The first rows of `file`, all columns that they have, and whether those are all its rows."""
    found = FoundFile(0, log.within(file.path), file.size, folder)
    with opened(found) as stored:
        named = set(stored.schema_arrow.names)
        beside = {
            name: value_of(file.values.get(name), kind)
            for name, kind in columns.items()
            if name in file.values or name not in named
        }
        schema = ParquetPart(found, beside).schema(stored)
        wanted = [name for name in columns if name in named and name not in beside]
        try:
            records = first_rows(stored, 0, wanted, most) if stored.metadata.num_row_groups else []
        except (pa.ArrowException, OSError) as error:
            raise AdapterError(f"The file '{found.path}' cannot be read ({why(error)}); replace it.") from None
        more = {name: record_values(pa.array([value.as_py()], value.type))[0] for name, value in beside.items()}
        return [{**record, **more} for record in records], schema, len(records) == stored.metadata.num_rows
