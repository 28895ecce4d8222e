"""Values on their way into a module and out of it (T60).

A text is UTF-8. An array is a sequence of 8 bytes for each element, least significant byte first: a number as it is, a
boolean as 0 or 1, a text as pointer and length of 4 bytes each. Texts of an array follow it in the same allocation.
"""

import math
import struct
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Final

from streaming.definition.counts import counted
from streaming.definition.expressions.failures import ELEMENT_BYTES, MOST_BYTES
from streaming.definition.own_functions.modules import ALLOCATE, number_type
from streaming.definition.payload.types import Array, Boolean, Double, String, Timestamp, Type
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK
from streaming.wasm.function import FunctionFailed, WasmFunction
from streaming.wasm.machine import ModuleInstance, RawValue

_LOW: Final = 0xFFFF_FFFF
_NOTHING: Final[dict[str, RawValue]] = {"i32": ("i32", 0), "i64": ("i64", 0), "f64": ("f64", 0.0)}


def lowered(function: WasmFunction, values: Sequence[Any], instance: ModuleInstance) -> list[RawValue]:
    """Return the parameters of a call; texts and arrays are written to memory. Raises `FunctionFailed`."""
    found: list[RawValue] = []
    for of, value in zip(function.arguments, values, strict=True):
        if function.null_arguments:
            found.append(("i32", int(value is None)))
        number = number_type(of)
        if number is not None:
            found.append(_NOTHING[number] if value is None else (number, value))
        elif value is None:
            found += (("i32", 0), ("i32", 0))
        else:
            found += _written(of, value, instance)
    return found


def _written(of: Type, value: Any, instance: ModuleInstance) -> Iterator[RawValue]:
    if isinstance(of, Array):
        length, content = len(value), _array_bytes(of.element, value)
    else:
        content = value.encode()
        length = len(content)
    pointer = instance.call(ALLOCATE, [("i32", len(content))], "i32") & _LOW
    if isinstance(of, Array) and isinstance(of.element, String):
        content = _moved(content, length, pointer)
    instance.write(pointer, content)
    yield "i32", pointer
    yield "i32", length


def _array_bytes(element: Type, values: Sequence[Any]) -> bytes:
    if None in values:
        raise FunctionFailed("an array has an element that is null")
    if isinstance(element, String):
        texts = [each.encode() for each in values]
        lengths = [len(text) for text in texts]
        places = accumulate(lengths[:-1], initial=ELEMENT_BYTES * len(texts))
        table = (struct.pack("<II", *each) for each in zip(places, lengths, strict=False))
        return b"".join((*table, *texts))
    form = "d" if isinstance(element, Double) else "q"
    return struct.pack(f"<{len(values)}{form}", *values)


def _moved(content: bytes, count: int, pointer: int) -> bytes:
    """Return an array of texts whose pointers count from the start of memory instead of the array."""
    table = struct.unpack_from(f"<{2 * count}I", content)
    moved = [(each + pointer) & _LOW if place % 2 == 0 else each for place, each in enumerate(table)]
    return struct.pack(f"<{2 * count}I", *moved) + content[ELEMENT_BYTES * count :]


def lifted(of: Type, raw: Any, instance: ModuleInstance) -> Any:
    """Return the result of a call as a value of type `of`. Raises `FunctionFailed` if the type has no such value."""
    if isinstance(of, Array):
        return _array(of.element, (raw >> 32) & _LOW, raw & _LOW, instance)
    if isinstance(of, String):
        return _text((raw >> 32) & _LOW, raw & _LOW, instance)
    return _number(of, raw)


def _number(of: Type, raw: Any) -> Any:
    match of:
        case Double():
            if not math.isfinite(raw):
                raise FunctionFailed("its result is not a finite double")
            return raw
        case Boolean():
            return raw != 0
        case Timestamp():
            if not FIRST_TICK <= raw <= LAST_TICK:
                raise FunctionFailed("its result is outside the years 1 to 9999")
    return raw


def _text(pointer: int, size: int, instance: ModuleInstance) -> str:
    if size > MOST_BYTES:
        raise FunctionFailed(f"its result is a text of {counted(size, 'byte')}; the most are {MOST_BYTES}")
    try:
        return instance.read(pointer, size).decode()
    except UnicodeDecodeError:
        raise FunctionFailed("its result is not UTF-8") from None


def _array(element: Type, pointer: int, length: int, instance: ModuleInstance) -> list[Any]:
    size = ELEMENT_BYTES * length
    if size > MOST_BYTES:
        raise FunctionFailed(f"its result is an array of {length} elements; the most are {MOST_BYTES // ELEMENT_BYTES}")
    content = instance.read(pointer, size)
    if isinstance(element, String):
        table = struct.unpack(f"<{2 * length}I", content)
        if size + sum(table[1::2]) > MOST_BYTES:
            raise FunctionFailed(f"its result is an array of more than {MOST_BYTES} bytes")
        return [_text(at, count, instance) for at, count in zip(table[::2], table[1::2], strict=True)]
    raw = struct.unpack(f"<{length}{'d' if isinstance(element, Double) else 'q'}", content)
    return [_number(element, each) for each in raw]
