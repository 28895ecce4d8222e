"""The modules of `--modules`, for functions in WebAssembly."""

from pathlib import Path

from streaming.definition.own_functions.modules import declare_module
from streaming.run.errors import UsageError
from streaming.wasm.function import BadModule
from streaming.wasm.machine import CompiledModule
from streaming.wasm.modules import provide


def declare_modules(folder: Path) -> None:
    """Make the `.wasm` files of `folder` known to this process, by the hashes of their bytes. Raises `UsageError`."""
    if not folder.is_dir():
        raise UsageError(f"--modules: {folder} is not a folder. Set the folder with the .wasm files.")
    for path in sorted(folder.glob("*.wasm")):
        try:
            content = path.read_bytes()
            description = CompiledModule(content).description
        except BadModule as wrong:
            raise UsageError(f"--modules: {path}: {wrong}") from None
        except OSError as error:
            raise UsageError(f"--modules: {path} can't be read ({error.strerror or error}).") from None
        declare_module(provide(content), description)
