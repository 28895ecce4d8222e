"""A bounded sample of records of any adapter, before anything is known of them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from streaming.adapters import preview
from streaming.adapters.contract import DeclaringAdapter, InputAdapter, RecordSample, RecordSpan, SampledAdapter
from streaming.definition.payload import read_object
from streaming.definition.streams import StreamDefinition

MOST_RECORDS: Final = 12_000
MOST_BYTES: Final = 6 * 1024 * 1024
"""Of what lies in the input; a record that is larger than 1 MiB is none anyway."""
MOST_ROWS: Final = 2_000
"""Of an adapter that reads rows alone."""
UNREADABLE_WORDS: Final = frozenset({"bad", "base64"})
"""What the text of a message says that no schema fits (`streaming/adapters/kafka/formats/values.py`)."""
UNDEFINED: Final = StreamDefinition(fields={})
"""As an input is read while nothing is known of its rows: without fields."""


def sample_of(adapter: InputAdapter, *, now: int) -> RecordSample:
    """Records that `adapter`, built for `UNDEFINED`, has at `now` (ticks of the wall clock). Raises `AdapterError`."""
    if isinstance(adapter, SampledAdapter):
        return adapter.sample_records(MOST_RECORDS, MOST_BYTES, now=now)
    rows = preview.sample(adapter, MOST_ROWS, now=now)
    declared = adapter.declared() if isinstance(adapter, DeclaringAdapter) else {}
    return _of_texts([row.raw for row in rows], declared)


def _of_texts(raws: Sequence[str], declared: Mapping[str, str | None]) -> RecordSample:
    """The records whose texts are JSON objects; columns that are `declared` come first, as they are."""
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
