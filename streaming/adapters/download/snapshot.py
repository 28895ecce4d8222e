"""The copy of a download: complete or absent, with a note of its address, time and options."""

import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from streaming.adapters.contract import AdapterError
from streaming.definition.counts import counted
from streaming.wire.message import Message

NOTE: Final = "snapshot.json"
_PIECE: Final = 1 << 20
_GZIP: Final = 31
"""The `wbits` value of zlib for a gzip header and trailer."""


class DownloadNote(Message):
    """The note next to a copy; it is written last, so a copy without one does not count. `options` is a digest."""

    file: str
    shown: str
    options: str
    downloaded_at: str
    size: int


def noted(folder: Path) -> DownloadNote | None:
    """The note in `folder`, None if nothing was downloaded yet."""
    try:
        return DownloadNote.model_validate_json((folder / NOTE).read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        raise AdapterError(
            f"The note {NOTE} next to a downloaded file is damaged. Start the binding from the beginning."
        ) from None


def note(folder: Path, snapshot: DownloadNote) -> None:
    """Write the note durably."""
    keep(folder / NOTE, [snapshot.model_dump_json().encode()])


def keep(path: Path, chunks: Iterable[bytes]) -> int:
    """Write `chunks` as the file `path`, complete or not at all; return its size in bytes. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    size = 0
    try:
        with part.open("wb") as file:
            for chunk in chunks:
                size += file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    _settle(path.parent)
    return size


def _settle(folder: Path) -> None:
    """Make the rename survive a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unpacked(chunks: Iterable[bytes], shown: str) -> Iterator[bytes]:
    """Decompress gzip in pieces of at most 1 MiB, whatever the compression ratio. Raises `AdapterError`."""
    unpacker = zlib.decompressobj(_GZIP)
    for chunk in chunks:
        waiting = chunk
        while waiting:
            if unpacker.eof:
                unpacker = zlib.decompressobj(_GZIP)
            try:
                piece = unpacker.decompress(waiting, _PIECE)
            except zlib.error:
                raise AdapterError(f"{shown} is not a gzip file although its name ends in .gz. Fix the file.") from None
            waiting = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
            if piece:
                yield piece
    if not unpacker.eof:
        raise AdapterError(f"{shown} ends in the middle of its gzip data. Fix the file.")


def limited(chunks: Iterable[bytes], most_bytes: int, shown: str) -> Iterator[bytes]:
    """Pass `chunks` on. Raises `AdapterError` after `most_bytes`: a truncated file would look complete."""
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > most_bytes:
            raise too_large(shown, most_bytes)
        yield chunk


def too_large(shown: str, most_bytes: int) -> AdapterError:
    """The error for a file larger than the limit."""
    return AdapterError(
        f"{shown} is larger than {counted(most_bytes, 'byte')}. Raise the option `most_bytes`, or "
        "provide a smaller file."
    )


def first_lines(chunks: Iterable[bytes], most_bytes: int) -> Iterator[bytes]:
    """The beginning of a text, cut after the last line that ends within about `most_bytes`; only for a preview."""
    taken = bytearray()
    for chunk in chunks:
        taken += chunk
        if len(taken) > most_bytes:
            yield bytes(taken[: taken.rfind(b"\n") + 1 or len(taken)])
            return
    yield bytes(taken)
