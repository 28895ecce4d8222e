"""Modules for tests, as text."""

from wasmtime import wat2wasm

from streaming.definition.payload.types import Type
from streaming.wasm.calls import FunctionCaller
from streaming.wasm.function import WasmFunction
from streaming.wasm.modules import provide


def binary(text: str) -> bytes:
    return bytes(wat2wasm(text))


def function(text: str, *arguments: Type, returns: Type, fuel: int = 10_000_000, nulls: bool = False) -> WasmFunction:
    """Return the export `f` of the module `text`."""
    return WasmFunction(provide(binary(text)), "f", arguments, returns, fuel, nulls)


def caller(text: str, *arguments: Type, returns: Type, fuel: int = 10_000_000) -> FunctionCaller:
    return FunctionCaller(function(text, *arguments, returns=returns, fuel=fuel))
