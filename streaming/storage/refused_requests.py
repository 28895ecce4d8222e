"""Rows that a target refused for good, next to the results: `deliveries/<identity>.refused/<batch>.<part>.jsonl`.

The first line holds the reason, every other line a row.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from streaming.storage.results import write_atomically
from streaming.wire.deliveries import refused_folder
from streaming.wire.message import Message

MOST_REFUSED: Final = 100
"""At this number of refused requests, the delivery of an output waits until somebody puts them aside."""


class StoredRefusedRequest(Message):
    """The target refused `row_count` rows at `at` (ticks): the request `part` of the batch `number`."""

    number: int
    part: int
    at: int
    reason: str
    row_count: int


def write_refused(
    results: Path, identity: str, request: StoredRefusedRequest, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Store a request, whole or not at all; one that is refused again replaces the old one. Raises `OSError`."""
    lines = [request.model_dump_json(), *(json.dumps(dict(row), ensure_ascii=False) for row in rows)]
    write_atomically(_path(results, identity, request.number, request.part), "\n".join(lines).encode())


def count_refused(results: Path, identity: str) -> int:
    """Return the number of stored requests."""
    return len(_paths(results, identity))


def stored_refused(results: Path, identity: str) -> Sequence[StoredRefusedRequest]:
    """Return all requests, those of the newest batches first; the reason of an unreadable one says so."""
    requests = []
    for path in reversed(_paths(results, identity)):
        with suppress(FileNotFoundError), path.open("rb") as file:
            requests.append(_header(path, file.readline()))
    return requests


def refused_rows(results: Path, identity: str, number: int, part: int) -> Sequence[Mapping[str, Any]] | None:
    """Return the rows of one request in the form of results; None if it doesn't exist."""
    try:
        lines = _path(results, identity, number, part).read_bytes().split(b"\n")
    except FileNotFoundError:
        return None
    return [json.loads(line) for line in lines[1:]]


def forget_refused(results: Path, identity: str, requests: Sequence[StoredRefusedRequest]) -> None:
    """Delete these requests; later ones stay. Raises `OSError`."""
    for each in requests:
        _path(results, identity, each.number, each.part).unlink(missing_ok=True)


def _path(results: Path, identity: str, number: int, part: int) -> Path:
    return refused_folder(results, identity) / f"{number:020}.{part:010}.jsonl"


def _paths(results: Path, identity: str) -> Sequence[Path]:
    return sorted(refused_folder(results, identity).glob("[!.]*.jsonl"))


def _header(path: Path, line: bytes) -> StoredRefusedRequest:
    try:
        return StoredRefusedRequest.model_validate_json(line)
    except ValidationError:
        number, part, _ = path.name.split(".")
        reason = "The stored file of this request is damaged, so its reason is unknown."
        return StoredRefusedRequest(number=int(number), part=int(part), at=0, reason=reason, row_count=0)
