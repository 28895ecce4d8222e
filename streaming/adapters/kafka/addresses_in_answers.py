"""Answers of brokers that name other brokers, decoded and encoded with other addresses (Kafka's wire protocol).

Only three kinds of answers can lead a client to an address. Metadata and FindCoordinator are rewritten here. The newest
versions of Produce and Fetch are hidden from the client (`MOST`), as are all newer versions that this module can't
read. Rewritten answers are built from the decoded ones, so both sides see the same brokers.
"""

import struct
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

METADATA: Final = 3
FIND_COORDINATOR: Final = 10
SASL_HANDSHAKE: Final = 17
API_VERSIONS: Final = 18
MOST: Final[Mapping[int, int]] = {0: 9, 1: 15, METADATA: 12, FIND_COORDINATOR: 3, API_VERSIONS: 3}
"""The newest versions that the client may use; later versions of Produce (0) and Fetch (1) name brokers too."""
HIDDEN: Final = frozenset({60, 78})
"""DescribeCluster and ShareFetch name brokers, and the client needs neither."""
REWRITTEN: Final = frozenset({METADATA, FIND_COORDINATOR, API_VERSIONS})
_FLEXIBLE: Final[Mapping[int, int]] = {METADATA: 9, FIND_COORDINATOR: 3, API_VERSIONS: 3}
Place = tuple[str, int]
"""Host and port."""
Relocate = Callable[[Place], Awaitable[Place]]


class BadAnswer(ValueError):
    """An answer that doesn't follow the protocol."""


def may_ask(key: int, version: int) -> bool:
    """Return True if the client may send this kind and version of request.

    The answer then names no broker, or is rewritten here.
    """
    if key == SASL_HANDSHAKE:
        return version > 0  # version 0 is followed by messages without a header
    return key not in HIDDEN and 0 <= version <= MOST.get(key, version)


async def rewritten(key: int, version: int, body: bytes, relocate: Relocate) -> bytes:
    """Rewrite `body`, the answer after its correlation id, with addresses from `relocate`. Raises `BadAnswer`."""
    try:
        if key == API_VERSIONS:
            return _with_known_versions(version, body)
        read = _AnswerReader(body, flexible=version >= _FLEXIBLE[key])
        written = _AnswerWriter(flexible=read.flexible)
        if read.flexible:  # the header
            read.tags()
            written.tags()
        if key == METADATA:
            await _metadata(version, read, written, relocate)
        else:
            await _coordinator(version, read, written, relocate)
        return bytes(written.content)
    except (struct.error, IndexError, UnicodeDecodeError, OverflowError) as error:
        raise BadAnswer(f"an answer of kind {key} can't be read: {error}") from None


async def _metadata(version: int, read: "_AnswerReader", written: "_AnswerWriter", relocate: Relocate) -> None:
    if version >= 3:
        written.int32(read.int32())  # throttle time
    count = read.length()
    written.length(count)
    for _ in range(count):
        written.int32(read.int32())
        host, port = read.text(), read.int32()
        host, port = await relocate((host or "", port))
        written.text(host)
        written.int32(port)
        if version >= 1:
            written.text(read.text())  # rack
        if read.flexible:
            read.tags()
            written.tags()
    written.content += read.rest()


async def _coordinator(version: int, read: "_AnswerReader", written: "_AnswerWriter", relocate: Relocate) -> None:
    if version >= 1:
        written.int32(read.int32())  # throttle time
    error = read.int16()
    written.int16(error)
    if version >= 1:
        written.text(read.text())
    written.int32(read.int32())
    host, port = read.text(), read.int32()
    if host:  # no host if there was an error
        host, port = await relocate((host, port))
    written.text(host)
    written.int32(port)
    if read.flexible:
        written.tags()


def _with_known_versions(version: int, body: bytes) -> bytes:
    """The broker's supported versions, without those that the client may not use; sizes don't change."""
    read = _AnswerReader(body, flexible=version >= _FLEXIBLE[API_VERSIONS])
    changed = bytearray(body)
    read.int16()  # error code
    for _ in range(read.length()):
        key, _oldest, newest = read.int16(), read.int16(), read.int16()
        most = -1 if key in HIDDEN else MOST.get(key, newest)
        if newest > most:
            struct.pack_into(">h", changed, read.at - 2, most)
        if read.flexible:
            read.tags()
    return bytes(changed)


class _AnswerReader:
    def __init__(self, content: bytes, *, flexible: bool) -> None:
        self._content = content
        self.flexible = flexible
        self.at = 0

    def int16(self) -> int:
        return self._fixed(">h", 2)

    def int32(self) -> int:
        return self._fixed(">i", 4)

    def length(self) -> int:
        """The length of an array; a null array is empty."""
        count = self._varint() - 1 if self.flexible else self.int32()
        if count > len(self._content):
            raise BadAnswer("an array is longer than its answer")
        return max(count, 0)

    def text(self) -> str | None:
        size = self._varint() - 1 if self.flexible else self.int16()
        if size < 0:
            return None
        return self._taken(size).decode()

    def tags(self) -> None:
        """Skip tagged fields."""
        for _ in range(self._varint()):
            self._varint()
            self._taken(self._varint())

    def rest(self) -> bytes:
        return self._content[self.at :]

    def _fixed(self, form: str, size: int) -> int:
        return int(struct.unpack(form, self._taken(size))[0])

    def _taken(self, size: int) -> bytes:
        begin, self.at = self.at, self.at + size
        if self.at > len(self._content):
            raise BadAnswer("an answer ends before it is complete")
        return self._content[begin : self.at]

    def _varint(self) -> int:
        found = shift = 0
        while True:
            byte = self._taken(1)[0]
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return found
            shift += 7
            if shift > 28:
                raise BadAnswer("a length has too many bytes")


class _AnswerWriter:
    def __init__(self, *, flexible: bool) -> None:
        self._flexible = flexible
        self.content = bytearray()

    def int16(self, value: int) -> None:
        self.content += struct.pack(">h", value)

    def int32(self, value: int) -> None:
        self.content += struct.pack(">i", value)

    def length(self, count: int) -> None:
        self._varint(count + 1) if self._flexible else self.int32(count)

    def text(self, text: str | None) -> None:
        written = b"" if text is None else text.encode()
        size = -1 if text is None else len(written)
        self._varint(size + 1) if self._flexible else self.int16(size)
        self.content += written

    def tags(self) -> None:
        """Write no tagged fields."""
        self._varint(0)

    def _varint(self, value: int) -> None:
        while value >= 0x80:
            self.content.append(value & 0x7F | 0x80)
            value >>= 7
        self.content.append(value)
