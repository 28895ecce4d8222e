"""The columns of a Parquet file as types of a stream, and some of its rows as records."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from streaming.adapters.arrow.texts import record_values
from streaming.adapters.arrow.types import UnsuitedType, field_type
from streaming.adapters.arrow.values import conformed, either, without_views
from streaming.adapters.contract import RecordSpan
from streaming.adapters.formats.parquet.unicode_columns import readable_batch
from streaming.definition.payload.type_text import parse_type


def typed_columns(schema: pa.Schema) -> tuple[dict[str, str], list[str]]:
    """Return the type of each column, in order, and a sentence about each column that no stream can hold."""
    types: dict[str, str] = {}
    notes: dict[str, None] = {}
    for each in schema:
        of = field_type(each.type)
        if schema.names.count(each.name) > 1:
            notes[f"The column {each.name!r} is skipped: several columns have this name. Rename them to use one."] = (
                None
            )
        elif isinstance(of, UnsuitedType):
            inside = f", the type of {each.name + of.path!r}" if of.path else ""
            notes[f"The column {each.name!r} is skipped: no field of a stream can hold {of.kind}{inside}."] = None
        else:
            types[each.name] = str(of)
    return types, list(notes)


def first_rows(file: Any, group: int, types: Mapping[str, str], most: int, where: str = "") -> RecordSpan:
    """The first `most` rows of a row group, with the columns in `types`, checked against these types.

    Moments are ISO 8601 text, in UTC where the column has a zone.
    """
    batch = next(file.iter_batches(max(most, 1), row_groups=[group], columns=list(types)), None)
    if batch is None:
        return RecordSpan(where, [])
    batch, escaped = readable_batch(without_views(batch))
    unfit = {
        name: either(conformed(batch.column(name), parse_type(of)).unfit, escaped.get(name))
        for name, of in types.items()
    }
    shown = {name: record_values(batch.column(name)) for name in types}
    records = [{name: values[at] for name, values in shown.items()} for at in range(batch.num_rows)]
    misfits = {name: int(rows.sum()) for name, rows in unfit.items() if rows is not None and rows.any()}
    return RecordSpan(where, records, misfits)
