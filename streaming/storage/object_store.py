"""A folder that is a prefix of an S3-compatible object store.

A blob is one object: a put replaces it whole, and every process reads and lists it at once, so nothing is staged and
renamed. `create` is a put on the condition that the object doesn't exist.
"""

import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from io import SEEK_SET, BufferedReader, RawIOBase
from typing import TYPE_CHECKING, Any, BinaryIO, Final
from urllib.parse import parse_qs, urlsplit

from pyarrow import NativeFile, fs

from streaming.storage.blobs import StoreUnreachable, Tag, numbers_of

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_IN_MEMORY_BYTES: Final = 8 << 20
_PIECE_BYTES: Final = 4 << 20
_RANGE_BYTES: Final = 256 << 10
_TRIES: Final = 32
"""The number of attempts when another process writes the same object."""


@lru_cache(maxsize=64)
def object_folder(location: str) -> "ObjectFolder":
    """Return the folder at `location` (`storage`); each process has one client for each location.

    Raises `ValueError` for options that the store's client doesn't know, `StoreUnreachable`.
    """
    with _store_errors(location):
        joint = "&" if urlsplit(location).query else "?"
        # A small object needs one request instead of three.
        system, prefix = fs.FileSystem.from_uri(f"{location}{joint}allow_delayed_open=true")
    return ObjectFolder(system, prefix, _creating(location))


class ObjectFolder:
    """The objects below `prefix` (`<bucket>/<key>`) of `system`.

    `create_object(bucket, key, content)` puts an object unless it exists, and returns whether it did.
    """

    def __init__(self, system: fs.FileSystem, prefix: str, create_object: Callable[[str, str, bytes], bool]) -> None:
        self._system = system
        self._prefix = prefix.rstrip("/")
        self._create_object = create_object

    def read(self, name: str) -> bytes | None:
        """Return the content of the object, None if it doesn't exist.

        The client requests the size, then that many bytes; another process may replace the object in between. So it is
        read again until its tag is the same before and after.
        """
        with _store_errors(name):
            for _ in range(_TRIES):
                try:
                    with self._system.open_input_stream(self._path(name)) as stream:
                        before = stream.metadata()
                        content: bytes = stream.read(int(before["Content-Length"]))
                    with self._system.open_input_stream(self._path(name)) as stream:
                        if stream.metadata()["ETag"] == before["ETag"]:
                            return content
                except FileNotFoundError:
                    return None
        raise StoreUnreachable(f"The object '{name}' changed during every one of {_TRIES} attempts to read it.")

    def write(self, name: str, content: bytes) -> None:
        """Put the object."""
        with _store_errors(name), self._system.open_output_stream(self._path(name)) as stream:
            stream.write(content)

    def create(self, name: str, content: bytes) -> bool:
        """Put the object if it doesn't exist, as the store decides."""
        bucket, _, key = self._path(name).partition("/")
        with _store_errors(name):
            return self._create_object(bucket, key, content)

    def writing(self, name: str) -> "ObjectWriting":
        """Collect the content on this machine, then put it: nobody sees a part of an object."""
        return ObjectWriting(self, name)

    def put(self, name: str, pieces: Iterable[bytes]) -> None:
        """Put the object of all `pieces`, as a multipart upload if they are many. Raises `StoreUnreachable`."""
        with _store_errors(name), self._system.open_output_stream(self._path(name)) as stream:
            for piece in pieces:
                stream.write(piece)

    def opened(self, name: str) -> BinaryIO | None:
        """Open the object, read in ranges; None if it doesn't exist."""
        with _store_errors(name):
            try:
                return BufferedReader(_Ranges(self._system.open_input_file(self._path(name)), name), _RANGE_BYTES)
            except FileNotFoundError:
                return None

    def size(self, name: str) -> int:
        """Return the size of the object, 0 if it doesn't exist."""
        with _store_errors(name):
            return self._system.get_file_info(self._path(name)).size or 0

    def numbers(self, name: str) -> Sequence[int]:
        """Return the numbers of the objects `<name>/<number>.<suffix>`."""
        return numbers_of(info.base_name for info in self._listed(name))

    def names(self, name: str) -> Sequence[str]:
        """Return the names of the objects `<name>/<object>`."""
        return [info.base_name for info in self._listed(name)]

    def tags(self, name: str) -> Mapping[str, Tag]:
        """Return the tags of the objects `<name>/<object>`."""
        return {info.base_name: (info.size, info.mtime_ns) for info in self._listed(name)}

    def folders(self, name: str) -> Sequence[str]:
        """Return the next path segment of keys that start with `<name>/` and contain another `/` after it."""
        return sorted(info.base_name for info in self._below(name) if info.type == fs.FileType.Directory)

    def clear(self, name: str) -> None:
        """Delete all objects whose keys start with `<name>/`."""
        with _store_errors(name):
            try:
                self._system.delete_dir(self._path(name))
            except FileNotFoundError:
                return

    def remove(self, name: str) -> None:
        """Delete the object; a missing one is no error."""
        with _store_errors(name):
            try:
                self._system.delete_file(self._path(name))
            except FileNotFoundError:
                return

    def within(self, name: str) -> "ObjectFolder":
        """Return the folder of the objects below `name`, with the same client."""
        return ObjectFolder(self._system, self._path(name), self._create_object)

    def _listed(self, name: str) -> list[fs.FileInfo]:
        return [info for info in self._below(name) if info.is_file]

    def _below(self, name: str) -> list[fs.FileInfo]:
        with _store_errors(name):
            return list(self._system.get_file_info(fs.FileSelector(self._path(name), allow_not_found=True)))

    def _path(self, name: str) -> str:
        return f"{self._prefix}/{name}"


