"""Compilation of modules, and instances with their own memory.

Every executor runs this one machine with the same settings, so the same call gives the same answer everywhere: NaN bits
are canonical, fuel counts instructions, and neither threads nor relaxed SIMD exist (T60).
"""

from collections.abc import Sequence
from ctypes import POINTER, addressof, byref, memmove, string_at
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, Final

from wasmtime import Config, Engine, FuncType, Instance, MemoryType, Module, Store, Trap, WasmtimeError
from wasmtime import _ffi as ffi  # calls through the public interface cost three times as much

from streaming.definition.counts import counted
from streaming.definition.own_functions.modules import (
    EXPORT_NAME,
    MEMORY,
    MEMORY_BYTES,
    MOST_MODULE_BYTES,
    ModuleDescription,
    ModuleExport,
)
from streaming.wasm.effects import START, UnreadableModule, sections, writing_exports
from streaming.wasm.function import BadModule, FunctionFailed

PAGE: Final = 1 << 16
MOST_ELEMENTS: Final = 10_000
"""The largest number of elements of a module's table."""
MOST_TABLES: Final = 4
MOST_EXPORTS: Final = 1_000
LOADING_FUEL: Final = 100_000_000
"""Enough to copy all data of a module into its memory."""
_STACK_BYTES: Final = 512 << 10
_GUARD_BYTES: Final = 1 << 16


_STARTING: Final = Lock()


def engine() -> Engine:
    """Return the compiler of this process: one, because modules of two can't meet."""
    with _STARTING:
        return _engine()


@lru_cache(1)
def _engine() -> Engine:
    config = Config()
    config.consume_fuel = True
    config.cranelift_nan_canonicalization = True
    config.parallel_compilation = False
    config.max_wasm_stack = _STACK_BYTES
    config.memory_reservation = MEMORY_BYTES
    config.memory_reservation_for_growth = 0
    config.memory_guard_size = _GUARD_BYTES
    config.wasm_threads = False
    config.shared_memory = False
    config.wasm_relaxed_simd = False
    config.wasm_memory64 = False
    config.wasm_multi_memory = False
    config.wasm_tail_call = False
    config.wasm_exceptions = False
    config.wasm_function_references = False
    config.wasm_gc = False
    config.wasm_wide_arithmetic = False
    config.wasm_custom_page_sizes = False
    config.wasm_stack_switching = False
    return Engine(config)


class CompiledModule:
    """A module that functions may be called in. Raises `BadModule` for bytes that can't be one."""

    def __init__(self, content: bytes) -> None:
        if len(content) > MOST_MODULE_BYTES:
            message = f"The module has {counted(len(content), 'byte')}; the most are {MOST_MODULE_BYTES:,}."
            raise BadModule(message, "Compile it for size and remove debug information.")
        self._content = content
        self.module = _compiled(content)
        _check_parts(content, self.module)

    @cached_property
    def description(self) -> ModuleDescription:
        """Its exports; a function with a name that no query can write is left out."""
        exports = [(each.name, each.type) for each in self.module.exports]
        functions = [
            ModuleExport(name=name, parameters=_types(of.params), results=_types(of.results))
            for name, of in exports
            if isinstance(of, FuncType) and EXPORT_NAME.fullmatch(name)
        ]
        memory = any(name == MEMORY and isinstance(of, MemoryType) for name, of in exports)
        return ModuleDescription(functions=functions, memory=memory)

    @cached_property
    def writing(self) -> frozenset[str]:
        """The exported functions that may leave a trace in their instance."""
        return writing_exports(self._content)

    def instance(self) -> "ModuleInstance":
        """Return a new instance, whose memory is as after loading."""
        return ModuleInstance(self.module)


def _compiled(content: bytes) -> Module:
    remedy = "Compile it to WebAssembly without threads, relaxed SIMD, exceptions, garbage collection or 64-bit memory."
    try:
        sections(content)
        return Module(engine(), content)
    except UnreadableModule as wrong:
        raise BadModule(f"The file is not a WebAssembly module: {wrong}.", remedy) from None
    except WasmtimeError as wrong:
        reason = str(wrong).strip().splitlines()[-1].strip().removesuffix(".")
        raise BadModule(f"The module can't be compiled: {reason[:200]}.", remedy) from None


