"""A prefix of a bucket as a folder of results."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.found import FoundFile
from streaming.adapters.network.fetching import Reach
from streaming.adapters.s3.client import S3Client
from streaming.adapters.s3.failures import ConditionsUnknown, ObjectChanged, ObjectGone
from streaming.adapters.s3.objects import FoundObject, ObjectPlace
from streaming.adapters.s3_output.options import S3OutputOptions

TRIAL: Final = "_punctual.test"
MOST_CLEANED: Final = 100_000_000


class BucketFolder:
    """The objects below the prefix of `options`. Raises `AdapterError` for an invalid endpoint."""

    def __init__(self, options: S3OutputOptions, reach: Reach) -> None:
        self._client = S3Client(options, reach)
        self._bucket = options.bucket
        self._prefix = options.prefix
        self._tags: dict[str, str] = {}

    def put(self, name: str, content: bytes) -> None:
        """Put an object, which becomes visible completely or not at all. Raises `AdapterError`."""
        self._client.put(self._key(name), content)

    def folders(self) -> Sequence[str]:
        """The direct sub-prefixes, and the empty name. Raises `AdapterError`."""
        base = self._key("")
        return ["", *(each.removeprefix(base).rstrip("/") for each in self._client.folders(base))]

    def files(self, folder: str) -> Sequence[FoundFile]:
        """The objects below a prefix, without those below another slash. Raises `AdapterError`."""
        base = self._key(f"{folder}/" if folder else "")
        place = ObjectPlace(self._bucket, "", self._client)
        return [
            FoundObject(each.modified_ns, each.key, each.size, tag=each.tag, place=place)
            for each in self._client.listed(base, delimited=True)
        ]

    def names(self) -> Iterator[str]:
        """The names of all objects. Raises `AdapterError`."""
        for each in self._client.listed(self._key(""), MOST_CLEANED):
            yield each.key.removeprefix(self._key(""))

    def remove(self, name: str) -> None:
        """Delete an object. Raises `AdapterError`."""
        self._client.delete(self._key(name))

    def read_mark(self, name: str) -> bytes | None:
        """Read the current mark. Raises `AdapterError`."""
        try:
            answer = self._client.get(self._key(name))
        except ObjectGone:
            self._tags.pop(name, None)
            return None
        self._tags[name] = answer.headers.get("etag", "")
        return answer.body

    def write_mark(self, name: str, content: bytes) -> None:
        """Put the mark on condition that no other process has changed it; unconditionally if the store lacks
        conditions.

        Without conditions two processes still write the same objects, and the mark is at worst outdated. Raises
        `AdapterError`.
        """
        tag = self._tags.pop(name, "")
        condition = ("If-Match", tag) if tag else ("If-None-Match", "*")
        try:
            self._tags[name] = self._client.put(self._key(name), content, condition)
        except ConditionsUnknown:
            self._tags[name] = self._client.put(self._key(name), content)
        except ObjectChanged:
            raise AdapterError("Another process delivers the same batches.", domain="external") from None

    def check(self) -> None:
        """Put an object and delete it. Raises `AdapterError`."""
        self._client.put(self._key(TRIAL), b"")
        self._client.delete(self._key(TRIAL))

    def close(self) -> None:
        """Close the connection."""
        with suppress(AdapterError):
            self._client.close()

    def _key(self, name: str) -> str:
        return f"{self._prefix}/{name}"
