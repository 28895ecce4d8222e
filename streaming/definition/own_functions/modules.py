"""Stored modules in WebAssembly: their exports, and how values pass to and from their functions (T60)."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Literal

from streaming.definition.payload.types import Array, Boolean, Double, String, Type
from streaming.definition.strict import Strict

MOST_MODULE_BYTES: Final = 1 << 20
"""The largest size of a module."""
MEMORY_BYTES: Final = 16 << 20
"""The largest size of a module's memory (T61)."""
MEMORY: Final = "memory"
"""The export with the memory, where texts and arrays are passed."""
ALLOCATE: Final = "alloc"
"""The export that returns the place of so many bytes in memory, for a text or an array that is an argument."""
EXPORT_NAME: Final = re.compile(r"[A-Za-z0-9_.$-]{1,100}")
"""The names of functions that a query may call."""
ValueType = Literal["i32", "i64", "f32", "f64", "v128", "reference"]


class ModuleExport(Strict):
    """A function that a module exports."""

    name: str
    parameters: list[ValueType]
    results: list[ValueType]


class ModuleDescription(Strict):
    """The exported functions of a module; `memory`: it exports its memory under the name MEMORY."""

    functions: list[ModuleExport]
    memory: bool

    def function(self, name: str) -> ModuleExport | None:
        """Return the exported function `name`."""
        return next((each for each in self.functions if each.name == name), None)


ALLOCATION: Final = ModuleExport(name=ALLOCATE, parameters=["i32"], results=["i32"])


Modules = Callable[[str], ModuleDescription | None]
"""Returns the module with a hash; None if it does not exist."""
_declared: dict[str, ModuleDescription] = {}
_stored: list[Callable[[], Modules | None]] = []


def declare_module(name: str, module: ModuleDescription) -> None:
    """Make a module known to this process that is not stored, for example one of a transcript."""
    _declared[name] = module


@contextmanager
def modules_declared(modules: Mapping[str, ModuleDescription]) -> Iterator[None]:
    """Make modules known to this process within the context, for a check of queries that come with them."""
    new = {name: module for name, module in modules.items() if name not in _declared}
    _declared.update(new)
    try:
        yield
    finally:
        for name in new:
            del _declared[name]


def store_modules(modules: Callable[[], Modules | None]) -> None:
    """Register the stored modules of the present organisation; `check` then refuses queries that name others."""
    _stored[:] = [modules]


def find_module(name: str) -> ModuleDescription | None:
    """Return the declared or stored module with a hash."""
    stored = _of_organisation()
    return _declared.get(name) or (None if stored is None else stored(name))


def stored_modules() -> Modules | None:
    """Return how modules are found; None where none are stored: then an executor checks the query."""
    return None if _of_organisation() is None else find_module


def _of_organisation() -> Modules | None:
    return _stored[0]() if _stored else None


def number_type(of: Type) -> ValueType | None:
    """Return the type of a value that is passed as one number; None for a text or an array.

    A timestamp is its tick; a boolean is 0 or 1.
    """
    if isinstance(of, Double):
        return "f64"
    if isinstance(of, Boolean):
        return "i32"
    return None if isinstance(of, String | Array) else "i64"


def parameters_of(arguments: Iterable[Type], *, null_arguments: bool) -> list[ValueType]:
    """Return the parameters that a function with `arguments` needs.

    A text or an array is a pointer and a length. With `null_arguments`, an i32 before each argument is 1 if it is null.
    """
    found: list[ValueType] = []
    for of in arguments:
        number = number_type(of)
        if null_arguments:
            found.append("i32")
        found += ["i32", "i32"] if number is None else [number]
    return found


def result_of(returns: Type) -> ValueType:
    """Return the type of a function's result; a text or an array is an i64: pointer times 2^32, plus length."""
    return number_type(returns) or "i64"


def uses_memory(types: Iterable[Type]) -> bool:
    """Return whether a value of one of `types` is passed through memory."""
    return any(number_type(of) is None for of in types)
