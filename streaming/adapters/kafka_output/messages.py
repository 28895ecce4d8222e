"""Rows of results as messages: their keys, values and headers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.adapters.contract import DeliveryBatch
from streaming.adapters.kafka_output.options import KafkaOutputOptions
from streaming.adapters.result_json import compact_json, written_result, written_time
from streaming.temporal.ticks import INFINITY

CTI_HEADER: Final = "cti"
_ENDLESS: Final = "infinity"
Written = Callable[[Mapping[str, Any]], bytes]


@dataclass(frozen=True)
class OutgoingMessage:
    """A message; without a `partition` it goes where its key belongs, otherwise to that partition."""

    key: bytes | None
    value: bytes | None
    headers: Mapping[str, bytes] = field(default_factory=dict)
    partition: int | None = None


def messages_of(
    batch: DeliveryBatch,
    options: KafkaOutputOptions,
    partitions: Sequence[int],
    key_of: Callable[[Mapping[str, Any]], bytes | None],
    written: Written | None = None,
) -> Iterator[OutgoingMessage]:
    """Yield the rows of a batch in their order, then its CTI, if the options request it, for every partition.

    `key_of` makes the key of a row, `written` its value; without `written` the value is JSON. Raises `AdapterError`.
    """
    written = written or _as_json
    for row in batch.rows:
        key = key_of(row)
        retracted = bool(row.get("deleted")) and key is not None
        yield OutgoingMessage(key, None if retracted else written(row))
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
