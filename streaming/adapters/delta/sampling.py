"""Sample rows of a table before a stream is defined, with the types that the table declares."""

from collections.abc import Mapping

import pyarrow as pa

from streaming.adapters.arrow.texts import record_values
from streaming.adapters.contract import AdapterError, RecordSample, RecordSpan
from streaming.adapters.delta.log import DataFile, DeltaLog
from streaming.adapters.delta.values import value_of
from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.parquet import ParquetPart, opened
from streaming.adapters.formats.parquet.sampling import first_rows, typed_columns
from streaming.adapters.places import DataFolder

STRETCHES = 3


def sample_of_table(log: DeltaLog, folder: DataFolder, most_records: int) -> RecordSample:
    """Sample about `most_records` rows of the oldest, a middle and the newest file. Raises `AdapterError`."""
    state = log.state()
    files = log.files_at(state.version)
    if not files:
        raise AdapterError(
            f"The table '{log.shown}' is still empty, so no stream can be proposed from it. Append rows, or define the "
            "fields yourself."
        )
    chosen = [files[at] for at in sorted({0, len(files) // 2, len(files) - 1})]
    spans: list[RecordSpan] = []
    schema, whole = pa.schema([]), len(chosen) == len(files)
    for file in chosen:
        span, schema, all_of_it = _records(log, folder, file, state.columns, most_records // STRETCHES)
        spans.append(span)
        whole = whole and all_of_it
    types, notes = typed_columns(pa.schema([schema.field(name) for name in state.columns if name in schema.names]))
    return RecordSample(spans=spans, columns=list(types), whole=whole, types=types, notes=notes)


def _records(
    log: DeltaLog, folder: DataFolder, file: DataFile, columns: Mapping[str, str], most: int
) -> tuple[RecordSpan, pa.Schema, bool]:
    """The first rows of `file`, its schema with all columns, and True if those are all its rows."""
    found = FoundFile(0, log.within(file.path), file.size, folder)
    with opened(found) as stored:
        named = set(stored.schema_arrow.names)
        beside = {
            name: value_of(file.values.get(name), kind)
            for name, kind in columns.items()
            if name in file.values or name not in named
        }
        schema = ParquetPart(found, beside).schema(stored)
        known = typed_columns(stored.schema_arrow)[0]
        wanted = {name: known[name] for name in columns if name in known and name not in beside}
        rows = int(stored.metadata.num_rows)
        read = first_rows(stored, 0, wanted, most) if stored.metadata.num_row_groups else RecordSpan("", [])
    more = {name: record_values(pa.repeat(value, 1))[0] for name, value in beside.items()}
    all_of_it = len(read.records) == rows
    where = f"{'all' if all_of_it else 'the beginning'} of {file.path} in {log.shown}"
    return RecordSpan(where, [{**record, **more} for record in read.records], read.misfits), schema, all_of_it
