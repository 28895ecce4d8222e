"""Rows of results as messages: what stands in key, value and headers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.temporal.ticks import INFINITY, LAST_TICK, Tick, format_instant

CTI_HEADER: Final = "cti"
_ENDLESS: Final = "infinity"
_LIFETIME: Final = ("start", "end")
_WHEN_SAID: Final = ("key", "edge", "deleted", "pane", "incomplete")


@dataclass(frozen=True)
class OutgoingMessage:
    """A message; one without a `partition` goes where its key belongs, one of each partition has its number."""

    key: bytes | None
    value: bytes | None
    headers: Mapping[str, bytes] = field(default_factory=dict)
    partition: int | None = None


def require_key_fields(options: KafkaOutputOptions, fields: Mapping[str, str]) -> None:
    """Refuse a key of fields that the results do not have. Raises `AdapterError`."""
    known = [*fields, *(name for name in _LIFETIME if name not in fields)]
    for name in options.key:
        if name not in known:
            raise AdapterError(
                f"The results have no field '{name}' for the key; they have {', '.join(known)}. Correct it."
            )


def messages_of(
    batch: DeliveryBatch, options: KafkaOutputOptions, partitions: Sequence[int]
) -> Iterator[OutgoingMessage]:
    """The rows of a batch in their order, then its CTI, where that is asked for, to every partition."""
    for row in batch.rows:
        key = _key(row, options.key)
        taken_back = bool(row.get("deleted")) and key is not None
        yield OutgoingMessage(key, None if taken_back else _json(_value(row)))
    if options.ctis == "none" or batch.cti is None:
        return
    cti = None if batch.cti == INFINITY else _time(batch.cti)
    for partition in partitions:
        if options.ctis == "rows":
            yield OutgoingMessage(None, _json({"cti": cti}), partition=partition)
        else:
            yield OutgoingMessage(None, None, {CTI_HEADER: str(_ENDLESS if cti is None else cti).encode()}, partition)


def _key(row: Mapping[str, Any], names: Sequence[str]) -> bytes | None:
    if not names:
        return None
    known = {name: _bound(row, name) for name in _LIFETIME} | dict(row["payload"])
    return _json({name: known.get(name) for name in names})


def _value(row: Mapping[str, Any]) -> dict[str, Any]:
    """As the rows of transcripts are, so that the input `kafka` reads it again; what a row does not say is left out."""
    said = {name: row[name] for name in _WHEN_SAID if row.get(name)}
    return {"start": _bound(row, "start"), "end": _bound(row, "end"), "payload": row["payload"], **said}


def _bound(row: Mapping[str, Any], name: str) -> Any:
    at = row.get(name)
    return None if at is None else _time(at)


def _time(tick: int) -> str | int:
    """ISO 8601; ticks for the one time that is behind the last year."""
    return format_instant(Tick(tick)) if tick <= LAST_TICK else tick


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
