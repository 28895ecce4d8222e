"""The open edges of a lane; an edge end closes the one that matches it (T11)."""

import json
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any, Final

from streaming.temporal.events import Event, Payload
from streaming.temporal.ticks import Tick

_EXACT: Final = Context(prec=100)
"""More digits than any decimal field has, so that different decimals never become equal."""


@dataclass(frozen=True, slots=True)
class OpenEdge:
    """An edge start whose end has not arrived.

    `original` and `payload_key` are what its end will carry. `start` is the start under which it was enqueued, None if
    it was dropped. `position` is the place of the start in its lane, if the clock received it.
    """

    original: Tick
    payload_key: str
    start: Tick | None
    position: int | None = None


def payload_key(payload: Payload) -> str:
    """Return a text that is equal for equal payloads; a null field and a missing one are the same."""
    present = {name: _canonical(value) for name, value in payload.items() if value is not None}
    return json.dumps(present, sort_keys=True)


def _canonical(value: Any) -> Any:
    if isinstance(value, Decimal):
        return {"decimal": str(value.normalize(_EXACT) if value else Decimal(0))}
    if isinstance(value, float):
        return value + 0.0  # -0.0 equals 0.0
    if isinstance(value, dict):
        return {name: _canonical(item) for name, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_canonical(item) for item in value]
    return value


Key = tuple[Tick, str]
"""The values of an edge end that must equal those of its start: original start and payload."""


class OpenEdges:
    """Open edges, first in, first out by original start and payload (T11)."""

    def __init__(self, edges: Iterable[OpenEdge] = ()) -> None:
        self._queues: dict[Key, deque[OpenEdge]] = {}
        for edge in edges:
            self._append(edge)

    def open(self, original: Event, start: Tick | None, position: int | None = None) -> None:
        """Add the edge start `original`, enqueued at `start`; None if it was dropped."""
        self._append(OpenEdge(original.start, payload_key(original.payload), start, position))

    def match(self, end: Event) -> OpenEdge | None:
        """Return the edge that `end` would close, and leave it open; None for an orphan."""
        queue = self._queue((end.start, payload_key(end.payload)))
        return queue[0] if queue else None

    def close(self, edge: OpenEdge) -> None:
        """Remove `edge`, which `match` returned."""
        key = (edge.original, edge.payload_key)
        queue = self._queues[key]
        queue.popleft()
        if not queue:
            del self._queues[key]

    def __len__(self) -> int:
        """Return how many different originals and payloads are open."""
        return len(self._queues)

    def state(self) -> tuple[OpenEdge, ...]:
        """Return all open edges; building `OpenEdges` from them gives an equal object."""
        return tuple(edge for key in sorted(self._queues) for edge in self._queues[key])

    def _queue(self, key: Key) -> deque[OpenEdge] | None:
        """Return the edges with `key`, in closing order; None if there are no such edges."""
        return self._queues.get(key)

    def _append(self, edge: OpenEdge) -> None:
        key = (edge.original, edge.payload_key)
        queue = self._queue(key)
        if queue is None:
            queue = self._queues[key] = deque()
        queue.append(edge)
