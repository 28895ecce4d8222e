"""The modules of this process, by hash.

A module is its bytes and nothing else, so all bindings of a process share one table. A binding takes its modules from
its own organisation's folder before it is built (`load`), and fails if one is missing or has other bytes than its name
says: no query reaches the module of another organisation.
"""

import atexit
import hashlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from streaming.definition.graph import QueryGraph
from streaming.definition.own_functions.functions import ModuleFunction

if TYPE_CHECKING:
    from streaming.wasm.machine import CompiledModule

FOLDER: Final = "modules"
"""In the folder of an organisation: its modules."""
Contents = Callable[[str], bytes | None]
"""Returns the bytes of the module with a hash; None if it does not exist."""
_CONTENTS: Final[dict[str, bytes]] = {}
_stored: Final[list[Contents]] = []
_COMPILED_AT_ONCE: Final = 64


def hash_of(content: bytes) -> str:
    """Return the name of a module: the SHA-256 hash of its bytes."""
    return hashlib.sha256(content).hexdigest()


class UnknownModule(LookupError):
    """A module is missing, or its bytes are not those of its hash."""


def provide(content: bytes) -> str:
    """Make a module known to this process, and return its hash."""
    name = hash_of(content)
    _CONTENTS[name] = content
    return name


def store_contents(contents: Contents) -> None:
    """Register how modules are found that nobody provided, for processes that work for one organisation."""
    _stored[:] = [contents]


def named_modules(graph: QueryGraph) -> list[str]:
    """Return the hashes of the modules that the functions of `graph` name, each once."""
    return list(dict.fromkeys(each.module for each in graph.functions if isinstance(each, ModuleFunction)))


def file_of(folder: Path, module: str) -> Path:
    """Return the file of a module in the folder of an organisation's modules."""
    return folder / f"{module}.wasm"


def load(folder: Path, modules: Iterable[str]) -> None:
    """Make `modules` from `folder` known to this process. Raises `UnknownModule`, `OSError`."""
    for module in modules:
        try:
            content = file_of(folder, module).read_bytes()
        except FileNotFoundError:
            raise UnknownModule(f"The module {module[:12]}… is missing. Upload it again.") from None
        if provide(content) != module:
            raise UnknownModule(f"The stored module {module[:12]}… has been changed. Delete it and upload it again.")


def store(folder: Path, modules: Iterable[str]) -> None:
    """Write `modules`, which this process knows, to `folder`. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    for module in modules:
        file_of(folder, module).write_bytes(_content(module))


@lru_cache(_COMPILED_AT_ONCE)
def compiled(module: str) -> "CompiledModule":
    """Return a module that this process knows, ready to be called. Raises `UnknownModule`, `BadModule`."""
    from streaming.wasm.machine import CompiledModule  # wasmtime is large, and most processes call no functions

    return CompiledModule(_content(module))


atexit.register(compiled.cache_clear)  # later, wasmtime complains on stderr that it can't free a module


def _content(module: str) -> bytes:
    content = _CONTENTS.get(module) or next((found for each in _stored if (found := each(module)) is not None), None)
    if content is None or hash_of(content) != module:
        raise UnknownModule(f"The module {module[:12]}… is not loaded.")
    return content
