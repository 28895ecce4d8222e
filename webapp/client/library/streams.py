"""Streams, and rows pushed to them in idempotent batches."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, Self
from uuid import uuid4

from ..outcomes import CommandFailure, ExitCode
from ..server import ApiServer
from .frames import json_line, rows_of
from .things import PushedBatch

ROWS_AT_ONCE: Final = 5_000
MOST_BYTES: Final = 4 << 20
"""A batch ends before its rows exceed this size; the server accepts 8 MiB."""
ATTEMPTS: Final = 8
LONGEST_PAUSE_S: Final = 30.0


@dataclass(frozen=True)
class RemoteStream:
    """A stream, and the kind of its adapter."""

    id: str
    name: str
    adapter: str
    _server: ApiServer = field(repr=False, compare=False)

    @classmethod
    def of(cls, server: ApiServer, found: Mapping[str, Any]) -> Self:
        """Return the stream in an answer of the API."""
        return cls(found["id"], found["name"], found["adapter_kind"], server)

    def fields(self) -> dict[str, str]:
        """Return the fields with their types."""
        return dict(self.definition()["fields"])

    def definition(self) -> dict[str, Any]:
        """Return the definition: shape, fields, event time, settings of time."""
        return dict(self._server.get(f"streams/{self.id}/")["definition"])

    def push(
        self, rows: Any, *, batch: str | None = None, pause: Callable[[float], object] = time.sleep
    ) -> list[PushedBatch]:
        """Store rows, each once, in their order; return the receipt of each batch.

        `rows`: a frame of pandas or polars, an Arrow table, or mappings. With `batch`, an id of yours, a repeated call
        with the same rows stores nothing twice, also in another process. Without it, only retries of this call are
        recognised. Attempts that fail because the server is busy or unreachable are repeated, after the wait that it
        asks for. Raises `ValueError` for an infinite number, which JSON can't carry; rows of the batches before it are
        stored already.
        """
        name = batch or str(uuid4())
        return [self._sent(content, f"{name}-{number}", pause) for number, content in enumerate(batches_of(rows))]

    def _sent(self, content: bytes, batch: str, pause: Callable[[float], object]) -> PushedBatch:
        for attempt in range(ATTEMPTS):
            try:
                headers = {"Content-Type": "application/x-ndjson", "Idempotency-Key": batch}
                return PushedBatch(**self._server.send(f"streams/{self.id}/rows/", content, headers))
            except CommandFailure as failure:
                if failure.exit is not ExitCode.NO_SERVER or attempt == ATTEMPTS - 1:
                    raise
                wait_s = failure.retry_after_s
            pause(max(wait_s, min(LONGEST_PAUSE_S, 0.5 * 2**attempt)))
        raise AssertionError("the last attempt returns or raises")


def batches_of(rows: Any) -> Iterator[bytes]:
    """Yield rows as lines of JSON; the same rows give the same batches. Raises `ValueError` for an infinite number."""
    lines = (json_line(number, row).encode() + b"\n" for number, row in enumerate(rows_of(rows), 1))
    while chunk := list(islice(lines, ROWS_AT_ONCE)):
        batch: list[bytes] = []
        size = 0
        for line in chunk:
            if batch and size + len(line) > MOST_BYTES:
                yield b"".join(batch)
                batch, size = [], 0
            batch.append(line)
            size += len(line)
        yield b"".join(batch)