def _check_parts(content: bytes, module: Module) -> None:
    if imports := module.imports:
        first = imports[0]
        message = f"The module imports {first.module}.{first.name}; a function has its arguments alone."
        raise BadModule(message, "Remove the import: no clock, no randomness, no files and no WASI exist.")
    if START in sections(content):
        raise BadModule("The module has a start function.", "Remove it: only exported functions are called.")
    if len(module.exports) > MOST_EXPORTS:
        message = f"The module exports {len(module.exports):,} names; the most are {MOST_EXPORTS:,}."
        raise BadModule(message, "Export only the functions that queries call.")
    try:
        ModuleInstance(module).close()
    except (Trap, WasmtimeError) as wrong:
        reason = str(wrong).strip().splitlines()[-1].strip()
        most = f"{MEMORY_BYTES >> 20} MiB of memory and {MOST_ELEMENTS:,} elements of a table"
        message = f"The module can't be loaded with {most}: {reason[:200]}."
        raise BadModule(message, "Reduce its initial memory, tables and data.") from None


def _types(types: Sequence[Any]) -> list[Any]:
    names = (str(each) for each in types)
    return [name if name in ("i32", "i64", "f32", "f64", "v128") else "reference" for name in names]


RawValue = tuple[str, int | float]
"""A number with its type in WebAssembly."""


class ModuleInstance:
    """An instance of a module, with limits for its memory and tables; use it in a `with` block."""

    def __init__(self, module: Module) -> None:
        self._store = Store(engine())
        self._store.set_limits(MEMORY_BYTES, MOST_ELEMENTS, instances=1, tables=MOST_TABLES, memories=1)
        self._store.set_fuel(LOADING_FUEL)
        self._instance = Instance(self._store, module, [])
        self._memory: Any = None

    def __enter__(self) -> "ModuleInstance":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the instance and its memory."""
        self._store.close()

    def refuel(self, fuel: int) -> None:
        """Set the number of instructions that may be executed from now on."""
        self._store.set_fuel(fuel)

    def fuel(self) -> int:
        """Return the number of instructions that may still be executed."""
        return self._store.get_fuel()

    def call(self, export: str, values: Sequence[RawValue], result: str) -> Any:
        """Call a function whose signature the caller has checked: values of other types would corrupt the process.

        Raises `FunctionFailed` if it traps or uses up its fuel.
        """
        raw = (ffi.wasmtime_val_raw_t * max(len(values), 1))()
        for slot, (kind, value) in zip(raw, values, strict=False):
            setattr(slot, kind, value)
        trap = POINTER(ffi.wasm_trap_t)()
        function = self._export(export).func
        error = ffi.wasmtime_func_call_unchecked(self._store._context(), byref(function), raw, len(raw), byref(trap))
        if error:
            raise WasmtimeError._from_ptr(error)
        if trap:
            raise FunctionFailed(reason_of(Trap._from_ptr(trap)))
        return getattr(raw[0], result)

    def read(self, pointer: int, size: int) -> bytes:
        """Return `size` bytes of memory. Raises `FunctionFailed` if they are not all inside."""
        return string_at(self._inside(pointer, size), size)

    def write(self, pointer: int, content: bytes) -> None:
        """Write into memory. Raises `FunctionFailed` if `content` does not fit inside."""
        memmove(self._inside(pointer, len(content)), content, len(content))

    def _inside(self, pointer: int, size: int) -> int:
        """Return the address of a part of memory, which may have grown or moved since the last call."""
        context = self._store._context()
        if self._memory is None:
            self._memory = self._export(MEMORY).memory
        length = ffi.wasmtime_memory_data_size(context, byref(self._memory))
        if not 0 <= pointer <= pointer + size <= length:
            raise FunctionFailed(f"it named bytes {pointer} to {pointer + size} of a memory of {length}")
        return addressof(ffi.wasmtime_memory_data(context, byref(self._memory)).contents) + pointer

    def _export(self, name: str) -> Any:
        found = ffi.wasmtime_extern_t()
        text = name.encode()
        instance = byref(self._instance._instance)
        if not ffi.wasmtime_instance_export_get(self._store._context(), instance, text, len(text), byref(found)):
            raise KeyError(name)
        return found.of


def reason_of(trap: Trap) -> str:
    """Return why a call trapped, in a few words."""
    code = trap.trap_code
    return "it trapped" if code is None else f"it trapped: {code.name.lower().replace('_', ' ')}"
