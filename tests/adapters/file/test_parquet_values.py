"""Parquet files with nested, out-of-range, unusual or duplicate values: rows, quarantine, or an error."""

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streaming.adapters.contract import AdapterError, RecordSample, SampledAdapter
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.inference.propose import propose
from streaming.inference.sampling import UNDEFINED
from streaming.temporal.events import Event, point
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.row_json import Element
from tests.adapters.inputs import files, malformed, payloads, rows

AT_US = 1_709_632_800_000_000
"""2024-03-05T10:00:00Z."""
TS = pa.array([AT_US, AT_US + 1_000_000, AT_US - 100_000_000], pa.timestamp("us", "UTC"))


def stream(**fields: str) -> StreamDefinition:
    return StreamDefinition(fields=fields, event_time=EventTime(start=TimeColumn(column="ts")))


def save(folder: Path, *columns: tuple[str, pa.Array], name: str = "a.parquet") -> None:
    table = pa.Table.from_arrays([TS, *(column for _, column in columns)], names=["ts", *(each for each, _ in columns)])
    pq.write_table(table, folder / name)


def inside(field: str, values: pa.Array) -> pa.Array:
    return pa.StructArray.from_arrays([values], [field])


def sample(folder: Path) -> RecordSample:
    adapter = files(folder, UNDEFINED)
    assert isinstance(adapter, SampledAdapter)
    return adapter.sample_records(100, 1 << 20, now=0)


def held(found: Sequence[Element], field: str) -> list[Any]:
    return [None if each is None else each for each in payloads(list(found), field)]


@pytest.mark.parametrize(("unit", "scale"), [("s", 1_000_000), ("ms", 1_000), ("us", 1), ("ns", 1)])
def test_a_moment_in_a_struct_has_the_unit_of_the_file(tmp_path: Path, unit: str, scale: int) -> None:
    number = AT_US * 1_000 if unit == "ns" else AT_US // scale
    save(tmp_path, ("x", inside("t", pa.array([number] * 3, pa.timestamp(unit)))))
    assert held(rows(files(tmp_path, stream(x="struct<t: timestamp>"))), "x") == [{"t": AT_US}] * 3
    assert sample(tmp_path).spans[0].records[0]["x"] == {"t": "2024-03-05T10:00:00.000000"}


