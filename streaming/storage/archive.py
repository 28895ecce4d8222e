"""Archives with a manifest: a folder as one file, so that a truncated or damaged copy is detected before it is used.

An archive is a tar file compressed with zstd: every folder and file under `data/`, then the manifest, which contains
the digest of each file.
"""

import hashlib
import io
import os
import stat
import tarfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, NoReturn, TypeVar, cast

import pyarrow as pa
from pydantic import ValidationError

from streaming.definition.counts import counted
from streaming.wire.message import Message

DATA: Final = "data/"
_BLOCK: Final = 1 << 20
_REPORT_EVERY_S: Final = 5.0
_MOST_MANIFEST_BYTES: Final = 1 << 30
A_LINK: Final = "{path} isn't a regular file (a link or a device). Replace it with a copy, then try again."
NO_BACKUP: Final = "{file} isn't a backup, or it is truncated. Nothing was changed."
DAMAGED: Final = "This backup is damaged: {path} differs from its digest. Nothing was changed."

Tell = Callable[[str], None]


class BackupRefused(Exception):
    """Nothing was done; the message has the reason and a remedy."""


class ArchiveManifest(Message):
    """The description of an archive; `files` maps each path in the folder to its SHA-256."""

    format: int
    files: dict[str, str]


Manifest = TypeVar("Manifest", bound=ArchiveManifest)


