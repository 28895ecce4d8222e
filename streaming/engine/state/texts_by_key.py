"""Texts by key, for batches that read and change few of them: the many keys and many open edges of feeds.

They are in *pieces* that never change, the newest last, so that a batch adds one with its changes. Four pieces of about
one size are merged: an entry is rewritten once each time that its piece becomes four times as large.
"""

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.ipc import from_bytes, to_bytes
from streaming.engine.state.container import Blob
from streaming.engine.state.tiers import FANOUT, tier_of
from streaming.wire.rows.arrived import Int64s

FEW: Final = 512
"""Up to so many keys or open edges a feed stores in its JSON, where they cost less."""
_FIRST: Final = 4096
_JSON: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_SCHEMA: Final = pa.schema(
    [("hash", pa.int64()), ("rank", pa.int64()), ("key", pa.large_string()), ("value", pa.large_string())]
)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Entries by rising hash of their keys, each key once; the value of a removed entry is null."""

    name: str
    content: Blob
    hashes: Int64s
    ranks: Int64s
    keys: pa.Array
    values: pa.Array

    @classmethod
    def read(cls, name: str, content: Blob) -> "_Piece":
        columns = [column.chunk(0) for column in from_bytes(content).columns]
        return cls(name, content, columns[0].to_numpy(), columns[1].to_numpy(), columns[2], columns[3])

    @classmethod
    def of(cls, hashes: Int64s, ranks: Int64s, keys: pa.Array, values: pa.Array) -> "_Piece":
        order = np.argsort(hashes, kind="stable")
        at = pa.array(order)
        columns = [pa.array(hashes[order]), pa.array(ranks[order]), keys.take(at), values.take(at)]
        content = to_bytes(pa.table(columns, schema=_SCHEMA))
        return cls.read(blake2b(content, digest_size=16).hexdigest(), content)

    @property
    def level(self) -> int:
        """Return the level; four pieces of one level become one of the next, if they have different keys."""
        return tier_of(len(self.hashes))

    def find(self, hashed: int, key: str) -> int:
        """Return the row of `key`, -1 if it is absent."""
        row = int(self.hashes.searchsorted(np.int64(hashed)))
        while row < len(self.hashes) and self.hashes[row] == hashed:
            if self.keys[row].as_py() == key:
                return row
            row += 1
        return -1

    def rows_also_in(self, newer: "_Piece") -> Int64s:
        """Return the rows whose keys `newer` has too."""
        near = np.minimum(self.hashes.searchsorted(newer.hashes), len(self.hashes) - 1)
        rows = np.flatnonzero(self.hashes[near] == newer.hashes)
        near = near[rows]
        mine, theirs = self.keys.take(pa.array(near)), newer.keys.take(pa.array(rows))
        same = pc.equal(mine, theirs).to_numpy(zero_copy_only=False)
        others = [(int(newer.hashes[row]), newer.keys[row].as_py()) for row in rows[~same].tolist()]
        further = [self.find(hashed, key) for hashed, key in others]
        return np.concatenate((near[same], np.array([row for row in further if row >= 0], np.int64)))


@dataclass(frozen=True, slots=True)
class TextRanks:
    """The ranks of entries in any order, and the key of each."""

    ranks: Int64s
    key: Callable[[int], str]


class TextsByKey:
    """The content that `write` stored, from its JSON values and the blobs; without them it is empty."""

    def __init__(self, stored: Mapping[str, Any] | None = None, blobs: Mapping[str, Blob] | None = None) -> None:
        names = () if stored is None else stored["pieces"]
        self._pieces = [_Piece.read(name, (blobs or {})[name]) for name in names]
        self._count: int = 0 if stored is None else stored["count"]
        self._stored: dict[str, str | None] = {}
        self._changed: dict[str, tuple[str | None, int]] = {}

    def __len__(self) -> int:
        """Return how many keys have a text."""
        return self._count

    def get(self, key: str) -> str | None:
        """Return the text of `key`, None if it has none."""
        if key in self._changed:
            return self._changed[key][0]
        if key not in self._stored:
            self._stored[key] = self._find(key)
        return self._stored[key]

    def put(self, key: str, value: str | None, rank: int = 0) -> None:
        """Set the text `value` and the `rank` of `key`; None removes it."""
        before = self.get(key)
        if value is None and before is None:
            return
        self._count += (value is not None) - (before is not None)
        self._changed[key] = value, rank

    def items(self) -> Iterator[tuple[str, str, int]]:
        """All keys with their texts and ranks."""
        self._settle()
        for piece, rows in self._live(self._pieces):
            at = pa.array(rows)
            texts = (piece.keys.take(at).to_pylist(), piece.values.take(at).to_pylist(), piece.ranks[rows].tolist())
            yield from zip(*texts, strict=True)

    def ranked(self) -> TextRanks:
        """The ranks of all keys."""
        self._settle()
        live = self._live(self._pieces)
        ends = np.cumsum([len(rows) for _, rows in live])
        ranks = np.concatenate([np.empty(0, np.int64), *(piece.ranks[rows] for piece, rows in live)])

        def key(index: int) -> str:
            number = int(ends.searchsorted(index, side="right"))
            piece, rows = live[number]
            found: str = piece.keys[int(rows[index - int(ends[number])])].as_py()
            return found

        return TextRanks(ranks, key)

    def write(self, blobs: dict[str, Blob]) -> dict[str, Any]:
        """Write the pieces into `blobs`; return their description as JSON values."""
        self._settle()
        blobs.update({piece.name: piece.content for piece in self._pieces})
        return {"pieces": [piece.name for piece in self._pieces], "count": self._count}

    def _find(self, key: str) -> str | None:
        hashed = _hash(key)
        for piece in reversed(self._pieces):
            row = piece.find(hashed, key)
            if row >= 0:
                found: str | None = piece.values[row].as_py()
                return found
        return None

    def _settle(self) -> None:
        """Make a piece of the changes, and merge the newest pieces if four are alike."""
        if not self._changed:
            return
        keys = sorted(self._changed)
        values, ranks = zip(*(self._changed[key] for key in keys), strict=True)
        texts = pa.array(keys, pa.large_string()), pa.array(values, pa.large_string())
        hashes = np.fromiter(map(_hash, keys), np.int64, len(keys))
        self._pieces.append(_Piece.of(hashes, np.array(ranks, np.int64), *texts))
        self._stored, self._changed = {}, {}
        if not self._count:
            self._pieces = []
        while (alike := self._alike()) >= FANOUT:
            kept, merged = self._pieces[:-alike], self._pieces[-alike:]
            self._pieces = [*kept, self._merged(merged, oldest=not kept)]

    def _alike(self) -> int:
        """Return how many of the newest pieces are not larger than the newest one."""
        level = self._pieces[-1].level if self._pieces else 0
        larger = (number for number, piece in enumerate(reversed(self._pieces)) if piece.level > level)
        return next(larger, len(self._pieces))

    def _merged(self, pieces: list[_Piece], *, oldest: bool) -> _Piece:
        """Merge `pieces`; removed entries are dropped if no older piece has them."""
        live = self._live(pieces, removed=not oldest)
        at = [(piece, rows, pa.array(rows)) for piece, rows in live]
        return _Piece.of(
            np.concatenate([piece.hashes[rows] for piece, rows, _ in at]),
            np.concatenate([piece.ranks[rows] for piece, rows, _ in at]),
            pa.concat_arrays([piece.keys.take(places) for piece, _, places in at]),
            pa.concat_arrays([piece.values.take(places) for piece, _, places in at]),
        )

    def _live(self, pieces: list[_Piece], *, removed: bool = False) -> list[tuple[_Piece, Int64s]]:
        """Return the rows of each piece that no newer one replaces; `removed`: include entries without a text."""
        found = []
        for number, piece in enumerate(pieces):
            live = np.ones(len(piece.hashes), np.bool_)
            for newer in pieces[number + 1 :]:
                live[piece.rows_also_in(newer)] = False
            if not removed and piece.values.null_count:
                live &= piece.values.is_valid().to_numpy(zero_copy_only=False)
            found.append((piece, np.flatnonzero(live)))
        return found


class AscendingKeys:
    """Keys by rank, the lowest first; keys can be removed."""

    def __init__(self, ranked: TextRanks) -> None:
        self._ranked = ranked
        self._order: Int64s = np.empty(0, np.int64)
        self._at = 0
        self._out: set[str] = set()
        self._first: tuple[str, int] | None = None
        self._move()

    @property
    def lowest(self) -> int | None:
        """Return the lowest remaining rank; None without keys."""
        return None if self._first is None else self._first[1]

    def take_out(self, key: str) -> None:
        """Remove `key`."""
        self._out.add(key)
        if self._first is not None and self._first[0] == key:
            self._move()

    def _move(self) -> None:
        ranks = self._ranked.ranks
        while self._at < len(ranks):
            if self._at == len(self._order):
                self._sort(ranks)
            index = int(self._order[self._at])
            self._first = self._ranked.key(index), int(ranks[index])
            if self._first[0] not in self._out:
                return
            self._at += 1
        self._first = None

    def _sort(self, ranks: Int64s) -> None:
        """Sort the lowest few first, which are mostly enough.

        Then all, from the first on, because equal ranks have no order.
        """
        if self._at == 0 and len(ranks) > _FIRST:
            few = np.argpartition(ranks, _FIRST)[:_FIRST]
            self._order = few[np.argsort(ranks[few], kind="stable")]
        else:
            self._order = np.argsort(ranks, kind="stable")
            self._at = 0


def many(number: int) -> bool:
    """Return true if so many keys or open edges are too many to be written in every batch."""
    return number > FEW


def texted(values: Any) -> str:
    """Return JSON values as the text of an entry."""
    return _JSON.encode(values)


def _hash(key: str) -> int:
    return zlib.crc32(key.encode())
