"""Files of any bytes and types give rows, quarantine, or an error, at proposal, upload, preview and run. These tests
look for other results: an exception of a library, or a crash of the process.
"""

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from streaming.adapters import preview
from streaming.adapters.arrow.types import is_text
from streaming.adapters.contract import AdapterError, RecordSample, SampledAdapter
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn
from streaming.inference.propose import StreamProposal, propose
from streaming.inference.sampling import UNDEFINED
from streaming.run.__main__ import main
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.inputs import files
from webapp.uploads.examining import examined

ROWS: Final = 4
TS: Final = pa.array([10**15 + at for at in range(ROWS)], pa.timestamp("us"))
NESTED: Final = pa.struct([("a", pa.float64()), ("t", pa.list_(pa.timestamp("ms")))])
STREAM: Final = StreamDefinition(
    fields={"x": "struct<a: double, t: array<timestamp>>", "s": "string", "u": "long"},
    event_time=EventTime(start=TimeColumn(column="ts")),
)


def parquet(table: pa.Table, **options: Any) -> bytes:
    content = io.BytesIO()
    pq.write_table(table, content, **options)
    return content.getvalue()


TABLE: Final = pa.table(
    {
        "ts": TS,
        "x": pa.array([{"a": 1.5, "t": [1, None]}, None] * 2, NESTED),
        "s": ["é", "b", None, "d"],
        "b": pa.array([b"a", None, b"\xff", b""]),
        "u": pa.array(range(ROWS), pa.uint64()),
    }
)
LINES: Final = "".join(
    json.dumps({"ts": f"2024-03-05T10:00:0{at}Z", "x": {"a": at, "t": [1]}, "s": "é", "u": at}, ensure_ascii=False)
    + "\n"
    for at in range(ROWS)
).encode()
CELLS: Final = b"ts,s,u,x\n" + b"".join(b'2024-03-05T10:00:0%dZ,"a ""b""",%d,\n' % (at, at) for at in range(ROWS))
VALID: Final = [
    ("a.parquet", parquet(TABLE, compression="none")),
    ("a.parquet", parquet(TABLE, use_dictionary=False, use_deprecated_int96_timestamps=True)),
    ("a.jsonl", LINES),
    ("a.csv", CELLS),
    ("a.jsonl.gz", gzip.compress(LINES)),
    ("a.csv.zst", pa.compress(CELLS, "zstd", asbytes=True)),
]
PIECES: Final = [
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b'"', b"\n", b"{", b"1" * 400, b"9" * 5_000, b"\\ud800", b"1e999", b"NaN"),
    *(b"[" * 2_000, b'{"a":' * 2_000, b"\xff\xff\xff\xff", b"\x80\x00\x00\x00", b"\xff\xfe"),
]
EDIT: Final = st.tuples(st.floats(0, 1), st.integers(0, 30), st.sampled_from(PIECES) | st.binary(max_size=4))


def edited(content: bytes, edits: list[tuple[float, int, bytes]], cut: float) -> bytes:
    """The content with some bytes replaced by pieces, up to `cut`."""
    for where, removed, piece in edits:
        at = int(where * len(content))
        content = content[:at] + piece + content[at + removed :]
    return content[: max(int(cut * len(content)), 1)]


def proposal_of(folder: Path) -> StreamProposal:
    adapter = files(folder, UNDEFINED)
    assert isinstance(adapter, SampledAdapter)
    sample: RecordSample = adapter.sample_records(100, 1 << 20, now=0)
    return propose(sample)


def or_sentence(do: Callable[[], object]) -> str:
    """The message of an `AdapterError`, empty without an error."""
    try:
        do()
    except AdapterError as error:
        return str(error)
    return ""


def run_code(folder: Path, name: str) -> int:
    query = folder / "query" / "q.sql"
    query.parent.mkdir()
    query.write_text("SELECT s FROM a EVENTTIME BY ts\n")
    arguments = ["--query", str(query), "--input", f"a={folder / name}", "--output", str(query.parent / "o.jsonl")]
    return main([*arguments, "--executor", "reference", "--quiet"])


@given(st.sampled_from(VALID), st.lists(EDIT, max_size=3), st.sampled_from([1.0, 1.0, 1.0, 0.9, 0.5]))
def test_a_damaged_file_gives_rows_quarantine_or_an_error(
    valid: tuple[str, bytes], edits: list[tuple[float, int, bytes]], cut: float
) -> None:
    name, content = valid
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / name).write_bytes(edited(content, edits, cut))
        assert or_sentence(lambda: proposal_of(folder).model_dump_json())[-1:] in ("", ".", "?")
        assert or_sentence(lambda: preview.sample(files(folder, STREAM), 10, now=0))[-1:] in ("", ".", "?")
        faults = examined.function(str(folder / name), name).faults
        assert all(each.message.endswith(".") for each in faults)
        assert run_code(folder, name) in (0, 1, 2, 3)


LEAVES: Final = [
    *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
    *(pa.date32(), pa.date64(), pa.time32("ms"), pa.time64("ns"), pa.duration("s"), pa.uint64(), pa.int8()),
    *(pa.float16(), pa.float64(), pa.decimal128(9, 2), pa.decimal256(60, 2), pa.decimal32(5, 1), pa.bool_()),
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary(2), pa.binary_view(), pa.null()),
    *(pa.json_(), pa.uuid(), pa.bool8()),
]
BITS: Final = st.integers(0, 2**64 - 1)


