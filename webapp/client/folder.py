"""A folder of definitions on this machine: the files to send, and the files of an export."""

import os
import re
from base64 import b64decode, encodebytes
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from .outcomes import CommandFailure, ExitCode

MOST_BYTES: Final = 2 * 1024 * 1024
MODULE: Final = re.compile(r"modules/[0-9a-f]{64}\.wasm")
"""A module in WebAssembly: here its bytes, and Base64 on the way."""
MOST_MODULE_BYTES: Final = 1024 * 1024
DEFINITION: Final = re.compile(rf"(streams|queries|bindings|boards)/[^/\\]+\.(yaml|yml|sql|json)|{MODULE.pattern}")
EXPORTED: Final = re.compile(
    rf"(streams|queries|bindings|boards)/[A-Za-z_][A-Za-z0-9_]{{0,62}}\.(yaml|sql)|{MODULE.pattern}"
)
"""Paths that a server may write: names that the server itself accepts, without special meaning to a system."""
IGNORED_FOLDERS: Final = frozenset({"transcripts"})
WHAT_BELONGS: Final = (
    "A folder of definitions contains streams/NAME.yaml, queries/NAME.sql, bindings/NAME.yaml, boards/NAME.yaml and "
    "modules/HASH.wasm"
)


def read_folder(folder: Path) -> dict[str, str]:
    """Return the definitions in `folder` by their path in it.

    Hidden files, README* and transcripts/ are left out. Raises `CommandFailure` for every other file, before anything
    is sent: a folder may contain private files.
    """
    if not folder.is_dir():
        raise CommandFailure(ExitCode.NOT_THERE, f"There is no folder {folder}.")
    files: dict[str, str] = {}
    size = 0
    for path in _walk(folder):
        name = path.relative_to(folder).as_posix()
        if not DEFINITION.fullmatch(name):
            raise CommandFailure(
                ExitCode.REFUSED, f"{name} does not belong here. {WHAT_BELONGS}. Move it, or start its name with a dot."
            )
        if path.is_symlink() or not path.resolve().is_relative_to(folder.resolve()):
            raise CommandFailure(
                ExitCode.REFUSED, f"{name} is a link, and links are not followed. Replace it with the file itself."
            )
        if MODULE.fullmatch(name):
            files[name] = _read_module(path)
            continue
        files[name] = read_text(path)
        size += len(files[name].encode())
        if size > MOST_BYTES:
            raise CommandFailure(
                ExitCode.REFUSED, f"The definitions in {folder} are more than 2 MB. Split them over organisations."
            )
    return files


def read_text(path: Path) -> str:
    """Return the text in a file. Raises `CommandFailure`."""
    try:
        return _read(path, MOST_BYTES, "2 MB, too large for a definition").decode()
    except UnicodeDecodeError:
        raise CommandFailure(ExitCode.REFUSED, f"{path} is not text in UTF-8. Save it as such.") from None


def _read_module(path: Path) -> str:
    return encodebytes(_read(path, MOST_MODULE_BYTES, "1 MiB, too large for a module")).decode()


def _read(path: Path, most_bytes: int, words: str) -> bytes:
    try:
        if path.stat().st_size > most_bytes:
            raise CommandFailure(ExitCode.REFUSED, f"{path} is larger than {words}.")
        return path.read_bytes()
    except FileNotFoundError:
        raise CommandFailure(ExitCode.NOT_THERE, f"There is no file {path}.") from None
    except OSError as error:
        raise CommandFailure(ExitCode.REFUSED, f"{path} cannot be read: {error.strerror}.") from None


def content_of(name: str, text: str) -> bytes:
    """Return the content of a file for the text that was sent. Raises `CommandFailure`."""
    try:
        return b64decode(text) if MODULE.fullmatch(name) else text.encode()
    except ValueError:
        raise CommandFailure(ExitCode.REFUSED, f"The server sent a damaged module: {name}. Export again.") from None


def _walk(folder: Path) -> list[Path]:
    found: list[Path] = []
    for root, folders, names in os.walk(folder):
        here = Path(root)
        top = here == folder
        folders[:] = sorted(each for each in folders if not _ignored(each) and not (top and each in IGNORED_FOLDERS))
        found += [here / name for name in folders if (here / name).is_symlink()]
        found += [here / name for name in sorted(names) if not _ignored(name)]
    return found


def _ignored(name: str) -> bool:
    return name.startswith((".", "README"))


def changed_files(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Return the paths of `files` that exist in `folder` with other content. Raises `CommandFailure` for bad names."""
    changed = []
    for name, text in files.items():
        path = _inside(folder, name)
        if path.is_symlink() or (path.exists() and (not path.is_file() or path.read_bytes() != content_of(name, text))):
            changed.append(name)
    return changed


def write_folder(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Write `files` into `folder`, all or none, and return the new or changed ones. Raises `CommandFailure`.

    Every file is first written next to its target; a failure after that restores the previous files.
    """
    wanted = {name: _inside(folder, name) for name in sorted(changed_files(folder, files) + missing(folder, files))}
    beside: dict[str, Path] = {}
    before: dict[str, bytes | None] = {}
    try:
        for name, path in wanted.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            beside[name] = path.with_name(f".{path.name}.{os.getpid()}.new")
            beside[name].unlink(missing_ok=True)  # never write through an existing link
            beside[name].write_bytes(content_of(name, files[name]))
        for name, path in wanted.items():
            old = path.read_bytes() if path.is_file() else None
            beside[name].replace(path)
            before[name] = old
    except OSError as error:
        _lay_back(wanted, before)
        raise CommandFailure(ExitCode.REFUSED, f"Nothing was exported: {error.filename}: {error.strerror}.") from None
    finally:
        for path in beside.values():
            path.unlink(missing_ok=True)
    return list(wanted)


def missing(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Return the paths of `files` that `folder` lacks."""
    return [name for name in files if not os.path.lexists(_inside(folder, name))]


def _lay_back(paths: Mapping[str, Path], before: Mapping[str, bytes | None]) -> None:
    for name, old in before.items():
        if old is None:
            paths[name].unlink(missing_ok=True)
        else:
            paths[name].write_bytes(old)


def _inside(folder: Path, name: str) -> Path:
    """Return the path of `name`; a server must not write outside of the folder, nor through a link in it."""
    path = folder / name
    if not EXPORTED.fullmatch(name) or path.parent.is_symlink():
        raise CommandFailure(
            ExitCode.REFUSED, f"The server sent a file that does not belong here: {name!r}. Nothing was written."
        )
    return path
