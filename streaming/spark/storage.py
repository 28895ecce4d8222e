"""The shared folder of a carrier behind one small interface: a local path now, an object store later."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class Folder(Protocol):
    """Named blobs. A name is a relative path with `/`; writing replaces the whole blob or leaves the old one."""

    def read(self, name: str) -> bytes | None:
        """The content of `name`, None where there is none."""

    def write(self, name: str, content: bytes) -> None:
        """Store `content` as `name`, atomically. Raises `OSError`."""

    def numbers(self, name: str) -> Sequence[int]:
        """The numbers, ascending, of the blobs `<name>/<number>.*`."""

    def remove(self, name: str) -> None:
        """Forget `name`; it may be absent."""


class LocalFolder:
    """A folder of the local (or a shared, mounted) file system."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def read(self, name: str) -> bytes | None:
        """The content of the file, None where there is none."""
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Write beside the file and rename: a reader sees the old content or the new, never a part."""
        target = self.path / name
        staged = target.with_name(f".{target.name}.staged")
        try:
            staged.write_bytes(content)
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
            staged.write_bytes(content)
        staged.replace(target)

    def numbers(self, name: str) -> Sequence[int]:
        """The numbers of the files `<name>/<number>.<suffix>`; staged files do not count."""
        try:
            with os.scandir(self.path / name) as entries:
                stems = [entry.name.partition(".")[0] for entry in entries]
        except FileNotFoundError:
            return []
        return sorted(int(stem) for stem in stems if stem.isdigit())

    def remove(self, name: str) -> None:
        """Delete the file; it may be absent."""
        (self.path / name).unlink(missing_ok=True)