def leaf(kind: pa.DataType, bits: list[int | None]) -> pa.Array:
    """A column of `kind` made from such bits; None is null."""
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, leaf(kind.storage_type, bits))
    size = kind.byte_width if pa.types.is_fixed_size_binary(kind) else 0
    known = [None if each is None else each.to_bytes(16, "little")[: size or 16] for each in bits]
    if pa.types.is_null(kind):
        return pa.nulls(len(bits))
    if size or pa.types.is_binary(kind) or pa.types.is_binary_view(kind):
        return pa.array(known, kind)
    if pa.types.is_boolean(kind):
        return pa.array([None if each is None else each % 2 == 1 for each in bits])
    if pa.types.is_decimal(kind):
        few = [None if each is None else each % 1_000 for each in bits]
        return pa.array(few, pa.int64()).cast(pa.decimal128(19, 0)).cast(kind)
    return _fixed(kind, bits)


def _fixed(kind: pa.DataType, bits: list[int | None]) -> pa.Array:
    if is_text(kind):
        return pa.array([None if each is None else str(each) for each in bits]).cast(kind)
    width = kind.bit_width // 8
    raw = b"".join((each or 0).to_bytes(16, "little")[:width] for each in bits)
    nulls = pa.array([None if each is None else 0 for each in bits], pa.int8()).buffers()[0]
    return pa.Array.from_buffers(kind, len(bits), [nulls, pa.py_buffer(raw)])


@st.composite
def columns(draw: st.DrawFn) -> pa.Array:
    """A column of an unusual type, up to two levels deep."""
    kind = draw(st.sampled_from(LEAVES))
    column = leaf(kind, draw(st.lists(st.none() | BITS | st.integers(0, 10**12), min_size=ROWS, max_size=ROWS)))
    ends = pa.array(range(ROWS + 1), pa.int32())
    for layer in draw(st.lists(st.sampled_from(["struct", "twice", "list", "large", "map"]), max_size=2)):
        if layer == "map":
            column = pa.MapArray.from_arrays(ends, pa.array(["k"] * ROWS), column)
        elif layer in ("struct", "twice"):
            column = pa.StructArray.from_arrays([column] * (1 + (layer == "twice")), ["f"] * (1 + (layer == "twice")))
        else:
            lists = pa.ListArray if layer == "list" else pa.LargeListArray
            column = lists.from_arrays(ends if layer == "list" else ends.cast(pa.int64()), column)
    return column


@given(st.lists(columns(), min_size=1, max_size=3), st.lists(st.sampled_from("abc"), min_size=3, max_size=3))
def test_a_proposal_counts_the_values_that_its_stream_refuses(found: list[pa.Array], names: list[str]) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place)
        table = pa.Table.from_arrays([TS, *found], names=["ts", *names[: len(found)]])
        try:
            pq.write_table(table, folder / "a.parquet")
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # no Parquet file contains these
            reject()
        proposal = proposal_of(folder)
        proposal.model_dump_json()
        fields = {each.name: each.type for each in proposal.fields}
        of = StreamDefinition(fields=fields, event_time=EventTime(start=TimeColumn(column="ts")))
        rows = preview.sample(files(folder, of), 10, now=0)
        assert len(rows) == ROWS
        assert all(json.loads(each.raw).keys() >= {"ts"} for each in rows)
        malformed = sum(isinstance(each.element, MalformedRow) for each in rows)
        misfits = [each.misfits for each in proposal.fields]
        assert max(misfits) <= malformed <= sum(misfits)
        assert examined.function(str(folder / "a.parquet"), "a.parquet").faults == []


def test_a_byte_order_mark_is_no_part_of_the_first_row(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + LINES)
    proposal = proposal_of(tmp_path)
    assert (proposal.records, proposal.notes, proposal.columns[0]) == (ROWS, [], "ts")
    assert not any(isinstance(each.element, MalformedRow) for each in preview.sample(files(tmp_path, STREAM), 9, now=0))
    assert examined.function(str(tmp_path / "a.jsonl"), "a.jsonl").faults == []
    assert run_code(tmp_path, "a.jsonl") == 0


@pytest.mark.parametrize("digits", [400, 4_000, 10_000])
def test_a_number_of_hundreds_of_digits_does_not_fail(tmp_path: Path, digits: int) -> None:
    (tmp_path / "a.jsonl").write_text('{"ts": "2024-03-05T10:00:00Z", "v": ' + "1" * digits + "}\n")
    assert proposal_of(tmp_path).times or digits > 4_300
    of = StreamDefinition(fields={"v": "long"}, event_time=EventTime(start=TimeColumn(column="ts")))
    [row] = preview.sample(files(tmp_path, of), 9, now=0)
    assert isinstance(row.element, MalformedRow)


def test_a_file_whose_only_line_is_damaged_gives_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'ts,"s')
    assert or_sentence(lambda: proposal_of(tmp_path).model_dump_json()).endswith(".")


def test_a_cut_gzip_file_is_named_everywhere(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"ts,s\n" + b"2024-03-05T10:00:00Z,abc\n" * 5_000)[:60])
    assert "a.csv.gz' can't be read" in or_sentence(lambda: proposal_of(tmp_path))
    [fault] = examined.function(str(tmp_path / "a.csv.gz"), "a.csv.gz").faults
    assert "damaged or incomplete" in fault.message
    assert run_code(tmp_path, "a.csv.gz") == 3
