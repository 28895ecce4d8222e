"""Objects as the files that the adapter `file` reads: found, pinned by their ETag, read in pieces of some megabytes."""

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

FIRST_PIECE: Final = 256 << 10
LARGEST_PIECE: Final = 8 << 20
TICKS_PER_S: Final = 1_000_000


@dataclass(frozen=True, order=True)
class ObjectPlace:
    """A bucket as one key opens it: readers are kept open by it, and none for another key."""

    bucket: str
    opened_with: str
    client: S3Client = field(compare=False, repr=False)


@dataclass(frozen=True, order=True)
class FoundObject(FoundFile):
    """An object as it was found; `path` is its key."""

    place: ObjectPlace | None = None

    def open_stored(self) -> io.RawIOBase:
        """The bytes of the object as they lie there. Raises nothing yet: they are asked for when they are read."""
        return ObjectFile(self._client, self.path, self.size, self.tag)

    def is_unchanged(self) -> bool:
        """Whether the object has the ETag with which it was found. Raises `FileNotFoundError`, `AdapterError`."""
        try:
            return self._client.head(self.path).headers.get("etag") == self.tag
        except ObjectGone:
            raise FileNotFoundError(2, "there is no such object any more") from None

    @property
    def _client(self) -> S3Client:
        assert self.place is not None  # nosec B101 # tells the type checker what is so; nothing depends on it
        return self.place.client


class ObjectFile(io.RawIOBase):
    """An object, read by ranges under the condition that it is still the same; holds one piece at a time."""

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
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """Where the next byte is read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go elsewhere; nothing is read."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read what comes next. Raises `AdapterError` for an object that was changed or removed."""
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
        """The piece from here on: larger ones where it is read on and on, no more than wanted where it jumps."""
        goes_on = self._at == self._piece_at + len(self._piece)
        self._next = min(self._next * 2, LARGEST_PIECE) if goes_on and self._at else FIRST_PIECE
        end = min(self._at + max(min(wanted, LARGEST_PIECE), self._next), self._size)
        try:
            body = self._client.get(self._key, (self._at, end), self._tag).body
        except (ObjectChanged, ObjectGone) as error:
            what = "removed" if isinstance(error, ObjectGone) else "changed"
            raise AdapterError(
                f"The object {self._client.shown(self._key)} was {what} after its rows were counted, so positions in "
                "it mean nothing any more; put the old one back, or start the binding again from the beginning."
            ) from None
        if len(body) != end - self._at:
            shown = self._client.shown(self._key)
            message = f"The store sent {counted(len(body), 'byte')} of {shown} where it was asked for {end - self._at}."
            raise AdapterError(f"{message} It is tried again.", domain="external")
        self._piece, self._piece_at = memoryview(body), self._at


class BucketFiles:
    """The objects of an input: which there are, and those that were taken."""

    def __init__(self, options: S3Options, reach: Reach) -> None:
        """Raise `AdapterError` for an endpoint or a pattern that cannot be used."""
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
        """Take note of the clock, in ticks."""
        self._now = now

    def find(self) -> list[FoundFile]:
        """All objects there were when the bucket was listed last, at most `look_every_s` ago. Raises `AdapterError`."""
        if self._listed is None or self._now - self._listed[0] >= self._options.look_every_s * TICKS_PER_S:
            self._listed = self._now, self._found()
        return list(self._listed[1])

    def taken(self, entry: TakenFile) -> FoundFile:
        """The object as it was when it was taken."""
        return FoundObject(entry.modified_ns, entry.path, entry.size, tag=entry.tag, place=self._place)

    def _found(self) -> list[FoundFile]:
        prefix, found, there = self._options.prefix, [], False
        for each in self._place.client.listed(prefix):
            rest = each.key.removeprefix(f"{prefix}/" if prefix else "")
            there = there or rest != each.key or not prefix or each.key == prefix
            if each.key == prefix or (self._fits(rest) if not prefix or rest != each.key else False):
                found.append(FoundObject(each.modified_ns, each.key, each.size, tag=each.tag, place=self._place))
        if not there and not self._options.follow:
            shown = self._place.client.shown(prefix)
            raise AdapterError(f"There is no object at {shown}, or below it; put one there, or correct the prefix.")
        return sorted(found)

    def _fits(self, rest: str) -> bool:
        """Whether what a key has behind the prefix is what the pattern names."""
        names = rest.split("/")
        return is_wanted(names[-1]) and names[-1] != "" and _matches(names, self._parts)


def _matches(names: list[str], parts: list[re.Pattern[str] | None]) -> bool:
    if None not in parts:
        return len(names) == len(parts) and all(
            part.match(name) for part, name in zip(parts, names, strict=True) if part
        )
    at = parts.index(None)  # the only one: `**` stands for any folders
    before, behind = parts[:at], parts[at + 1 :]
    if len(names) < len(before) + len(behind) or not behind:
        return False
    return _matches(names[:at], before) and _matches(names[len(names) - len(behind) :], behind)
