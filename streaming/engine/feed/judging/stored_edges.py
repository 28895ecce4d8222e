"""The open edges of a lane if they are many: entries; a batch reads those that its rows name (T11)."""

import json
from collections import deque
from collections.abc import Iterable

from streaming.engine.state.texts_by_key import TextsByKey, many, texted
from streaming.temporal.open_edges import Key, OpenEdge, OpenEdges
from streaming.temporal.ticks import Tick


class StoredEdges(OpenEdges):
    """The edges of `entries`, then `edges`. An entry holds the start and the position of each edge of one key."""

    def __init__(self, entries: TextsByKey, edges: Iterable[OpenEdge] = ()) -> None:
        self._entries = entries
        self._read: set[Key] = set()
        self._left = len(entries)
        super().__init__(edges)

    def __len__(self) -> int:
        """Return how many different originals and payloads are open."""
        return self._left + len(self._queues)

    def state(self) -> tuple[OpenEdge, ...]:
        """Return all open edges."""
        for text, _, _ in self._entries.items():
            self._queue(_key(text))
        return super().state()

    def settled(self) -> TextsByKey:
        """Return the entries with all changes."""
        for key in self._read:
            queue = self._queues.get(key)
            value = None if queue is None else texted([[each.start, each.position] for each in queue])
            if value != self._entries.get(_text(key)):
                self._entries.put(_text(key), value)
        return self._entries

    def _queue(self, key: Key) -> deque[OpenEdge] | None:
        if key not in self._read:
            self._read.add(key)
            text = self._entries.get(_text(key))
            if text is not None:
                self._left -= 1
                self._queues[key] = deque(OpenEdge(*key, *each) for each in json.loads(text))
        return super()._queue(key)


def entries_of(edges: OpenEdges) -> TextsByKey | None:
    """Return the entries of `edges`, None if they are few."""
    if not many(len(edges)):
        return None
    stored = edges if isinstance(edges, StoredEdges) else StoredEdges(TextsByKey(), edges.state())
    return stored.settled()


def _text(key: Key) -> str:
    return f"{key[0]} {key[1]}"


def _key(text: str) -> Key:
    original, _, payload = text.partition(" ")
    return Tick(int(original)), payload
