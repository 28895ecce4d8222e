"""What an organisation has on the disk as one file, and back from it, while nobody runs anything there.

A backup is a tar archive compressed by zstd: every file of the folder under `data/`, then `backup.json`, which says
what it is and has the digest of each file, so that one that is cut short or damaged is known before anything is
replaced.
"""

import hashlib
import io
import os
import shutil
import stat
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final, NoReturn, cast

import pyarrow as pa
from pydantic import ValidationError

from streaming.definition.counts import counted
from streaming.definition.strict import Strict
from streaming.runtime.single import AnotherRunner, SingleRunner
from streaming.spark.layout import LAYOUT
from streaming.wire.binding_homes import pools_of
from streaming.wire.result_location import noted_location
from streaming.wire.runner_record import RECORD

FORMAT: Final = 1
SAYS: Final = "backup.json"
DATA: Final = "data/"
_OF_THE_MACHINE: Final = frozenset({"runner.lock", RECORD})
_BLOCK: Final = 1 << 20
_TOLD_EVERY_S: Final = 5.0
_MOST_SAID_BYTES: Final = 1 << 30
RUNS: Final = "Its runner is alive. Stop the worker, then the runners (manage.py stoprunners), and try again."
IN_A_POOL: Final = (
    "What its bindings have open is kept by {pools}. Give the organisation a runner of its own, wait until it has "
    "moved, and try again."
)
ON_A_STORE: Final = (
    "Its results lie at {at}, where this cannot keep them together with the checkpoints. "
    "Use the versions of that store."
)
A_LINK: Final = "{path} is no file of its own (a link or a device). Put a copy of it there, then try again."
NO_BACKUP: Final = "{file} is no backup, or one that is cut short. Nothing was changed."
DAMAGED: Final = "{path} is not in this backup as it was written: the file is damaged. Nothing was changed."
ANOTHERS: Final = "This is a backup of the organisation {found}, not of {wanted}. Nothing was changed."
ANOTHER_LAYOUT: Final = (
    "Its checkpoints were written by another version of this program (layout {found}, this one reads {known}). "
    "Restore it with the program that wrote it. Nothing was changed."
)
FAILED: Final = "{path}: {why}. Nothing was changed."

Tell = Callable[[str], None]


class BackupRefused(Exception):
    """Why nothing was done, and what to do."""


class BackupSaid(Strict):
    """What a backup says of itself; `files` has the SHA-256 of each by its path in the folder."""

    format: int
    organisation: str
    taken_at: str
    layout: int
    files: dict[str, str]


