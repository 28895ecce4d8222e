"""Modules in WebAssembly that people uploaded, in `<organisation>/modules/`: bytes and exports, by hash.

An uploaded `.wasm` file is listed and deleted like every file. What queries call is a copy, which stays when the file
is replaced or deleted, because versions of queries name it by its hash. Every look-up is in the folder of the
organisation in context, so a query that names the module of another organisation finds none.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from django.conf import settings
from pydantic import ValidationError

from streaming.definition.own_functions.modules import MOST_MODULE_BYTES, ModuleDescription, store_modules
from streaming.wasm.modules import FOLDER, file_of, hash_of, store_contents
from webapp.accounts.limits.disk_room import check_disk_room
from webapp.core.context import current_organisation, organisation_or_none
from webapp.streams.adapters import adapter_root
from webapp.uploads.usage import KeptFile

ENDING: Final = ".wasm"
_HASH: Final = re.compile("[0-9a-f]{64}")


def keep_module(content: bytes, description: ModuleDescription) -> None:
    """Keep the bytes of a valid module and its exports. Raises `OverQuota`, `StorageFull`."""
    name = hash_of(content)
    check_disk_room(len(content))
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    _write(file_of(folder, name), content)
    _write(_exports_of(name), description.model_dump_json().encode())


def stored_module(name: str) -> ModuleDescription | None:
    """Return the exports of a module of the organisation in context; None if it has none with this hash."""
    if not _HASH.fullmatch(name):
        return None
    with suppress(FileNotFoundError, ValidationError):
        return ModuleDescription.model_validate_json(_exports_of(name).read_bytes())
    return None


def stored_content(name: str) -> bytes | None:
    """Return the bytes of a module of the organisation in context; None if it has none with this hash."""
    if organisation_or_none() is None or not _HASH.fullmatch(name):
        return None
    with suppress(FileNotFoundError):
        return file_of(_folder(), name).read_bytes()
    return None


store_modules(lambda: None if organisation_or_none() is None else stored_module)
store_contents(stored_content)


def module_in(file: KeptFile) -> tuple[str, ModuleDescription] | None:
    """Return hash and exports of the module in a file; None if it contains none that was uploaded."""
    if not file.path.endswith(ENDING) or file.size > MOST_MODULE_BYTES:
        return None
    with suppress(OSError):
        name = hash_of((adapter_root() / file.path).read_bytes())
        found = stored_module(name)
        return None if found is None else (name, found)
    return None


def _folder() -> Path:
    root: Path = settings.PUNCTUAL_DATA
    return root / str(current_organisation()) / FOLDER


def _exports_of(name: str) -> Path:
    return _folder() / f"{name}.json"


def _write(place: Path, content: bytes) -> None:
    """Write a file in one step: a reader never finds a part of it."""
    part = place.with_suffix(".part")
    part.write_bytes(content)
    part.replace(place)
