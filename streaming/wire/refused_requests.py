"""Rows that a target refused for good, beside the results: `deliveries/<identity>.refused/<batch>.<part>.jsonl`.

The first line says why, each other one is a row.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from streaming.definition.strict import Strict
from streaming.wire.deliveries import refused_folder
from streaming.wire.results import write_atomically

MOST_REFUSED: Final = 100
"""With so many of one output the delivery waits until somebody has put them aside."""


class StoredRefusedRequest(Strict):
    """`row_count` rows of the batch `number`, of its request `part`, were refused at `at` (ticks), and why."""

    number: int
    part: int
    at: int
    reason: str
    row_count: int


def write_refused(
    results: Path, identity: str, request: StoredRefusedRequest, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Keep a request, whole or not at all; one that was refused again replaces what was kept. Raises `OSError`."""
    lines = [request.model_dump_json(), *(json.dumps(dict(row), ensure_ascii=False) for row in rows)]
    write_atomically(_path(results, identity, request.number, request.part), "\n".join(lines).encode())


def count_refused(results: Path, identity: str) -> int:
    """How many requests are kept."""
    return len(_paths(results, identity))


def stored_refused(results: Path, identity: str) -> Sequence[StoredRefusedRequest]:
    """All requests, those of the newest batches first; one that cannot be read says so in its reason."""
    found = []
    for path in reversed(_paths(results, identity)):
        with suppress(FileNotFoundError), path.open("rb") as file:
            found.append(_header(path, file.readline()))
    return found


def refused_rows(results: Path, identity: str, number: int, part: int) -> Sequence[Mapping[str, Any]] | None:
    """The rows of one request as results write them; None: there is no such request."""
    try:
        lines = _path(results, identity, number, part).read_bytes().split(b"\n")
    except FileNotFoundError:
        return None
    return [json.loads(line) for line in lines[1:]]


def forget_refused(results: Path, identity: str, requests: Sequence[StoredRefusedRequest]) -> None:
    """Delete these requests; what has come since stays. Raises `OSError`."""
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
        reason = "What was written of it cannot be read any more."
        return StoredRefusedRequest(number=int(number), part=int(part), at=0, reason=reason, row_count=0)
