"""Rows of results as messages: what stands in key, value and headers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.adapters.contract import AdapterError, DeliveryBatch
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.result_json import LIFETIME, compact_json, written_bound, written_result, written_time
from streaming.temporal.ticks import INFINITY

CTI_HEADER: Final = "cti"
_ENDLESS: Final = "infinity"
Written = Callable[[Mapping[str, Any]], bytes]


@dataclass(frozen=True)
class OutgoingMessage:
    """A message; one without a `partition` goes where its key belongs, one of each partition has its number."""

    key: bytes | None
    value: bytes | None
    headers: Mapping[str, bytes] = field(default_factory=dict)
    partition: int | None = None


def require_key_fields(options: KafkaOutputOptions, fields: Mapping[str, str]) -> None:
    """Refuse a key of fields that the results do not have. Raises `AdapterError`."""
    known = [*fields, *(name for name in LIFETIME if name not in fields)]
    for name in options.key:
        if name not in known:
            raise AdapterError(
                f"The results have no field '{name}' for the key; they have {', '.join(known)}. Correct it."
            )


def messages_of(
    batch: DeliveryBatch, options: KafkaOutputOptions, partitions: Sequence[int], written: Written | None = None
) -> Iterator[OutgoingMessage]:
    """The rows of a batch in their order, then its CTI, where that is asked for, to every partition.

    `written` makes the value of a row; without it that is JSON. Raises `AdapterError`.
    """
    written = written or _as_json
    for row in batch.rows:
        key = _key(row, options.key)
        taken_back = bool(row.get("deleted")) and key is not None
        yield OutgoingMessage(key, None if taken_back else written(row))
    if options.ctis == "none" or batch.cti is None:
        return
    cti = None if batch.cti == INFINITY else written_time(batch.cti)
    for partition in partitions:
        if options.ctis == "rows":
            yield OutgoingMessage(None, compact_json({"cti": cti}), partition=partition)
        else:
            yield OutgoingMessage(None, None, {CTI_HEADER: str(_ENDLESS if cti is None else cti).encode()}, partition)


def _as_json(row: Mapping[str, Any]) -> bytes:
    return compact_json(written_result(row))


def _key(row: Mapping[str, Any], names: Sequence[str]) -> bytes | None:
    if not names:
        return None
    known = {name: written_bound(row, name) for name in LIFETIME} | dict(row["payload"])
    return compact_json({name: known.get(name) for name in names})
