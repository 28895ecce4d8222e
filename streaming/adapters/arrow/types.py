"""Arrow types and field types: the field type for a column, and why a column does not fit a field.

Encodings don't matter: a dictionary, run-end encoded, large or view type counts as the type of its values. A map is a
list of entries, `array<struct<key: K, value: V>>`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from streaming.definition.payload.type_text import MAX_TYPE_DEPTH
from streaming.definition.payload.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    Array,
    Boolean,
    DecimalOf,
    Double,
    Long,
    String,
    Struct,
    Timestamp,
    Type,
)
from streaming.definition.plain_names import NAME_PATTERN

_LISTS: Final[tuple[Callable[[pa.DataType], bool], ...]] = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_fixed_size_list,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)
_ENCODED: Final[tuple[Callable[[pa.DataType], bool], ...]] = (pa.types.is_dictionary, pa.types.is_run_end_encoded)


@dataclass(frozen=True)
class UnsuitedType:
    """A type inside a column that no field, or not the wanted field, can hold. `path` leads to it, empty for the
    column.

    `of` is the wanted type, None where no type would do. `twice`: a struct has two fields with the last name of `path`.
    """

    path: str
    kind: pa.DataType
    of: Type | None = None
    twice: bool = False


def unencoded(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values inside a dictionary, a run-end encoding or an extension type for text."""
    while True:
        if any(matches(kind) for matches in _ENCODED):
            kind = kind.value_type
        elif isinstance(kind, pa.BaseExtensionType) and is_text(kind.storage_type):
            kind = kind.storage_type
        else:
            return kind


def is_text(kind: pa.DataType) -> bool:
    """Return True for Unicode text, however it is stored."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_list(kind: pa.DataType) -> bool:
    """Return True for lists, however they are stored; a map does not count."""
    return any(matches(kind) for matches in _LISTS)


def entries_of(kind: pa.MapType) -> pa.DataType:
    """The type of a map as a list of its entries."""
    return pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)]))


def struct_fields(kind: pa.StructType) -> list[tuple[str, pa.DataType]]:
    """The names and types of the fields of a struct, in order."""
    return [(kind.field(at).name, kind.field(at).type) for at in range(kind.num_fields)]


def field_type(kind: pa.DataType, depth: int = 0) -> Type | UnsuitedType:
    """Return the type of a field that holds every column of `kind`, or the part of `kind` that no field holds.

    A column of nulls is a string, as any other type would do.
    """
    kind = unencoded(kind)
    if pa.types.is_map(kind):
        kind = entries_of(kind)
    if depth >= MAX_TYPE_DEPTH:
        return UnsuitedType("", kind)
    if is_list(kind):
        of = field_type(kind.value_type, depth + 1)
        return UnsuitedType(f"[]{of.path}", of.kind, None, of.twice) if isinstance(of, UnsuitedType) else Array(of)
    return _struct_type(kind, depth) if pa.types.is_struct(kind) else _scalar_type(kind)


def _struct_type(kind: pa.StructType, depth: int) -> Type | UnsuitedType:
    inside = struct_fields(kind)
    names = [name for name, _ in inside]
    found: list[tuple[str, Type]] = []
    for name, each in inside:
        of = field_type(each, depth + 1)
        if isinstance(of, UnsuitedType):
            return UnsuitedType(f".{name}{of.path}", of.kind, None, of.twice)
        if names.count(name) > 1:
            return UnsuitedType(f".{name}", each, None, twice=True)
        if re.fullmatch(NAME_PATTERN, name) is None:
            return UnsuitedType("", kind)
        found.append((name, of))
    return Struct(tuple(found)) if found else UnsuitedType("", kind)


def _scalar_type(kind: pa.DataType) -> Type | UnsuitedType:
    if pa.types.is_decimal(kind):
        fits = 0 <= kind.scale <= kind.precision <= MAX_PRECISION
        return DecimalOf(kind.precision, kind.scale) if fits else UnsuitedType("", kind)
    known: tuple[tuple[Callable[[pa.DataType], bool], Type], ...] = (
        (pa.types.is_boolean, BOOLEAN),
        (pa.types.is_integer, LONG),
        (pa.types.is_floating, DOUBLE),
        (is_text, STRING),
        (pa.types.is_timestamp, TIMESTAMP),
        (pa.types.is_date, TIMESTAMP),
        (pa.types.is_null, STRING),
    )
    return next((of for matches, of in known if matches(kind)), UnsuitedType("", kind))


def unsuited(kind: pa.DataType, of: Type) -> UnsuitedType | None:
    """Return the first part of `kind` whose values can't have the field's type `of`; None if there is no such part.

    A struct may lack fields (null) and have additional ones (ignored), as T5 says of rows.
    """
    kind = unencoded(kind)
    if pa.types.is_null(kind):
        return None
    if isinstance(of, Array):
        kind = entries_of(kind) if pa.types.is_map(kind) else kind
        inner = unsuited(kind.value_type, of.element) if is_list(kind) else None
        return UnsuitedType("", kind, of) if not is_list(kind) else _below("[]", inner)
    if isinstance(of, Struct):
        return _unsuited_struct(kind, of)
    return None if _holds(of, kind) else UnsuitedType("", kind, of)


def _unsuited_struct(kind: pa.DataType, of: Struct) -> UnsuitedType | None:
    if not pa.types.is_struct(kind):
        return UnsuitedType("", kind, of)
    for name, inner in of.fields:
        there = [each for called, each in struct_fields(kind) if called == name]
        if len(there) > 1:
            return UnsuitedType(f".{name}", there[0], inner, twice=True)
        below = _below(f".{name}", unsuited(there[0], inner)) if there else None
        if below is not None:
            return below
    return None


def _below(step: str, found: UnsuitedType | None) -> UnsuitedType | None:
    return None if found is None else UnsuitedType(f"{step}{found.path}", found.kind, found.of, found.twice)


def _holds(of: Type, kind: pa.DataType) -> bool:
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if isinstance(of, String):
        return is_text(kind)
    if isinstance(of, Boolean):
        return bool(pa.types.is_boolean(kind))
    if isinstance(of, Long):
        return bool(pa.types.is_integer(kind))
    if isinstance(of, Double | DecimalOf):
        return bool(number)
    time = pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_integer(kind)
    return isinstance(of, Timestamp) and bool(time)
