"""Values are treated alike at every depth and in every encoding: by a simple rule for each type (T1, T5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters.arrow.types import UnsuitedType, field_type, unsuited
from streaming.adapters.arrow.values import conformed
from streaming.definition.payload.type_text import parse_type
from streaming.definition.payload.types import Array, Struct, Type
from streaming.wire.rows.arrow_types import arrow_type

FIRST_US: Final = -62_135_596_800_000_000
LAST_US: Final = 253_402_300_799_999_999
UNFIT: Final = object()
MOMENTS: Final = {"s": 1_000_000, "ms": 1_000, "us": 1}
INT64: Final = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-(10**9), 10**10),
    st.sampled_from([FIRST_US, FIRST_US - 1, LAST_US, LAST_US + 1, 253_402_300_799, 253_402_300_800, -(2**63)]),
)


@dataclass(frozen=True)
class Kind:
    """Arrow values of one type, the field's type, and the rule: the field's value, or UNFIT."""

    kind: pa.DataType
    of: str
    values: st.SearchStrategy[Any]
    rule: Callable[[Any], Any]


def _in_range(ticks: int) -> Any:
    return ticks if FIRST_US <= ticks <= LAST_US else UNFIT


def _moment(unit: str, zone: str | None) -> Kind:
    scale = MOMENTS.get(unit)
    rule = (lambda n: _in_range(n // 1_000)) if scale is None else (lambda n: _in_range(n * scale))
    return Kind(pa.timestamp(unit, zone), "timestamp", INT64, rule)


KINDS: Final = [
    *(_moment(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC", "America/Chicago")),
    Kind(pa.date32(), "timestamp", st.integers(-(2**31), 2**31 - 1), lambda n: _in_range(n * 86_400_000_000)),
    Kind(pa.int64(), "timestamp", INT64, _in_range),
    Kind(pa.uint64(), "timestamp", st.integers(0, 2**64 - 1), _in_range),
    Kind(pa.float64(), "double", st.floats(), lambda x: x if abs(x) < float("inf") else UNFIT),
    Kind(pa.float32(), "double", st.floats(width=32), lambda x: x if abs(x) < float("inf") else UNFIT),
    Kind(pa.uint64(), "long", st.integers(0, 2**64 - 1), lambda n: n if n < 2**63 else UNFIT),
    Kind(pa.int8(), "long", st.integers(-128, 127), lambda n: n),
    Kind(
        pa.decimal128(12, 3),
        "decimal(6,2)",
        st.decimals(-(10**8), 10**8, places=3),
        lambda x: x if abs(x) < 10_000 and x == round(x, 2) else UNFIT,
    ),
    Kind(
        pa.float64(),
        "decimal(6,2)",
        st.floats(-20_000, 20_000).map(lambda x: round(x, 3)),
        lambda x: Decimal(repr(x)) if abs(x) < 10_000 and Decimal(repr(x)) == round(Decimal(repr(x)), 2) else UNFIT,
    ),
    Kind(pa.int64(), "decimal(6,2)", st.integers(-20_000, 20_000), lambda n: Decimal(n) if abs(n) < 10_000 else UNFIT),
    Kind(pa.string(), "string", st.text(max_size=5), lambda text: text),
    Kind(pa.bool_(), "boolean", st.booleans(), lambda flag: flag),
]


def _column(kind: pa.DataType, values: Sequence[Any]) -> pa.Array:
    if pa.types.is_timestamp(kind):
        return pa.array(values, pa.int64()).cast(kind)
    return pa.array(values, pa.int32()).cast(kind) if pa.types.is_date32(kind) else pa.array(values, kind)


Wrapped = tuple[pa.Array, Type, list[Any]]
"""A column, the type of its field, and the expected value of each row, UNFIT if it does not fit."""


def _one_each(column: pa.Array, of: Type, held: list[Any]) -> Wrapped:
    return column, of, held


def _dictionary(column: pa.Array, of: Type, held: list[Any]) -> Wrapped:
    indices = pa.array(range(len(column)), pa.int32())
    return pa.DictionaryArray.from_arrays(indices, column), of, held


def _run_ends(column: pa.Array, of: Type, held: list[Any]) -> Wrapped:
    ends = pa.array(range(2, 2 * len(column) + 1, 2), pa.int32())
    return pa.RunEndEncodedArray.from_arrays(ends, column), of, [each for each in held for _ in "ab"]


def _in_struct(column: pa.Array, of: Type, held: list[Any]) -> Wrapped:
    outer = pa.StructArray.from_arrays([column, column], names=["other", "x"], mask=_every_third(column))
    rows = [None if at % 3 == 2 else UNFIT if each is UNFIT else {"x": each} for at, each in enumerate(held)]
    return outer, Struct((("x", of),)), rows


def _every_third(column: pa.Array) -> pa.Array:
    return pa.array([at % 3 == 2 for at in range(len(column))], pa.bool_())


def _rows_of_two(held: list[Any]) -> list[Any]:
    pairs = [held[at : at + 2] for at in range(0, len(held) - 1, 2)]
    rows = [UNFIT if any(each is UNFIT for each in pair) else pair for pair in pairs]
    return [None if at % 3 == 2 else row for at, row in enumerate(rows)]


def _in_lists(build: Callable[[list[int], pa.Array, pa.Array], pa.Array]) -> Callable[..., Wrapped]:
    def wrapped(column: pa.Array, of: Type, held: list[Any]) -> Wrapped:
        count = len(column) // 2
        nulls = pa.array([at % 3 == 2 for at in range(count)], pa.bool_())
        return build(list(range(0, 2 * count + 1, 2)), column, nulls), Array(of), _rows_of_two(held)

    return wrapped


def _list(ends: list[int], values: pa.Array, nulls: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), values, mask=nulls)


def _large_list(ends: list[int], values: pa.Array, nulls: pa.Array) -> pa.Array:
    return pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), values, mask=nulls)


def _list_view(ends: list[int], values: pa.Array, nulls: pa.Array) -> pa.Array:
    sizes = pa.array([2] * (len(ends) - 1), pa.int32())
    return pa.ListViewArray.from_arrays(pa.array(ends[:-1], pa.int32()), sizes, values, mask=nulls)


def _in_map(column: pa.Array, of: Type, held: list[Any]) -> Wrapped:
    keys = pa.array([str(at) for at in range(len(column))])
    ends = pa.array(range(len(column) + 1), pa.int32())
    entry = Struct((("key", parse_type("string")), ("value", of)))
    rows = [UNFIT if each is UNFIT else [{"key": str(at), "value": each}] for at, each in enumerate(held)]
    return pa.MapArray.from_arrays(ends, keys, column), Array(entry), rows


WRAPPINGS: Final[dict[str, Callable[[pa.Array, Type, list[Any]], Wrapped]]] = {
    "plain": _one_each,
    "dictionary": _dictionary,
    "run ends": _run_ends,
    "struct": _in_struct,
    "list": _in_lists(_list),
    "large list": _in_lists(_large_list),
    "list view": _in_lists(_list_view),
    "map": _in_map,
}
LAYERS: Final = st.lists(st.sampled_from(sorted(WRAPPINGS)), max_size=3)


@given(st.data(), st.sampled_from(KINDS), LAYERS)
def test_a_value_is_treated_alike_at_every_depth(data: st.DataObject, kind: Kind, layers: list[str]) -> None:
    values = data.draw(st.lists(st.none() | kind.values, min_size=1, max_size=12))
    column, of = _column(kind.kind, values), parse_type(kind.of)
    held = [None if value is None else kind.rule(value) for value in values]
    for layer in layers:
        if layer in ("dictionary", "run ends") and pa.types.is_nested(column.type):
            continue  # Arrow has no such columns
        column, of, held = WRAPPINGS[layer](column, of, held)
    assert unsuited(column.type, of) is None
    skip = data.draw(st.integers(0, len(held)))
    found = conformed(column.slice(skip), of)
    assert found.values.type == arrow_type(of)
    unfit = [False] * len(found.values) if found.unfit is None else found.unfit.tolist()
    assert unfit == [each is UNFIT for each in held[skip:]]
    read = [None if bad else value for bad, value in zip(unfit, found.values.to_pylist(), strict=True)]
    assert read == [None if each is UNFIT else each for each in held[skip:]]


@pytest.mark.parametrize(
    "kind",
    [pa.time32("s"), pa.time64("ns"), pa.duration("s"), pa.binary(), pa.binary(4), pa.decimal256(60, 2), pa.uuid()],
    ids=str,
)
def test_a_type_that_no_field_holds_is_named_at_every_depth(kind: pa.DataType) -> None:
    assert field_type(kind) == UnsuitedType("", kind)
    inside = pa.list_(pa.struct([("a", pa.map_(pa.string(), kind))]))
    assert field_type(inside) == UnsuitedType("[].a[].value", kind)
    wanted = parse_type("array<struct<a: array<struct<key: string, value: long>>>>")
    found = unsuited(inside, wanted)
    assert found is not None
    assert (found.path, found.kind, str(found.of)) == ("[].a[].value", kind, "long")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (pa.map_(pa.string(), pa.timestamp("ns")), "array<struct<key: string, value: timestamp>>"),
        (pa.dictionary(pa.int8(), pa.date32()), "timestamp"),
        (pa.run_end_encoded(pa.int32(), pa.float16()), "double"),
        (pa.list_view(pa.string_view()), "array<string>"),
        (pa.list_(pa.uint64(), 3), "array<long>"),
        (pa.struct([("a", pa.large_list(pa.large_string())), ("b", pa.null())]), "struct<a: array<string>, b: string>"),
        (pa.json_(), "string"),
    ],
    ids=str,
)
def test_a_type_is_proposed_whatever_its_encoding(kind: pa.DataType, text: str) -> None:
    assert str(field_type(kind)) == text
    assert unsuited(kind, parse_type(text)) is None


def test_a_struct_with_two_fields_of_one_name_is_named() -> None:
    kind = pa.struct([("v", pa.int64()), ("v", pa.int64()), ("w", pa.int64())])
    assert field_type(kind) == UnsuitedType(".v", pa.int64(), twice=True)
    assert unsuited(kind, parse_type("struct<w: long>")) is None
    found = unsuited(kind, parse_type("struct<v: long>"))
    assert found is not None
    assert (found.path, found.twice) == (".v", True)


def test_lists_that_share_their_values_are_read_in_their_own_order() -> None:
    offsets, sizes = pa.array([1, 0, 1], pa.int32()), pa.array([2, 2, 0], pa.int32())
    shared = pa.ListViewArray.from_arrays(offsets, sizes, pa.array([1.0, 2.0, float("nan")]))
    found = conformed(shared, parse_type("array<double>"))
    assert found.values.to_pylist()[1:] == [[1.0, 2.0], []]
    assert found.unfit is not None
    assert found.unfit.tolist() == [True, False, False]


def test_run_ends_may_be_cut_anywhere() -> None:
    column = pc.run_end_encode(pa.array([1.0, 1.0, float("inf"), float("inf")])).slice(1, 2)
    found = conformed(column, parse_type("double"))
    assert found.unfit is not None
    assert found.unfit.tolist() == [False, True]


def test_a_value_of_run_ends_under_a_null_struct_is_not_checked() -> None:
    runs = pc.run_end_encode(pa.array([float("inf")] * 2))
    column = pa.StructArray.from_arrays([runs], ["x"], mask=pa.array([False, True]))
    found = conformed(column, parse_type("struct<x: double>"))
    assert found.unfit is not None
    assert found.unfit.tolist() == [True, False]
