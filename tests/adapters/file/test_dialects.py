"""Text files in other dialects: read alike by the fast and the slow path, by spans, and with clear errors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError
from streaming.adapters.file import csv_cells
from streaming.adapters.file.csv_cells import CsvCells
from streaming.adapters.file.options import FileOptions
from streaming.adapters.file.records import Records
from streaming.adapters.file.text_form import TextForm
from streaming.adapters.formats.text.cells import CellSplitter
from streaming.adapters.formats.text.dialect import Dialect
from streaming.adapters.formats.text.encodings import detected_encoding
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.arrived_rows import elements
from tests.adapters.inputs import POINTS, files, malformed, payloads, rows, write

DIALECTS = [
    {"escape": "backslash"},
    {"comment": "#"},
    {"ragged": "fill"},
    {"null_values": ["NA", "\\N"]},
    {"decimal": ",", "thousands": "."},
    {"escape": "backslash", "comment": "#", "null_values": ["\\N"], "ragged": "fill"},
]
CELLS = st.sampled_from(
    [
        "1",
        "1,5",
        "1.234,5",
        "1.5",
        "",
        "NA",
        "\\N",
        "a\\;b",
        '"a;b"',
        '"a""b"',
        '"a\\"b"',
        '"NA"',
        "#x",
        "é",
        '"a\nb"',
        '"',
        "\\",
        '"a',
    ],
)
LINES = st.lists(
    st.lists(CELLS, min_size=1, max_size=4).map(";".join) | st.just('# a "comment'), min_size=1, max_size=20
)
STREAM = StreamDefinition(fields={"k": "string", "v": "double"}, event_time=POINTS.event_time)


@given(LINES, st.sampled_from(DIALECTS), st.integers(1, 3))
@settings(deadline=None, max_examples=300)
def test_the_fast_path_treats_every_row_like_the_slow_one(
    lines: list[str], dialect: dict[str, Any], one_by_one: int
) -> None:
    form = TextForm("csv", FileOptions(path="x", delimiter=";", dialect=Dialect(**dialect)))
    block = "\n".join(lines).encode()
    split = form.split(block, True)
    records = Records(block, split.starts, split.ends, split.broken, 0)
    positions = np.arange(len(split.starts), dtype=np.int64)
    decoder = CsvCells(STREAM, {}, ";", None, form.dialect)
    if not len(records):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_cells, "ROWS_ONE_BY_ONE", one_by_one)
        patch.setattr(csv_cells, "PARTS", 2)
        fast = list(elements(decoder.decode(records, ["ts", "k", "v"], positions)))
    assert fast == list(elements(decoder.decode_slowly(records, ["ts", "k", "v"], positions)))


@given(LINES, st.sampled_from(DIALECTS), st.integers(1, 40))
def test_records_do_not_depend_on_the_division_into_blocks(
    lines: list[str], dialect: dict[str, Any], size: int
) -> None:
    form = TextForm("csv", FileOptions(path="x", delimiter=";", dialect=Dialect(**dialect)))
    block = "\n".join(lines).encode()

    def cut(whole: bytes) -> list[tuple[bytes, bool]]:
        found, rest, at = [], b"", 0
        while at < len(whole):
            rest, at = rest + whole[at : at + size], at + size
            split = form.split(rest, at >= len(whole))
            bounds = zip(split.starts.tolist(), split.ends.tolist(), split.broken.tolist(), strict=True)
            found += [(rest[start:end], broken) for start, end, broken in bounds]
            rest = rest[split.consumed :]
        return found

    split = form.split(block, True)
    bounds = zip(split.starts.tolist(), split.ends.tolist(), split.broken.tolist(), strict=True)
    assert cut(block) == [(block[start:end], broken) for start, end, broken in bounds]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        (r'"a\"b",c', ['a"b', "c"]),
        (r'"a\\",c', ["a\\", "c"]),
        (r"a\,b,c", ["a,b", "c"]),
        (r"\N,c", ["", "c"]),
        (r'"\N",c', ["N", "c"]),
        (r"a\ ".strip() + ",c", ["a,c"]),
        ("a\\", None),
        (r'"a\"', None),
    ],
)
def test_a_backslash_makes_the_next_character_literal(text: str, cells: list[str] | None) -> None:
    assert CellSplitter(",", Dialect(escape="backslash", null_values=["\\N"])).split(text) == cells


def test_a_ragged_row_is_malformed_unless_the_stream_fills_it(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "ts,k,v\n1,a\n2,b,2,\n3,c,3,x\n")
    assert payloads(rows(files(tmp_path)), "k") == [Reason.BAD_ROW] * 3
    assert payloads(rows(files(tmp_path, dialect={"ragged": "fill"})), "k") == ["a", "b", Reason.BAD_ROW]


def test_a_row_with_a_null_byte_is_malformed(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", b"ts,k,v\n1,a,1\n2,\x00,2\n3,c,3\n")
    assert payloads(rows(files(tmp_path)), "v") == [1, Reason.BAD_ROW, 3]


def test_invalid_bytes_of_the_encoding_make_their_row_malformed(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", b"ts,k,v\n1,\xfc,1\n2,\x81,2\n")
    found = rows(files(tmp_path, dialect={"encoding": "cp1252"}))
    assert payloads(found, "k") == ["ü", Reason.BAD_ROW]


@pytest.mark.parametrize("dialect", [{"encoding": "utf-16"}, {"line_end": "cr"}])
def test_rewritten_files_are_read_from_any_row_on(dialect: dict[str, Any], tmp_path: Path) -> None:
    lines = ["ts,k,v", *(f"{at},k{at},{at}" for at in range(3_000))]
    text = ("\r" if "line_end" in dialect else "\n").join(lines)
    write(tmp_path / "a.csv", text.encode(dialect.get("encoding", "utf-8")))
    adapter = files(tmp_path, dialect=dialect)
    assert adapter.latest({}, now=0, limit_rows=10_000) == {"0": 3_000}
    for low, high in ((2_000, 2_003), (5, 7), (2_998, 3_000)):
        found = [row for chunk in adapter.read("0", low, high) for row in elements(chunk)]
        assert payloads(found, "v") == list(range(low, high))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"a": 1}', "has no list at 'features'"),
        (b'{"features": 5}', "has no list at 'features'"),
        (b'{"features": [{"ts": 1}', "it ends before its list does"),
        (b'{"features": [{"ts": 1} {"ts": 2}]}', "expected ',' or ']', found '{'"),
        (b'{"features": [{"ts": nope}]}', "truncated, or isn't JSON"),
    ],
)
def test_an_unreadable_document_is_refused_with_an_error(content: bytes, words: str, tmp_path: Path) -> None:
    write(tmp_path / "a.json", content)
    with pytest.raises(AdapterError, match=words):
        rows(files(tmp_path, format="json", dialect={"records": "features"}))


def test_records_of_a_document_are_read_with_their_exact_numbers(tmp_path: Path) -> None:
    stream = StreamDefinition(fields={"v": "decimal(20,10)"}, event_time=POINTS.event_time)
    write(tmp_path / "a.json", b'{"x": {"y": [\n{"ts": 1,\n "v": 0.1000000001},\n5, {"ts": 2, "v": 2}]}}')
    adapter = files(tmp_path, stream, format="json", dialect={"records": "x.y"})
    assert [str(each) for each in payloads(rows(adapter), "v")] == ["0.1000000001", "bad_row", "2.0000000000"]
    assert malformed(adapter)[0][2] == "5"


def test_equal_marks_are_refused() -> None:
    with pytest.raises(ValueError, match="choose two"):
        Dialect(decimal=",", thousands=",")


def test_a_document_of_more_than_a_block_is_read_whole(tmp_path: Path) -> None:
    records = [{"ts": at, "k": "x" * 400, "v": at} for at in range(6_000)]
    write(tmp_path / "a.json", json.dumps({"meta": {"n": 1}, "items": records}).encode())
    assert payloads(rows(files(tmp_path, format="json", dialect={"records": "items"})), "v") == list(range(6_000))


def test_a_text_that_cp1252_lacks_is_not_read_as_cp1252() -> None:
    lines = "".join(f"2024-03-05 10:00:{number:02},東京タワー{number},{number}\n" for number in range(30))
    assert detected_encoding(f"ts,都市,v\n{lines}".encode("shift_jis"), "a.csv") == "shift_jis"
