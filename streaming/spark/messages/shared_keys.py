"""Pages: bindings of a carrier that share one key of Spark, and so its calls, its Arrow batches and their state.

A key of `transformWithState` costs some milliseconds a batch even without work, and a call to its state 0.4 to 0.8 ms.
So small bindings are combined. The bindings of a page come to the operators in one call. The small values that each
of them reads and writes at every turn (its head) are one value of the page. All other state of a binding has
keys of its own. Bindings of one page share nothing else: each has a turn of its own, and a binding that fails or hangs
has written nothing.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from streaming.engine.state.container import HEAD, Blob, packed, unpacked

HEADS: Final = "heads"
"""The key of an archive: heads by binding, and under HEAD the bindings with separate heads. Other keys have a slash."""
_HEAD: Final = "head"
_SMALL_BYTES: Final = 32_768
"""A larger head has a key of its own, `<binding>/head`."""
_MOST_BYTES: Final = 1 << 20
"""The largest value to read and write with every batch; if it grows, the largest heads get keys of their own."""


class MapState(Protocol):
    """Spark's map state of one key: text to bytes, each in a tuple of one."""

    def getValue(self, key: tuple[str]) -> tuple[bytes] | None:  # noqa: N802
        """Return the value under `key`, None if there is no value."""

    def updateValue(self, key: tuple[str], value: tuple[bytes]) -> None:  # noqa: N802
        """Store `value` under `key`."""

    def removeKey(self, key: tuple[str]) -> None:  # noqa: N802
        """Delete `key`; it may be absent."""

    def keys(self) -> Iterator[tuple[str]]:
        """Return all keys."""

    def clear(self) -> None:
        """Delete all keys."""


def place_of(key: str, pages: Sequence[str]) -> str:
    """Return the place of the generation `key` (`<binding>@<number>`): its page, or the key itself without `pages`.

    Numbers are consecutive, so pages fill evenly.
    """
    return pages[int(key.rpartition("@")[2]) % len(pages)] if pages else key


class StatePage:
    """The state of all bindings of one page. `of` returns that of a single binding; call `write` at the end."""

    def __init__(self, stored: MapState) -> None:
        self._stored = stored
        value = stored.getValue((HEADS,))
        self._heads: dict[str, Blob | None] = {}
        if value is not None:
            self._heads.update(unpacked(bytes(value[0])))
            self._heads.update(dict.fromkeys(json.loads(bytes(self._heads.pop(HEAD) or b""))))
        self._changed = False

    def of(self, binding: str) -> MapState:
        """Return the state of `binding` alone."""
        return _BindingState(self, self._stored, binding)

    def head(self, binding: str) -> bytes | None:
        """Return the head of `binding`, wherever it is stored."""
        if binding not in self._heads:
            return None
        head = self._heads[binding]
        if head is not None:
            return bytes(head)
        value = self._stored.getValue((f"{binding}/{_HEAD}",))
        return None if value is None else bytes(value[0])

    def put_head(self, binding: str, head: bytes) -> None:
        """Store `head` in the page, or under a key of its own if it is large."""
        was_apart = binding in self._heads and self._heads[binding] is None
        if len(head) > _SMALL_BYTES or (was_apart and sum(self._sizes().values()) + len(head) > _MOST_BYTES):
            self._set_apart(binding, head)
            return
        if was_apart:
            self._stored.removeKey((f"{binding}/{_HEAD}",))
        self._heads[binding] = head
        self._changed = True

    def drop_head(self, binding: str) -> None:
        """Delete the head of `binding`."""
        if binding in self._heads:
            if self._heads.pop(binding) is None:
                self._stored.removeKey((f"{binding}/{_HEAD}",))
            self._changed = True

    def write(self) -> None:
        """Store the heads of the page, if one of them has changed."""
        if not self._changed:
            return
        sizes = self._sizes()
        while sum(sizes.values()) > _MOST_BYTES:
            largest = max(sizes, key=lambda each: sizes[each])
            self._set_apart(largest, bytes(self._heads[largest] or b""))
            del sizes[largest]
        if self._heads:
            apart = sorted(binding for binding, head in self._heads.items() if head is None)
            together = {binding: head for binding, head in self._heads.items() if head is not None}
            self._stored.updateValue((HEADS,), (packed({HEAD: json.dumps(apart).encode(), **together}),))
        else:
            self._stored.removeKey((HEADS,))
        self._changed = False

    def _sizes(self) -> dict[str, int]:
        return {binding: len(head) for binding, head in self._heads.items() if head is not None}

    def _set_apart(self, binding: str, head: bytes) -> None:
        self._stored.updateValue((f"{binding}/{_HEAD}",), (head,))
        if binding not in self._heads or self._heads[binding] is not None:
            self._heads[binding] = None
            self._changed = True


class _BindingState:
    """The state of one binding in its page."""

    def __init__(self, page: StatePage, stored: MapState, binding: str) -> None:
        self._page = page
        self._stored = stored
        self._binding = binding

    def getValue(self, key: tuple[str]) -> tuple[bytes] | None:  # noqa: N802
        if key == (_HEAD,):
            head = self._page.head(self._binding)
            return None if head is None else (head,)
        return self._stored.getValue(self._named(key))

    def updateValue(self, key: tuple[str], value: tuple[bytes]) -> None:  # noqa: N802
        if key == (_HEAD,):
            self._page.put_head(self._binding, value[0])
        else:
            self._stored.updateValue(self._named(key), value)

    def removeKey(self, key: tuple[str]) -> None:  # noqa: N802
        if key == (_HEAD,):
            self._page.drop_head(self._binding)
        else:
            self._stored.removeKey(self._named(key))

    def keys(self) -> Iterator[tuple[str]]:
        if self._page.head(self._binding) is not None:
            yield (_HEAD,)
        prefix = f"{self._binding}/"
        for (key,) in self._stored.keys():  # noqa: SIM118 - not a mapping
            name = str(key).removeprefix(prefix)
            if name not in (key, _HEAD):
                yield (name,)

    def clear(self) -> None:
        for key in list(self.keys()):
            self.removeKey(key)

    def _named(self, key: tuple[str]) -> tuple[str]:
        return (f"{self._binding}/{key[0]}",)