class BackupProgress:
    """Reports every few seconds how much is done."""

    def __init__(self, verb: str, tell: Tell, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._verb, self._tell, self._monotonic = verb, tell, monotonic
        self._reported = monotonic()
        self.files = self.bytes = 0

    def add(self, size: int) -> None:
        """Count one more file, of `size` bytes."""
        self.files += 1
        self.bytes += size
        if self._monotonic() - self._reported >= _REPORT_EVERY_S:
            self._reported = self._monotonic()
            self._tell(f"... {self}")

    def __str__(self) -> str:
        """Return the number of files and their size."""
        return f"{self._verb} {counted(self.files, 'file')}, {self.bytes / 1e6:,.1f} MB"


def contents_of(folder: Path, without: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """Return relative paths of folders and files in `folder`, without sockets and the files `without`.

    Raises `BackupRefused`, `OSError`.
    """
    folders, files = [], []
    for at, _, _ in os.walk(folder, onerror=_raise):
        with os.scandir(at) as entries:
            for entry in entries:
                path = Path(entry.path).relative_to(folder).as_posix()
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                elif entry.is_file(follow_symlinks=False):
                    files += [] if path in without else [path]
                elif not stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode):
                    raise BackupRefused(A_LINK.format(path=entry.path))
    return sorted(folders), sorted(files)


@contextmanager
def open_to_write(file: Path) -> Iterator[tarfile.TarFile]:
    """Open an archive for writing; it is on disk when the block ends."""
    file.touch(mode=0o600, exist_ok=False)
    try:
        with (
            pa.CompressedOutputStream(str(file), "zstd") as packed,
            tarfile.open(fileobj=cast(IO[bytes], packed), mode="w|") as archive,
        ):
            yield archive
    except BaseException:
        file.unlink()
        raise
    with file.open("rb") as written:
        os.fsync(written.fileno())


@contextmanager
def opened(file: Path) -> Iterator[tarfile.TarFile]:
    """Open the archive `file` for sequential reading."""
    with (
        pa.CompressedInputStream(str(file), "zstd") as packed,
        tarfile.open(fileobj=cast(IO[bytes], packed), mode="r|") as archive,
    ):
        yield archive


class ArchiveWriter:
    """Adds the content of `folder` to an open archive."""

    def __init__(self, archive: tarfile.TarFile, folder: Path, done: BackupProgress) -> None:
        self._archive, self._folder, self._done = archive, folder, done

    def add_content(self, without: Collection[str] = ()) -> dict[str, str]:
        """Add all folders and files except those `without`; return the digest of each file by its path.

        Raises `BackupRefused`, `OSError`.
        """
        folders, files = contents_of(self._folder, without)
        for path in folders:
            self._archive.addfile(_member(DATA + path, (self._folder / path).stat(), tarfile.DIRTYPE))
        return {path: _add_file(self._archive, self._folder, path, self._done) for path in files}

    def add_manifest(self, name: str, manifest: ArchiveManifest) -> None:
        """Add the manifest, which ends the archive."""
        content = manifest.model_dump_json().encode()
        member = tarfile.TarInfo(name)
        member.size = len(content)
        self._archive.addfile(member, io.BytesIO(content))


def unpacked(file: Path, into: Path, done: BackupProgress, name: str, kind: type[Manifest]) -> Manifest:
    """Unpack `file`, whose manifest `name` is of `kind`, and verify all digests. Raises `BackupRefused`, `OSError`."""
    into.mkdir(parents=True, mode=0o700)
    digests: dict[str, str] = {}
    manifest: Manifest | None = None
    try:
        with opened(file) as archive:
            for member in archive:
                content = archive.extractfile(member)
                if member.name == name and content is not None:
                    manifest = kind.model_validate_json(content.read(_MOST_MANIFEST_BYTES))
                elif member.isdir():
                    (into / _inside(member.name, file)).mkdir(mode=member.mode)
                elif member.isreg() and content is not None:
                    path = _inside(member.name, file)
                    digests[path] = _write_file(content, into / path, member)
                    done.add(member.size)
                else:
                    raise BackupRefused(NO_BACKUP.format(file=file))
    except (tarfile.TarError, pa.ArrowInvalid, ValidationError, EOFError):
        raise BackupRefused(NO_BACKUP.format(file=file)) from None
    except OSError as error:
        if error.errno is None:  # an error of the decompression
            raise BackupRefused(NO_BACKUP.format(file=file)) from None
        raise
    if manifest is None:
        raise BackupRefused(NO_BACKUP.format(file=file))
    paths = digests.keys() | manifest.files.keys()
    if wrong := sorted(path for path in paths if digests.get(path) != manifest.files.get(path)):
        raise BackupRefused(DAMAGED.format(path=wrong[0]))
    return manifest


def _member(name: str, status: os.stat_result, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.mode, member.mtime = kind, stat.S_IMODE(status.st_mode), status.st_mtime
    member.size = status.st_size if kind == tarfile.REGTYPE else 0
    return member


def _add_file(archive: tarfile.TarFile, folder: Path, path: str, done: BackupProgress) -> str:
    """Add one file with its current length; return the digest of the added content."""
    with (folder / path).open("rb") as content:
        member = _member(DATA + path, os.fstat(content.fileno()))
        reading = _Digesting(content, member.size)
        archive.addfile(member, cast(IO[bytes], reading))
    done.add(member.size)
    return reading.digest.hexdigest()


class _Digesting:
    """Reads and digests at most `size` bytes of a file, so that a growing file ends at its initial length."""

    def __init__(self, content: IO[bytes], size: int) -> None:
        self._content, self._left = content, size
        self.digest = hashlib.sha256()

    def read(self, count: int) -> bytes:
        """Read at most `count` bytes."""
        block = self._content.read(min(count, self._left))
        self._left -= len(block)
        self.digest.update(block)
        return block


def _inside(name: str, file: Path) -> str:
    """Return the path of a member in the folder. Raises `BackupRefused` for one outside of it."""
    path = Path(name.removeprefix(DATA))
    if not name.startswith(DATA) or path.is_absolute() or ".." in path.parts or not path.parts:
        raise BackupRefused(NO_BACKUP.format(file=file))
    return path.as_posix()


def _write_file(content: IO[bytes], path: Path, member: tarfile.TarInfo) -> str:
    digest = hashlib.sha256()
    with path.open("xb") as to:
        path.chmod(member.mode)
        while block := content.read(_BLOCK):
            digest.update(block)
            to.write(block)
    os.utime(path, (member.mtime, member.mtime))
    return digest.hexdigest()


def _raise(error: OSError) -> NoReturn:
    raise error
