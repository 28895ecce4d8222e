"""One message of a topic as a change of a row, or as something else that Debezium writes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from streaming.adapters.kafka.debezium.connect_types import ConnectType, type_of_json
from streaming.adapters.kafka.debezium.connect_values import json_text, written, written_without_type
from streaming.adapters.kafka.debezium.places import LogPlace, UnknownPlace, place_of
from streaming.adapters.kafka.debezium.unavailable import is_unavailable
from streaming.adapters.row_lifetimes.lines import RESERVED
from streaming.definition.payload.types import Fields

OLD_KEY: Final = "__debezium.oldkey"
"""The header of an insert that follows the deletion of the row under its former key."""
NEW_KEY: Final = "__debezium.newkey"
"""The header of that deletion."""
_FLAT: Final = (
    "The message is not a Debezium envelope: it has no `op`. If the connector unwraps rows (ExtractNewRecordState), "
    "remove that transform, or set `envelope` to none."
)
_NO_KEY: Final = (
    "The change has no key, so its row can't be identified. Give the table a primary key, or set message.key.columns "
    "of the connector."
)
_RESERVED: Final = (
    "is reserved for this input. Exclude the column by column.exclude.list of the connector, or rename it."
)
_SCHEMA_CHANGE: Final = "The message reports a change of a schema, not of a row. Read the topic of one table."
_LOGICAL_MESSAGE: Final = "The message was written into the log by hand (op m); it is not a change of a row."
Operation = Literal["insert", "update", "delete", "snapshot"]
_OPERATIONS: Final[Mapping[str, Operation]] = {"c": "insert", "u": "update", "d": "delete", "r": "snapshot"}


@dataclass(frozen=True, slots=True)
class EnvelopeChange:
    """A change of the row `key`; `members` are its columns, name and value as JSON (value None: not in the message).

    `moves`: a row gets another key, by a deletion and an insert.
    """

    operation: Operation
    key: str
    place: LogPlace
    members: Mapping[str, str | None]
    moves: bool = False


@dataclass(frozen=True, slots=True)
class Truncation:
    """All rows of the table are deleted."""

    place: LogPlace


@dataclass(frozen=True, slots=True)
class Tombstone:
    """The row `key` no longer exists; the deletion itself may have been removed from a compacted topic."""

    key: str


@dataclass(frozen=True, slots=True)
class TransactionEnd:
    """The transaction with this id is complete."""

    transaction: str


@dataclass(frozen=True, slots=True)
class ConnectorHeartbeat:
    """A message without meaning for rows: a heartbeat of the connector, or the beginning of a transaction."""


@dataclass(frozen=True, slots=True)
class RefusedMessage:
    """A message that is not a change of a row; `why` is a sentence."""

    why: str


Content = EnvelopeChange | Truncation | Tombstone | TransactionEnd | ConnectorHeartbeat | RefusedMessage


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """The key and the value of a message as they were decoded; `row` is the type of a row, None without a schema."""

    key: Any
    value: Mapping[str, Any] | None
    row: ConnectType | None
    headers: Mapping[str, Any]


class EnvelopeReader:
    """Reads decoded messages; `fields` are those of the stream by column; they judge values without schema."""

    def __init__(self, fields: Fields, placeholder: str) -> None:
        self._fields = fields
        self._placeholder = placeholder

    def content(self, message: ReadMessage) -> Content:
        """Return the content of `message`."""
        value = message.value
        if value is None:
            return ConnectorHeartbeat() if message.key is None else Tombstone(key_text(message.key))
        if "op" in value and isinstance(value.get("source"), Mapping):
            return self._change(message, value, value["source"])
        if "status" in value and "event_count" in value:
            ends = value["status"] == "END"
            return TransactionEnd(str(value.get("id"))) if ends else ConnectorHeartbeat()
        if "ddl" in value or "tableChanges" in value:
            return RefusedMessage(_SCHEMA_CHANGE)
        return ConnectorHeartbeat() if set(value) <= {"ts_ms", "ts_us", "ts_ns"} else RefusedMessage(_FLAT)

    def _change(self, message: ReadMessage, value: Mapping[str, Any], source: Mapping[str, Any]) -> Content:
        operation = _OPERATIONS.get(value["op"])
        if operation is None and value["op"] != "t":
            return RefusedMessage(
                _LOGICAL_MESSAGE if value["op"] == "m" else f"The operation '{value['op']}' is unknown."
            )
        try:
            place = place_of(source, value.get("transaction"))
        except UnknownPlace as unknown:
            return RefusedMessage(str(unknown))
        if operation is None:
            return Truncation(place)
        after = value.get("after")
        why = _unfit(value["op"], message.key, after)
        if why is not None:
            return RefusedMessage(why)
        moves = (OLD_KEY if operation == "insert" else NEW_KEY) in message.headers
        if moves and operation == "insert":
            operation = "update"
        members = {} if operation == "delete" else self._members(after or {}, message.row)
        return EnvelopeChange(operation, key_text(message.key), place, members, moves)

    def _members(self, after: Mapping[str, Any], row: ConnectType | None) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for name, value in after.items():
            if is_unavailable(value, self._placeholder):
                text = None
            elif row is None:
                text = written_without_type(value, self._fields.get(name))
            else:
                text = written(value, row.fields.get(name))
            found[json_text(name)] = text
        return found


def _unfit(op: str, key: object, after: object) -> str | None:
    """The reason why a change is not one of an identified row with columns that lines can hold; None if it is."""
    if key is None:
        return _NO_KEY
    if op == "d":
        return None
    if not isinstance(after, Mapping):
        return f"The change (op {op}) has no row in `after`."
    reserved = sorted(RESERVED.intersection(after))
    return f"The column name '{reserved[0]}' {_RESERVED}" if reserved else None


def key_text(key: Any) -> str:
    """The key as JSON: an array of texts, in the order of their names."""
    values = [key[name] for name in sorted(key)] if isinstance(key, Mapping) else [key]
    texts = [each if isinstance(each, str) else written(each, None) for each in values]
    return json_text(texts)


def row_type(schema: object) -> ConnectType | None:
    """Return the type of a row according to the schema in a JSON message; None without one. Raises `LookupError`,
    `TypeError`.
    """
    if not isinstance(schema, Mapping):
        return None
    after = [each for each in schema.get("fields") or () if each.get("field") == "after"]
    return type_of_json(after[0]) if after else None
