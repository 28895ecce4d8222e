"""Rewrites text files for the readers: UTF-8 with line feeds, one JSON record per line, whatever is stored.

A rewritten file has no random access: an earlier position is reached by reading again from the start.
"""

import codecs
import io
from collections.abc import Callable, Iterator
from typing import IO, Any, Final

BLOCK_BYTES: Final = 1 << 20
BROKEN: Final = "\udcff"
"""Placeholder for bytes that are invalid in the encoding; it becomes a byte that is invalid in UTF-8."""
_HANDLER: Final = "punctual-broken"
Rewriting = Callable[[Iterator[bytes]], Iterator[bytes]]


def _broken(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)  # nosec B101 # registered for decoding only
    return BROKEN, error.end


codecs.register_error(_HANDLER, _broken)


def in_utf8(encoding: str) -> Rewriting:
    """Read blocks in `encoding`; a byte order mark is removed."""

    def rewrite(blocks: Iterator[bytes]) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(encoding)(_HANDLER)
        first = True
        for block in blocks:
            text = decoder.decode(block)
            if first and text:
                text, first = text.removeprefix("\ufeff"), False
            yield text.encode("utf-8", "surrogateescape")
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogateescape")

    return rewrite


def with_line_feeds(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Replace carriage returns by line feeds."""
    return (block.replace(b"\r", b"\n") for block in blocks)


class RewrittenFile(io.RawIOBase):
    """A file whose bytes are those of `open_file`, rewritten."""

    def __init__(self, open_file: Callable[[], IO[bytes]], rewritings: tuple[Rewriting, ...]) -> None:
        self._open = open_file
        self._rewritings = rewritings
        self._begin()

    def _begin(self) -> None:
        self._stored = self._open()
        blocks: Iterator[bytes] = iter(lambda: self._stored.read(BLOCK_BYTES), b"")
        for rewriting in self._rewritings:
            blocks = rewriting(blocks)
        self._blocks = blocks
        self._waiting = memoryview(b"")
        self._at = 0

    def readable(self) -> bool:
        """Always True."""
        return True

    def seekable(self) -> bool:
        """Always True, although seeking backwards is slow."""
        return True

    def tell(self) -> int:
        """The number of bytes read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Seek to `offset` from the start; other origins are not supported. Raises `OSError`."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("only offsets from the start are supported")
        if offset < self._at:
            self._stored.close()
            self._begin()
        while self._at < offset and self.read(min(offset - self._at, BLOCK_BYTES)):
            pass
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into `buffer`."""
        while not self._waiting:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._waiting = memoryview(block)
        count = min(len(buffer), len(self._waiting))
        buffer[:count] = self._waiting[:count]
        self._waiting = self._waiting[count:]
        self._at += count
        return count

    def close(self) -> None:
        """Close the underlying file too."""
        self._stored.close()
        super().close()
