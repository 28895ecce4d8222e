"""The posted requests: a batch divided into requests, each with a permanent name."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.contract import DeliveryBatch
from streaming.adapters.result_json import compact_json, written_result, written_time
from streaming.temporal.ticks import INFINITY

MOST_BYTES: Final = 1 << 20
"""The limit of bytes of rows in a request; a single row may exceed it."""


@dataclass(frozen=True)
class WebhookRequest:
    """The `part`-th request of a batch. `id` depends only on the content, whenever it is sent."""

    id: str
    part: int
    body: bytes
    rows: Sequence[Mapping[str, Any]]


def requests_of(batch: DeliveryBatch, identity: str, most_rows: int, *, ctis: bool) -> Iterator[WebhookRequest]:
    """Yield the requests of a batch in the order of its rows; `ctis`: the last one has the CTI, if need be without
    rows.
    """
    says_cti = ctis and batch.cti is not None
    pieces = list(_pieces(batch.rows, most_rows)) or ([([], [])] if says_cti else [])
    for part, (rows, written) in enumerate(pieces):
        data: dict[str, Any] = {"output": identity, "batch": batch.number, "part": part, "rows": written}
        if says_cti and part == len(pieces) - 1:
            data["cti"] = None if batch.cti in {None, INFINITY} else written_time(int(batch.cti or 0))
        body = compact_json({"type": "results", "data": data})
        digest = hashlib.sha256(body).hexdigest()[:16]  # the rows of a part depend on options that may change
        yield WebhookRequest(f"{identity}.{batch.number}.{part}.{digest}", part, body, rows)


Piece = tuple[list[Mapping[str, Any]], list[dict[str, Any]]]


def _pieces(rows: Sequence[Mapping[str, Any]], most_rows: int) -> Iterator[Piece]:
    held: list[Mapping[str, Any]] = []
    written: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        one = written_result(row)
        length = len(compact_json(one))
        if held and (len(held) == most_rows or size + length > MOST_BYTES):
            yield held, written
            held, written, size = [], [], 0
        held.append(row)
        written.append(one)
        size += length
    if held:
        yield held, written
