"""The header that a registry's clients write: a zero byte, the schema's id, and for Protobuf the message's index."""

import struct
from collections.abc import Sequence
from typing import Final

from streaming.definition.counts import counted

HEADER_BYTES: Final = 5
MOST_INDEXES: Final = 32
_HEADER: Final = struct.Struct(">bI")


class NotFramed(Exception):
    """The bytes have no header of a registered schema; the text is a sentence with the reason."""


def schema_id(value: bytes) -> int:
    """Return the id of the schema with which `value` was written. Raises `NotFramed`."""
    if len(value) < HEADER_BYTES:
        raise NotFramed(f"The message has {counted(len(value), 'byte')}, too few for a schema id.")
    magic, number = _HEADER.unpack_from(value)
    if magic != 0:
        raise NotFramed(f"The message begins with the byte {value[0]}, not with 0 and a schema id.")
    return int(number)


def message_indexes(value: bytes) -> tuple[tuple[int, ...], int]:
    """Return the indexes of a Protobuf value's message in its file, from the outside in, and the start of its body."""
    count, at = _zigzag(value, HEADER_BYTES)
    if count == 0:
        return (0,), at
    if not 0 < count <= MOST_INDEXES:
        raise NotFramed(
            f"The header of the message has {count} indexes of its type, but 1 to {MOST_INDEXES} are allowed."
        )
    found = []
    for _ in range(count):
        index, at = _zigzag(value, at)
        if index < 0:
            raise NotFramed("The header of the message has a negative index of its type.")
        found.append(index)
    return tuple(found), at


def framed(number: int, body: bytes, indexes: Sequence[int] | None = None) -> bytes:
    """Prepend the id of its schema to `body`, for Protobuf also `indexes`."""
    if indexes is None:
        return _HEADER.pack(0, number) + body
    written = b"\x00" if list(indexes) == [0] else b"".join(map(_written, (len(indexes), *indexes)))
    return _HEADER.pack(0, number) + written + body


def _zigzag(value: bytes, at: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        if at >= len(value) or shift > 28:
            raise NotFramed("The message ends inside its header, before the indexes of its type.")
        byte = value[at]
        at += 1
        found |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (found >> 1) ^ -(found & 1), at
        shift += 7


def _written(number: int) -> bytes:
    found = bytearray()
    left = number << 1  # never negative
    while left > 0x7F:
        found.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*found, left])
