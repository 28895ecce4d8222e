"""Objects as files for the `file` adapter: found, pinned by their ETag, read in pieces of some megabytes."""

import fnmatch
import hashlib
import io
import re
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.found import FoundFile, is_wanted, pattern_parts
from streaming.adapters.file.journal import TakenFile
from streaming.adapters.network.fetching import Reach
from streaming.adapters.s3.client import S3Client
from streaming.adapters.s3.failures import ObjectChanged, ObjectGone
from streaming.adapters.s3.options import S3Options
from streaming.definition.counts import counted
from streaming.temporal.ticks import TICKS_PER_S

FIRST_PIECE: Final = 256 << 10
LARGEST_PIECE: Final = 8 << 20


@dataclass(frozen=True, order=True)
class ObjectPlace:
    """A bucket as opened with one key; readers that stay open are shared only for the same place."""

    bucket: str
    opened_with: str
    client: S3Client = field(compare=False, repr=False)


@dataclass(frozen=True, order=True)
class FoundObject(FoundFile):
    """An object as it was found; `path` is its key."""

    place: ObjectPlace | None = None

    def open_stored(self) -> io.RawIOBase:
        """Open the object's stored bytes. Sends no request yet, so it raises nothing."""
        return ObjectFile(self._client, self.path, self.size, self.tag)

    def is_unchanged(self) -> bool:
        """Return True if the object has the ETag with which it was found.

        Raises `FileNotFoundError`, `AdapterError`.
        """
        try:
            return self._client.head(self.path).headers.get("etag") == self.tag
        except ObjectGone:
            raise FileNotFoundError(2, "the object no longer exists") from None

    @property
    def _client(self) -> S3Client:
        assert self.place is not None  # nosec B101 # only narrows the type for the type checker
        return self.place.client


class ObjectFile(io.RawIOBase):
    """An object, read by ranges under the condition that it is unchanged; holds one piece at a time."""

    def __init__(self, client: S3Client, key: str, size: int, tag: str) -> None:
        self._client = client
        self._key = key
        self._size = size
        self._tag = tag
        self._at = 0
        self._piece = memoryview(b"")
        self._piece_at = 0
        self._next = FIRST_PIECE

    def readable(self) -> bool:
        """Always True."""
        return True

    def seekable(self) -> bool:
        """Always True."""
        return True

    def tell(self) -> int:
        """The position of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Change the position; reads nothing."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes. Raises `AdapterError` for an object that was changed or removed."""
        wanted = min(len(buffer), self._size - self._at)
        if wanted <= 0:
            return 0
        if not self._piece_at <= self._at < self._piece_at + len(self._piece):
            self._ask(wanted)
        begin = self._at - self._piece_at
        taken = self._piece[begin : begin + wanted]
        buffer[: len(taken)] = taken
        self._at += len(taken)
        return len(taken)

    def _ask(self, wanted: int) -> None:
        """Request the piece at the position: growing pieces for sequential reading, only `wanted` bytes after a
        jump.
        """
        sequential = self._at == self._piece_at + len(self._piece)
        self._next = min(self._next * 2, LARGEST_PIECE) if sequential and self._at else FIRST_PIECE
        end = min(self._at + max(min(wanted, LARGEST_PIECE), self._next), self._size)
        try:
            body = self._client.get(self._key, (self._at, end), self._tag).body
        except (ObjectChanged, ObjectGone) as error:
            what = "removed" if isinstance(error, ObjectGone) else "changed"
            raise AdapterError(
                f"The object {self._client.url_of(self._key)} was {what} after its rows were counted, "
                "so saved positions "
                "in it are no longer valid. Restore the old object, or start the binding from the beginning."
            ) from None
        if len(body) != end - self._at:
            shown = self._client.url_of(self._key)
            message = f"The store sent {counted(len(body), 'byte')} of {shown} instead of {end - self._at}."
            raise AdapterError(f"{message} The request is retried.", domain="external")
        self._piece, self._piece_at = memoryview(body), self._at


class BucketFiles:
    """The objects of an input: the current ones, and those that were taken."""

    def __init__(self, options: S3Options, reach: Reach) -> None:
        """Raise `AdapterError` for an invalid endpoint or pattern."""
        self._options = options
        self._parts = [re.compile(fnmatch.translate(part)) if part != "**" else None
                       for part in pattern_parts(options.pattern)]  # fmt: skip
        token = options.session_token
        secrets = [options.access_key, options.secret_key.get_secret_value(),
                   "" if token is None else token.get_secret_value()]  # fmt: skip
        opened_with = hashlib.sha256("\n".join([options.endpoint, options.region, *secrets]).encode()).hexdigest()
        self._place = ObjectPlace(options.bucket, opened_with, S3Client(options, reach))
        self._now = 0
        self._listed: tuple[int, list[FoundFile]] | None = None

    def at(self, now: int) -> None:
        """Record the clock, in ticks."""
        self._now = now

    def find(self) -> list[FoundFile]:
        """All objects at the last listing of the bucket, at most `look_every_s` ago. Raises `AdapterError`."""
        if self._listed is None or self._now - self._listed[0] >= self._options.look_every_s * TICKS_PER_S:
            self._listed = self._now, self._list_objects()
        return list(self._listed[1])

    def taken(self, entry: TakenFile) -> FoundFile:
        """The object as it was when it was taken."""
        return FoundObject(entry.modified_ns, entry.path, entry.size, tag=entry.tag, place=self._place)

    def _list_objects(self) -> list[FoundFile]:
        prefix, found, there = self._options.prefix, [], False
        for each in self._place.client.listed(prefix):
            rest = each.key.removeprefix(f"{prefix}/" if prefix else "")
            there = there or rest != each.key or not prefix or each.key == prefix
            if each.key == prefix or (self._fits(rest) if not prefix or rest != each.key else False):
                found.append(FoundObject(each.modified_ns, each.key, each.size, tag=each.tag, place=self._place))
        if not there and not self._options.follow:
            shown = self._place.client.url_of(prefix)
            raise AdapterError(f"There is no object at {shown}, or below it. Add one, or correct the prefix.")
        return sorted(found)

    def _fits(self, rest: str) -> bool:
        """Return True if the part of a key after the prefix matches the pattern."""
        names = rest.split("/")
        return is_wanted(names[-1]) and names[-1] != "" and _matches(names, self._parts)


def _matches(names: list[str], parts: list[re.Pattern[str] | None]) -> bool:
    if None not in parts:
        return len(names) == len(parts) and all(
            part.match(name) for part, name in zip(parts, names, strict=True) if part
        )
    at = parts.index(None)  # the only one: `**` matches any folders
    before, after = parts[:at], parts[at + 1 :]
    if len(names) < len(before) + len(after) or not after:
        return False
    return _matches(names[:at], before) and _matches(names[len(names) - len(after) :], after)
