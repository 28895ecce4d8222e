"""What a registry's clients write in front of a value: a zero byte, the schema's id, and which message of Protobuf."""

import struct
from collections.abc import Sequence
from typing import Final

from streaming.definition.counts import counted

HEADER_BYTES: Final = 5
MOST_INDEXES: Final = 32
_HEADER: Final = struct.Struct(">bI")


class NotFramed(Exception):
    """The bytes do not begin as those with a registered schema do; the text says why, as a sentence."""


def schema_id(value: bytes) -> int:
    """The id of the schema with which `value` was written. Raises `NotFramed`."""
    if len(value) < HEADER_BYTES:
        raise NotFramed(f"The message has {counted(len(value), 'byte')}, too few for the id of a schema.")
    magic, number = _HEADER.unpack_from(value)
    if magic != 0:
        raise NotFramed(f"The message begins with the byte {value[0]}, not with 0 and the id of a schema.")
    return int(number)


def message_indexes(value: bytes) -> tuple[tuple[int, ...], int]:
    """Which message of its file a value of Protobuf is, from the outside in, and where its body begins.

    Raises `NotFramed`.
    """
    count, at = _zigzag(value, HEADER_BYTES)
    if count == 0:
        return (0,), at
    if not 0 < count <= MOST_INDEXES:
        raise NotFramed(f"The message says that {count} numbers lead to its kind; 1 to {MOST_INDEXES} may.")
    found = []
    for _ in range(count):
        index, at = _zigzag(value, at)
        if index < 0:
            raise NotFramed("The message has a negative number of its kind.")
        found.append(index)
    return tuple(found), at


def framed(number: int, body: bytes, indexes: Sequence[int] | None = None) -> bytes:
    """`body` with the id of its schema in front; with `indexes` for Protobuf."""
    if indexes is None:
        return _HEADER.pack(0, number) + body
    told = b"\x00" if list(indexes) == [0] else b"".join(map(_written, (len(indexes), *indexes)))
    return _HEADER.pack(0, number) + told + body


def _zigzag(value: bytes, at: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        if at >= len(value) or shift > 28:
            raise NotFramed("The message ends before it has said which message of its schema it is.")
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
