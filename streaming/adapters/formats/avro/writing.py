"""Writes values as Avro according to a schema; an error names the place of a value that does not fit."""

import base64
import binascii
import io
import math
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, InvalidOperation
from typing import Any, Final
from uuid import UUID

from streaming.adapters.formats.avro.schemas import BYTES, AvroSchema
from streaming.adapters.formats.values import TICKS_PER_DAY, MisfitValue, as_number, as_text, as_whole
from streaming.adapters.times.columns import KnownTick

_EXACT: Final = Context(prec=10_000)
_RANGES: Final = {"int": 2**31, "long": 2**63}
_PER_TICK: Final[Mapping[str, Callable[[int], int]]] = {
    "punctual-ms": lambda tick: tick // 1_000,
    "punctual-us": lambda tick: tick,
    "punctual-ns": lambda tick: tick * 1_000,
    "punctual-days": lambda tick: tick // TICKS_PER_DAY,
}


class AvroWriter:
    """Writes values of one schema."""

    def __init__(self, schema: AvroSchema) -> None:
        from fastavro.schema import parse_schema

        self._root = schema.root
        self._named: dict[str, Any] = {}
        self._parsed = parse_schema(schema.root)
        self._find(schema.root)

    def write(self, value: Any) -> bytes:
        """Encode `value`: a mapping if the schema is of a record. Raises `MisfitValue`."""
        from fastavro import schemaless_writer

        body = io.BytesIO()
        schemaless_writer(body, self._parsed, self._value(self._root, value, ""))
        return body.getvalue()

    def _find(self, of: Any) -> None:
        """Record the types that the names in the schema refer to."""
        if isinstance(of, list):
            for each in of:
                self._find(each)
        elif isinstance(of, Mapping):
            if "name" in of and of.get("type") in {"record", "enum", "fixed"}:
                self._named[of["name"]] = of
            for inside in (of.get("items"), of.get("values"), *(each["type"] for each in of.get("fields", ()))):
                self._find(inside)

    def _record(self, of: Mapping[str, Any], value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise MisfitValue(path, "isn't a record")
        found = {}
        for field in of["fields"]:
            name = field["name"]
            given = value.get(name)
            if given is None and "default" in field and not _may_be_null(field["type"]):
                continue
            found[name] = self._value(field["type"], given, f"{path}.{name}")
        return found

    def _value(self, of: Any, value: Any, path: str) -> Any:
        if isinstance(of, list):
            return self._branch(of, value, path)
        if value is None:
            raise MisfitValue(path, "is null, which the schema does not allow")
        if isinstance(of, str) and of in self._named:
            of = self._named[of]
        kind = of if isinstance(of, str) else of["type"]
        if kind == "record":
            return self._record(of, value, path)
        if kind == "array" and isinstance(value, list):
            return [self._value(of["items"], each, f"{path}[{at}]") for at, each in enumerate(value)]
        if kind == "map" and isinstance(value, Mapping):
            return {name: self._value(of["values"], each, f"{path}.{name}") for name, each in value.items()}
        return _scalar({"type": of} if isinstance(of, str) else of, value, path)

    def _branch(self, of: list[Any], value: Any, path: str) -> Any:
        if value is None and "null" in of:
            return None
        first: MisfitValue | None = None
        for each in of:
            if each != "null":
                try:
                    return self._value(each, value, path)
                except MisfitValue as error:
                    first = first or error
        raise first or MisfitValue(path, "fits no branch of the union")


def _may_be_null(of: Any) -> bool:
    return isinstance(of, list) and "null" in of


def _scalar(of: Mapping[str, Any], value: Any, path: str) -> Any:
    kind, logical = of["type"], of.get("logicalType", "")
    if logical in _PER_TICK and isinstance(value, KnownTick):
        value = _PER_TICK[logical](int(value))
    if logical == "punctual-decimal":
        return _decimal(of, value, path)
    if kind in _RANGES:
        return as_whole(value, -_RANGES[kind], _RANGES[kind] - 1, path)
    if kind in {"float", "double"}:
        return _real(kind, value, path)
    if kind == "string":
        return as_text(value, path)
    if (kind == "boolean" and isinstance(value, bool)) or (kind == "enum" and value in of["symbols"]):
        return value
    if kind in {"bytes", "fixed"} and isinstance(value, str):
        return _bytes(of, logical, value, path)
    raise MisfitValue(path, f"isn't a valid {kind} for the schema")


def _real(kind: str, value: Any, path: str) -> float:
    found = as_number(value, path)
    if kind == "float" and math.isfinite(found) and abs(found) > 3.4028235677973366e38:
        raise MisfitValue(path, "is too large for a float")
    return found


def _bytes(of: Mapping[str, Any], logical: str, value: str, path: str) -> bytes:
    try:
        found = base64.b64decode(value, validate=True) if logical == BYTES else UUID(value).bytes
    except (binascii.Error, ValueError):
        raise MisfitValue(path, "isn't base64 text" if logical == BYTES else "isn't a UUID") from None
    if of["type"] == "fixed" and len(found) != of["size"]:
        raise MisfitValue(path, "has the wrong length for the schema")
    return found


def _decimal(of: Mapping[str, Any], value: Any, path: str) -> bytes:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise MisfitValue(path, "isn't an exact number")
    try:
        scaled = Decimal(value).scaleb(int(of.get("scale", 0)), _EXACT)
        unscaled = int(scaled)
    except (InvalidOperation, ValueError, OverflowError):
        raise MisfitValue(path, "isn't a finite number") from None
    if unscaled != scaled or len(str(abs(unscaled))) > int(of.get("precision", 0)):
        raise MisfitValue(path, "has more digits than the schema's decimal")
    size = of["size"] if of["type"] == "fixed" else (unscaled.bit_length() + 8) // 8
    try:
        return unscaled.to_bytes(size, "big", signed=True)
    except OverflowError:
        raise MisfitValue(path, "has more digits than the schema's decimal") from None
