"""Avro schemas with values: what the library writes for each, and what we read."""

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from fastavro import parse_schema, schemaless_writer
from hypothesis import strategies as st

from streaming.adapters.times.columns import KnownTick

Pair = tuple[Any, Any]
"""A value in the library's form without logical types, and in our form."""
LONGS = st.integers(-(2**63), 2**63 - 1)
INTS = st.integers(-(2**31), 2**31 - 1)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@dataclass(frozen=True)
class Drawn:
    """A type of Avro, and values of it."""

    schema: Any
    pairs: st.SearchStrategy[Pair]


def same(of: Any, values: st.SearchStrategy[Any]) -> Drawn:
    return Drawn(of, values.map(lambda value: (value, value)))


def made(of: Any, values: st.SearchStrategy[Any], make: Callable[[Any], Any]) -> Drawn:
    return Drawn(of, values.map(lambda value: (value, make(value))))


def number(unscaled: int, scale: int = 3) -> Decimal:
    return Decimal(unscaled).scaleb(-scale)


def signed(unscaled: int) -> bytes:
    return unscaled.to_bytes(9, "big", signed=True)


PLAIN = [
    same("boolean", st.booleans()),
    same("int", INTS),
    same("long", LONGS),
    same("double", FINITE),
    same("float", st.floats(width=32, allow_nan=False, allow_infinity=False)),
    same("string", TEXTS),
    same({"type": "enum", "name": "E", "symbols": ["A", "B", "C"]}, st.sampled_from("ABC")),
    made({"type": "long", "logicalType": "timestamp-micros"}, LONGS, KnownTick),
    made(
        {"type": "long", "logicalType": "timestamp-millis"},
        st.integers(-(2**52), 2**52),
        lambda ms: KnownTick(ms * 1_000),
    ),
]
RICH = [
    made("bytes", st.binary(max_size=8), lambda data: base64.b64encode(data).decode()),
    made(
        {"type": "fixed", "name": "F", "size": 3},
        st.binary(min_size=3, max_size=3),
        lambda data: base64.b64encode(data).decode(),
    ),
    made(
        {"type": "long", "logicalType": "timestamp-nanos"},
        st.integers(-(2**62), 2**63 - 1),
        lambda ns: KnownTick(ns // 1_000),
    ),
    made({"type": "int", "logicalType": "date"}, INTS, lambda day: KnownTick(day * 86_400_000_000)),
    made(
        {"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"},
        st.uuids().map(lambda each: each.bytes),
        lambda data: str(UUID(bytes=data)),
    ),
    Drawn(
        {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 3},
        st.integers(-(10**20) + 1, 10**20 - 1).map(lambda unscaled: (signed(unscaled), number(unscaled))),
    ),
]


def optional(drawn: Drawn, null_first: bool) -> Drawn:
    schema = ["null", drawn.schema] if null_first else [drawn.schema, "null"]
    return Drawn(schema, st.one_of(st.just((None, None)), drawn.pairs))


def listed(drawn: Drawn) -> Drawn:
    pairs = st.lists(drawn.pairs, max_size=3).map(lambda each: ([one for one, _ in each], [ours for _, ours in each]))
    return Drawn({"type": "array", "items": drawn.schema}, pairs)


def mapped(drawn: Drawn) -> Drawn:
    pairs = st.dictionaries(TEXTS, drawn.pairs, max_size=3).map(
        lambda each: ({key: one for key, (one, _) in each.items()}, {key: ours for key, (_, ours) in each.items()})
    )
    return Drawn({"type": "map", "values": drawn.schema}, pairs)


def record(name: str, members: list[Drawn]) -> Drawn:
    """A record of these types, each field named by its place; named types are its own."""
    fields = [{"name": f"f{at}", "type": _own(each.schema, f"{name}_{at}")} for at, each in enumerate(members)]
    pairs = st.tuples(*(each.pairs for each in members)).map(
        lambda each: (
            {f"f{at}": one for at, (one, _) in enumerate(each)},
            {f"f{at}": ours for at, (_, ours) in enumerate(each)},
        )
    )
    return Drawn({"type": "record", "name": name, "fields": fields}, pairs)


def _own(schema: Any, name: str) -> Any:
    """`schema`, whose type names are used nowhere else."""
    if isinstance(schema, list):
        return [_own(each, name) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _own(each, f"{name}_{key}") if key in {"items", "values"} else each for key, each in schema.items()}
    if "fields" in schema:
        found["fields"] = [{**each, "type": _own(each["type"], f"{name}_{each['name']}")} for each in schema["fields"]]
    return {**found, "name": name} if "name" in schema else found


plain_types = st.one_of(st.sampled_from(PLAIN), st.builds(optional, st.sampled_from(PLAIN), st.booleans()))
rich_types = st.recursive(
    st.one_of(plain_types, st.sampled_from(RICH)),
    lambda inner: st.one_of(
        st.builds(listed, inner),
        st.builds(mapped, inner),
        st.lists(inner, min_size=1, max_size=3).map(lambda members: record("Inner", members)),
    ),
    max_leaves=6,
)


@dataclass(frozen=True)
class DrawnValues:
    schema: Any
    values: list[bytes]
    ours: list[Any]


@st.composite
def written_values(draw: st.DrawFn, types: st.SearchStrategy[Drawn], most: int = 3) -> DrawnValues:
    root = record("Root", draw(st.lists(types, min_size=1, max_size=5)))
    pairs = draw(st.lists(root.pairs, min_size=1, max_size=most))
    bare = parse_schema(_bare(root.schema))
    return DrawnValues(root.schema, [written(bare, one) for one, _ in pairs], [ours for _, ours in pairs])


def _bare(schema: Any) -> Any:
    """The schema without logical types, so that the library writes the values unchanged."""
    if isinstance(schema, list):
        return [_bare(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _bare(each) if key in {"type", "items", "values", "fields"} else each
        for key, each in schema.items()
        if key != "logicalType"
    }


def written(schema: Any, value: Any) -> bytes:
    body = io.BytesIO()
    schemaless_writer(body, schema, value)
    return body.getvalue()
