"""The proposal of a stream from the first changes in a topic."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from streaming.adapters.contract import AdapterError, RecordLifetimes, RecordSample, RecordSpan
from streaming.adapters.kafka.debezium.connect_types import ConnectType, stream_type
from streaming.adapters.kafka.debezium.envelopes import EnvelopeChange, RefusedMessage
from streaming.adapters.kafka.debezium.reading import MessageReader
from streaming.adapters.row_lifetimes.decoding import TIMES
from streaming.adapters.row_lifetimes.members import completed
from streaming.definition.payload.reading import read_object
from streaming.temporal.events import Shape

_WHY: Final = "Debezium reports when each change was committed"
_WITHOUT_SCHEMA: Final = (
    "The messages have no schema, so the unit of a time in a number and the scale of a decimal are not known: in "
    "fields of the types timestamp and decimal they are malformed. Set value.converter.schemas.enable of the connector "
    "to true, or use Avro with a schema registry."
)


def sample_of_topic(
    messages: Sequence[Any], reader: MessageReader, topic: str, most_bytes: int, now: int
) -> RecordSample:
    """The rows of changes in `messages`. Raises `AdapterError` if they have no rows."""
    records: list[Mapping[str, Any]] = []
    refused: list[str] = []
    row: ConnectType | None = None
    keys: list[str] = []
    size = 0
    for message in messages:
        content = reader.content(message)
        if isinstance(content, RefusedMessage):
            refused.append(content.why)
        if not isinstance(content, EnvelopeChange) or not content.members:
            continue
        text = completed(content.members, None)
        record = read_object(f"{{{text}}}")
        if record is not None:
            records.append(record)
        size += len(text)
        decoded = reader.decoded(message)
        if not isinstance(decoded, RefusedMessage):
            row, keys = decoded.row, list(decoded.key) if isinstance(decoded.key, Mapping) else []
        if size >= most_bytes:
            break
    if not records:
        raise AdapterError(_why_empty(topic, refused))
    columns = list(dict.fromkeys(name for record in records for name in record))
    known = {} if row is None else {name: stream_type(of) for name, of in row.fields.items()}
    return RecordSample(
        spans=[RecordSpan(f"the beginning of {topic}", records)],
        columns=columns,
        whole=False,
        unreadable=len(refused),
        types={name: str(of) for name, of in known.items() if of is not None},
        notes=[*([_WITHOUT_SCHEMA] if row is None else []), _key_words(keys)],
        lifetimes=RecordLifetimes(Shape.EDGE, TIMES, now, _WHY),
    )


def _key_words(keys: Sequence[str]) -> str:
    names = f": {', '.join(f'`{name}`' for name in keys)}" if keys else ""
    return f"The key of the messages identifies the row of the table{names}."


def _why_empty(topic: str, refused: Sequence[str]) -> str:
    if refused:
        return f"The topic '{topic}' has no change of a row. {refused[0][:500]}"
    return (
        f"The topic '{topic}' has no change of a row yet, so no stream can be proposed. Change a row, or define the "
        "fields yourself, with the shape 'edge' and no event time. Topics of heartbeats and of transactions have no "
        "rows: choose the topic of a table."
    )
