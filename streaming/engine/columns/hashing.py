"""A stable hash of key values for stored data: the same values have the same hash in every process and version."""

from collections.abc import Sequence
from typing import Final
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.wire.rows.arrived import Int64s

UInt64s = npt.NDArray[np.uint64]

_NULL: Final = np.uint64(0x9E3779B97F4A7C15)
_WORD: Final = 8
_LONG: Final = 256
"""Bytes of a text after this many are hashed text by text."""
_ALL: Final = np.uint64(2**64 - 1)


def hash_of(columns: Sequence[pa.Array], rows: int) -> UInt64s:
    """Return one hash for each of `rows` rows over the values of `columns`, in their order; null is a separate value.

    Equal values of one type have equal hashes, minus zero as zero. Without columns all rows are equal.
    """
    found = np.zeros(rows, np.uint64)
    for column in columns:
        values = _values(column)
        if column.null_count:
            values = np.where(column.is_null().to_numpy(zero_copy_only=False), _NULL, values)
        found = mixed(found ^ mixed(values))
    return found


def mixed(values: UInt64s) -> UInt64s:
    """The finalizer of splitmix64: every bit of a value changes about half of the bits of its hash."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _values(column: pa.Array) -> UInt64s:
    kind = column.type
    if pa.types.is_null(kind):
        return np.zeros(len(column), np.uint64)
    if pa.types.is_string(kind):
        return _texts(column)
    if pa.types.is_decimal128(kind):
        halves = np.frombuffer(column.buffers()[1], np.uint64)
        halves = halves[2 * column.offset : 2 * (column.offset + len(column))]
        return mixed(halves[::2]) ^ halves[1::2]
    if pa.types.is_floating(kind):
        doubles: npt.NDArray[np.float64] = pc.fill_null(pc.add(column, 0.0), 0.0).to_numpy(zero_copy_only=False)
        return doubles.view(np.uint64)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        numbers: Int64s = pc.fill_null(column, pa.scalar(0).cast(kind)).to_numpy(zero_copy_only=False).astype(np.int64)
        return numbers.view(np.uint64)
    return np.array([crc32(repr(value).encode()) for value in column.to_pylist()], np.uint64)


def _texts(column: pa.Array) -> UInt64s:
    """Hash the bytes of each text, eight at a time as little-endian words, mixed in turn, and its length."""
    _, places, content = column.buffers()
    offsets = np.frombuffer(places, np.int32)[column.offset : column.offset + len(column) + 1].astype(np.int64)
    lengths = np.diff(offsets)
    found = np.zeros(len(column), np.uint64)
    if not len(column) or content is None or not lengths.any():
        return found
    low, high = int(offsets[0]), int(offsets[-1])
    # a word may start at any byte, so the last word reads past the content: hence eight more bytes
    padded = np.frombuffer(content[low:high].to_pybytes() + bytes(_WORD), np.uint8)
    words = np.lib.stride_tricks.as_strided(padded[:_WORD].view("<u8"), (high - low + 1,), (1,), writeable=False)
    rows = np.flatnonzero(lengths)
    for place in range(0, min(int(lengths.max()), _LONG), _WORD):
        rows = rows if place == 0 else rows[lengths[rows] > place]
        left = np.minimum(lengths[rows] - place, _WORD).astype(np.uint64)
        # bytes of the next text are cut off, or the hash of a key would depend on its neighbour
        word = words[offsets[rows] - low + place] & (_ALL >> (np.uint64(8) * (np.uint64(_WORD) - left)))
        found[rows] = mixed(found[rows] ^ word)
    for row in np.flatnonzero(lengths > _LONG).tolist():
        rest = content[int(offsets[row]) + _LONG : int(offsets[row + 1])]
        found[row] ^= np.uint64(crc32(rest))
    # words are padded with zero bytes: without the length, texts that end in zero bytes would hash like shorter ones
    return found ^ lengths.astype(np.uint64)
