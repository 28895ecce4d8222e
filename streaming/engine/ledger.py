"""The state of one bucket: a small head, and append-only pieces of partials that a closing reads only when due."""

import json
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa

from streaming.engine.fold import FIRST, LAST, Fold
from streaming.engine.ipc import from_bytes, to_bytes
from streaming.engine.measures import column_of
from streaming.engine.panes import AFTER_ALL, BEFORE_ALL
from streaming.engine.state import StateStore
from streaming.wire.arrived import Int64s

_VERSION: Final = 1
_HEAD: Final = "head"
_INLINE_BYTES: Final = 16_384
"""A piece up to this size lives in the head, where it costs no state call of its own."""
_INLINE_TOTAL: Final = 131_072
MOST_PIECES: Final = 64
"""A window with more pieces is compacted."""


@dataclass
class Piece:
    """Where some partials of a window are, which windows they span, and how many they are.

    `content` is the piece itself while it lives in the head; otherwise it is under `key` in the state.
    """

    key: str
    first: int
    latest_first: int
    last: int
    rows: int
    content: bytes | None = None


@dataclass
class WindowState:
    """One window node: all up to window `closed` has been released; the partials of the rest are in `pieces`."""

    closed: int = BEFORE_ALL
    pieces: list[Piece] = field(default_factory=list)


class Ledger:
    """Reads the head once, keeps all changes until `write`, and then writes them in as few calls as possible."""

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._new: dict[str, bytes] = {}
        self._gone: list[str] = []
        head, blobs = _unpacked(store.get(_HEAD))
        self._next = int(head.get("next", 0))
        self.ctis: dict[str, dict[str, dict[str, int]]] = head.get("ctis", {})
        self.released: dict[str, int] = head.get("released", {})
        self._windows = {
            node: WindowState(stored["closed"], [_piece(piece, blobs) for piece in stored["pieces"]])
            for node, stored in head.get("windows", {}).items()
        }

    def window(self, node: str) -> WindowState:
        """The state of one window node."""
        return self._windows.setdefault(node, WindowState())

    def read(self, piece: Piece) -> pa.Table:
        """The partials of a piece."""
        content = piece.content or self._new.get(piece.key) or self._store.get(piece.key)
        if content is None:
            raise LookupError(f"the state has no piece {piece.key}, which its head lists")
        return from_bytes(content)

    def add(self, state: WindowState, partials: pa.Table) -> None:
        """Append partials to a window, cut by their first window: 1, 2, 4 ... windows to a piece, from the next to
        close on, so that a closing reads little that it cannot use."""
        if not partials.num_rows:
            return
        first = column_of(partials, FIRST).to_numpy()
        base = state.closed + 1 if state.closed != BEFORE_ALL else int(first.min())
        level = np.frexp(np.maximum(first - base, 0) + 1.0)[1]
        for each in np.unique(level).tolist():
            rows = np.flatnonzero(level == each)
            part = partials if len(rows) == partials.num_rows else partials.take(pa.array(rows))
            self._append(state, part, first[rows])

    def _append(self, state: WindowState, part: pa.Table, first: Int64s) -> None:
        key = f"p{self._next}"
        self._next += 1
        last = int(column_of(part, LAST).to_numpy().max())
        piece = Piece(key, int(first.min()), int(first.max()), last, part.num_rows)
        content = to_bytes(part)
        if len(content) <= _INLINE_BYTES and self._inlined() + len(content) <= _INLINE_TOTAL:
            piece.content = content
        else:
            self._new[key] = content
        state.pieces.append(piece)

    def _inlined(self) -> int:
        return sum(len(piece.content or b"") for state in self._windows.values() for piece in state.pieces)

    def drop(self, state: WindowState, piece: Piece) -> None:
        """Forget a piece."""
        state.pieces.remove(piece)
        if piece.content is None and self._new.pop(piece.key, None) is None:
            self._gone.append(piece.key)

    def compact(self, state: WindowState, fold: Fold) -> None:
        """Put many pieces together and merge what has become equal."""
        if len(state.pieces) <= MOST_PIECES:
            return
        pieces = list(state.pieces)
        together = fold.join([clipped(self.read(piece), state.closed) for piece in pieces])
        for piece in pieces:
            self.drop(state, piece)
        self.add(state, fold.merge(together))

    def write(self) -> None:
        """All changes to the store, the head last."""
        for key in self._gone:
            self._store.delete(key)
        for key, content in self._new.items():
            self._store.put(key, content)
        self._store.put(_HEAD, self._packed())

    def _packed(self) -> bytes:
        blobs: list[bytes] = []
        windows = {}
        for node, state in self._windows.items():
            windows[node] = {"closed": state.closed, "pieces": [_entry(piece, blobs) for piece in state.pieces]}
        head = {
            "version": _VERSION,
            "next": self._next,
            "ctis": self.ctis,
            "released": self.released,
            "windows": windows,
            "blobs": [len(blob) for blob in blobs],
        }
        text = json.dumps(head, separators=(",", ":")).encode()
        return b"".join([len(text).to_bytes(8, "little"), text, *blobs])


def clipped(partials: pa.Table, closed: int) -> pa.Table:
    """What of `partials` is left after the windows up to `closed`: their first window is raised above it."""
    first, last = column_of(partials, FIRST).to_numpy(), column_of(partials, LAST).to_numpy()
    if closed == AFTER_ALL:
        return partials.slice(0, 0)
    if int(first.min(initial=AFTER_ALL)) > closed:
        return partials
    raised = partials.set_column(0, FIRST, pa.array(np.maximum(first, closed + 1)))
    return raised if (last > closed).all() else raised.take(pa.array(np.flatnonzero(last > closed)))


def _entry(piece: Piece, blobs: list[bytes]) -> list[Any]:
    place = -1
    if piece.content is not None:
        place = len(blobs)
        blobs.append(piece.content)
    return [piece.key, piece.first, piece.latest_first, piece.last, piece.rows, place]


def _piece(entry: list[Any], blobs: list[bytes]) -> Piece:
    key, first, latest_first, last, rows, blob = entry
    return Piece(key, first, latest_first, last, rows, blobs[blob] if blob >= 0 else None)


def _unpacked(value: bytes | None) -> tuple[dict[str, Any], list[bytes]]:
    if value is None:
        return {}, []
    length = int.from_bytes(value[:8], "little")
    head = json.loads(value[8 : 8 + length])
    if head["version"] != _VERSION:
        raise ValueError(f"the operator state has version {head['version']}, this program reads version {_VERSION}")
    blobs, at = [], 8 + length
    for size in head["blobs"]:
        blobs.append(value[at : at + size])
        at += size
    return head, blobs