def test_moments_in_lists_and_maps_and_dates_in_structs_are_read(tmp_path: Path) -> None:
    moments = pa.array([[AT_US // 1_000], [], None], pa.list_(pa.timestamp("ms")))
    maps = pa.array([[("a", AT_US // 1_000_000)], [], None], pa.map_(pa.string(), pa.timestamp("s")))
    save(
        tmp_path, ("m", moments), ("n", maps), ("d", inside("d", pa.array([19_787] * 3, pa.int32()).cast(pa.date32())))
    )
    kinds = {"m": "array<timestamp>", "n": "array<struct<key: string, value: timestamp>>", "d": "struct<d: timestamp>"}
    assert {each.name: each.type for each in propose(sample(tmp_path)).fields if each.name in kinds} == kinds
    found = rows(files(tmp_path, stream(**kinds)))
    assert held(found, "m") == [[AT_US], [], None]
    assert held(found, "n") == [[{"key": "a", "value": AT_US}], [], None]
    assert held(found, "d") == [{"d": 19_787 * 86_400_000_000}] * 3


@pytest.mark.parametrize(
    ("column", "of", "fits"),
    [
        (
            inside("at", pa.array([AT_US, 2**60, None], pa.timestamp("us"))),
            "struct<at: timestamp>",
            [True, False, True],
        ),
        (inside("f", pa.array([1.0, float("nan"), float("inf")])), "struct<f: double>", [True, False, False]),
        (inside("u", pa.array([1, 2**64 - 1, 2**63], pa.uint64())), "struct<u: long>", [True, False, False]),
        (pa.array([2**64 - 1, 2**63, 1], pa.uint64()), "long", [False, False, True]),
        (pa.array([[1.0], [1.0, float("nan")], []]), "array<double>", [True, False, True]),
        (
            inside("m", pa.array([Decimal("1.5"), Decimal("1.255"), None])),
            "struct<m: decimal(6,2)>",
            [True, False, True],
        ),
        (pa.array([1.5, 1.005, -0.25]), "decimal(6,2)", [True, False, True]),
    ],
    ids=["moment", "double", "nested uint64", "uint64", "list", "decimal", "float as decimal"],
)
def test_a_row_with_an_unfit_value_is_malformed_and_others_are_read(
    tmp_path: Path, column: pa.Array, of: str, fits: list[bool]
) -> None:
    save(tmp_path, ("x", column))
    adapter = files(tmp_path, stream(x=of))
    assert [isinstance(each, Event) for each in rows(adapter)] == fits
    found = malformed(adapter)
    assert [(position, reason) for position, reason, _ in found] == [
        (at, Reason.BAD_PAYLOAD) for at, fit in enumerate(fits) if not fit
    ]
    assert all(set(json.loads(raw)) == {"ts", "x"} for *_, raw in found)
    [proposed] = [each for each in propose(sample(tmp_path)).fields if each.name == "x"]
    if proposed.type == of:
        assert proposed.misfits == fits.count(False)


def test_a_sample_counts_the_values_that_a_run_refuses(tmp_path: Path) -> None:
    save(tmp_path, ("x", pa.array([2**64 - 1, 2**63, 1], pa.uint64())), ("y", pa.array([1.0, float("inf"), None])))
    proposal = propose(sample(tmp_path))
    assert {each.name: each.misfits for each in proposal.fields} == {"ts": 0, "x": 2, "y": 1}
    assert any("2 values of 'x' would not fit" in note for note in proposal.notes)


@pytest.mark.parametrize("nested", [False, True])
def test_moments_of_older_writers_have_all_years(tmp_path: Path, nested: bool) -> None:
    written = ["9999-12-31T00:00:00", "0001-01-01T00:00:00", "2024-03-05T10:00:00"]
    ticks = np.array(written, dtype="datetime64[us]").astype(np.int64).tolist()
    times = pa.array(ticks, pa.timestamp("us"))
    table = {"at": inside("t", times) if nested else times, "v": pa.array([1, 2, 3])}
    pq.write_table(pa.table(table), tmp_path / "a.parquet", use_deprecated_int96_timestamps=True)
    assert pq.ParquetFile(tmp_path / "a.parquet").schema.column(0).physical_type == "INT96"
    of = StreamDefinition(
        fields={"v": "long"}, event_time=EventTime(start=TimeColumn(column="at.t" if nested else "at"))
    )
    assert rows(files(tmp_path, of)) == [point(tick, {"v": at}) for at, tick in enumerate(ticks, 1)]


def test_an_out_of_range_event_time_is_bad_time(tmp_path: Path) -> None:
    times = inside("t", pa.array([2**40, AT_US // 1_000_000, -(2**40)], pa.timestamp("s")))
    save(tmp_path, ("x", times))
    of = StreamDefinition(fields={}, event_time=EventTime(start=TimeColumn(column="x.t")))
    found = rows(files(tmp_path, of))
    assert [getattr(each, "reason", None) for each in found] == [Reason.BAD_TIME, None, Reason.BAD_TIME]


def test_a_binary_column_that_no_field_reads_does_not_matter(tmp_path: Path) -> None:
    pictures = pa.array([b"\xff\x00", None, b"abc"])
    kinds = inside("b", pictures), pa.array([b"ab", b"cd", None], pa.binary(2)), pa.array([[b"\xfe"], [], None])
    save(
        tmp_path, ("x", pictures), ("n", kinds[0]), ("f", kinds[1]), ("l", kinds[2]), ("v", pa.array([1.0, 2.0, None]))
    )
    proposal = propose(sample(tmp_path))
    assert [each.name for each in proposal.fields] == ["ts", "v"]
    assert sum("is skipped: no field of a stream can hold" in note for note in proposal.notes) == 4
    assert payloads(rows(files(tmp_path, stream(v="double"))), "v") == [1.0, 2.0, None]
    assert json.loads(_raw_of_all(tmp_path)[0]) == {
        "ts": "2024-03-05T10:00:00.000000Z",
        "x": "/wA=",
        "n": {"b": "/wA="},
        "f": "YWI=",
        "l": ["/g=="],
        "v": 1.0,
    }


def _raw_of_all(folder: Path) -> list[str]:
    """The raw rows of a stream in which all rows are malformed: `v` is not a time."""
    of = StreamDefinition(fields={}, event_time=EventTime(start=TimeColumn(column="v", unit="ns", zone="UTC")))
    adapter = files(folder, of)
    [lane] = adapter.lanes()
    last = adapter.latest({lane: 0}, now=0, limit_rows=10)[lane]
    return [text for chunk in adapter.read(lane, 0, last) for text in chunk.raw(range(len(chunk.kind)))]


def test_a_name_of_several_columns_matters_only_if_it_is_read(tmp_path: Path) -> None:
    save(tmp_path, ("v", pa.array([1, 2, 3])), ("v", pa.array([4, 5, 6])), ("w", pa.array([1.0, float("nan"), 3.0])))
    proposal = propose(sample(tmp_path))
    assert [each.name for each in proposal.fields] == ["ts", "w"]
    assert proposal.notes[0] == "The column 'v' is skipped: several columns have this name. Rename them to use one."
    [(_, _, raw)] = malformed(files(tmp_path, stream(w="double")))
    assert {name: value for name, value in json.loads(raw).items() if name[0] == "v"} == {"v": 2, "v (2)": 5}
    with pytest.raises(
        AdapterError, match=r"has several columns named 'v', so it isn't clear which one to read. Write it again"
    ):
        rows(files(tmp_path, stream(v="long")))


@pytest.mark.parametrize(
    ("column", "of", "message"),
    [
        (inside("t", pa.array([1, 2, 3], pa.time64("us"))), "struct<t: long>", r"'x\.t' of .* is time64\[us\], but"),
        (
            inside("t", pa.array([1, 2, 3], pa.duration("s"))),
            "struct<t: long>",
            r"is duration\[s\], but .* is long in that place",
        ),
        (
            pa.array([1, 2, 3], pa.time32("s")),
            "timestamp",
            r"'x' of .* is time32\[ms\], but the field 'x' of the stream",
        ),
        (pa.array([["a"], [], []]), "array<long>", r"'x\[\]' of .* is string, but .* is long in that place"),
        (pa.array([b"a", b"b", b"c"]), "string", r"'x' of .* is binary, but the field 'x' of the stream is string"),
    ],
)
def test_a_type_that_does_not_fit_is_refused_at_every_depth(
    tmp_path: Path, column: pa.Array, of: str, message: str
) -> None:
    save(tmp_path, ("x", column))
    with pytest.raises(AdapterError, match=message):
        rows(files(tmp_path, stream(x=of)))


def test_files_whose_nested_columns_differ_are_named_by_the_sample(tmp_path: Path) -> None:
    save(tmp_path, ("x", inside("t", pa.array([1, 2, 3]))))
    save(tmp_path, ("x", inside("t", pa.array(["1", "2", "3"]))), name="b.parquet")
    with pytest.raises(
        AdapterError, match=r"'x\.t' of 'b.parquet' is string, but in other files it is long in that place"
    ):
        sample(tmp_path)


@pytest.mark.parametrize("kind", [pa.string_view(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_texts_are_read_however_they_are_stored(tmp_path: Path, kind: pa.DataType) -> None:
    texts = pa.array(["é", None, "b"]).cast(kind)
    save(tmp_path, ("x", texts), ("y", pa.array([None, 1.0, float("nan")])))
    adapter = files(tmp_path, stream(x="string", y="double"))
    assert payloads(rows(adapter), "x") == ["é", None, Reason.BAD_PAYLOAD]
    assert json.loads(malformed(adapter)[0][2])["x"] == "b"
