"""Texts that are not UTF-8 in columns of files: malformed at every depth, and readable in quarantine."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters.formats.parquet.sampling import first_rows
from streaming.adapters.formats.parquet.unicode_columns import readable, readable_batch
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.temporal.events import Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.inputs import files, malformed, rows

CONTENTS: tuple[bytes | None, ...] = (b"caf\xc3\xa9", b"caf\xe9", None, b"\\xe9")
"""UTF-8, another encoding, nothing, and text that only resembles an escape."""
SHOWN = "caf\\xe9"


def texts(contents: Any, *, large: bool = False) -> pa.Array:
    """The bytes as unchecked text."""
    stored = pa.array(contents, pa.large_binary() if large else pa.binary())
    kind = pa.large_string() if large else pa.string()
    return pa.Array.from_buffers(kind, len(stored), stored.buffers(), stored.null_count)


ONES = pa.array([0, 1, 2, 3, 4], pa.int32())
COLUMNS: dict[str, tuple[pa.Array, str]] = {
    "a text": (texts(CONTENTS), "string"),
    "a long text": (texts(CONTENTS, large=True), "string"),
    "a dictionary": (
        pa.DictionaryArray.from_arrays(
            pa.array([0, 1, None, 2]), texts([each for each in CONTENTS if each is not None])
        ),
        "string",
    ),
    "a list": (pa.ListArray.from_arrays(ONES, texts(CONTENTS)), "array<string>"),
    "a struct": (pa.StructArray.from_arrays([texts(CONTENTS)], ["t"]), "struct<t: string>"),
    "a list of structs": (
        pa.ListArray.from_arrays(ONES, pa.StructArray.from_arrays([texts(CONTENTS)], ["t"])),
        "array<struct<t: string>>",
    ),
}


def save(path: Path, **columns: Any) -> None:
    pq.write_table(pa.table({"ts": pa.array([1, 2, 3, 4]), **columns}), path)


def stream_of(fields: dict[str, str], **more: Any) -> StreamDefinition:
    return StreamDefinition(fields=fields, event_time=EventTime(start=TimeColumn(column="ts", unit="us")), **more)


@pytest.mark.parametrize("where", COLUMNS)
def test_a_row_with_such_a_text_is_malformed_and_shows_its_bytes(tmp_path: Path, where: str) -> None:
    column, of = COLUMNS[where]
    save(tmp_path / "a.parquet", v=column, beside=["w", "x", "y", "z"])
    adapter = files(tmp_path, stream_of({"v": of}))
    assert [isinstance(row, MalformedRow) for row in rows(adapter)] == [False, True, False, False]
    ((position, reason, raw),) = malformed(adapter)
    assert (position, reason) == (1, Reason.BAD_PAYLOAD)
    assert SHOWN in json.dumps(json.loads(raw)["v"], ensure_ascii=False).replace("\\\\", "\\")
    assert json.loads(raw)["beside"] == "x"
    first, *_ = rows(adapter)
    assert isinstance(first, Event)
    assert "café" in json.dumps(first.payload, ensure_ascii=False)


def test_such_a_text_in_an_unused_column_is_harmless_and_is_shown_with_a_late_row(tmp_path: Path) -> None:
    save(tmp_path / "a.parquet", v=[1, None, 3, 4], beside=COLUMNS["a struct"][0])
    adapter = files(tmp_path, stream_of({"v": "long"}))
    assert [isinstance(row, Event) for row in rows(adapter)] == [True] * 4
    (chunk,) = (chunk for chunk in adapter.read(adapter.lanes()[0], 0, 4))
    assert [json.loads(raw)["beside"]["t"] for raw in chunk.raw([0, 1, 3])] == ["café", SHOWN, "\\xe9"]


def test_such_a_text_as_a_time_or_an_edge_is_a_bad_one(tmp_path: Path) -> None:
    stream = StreamDefinition(
        shape=Shape.EDGE,
        fields={},
        event_time=EventTime(start=TimeColumn(column="at"), end=TimeColumn(column="to"), edge="edge"),
    )
    table = {
        "at": texts([b"2024-03-05T10:00:00Z", b"\xff", b"2024-03-05T10:00:00Z"]),
        "to": texts([b"2024-03-05T11:00:00Z"] * 3),
        "edge": texts([b"start", b"start", b"\xff"]),
    }
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    found = malformed(files(tmp_path, stream))
    assert [(position, reason) for position, reason, _ in found] == [(1, Reason.BAD_TIME), (2, Reason.BAD_ROW)]


def test_a_sample_shows_such_texts_too(tmp_path: Path) -> None:
    save(tmp_path / "a.parquet", v=COLUMNS["a list"][0])
    shown = first_rows(pq.ParquetFile(tmp_path / "a.parquet"), 0, {"v": "array<string>"}, 4)
    assert [row["v"] for row in shown.records] == [["café"], [SHOWN], [None], ["\\xe9"]]
    assert shown.misfits == {"v": 1}


BYTES = st.none() | st.binary(max_size=4) | st.text(max_size=3).map(str.encode)
NESTED = st.recursive(
    st.just("text"), lambda inner: st.tuples(st.sampled_from(["list", "struct", "dictionary"]), inner), max_leaves=4
)


def built(of: Any, rows_: list[bytes | None]) -> tuple[pa.Array, list[bool]]:
    """A column of that form with leaves `rows_`, and marks for the rows with a text that is not UTF-8."""
    if of == "text":
        return texts(rows_), [row is not None and _is_bad(row) for row in rows_]
    kind, inner = of
    column, bad = built(inner, rows_)
    if kind == "struct":
        return pa.StructArray.from_arrays([column, pa.array(range(len(column)))], ["t", "n"]), bad
    if kind == "list":
        ends = [*range(0, len(column), 2), len(column)]
        lists = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), column)
        return lists, [any(bad[at:to]) for at, to in pairwise(ends)]
    if not pa.types.is_string(column.type):
        return column, bad
    return pa.DictionaryArray.from_arrays(pa.array(range(len(column))), column), bad


def _is_bad(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return True
    return False


@given(NESTED, st.lists(BYTES, min_size=1, max_size=8), st.data())
def test_any_column_becomes_readable_and_marks_its_invalid_rows(
    of: Any, contents: list[bytes | None], data: st.DataObject
) -> None:
    column, bad = built(of, contents)
    low = data.draw(st.integers(0, len(column) - 1))
    found = readable(column.slice(low))
    found.values.validate(full=True)
    assert len(found.values.to_pylist()) == len(column) - low
    assert (found.escaped.tolist() if found.escaped is not None else [False] * len(bad[low:])) == bad[low:]
    if not any(bad[low:]):
        batch = pa.RecordBatch.from_arrays([column.slice(low)], names=["v"])
        assert readable_batch(batch)[0].column(0).to_pylist() == column.slice(low).to_pylist()
