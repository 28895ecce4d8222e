"""A bounded sample of records of any adapter, before their fields are known."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from streaming.adapters import preview
from streaming.adapters.contract import DeclaringAdapter, InputAdapter, RecordSample, RecordSpan, SampledAdapter
from streaming.definition.payload.reading import read_object
from streaming.definition.streams.stream import StreamDefinition

MOST_RECORDS: Final = 12_000
MOST_BYTES: Final = 6 * 1024 * 1024
"""The limit of an input's content; a record larger than 1 MiB is never one."""
MOST_ROWS: Final = 2_000
"""The limit for an adapter that only reads rows."""
UNREADABLE_WORDS: Final = frozenset({"bad", "base64"})
"""The error in the text of a message that no schema fits (`streaming/adapters/formats/values.py`)."""
UNDEFINED: Final = StreamDefinition(fields={})
"""The stream for reading an input whose rows are unknown: without fields."""


def sample_of(adapter: InputAdapter, *, now: int) -> RecordSample:
    """Return records of `adapter`, built for `UNDEFINED`, at `now` (ticks of the wall clock). Raises `AdapterError`."""
    if isinstance(adapter, SampledAdapter):
        return adapter.sample_records(MOST_RECORDS, MOST_BYTES, now=now)
    rows = preview.sample(adapter, MOST_ROWS, now=now)
    declared = adapter.declared() if isinstance(adapter, DeclaringAdapter) else {}
    return _of_texts([row.raw for row in rows], declared)


def _of_texts(raws: Sequence[str], declared: Mapping[str, str | None]) -> RecordSample:
    """Return the records whose texts are JSON objects; `declared` columns come first, unchanged."""
    records: list[Mapping[str, Any]] = []
    columns: dict[str, None] = dict.fromkeys(declared)
    for raw in raws:
        record = read_object(raw)
        if record is not None and not (declared and record.keys() >= UNREADABLE_WORDS):
            records.append(record)
            columns.update(dict.fromkeys(record))
    return RecordSample(
        spans=[RecordSpan("the beginning", records)],
        columns=list(columns),
        whole=False,
        unreadable=len(raws) - len(records),
        types={name: of for name, of in declared.items() if of is not None},
    )
