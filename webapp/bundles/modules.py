"""Modules in WebAssembly as files of a bundle: exported with the queries that name them, and judged before an import.

The file of a module is called by its hash and contains its bytes in Base64, because the files of a bundle are texts.
"""

import re
from base64 import b64decode, encodebytes
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.own_functions.modules import MOST_MODULE_BYTES, ModuleDescription
from streaming.definition.strict import Strict
from streaming.wasm.function import BadModule
from streaming.wasm.modules import hash_of, named_modules
from webapp.bundles.bodies import DefinitionChange, FileFault
from webapp.bundles.files import bad_file
from webapp.core.limited.jobs import limited
from webapp.queries.models import QueryVersion
from webapp.uploads.examining import LIMITS, described
from webapp.uploads.modules import keep_module, stored_content, stored_module

FOLDER: Final = "modules/"
MOST_MODULES_BYTES: Final = 3 * MOST_MODULE_BYTES
"""The largest size of all modules of a bundle together."""
_PATH: Final = re.compile(r"modules/([0-9a-f]{64})\.wasm")


class JudgedModules(Strict):
    """The exports of the valid modules by hash, the hashes of those that are new, and the errors of the other files."""

    valid: dict[str, ModuleDescription]
    new: list[str]
    faults: list[FileFault]


class _BadFile(Exception):
    """The file contains no module with the hash of its name: what is wrong, and the remedy."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message, self.remedy = message, remedy


def module_files(versions: Iterable[QueryVersion]) -> dict[str, str]:
    """Return the files of the modules that `versions` name; those that the organisation lacks are left out."""
    named = {name for each in versions if each.graph.get("functions") for name in named_modules(each.read_graph())}
    contents = {name: stored_content(name) for name in sorted(named)}
    return {
        f"{FOLDER}{name}.wasm": encodebytes(content).decode()
        for name, content in contents.items()
        if content is not None
    }


def file_content(path: str, text: str) -> bytes:
    """Return the bytes of a file of an export: those of a module, else the text."""
    return b64decode(text) if path.startswith(FOLDER) else text.encode()


def divide(files: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the files of modules, and those of definitions."""
    modules = {path: text for path, text in files.items() if path.startswith(FOLDER)}
    return modules, {path: text for path, text in files.items() if path not in modules}


def judge(files: Mapping[str, str]) -> JudgedModules:
    """Return the modules in `files`; each new one is compiled in a limited process, like an uploaded one.

    Raises `Busy` while too many are judged at once, `TooMuchWork` for modules that exceed time or memory.
    """
    return judged(files) if files else JudgedModules(valid={}, new=[], faults=[])


@limited("The check of these modules", "Send fewer or smaller modules at once.", LIMITS)
def judged(files: Mapping[str, str]) -> JudgedModules:
    """Judge the modules in `files` in this process."""
    found = JudgedModules(valid={}, new=[], faults=[])
    size = 0
    for path, text in sorted(files.items()):
        try:
            name, content = _content(path, text)
            size += len(content)
            if size > MOST_MODULES_BYTES:
                message = (
                    f"The modules up to this one have {counted(size, 'byte')}; the limit is {MOST_MODULES_BYTES:,}."
                )
                raise _BadFile(message, "Upload some of them on the page Files.")
            stored = stored_module(name)
            found.valid[name] = described(content) if stored is None else stored
            if stored is None:
                found.new.append(name)
        except (_BadFile, BadModule) as wrong:
            found.faults.append(bad_file(path, wrong.message, wrong.remedy))
    return found


def _content(path: str, text: str) -> tuple[str, bytes]:
    """Return the hash and the bytes of a module. Raises `_BadFile`."""
    named = _PATH.fullmatch(path)
    if named is None:
        raise _BadFile(f"The file {path!r} is not called by the hash of a module.", "Use modules/HASH.wasm.")
    try:
        content = b64decode("".join(text.split()), validate=True)
    except ValueError:
        raise _BadFile("The module is not in Base64.", "Export it again, or send its bytes in Base64.") from None
    name = hash_of(content)
    if name != named[1]:
        message = f"The module has the hash {name}, not that of its file's name: its bytes were changed."
        raise _BadFile(message, "Export it again. To use a changed module, name its own hash in the queries.")
    return name, content


def changes_of(found: JudgedModules) -> Iterator[DefinitionChange]:
    """Yield a change for each valid module; the diff of a new one lists its functions."""
    for name, module in found.valid.items():
        if name not in found.new:
            yield DefinitionChange(kind="module", name=name, action="unchanged", diff="")
            continue
        path = f"{FOLDER}{name}.wasm"
        lines = [f"{each.name}({', '.join(each.parameters)}) -> {', '.join(each.results)}" for each in module.functions]
        diff = [f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n", *(f"+{line}\n" for line in lines)]
        yield DefinitionChange(kind="module", name=name, action="create", diff="".join(diff))


def keep(files: Mapping[str, str], modules: Mapping[str, ModuleDescription]) -> None:
    """Store the new `modules` of `files`. Raises `OverQuota`, `StorageFull`."""
    for name, module in modules.items():
        keep_module(file_content(FOLDER, files[f"{FOLDER}{name}.wasm"]), module)