class _Ranges(RawIOBase):
    """An object as a file that is read in ranges; nobody may replace it during that time."""

    def __init__(self, file: NativeFile, name: str) -> None:
        super().__init__()
        self._file = file
        self._name = name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        with _store_errors(self._name):
            content: bytes = self._file.read(memoryview(buffer).nbytes)
        memoryview(buffer).cast("B")[: len(content)] = content
        return len(content)

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        with _store_errors(self._name):
            self._file.seek(offset, whence)
        return self.tell()

    def tell(self) -> int:
        position: int = self._file.tell()
        return position

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


class ObjectWriting:
    """A blob in memory, then in a nameless file that disappears with this process; `finish` puts it."""

    def __init__(self, folder: ObjectFolder, name: str) -> None:
        self._folder = folder
        self._name = name
        self._collected = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115 - as follows
        weakref.finalize(self, self._collected.close)

    def add(self, pieces: Iterable[bytes]) -> None:
        """Append `pieces`. Raises `OSError` where this machine's disk is full."""
        self._collected.writelines(pieces)

    def finish(self) -> None:
        """Put the object."""
        with self._collected as collected:
            collected.seek(0)
            self._folder.put(self._name, iter(lambda: collected.read(_PIECE_BYTES), b""))

    def abandon(self) -> None:
        """Discard the collected content."""
        self._collected.close()


def _creating(location: str) -> Callable[[str, str, bytes], bool]:
    """Return a function that puts an object of `location` unless it exists; it makes its client at the first call."""
    client: list[Any] = []

    def create(bucket: str, key: str, content: bytes) -> bool:
        from botocore.exceptions import BotoCoreError, ClientError

        if not client:
            client.append(_client(location))
        for _ in range(_TRIES):
            try:
                client[0].put_object(Bucket=bucket, Key=key, Body=content, IfNoneMatch="*")
            except ClientError as error:
                code = error.response["Error"]["Code"]
                if code == "PreconditionFailed":
                    return False
                if code != "ConditionalRequestConflict":
                    raise StoreUnreachable(str(error)) from None
            except BotoCoreError as error:
                raise StoreUnreachable(str(error)) from None
            else:
                return True
        raise StoreUnreachable(f"other processes wrote the same object during every one of {_TRIES} attempts")

    return create


def _client(location: str) -> Any:
    """Return botocore's client with the options of `location`: the same store and credentials as pyarrow's."""
    from botocore.config import Config
    from botocore.session import Session

    options = {name: values[-1] for name, values in parse_qs(urlsplit(location).query).items()}
    endpoint = options.get("endpoint_override")
    return Session().create_client(
        "s3",
        region_name=options.get("region"),
        endpoint_url=f"{options.get('scheme', 'https')}://{endpoint}" if endpoint else None,
        config=Config(s3={"addressing_style": "path"} if endpoint else {}, retries={"mode": "standard"}),
    )


@contextmanager
def _store_errors(name: str) -> Iterator[None]:
    """Raise errors of the store as `StoreUnreachable` with the name of the blob."""
    try:
        yield
    except (FileNotFoundError, StoreUnreachable):
        raise
    except OSError as error:
        raise StoreUnreachable(f"The object store failed to read or write '{name}': {error}") from error