class BackupProgress:
    """Says every few seconds how much is done."""

    def __init__(self, verb: str, tell: Tell, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._verb, self._tell, self._monotonic = verb, tell, monotonic
        self._told = monotonic()
        self.files = self.bytes = 0

    def add(self, size: int) -> None:
        """One more file, of so many bytes."""
        self.files += 1
        self.bytes += size
        if self._monotonic() - self._told >= _TOLD_EVERY_S:
            self._told = self._monotonic()
            self._tell(f"... {self}")

    def __str__(self) -> str:
        """How much it is."""
        return f"{self._verb} {counted(self.files, 'file')}, {self.bytes / 1e6:,.1f} MB"


def take(folder: Path, file: Path, tell: Tell) -> None:
    """Write a backup of `folder` to `file`, which appears when it is whole. Raises `BackupRefused`.

    Pushed rows and uploads that come meanwhile may be in it or not.
    """
    require_here(folder)
    staged = file.with_name(f"{file.name}.part")
    done = BackupProgress("kept", tell)
    try:
        with held(folder), open_to_write(staged) as archive:
            folders, files = contents_of(folder)
            for path in folders:
                archive.addfile(_member(DATA + path, (folder / path).stat(), tarfile.DIRTYPE))
            digests = {path: _kept(archive, folder, path, done) for path in files}
            said = BackupSaid(
                format=FORMAT,
                organisation=folder.name,
                taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
                layout=LAYOUT,
                files=digests,
            )
            _add(archive, SAYS, said.model_dump_json().encode())
        staged.replace(file)
    except OSError as error:
        raise BackupRefused(FAILED.format(path=error.filename or file, why=error.strerror or error)) from None
    tell(f"{done}: {file}, {file.stat().st_size / 1e6:,.1f} MB.")


def restore(folder: Path, file: Path, tell: Tell) -> Path | None:
    """Put the backup `file` in the place of `folder`; where what was there lies now, None where nothing was.

    Raises `BackupRefused`; `folder` is as it was then.
    """
    require_here(folder)
    fresh = folder.with_name(f"{folder.name}.restoring")
    done = BackupProgress("restored", tell)
    with held(folder):
        shutil.rmtree(fresh, ignore_errors=True)
        try:
            require_fitting(unpacked(file, fresh, done), folder)
            return _exchanged(folder, fresh, tell, done)
        except OSError as error:
            raise BackupRefused(FAILED.format(path=error.filename or fresh, why=error.strerror or error)) from None
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


def require_here(folder: Path) -> None:
    """Raise `BackupRefused` where something of the organisation is kept elsewhere."""
    if pools := pools_of(folder):
        raise BackupRefused(IN_A_POOL.format(pools=", ".join(sorted(pools))))
    if (at := noted_location(folder)) is not None:
        raise BackupRefused(ON_A_STORE.format(at=at))


def require_fitting(said: BackupSaid, folder: Path) -> None:
    """Raise `BackupRefused` for a backup of another organisation, or of another version of the program."""
    if said.organisation != folder.name:
        raise BackupRefused(ANOTHERS.format(found=said.organisation, wanted=folder.name))
    if said.layout != LAYOUT:
        raise BackupRefused(ANOTHER_LAYOUT.format(found=said.layout, known=LAYOUT))


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Be the one that has `folder`, as its runner is. Raises `BackupRefused`."""
    try:
        single = SingleRunner(folder)
    except AnotherRunner:
        raise BackupRefused(RUNS) from None
    try:
        single.end_predecessor()
        yield
    finally:
        single.release()


def contents_of(folder: Path) -> tuple[list[str], list[str]]:
    """Folders and files in `folder` by their paths in it; sockets are none. Raises `BackupRefused`, `OSError`."""
    folders, files = [], []
    for at, _, _ in os.walk(folder, onerror=_raise):
        with os.scandir(at) as entries:
            for entry in entries:
                path = Path(entry.path).relative_to(folder).as_posix()
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                elif entry.is_file(follow_symlinks=False):
                    files += [] if path in _OF_THE_MACHINE else [path]
                elif not stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode):
                    raise BackupRefused(A_LINK.format(path=entry.path))
    return sorted(folders), sorted(files)


@contextmanager
def open_to_write(file: Path) -> Iterator[tarfile.TarFile]:
    """An archive that is on the disk when the block ends."""
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
    """The archive `file`, to be read from its begin to its end."""
    with (
        pa.CompressedInputStream(str(file), "zstd") as packed,
        tarfile.open(fileobj=cast(IO[bytes], packed), mode="r|") as archive,
    ):
        yield archive


def unpacked(file: Path, into: Path, done: BackupProgress) -> BackupSaid:
    """Unpack `file` and see that everything is in it as it was written. Raises `BackupRefused`, `OSError`."""
    into.mkdir(parents=True, mode=0o700)
    found: dict[str, str] = {}
    said: BackupSaid | None = None
    try:
        with opened(file) as archive:
            for member in archive:
                content = archive.extractfile(member)
                if member.name == SAYS and content is not None:
                    said = BackupSaid.model_validate_json(content.read(_MOST_SAID_BYTES))
                elif member.isdir():
                    (into / _inside(member.name, file)).mkdir(mode=member.mode)
                elif member.isreg() and content is not None:
                    path = _inside(member.name, file)
                    found[path] = _written(content, into / path, member)
                    done.add(member.size)
                else:
                    raise BackupRefused(NO_BACKUP.format(file=file))
    except (tarfile.TarError, pa.ArrowInvalid, ValidationError, EOFError):
        raise BackupRefused(NO_BACKUP.format(file=file)) from None
    except OSError as error:
        if error.errno is None:  # of the decompression
            raise BackupRefused(NO_BACKUP.format(file=file)) from None
        raise
    if said is None or said.format != FORMAT:
        raise BackupRefused(NO_BACKUP.format(file=file))
    if wrong := sorted(path for path in found.keys() | said.files.keys() if found.get(path) != said.files.get(path)):
        raise BackupRefused(DAMAGED.format(path=wrong[0]))
    return said


def _exchanged(folder: Path, fresh: Path, tell: Tell, done: BackupProgress) -> Path | None:
    there = any(path.name not in _OF_THE_MACHINE for path in folder.iterdir())
    aside = folder.with_name(f"{folder.name}.before-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}")
    folder.rename(aside)
    try:
        fresh.rename(folder)
    except OSError:
        aside.rename(folder)
        raise
    tell(f"{done}.")
    if not there:
        shutil.rmtree(aside)
        return None
    tell(f"What was there before lies in {aside}: delete it when you are sure.")
    return aside


def _member(name: str, said: os.stat_result, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.mode, member.mtime = kind, stat.S_IMODE(said.st_mode), said.st_mtime
    member.size = said.st_size if kind == tarfile.REGTYPE else 0
    return member


def _kept(archive: tarfile.TarFile, folder: Path, path: str, done: BackupProgress) -> str:
    """Add one file as long as it is now; the digest of what was added."""
    with (folder / path).open("rb") as content:
        member = _member(DATA + path, os.fstat(content.fileno()))
        reading = _Digesting(content, member.size)
        archive.addfile(member, cast(IO[bytes], reading))
    done.add(member.size)
    return reading.digest.hexdigest()


class _Digesting:
    """Reads at most `size` bytes of a file, and digests them; a file that grew ends where it ended."""

    def __init__(self, content: IO[bytes], size: int) -> None:
        self._content, self._left = content, size
        self.digest = hashlib.sha256()

    def read(self, count: int) -> bytes:
        """The next bytes."""
        block = self._content.read(min(count, self._left))
        self._left -= len(block)
        self.digest.update(block)
        return block


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def _inside(name: str, file: Path) -> str:
    """The path in the folder that a member names. Raises `BackupRefused` for one that leads out of it."""
    path = Path(name.removeprefix(DATA))
    if not name.startswith(DATA) or path.is_absolute() or ".." in path.parts or not path.parts:
        raise BackupRefused(NO_BACKUP.format(file=file))
    return path.as_posix()


def _written(content: IO[bytes], path: Path, member: tarfile.TarInfo) -> str:
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
