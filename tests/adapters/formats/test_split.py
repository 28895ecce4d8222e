"""Records are the same if a file is split as a whole or in blocks divided anywhere."""

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streaming.adapters.file import records as records_module
from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.journal import RecordMark
from streaming.adapters.file.records import RecordReader
from streaming.adapters.formats.text import split as split_module
from streaming.adapters.formats.text.split import Split, Splitter, csv_splitter, split_lines

CSV = csv_splitter(",")


def texts(block: bytes, split: Split) -> list[tuple[bytes, bool]]:
    spans = zip(split.starts.tolist(), split.ends.tolist(), split.broken.tolist(), strict=True)
    return [(block[start:end], broken) for start, end, broken in spans]


def whole(block: bytes, splitter: Splitter = CSV) -> list[tuple[bytes, bool]]:
    return texts(block, splitter(block, True))


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (b"a,b\nc,d\n", [b"a,b", b"c,d"]),
        (b"a\r\n\r\n\nb", [b"a", b"b"]),
        (b'"a\nb",c\nd,e\n', [b'"a\nb",c', b"d,e"]),
        (b'"a""b","\r\n"\r\nc', [b'"a""b","\r\n"', b"c"]),
        (b'"",""\n""', [b'"",""', b'""']),
        (b"", []),
        (b"\n", []),
    ],
)
def test_well_formed_records_end_at_a_line_end_outside_quotes(block: bytes, expected: list[bytes]) -> None:
    assert whole(block) == [(record, False) for record in expected]


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (b'a,"b\nc,d\ne,f\n', [(b'a,"b', True), (b"c,d", False), (b"e,f", False)]),
        (b'5" pipe,1\n"a",2\n', [(b'5" pipe,1', True), (b'"a",2', False)]),
        (b'"a"b,1\nc,2\n', [(b'"a"b,1', True), (b"c,2", False)]),
        (b'c,2\n"', [(b"c,2", False), (b'"', True)]),
        (b'"a\n"b",1\n', [(b'"a', True), (b'"b",1', False)]),
    ],
)
def test_an_ill_formed_quote_breaks_its_line_and_no_other(block: bytes, expected: list[tuple[bytes, bool]]) -> None:
    assert whole(block) == expected


def test_a_quote_that_is_not_closed_soon_does_not_open_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_module, "MAX_RECORD_BYTES", 20)
    block = b'a,"b\n' + b"c,d\n" * 10 + b'e,"f"\n'
    assert whole(block) == [(b'a,"b', True), *[(b"c,d", False)] * 10, (b'e,"f"', False)]


PIECES = st.lists(st.sampled_from([b'"', b'""', b",", b"\n", b"\r\n", b"\r", b"a", b"bc"]), max_size=40).map(b"".join)


@given(PIECES, st.integers(1, 9), st.booleans())
@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_blocks_divided_anywhere_give_the_same_records(
    tmp_path: Path, block: bytes, block_bytes: int, as_csv: bool
) -> None:
    splitter = CSV if as_csv else split_lines
    path = tmp_path / "a"
    path.write_bytes(block)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records_module, "FIRST_BLOCK_BYTES", block_bytes)
        patch.setattr(records_module, "LARGEST_BLOCK_BYTES", block_bytes)
        file = FoundFile(0, str(path), len(block))
        reader = RecordReader(file, RecordMark(row=0, offset=0), splitter)
        found = [(r.record(i), bool(r.broken[i])) for r in reader.take(0, 10**6, 3) for i in range(len(r.starts))]
        reader.close()
        counter = RecordReader(file, RecordMark(row=0, offset=0), splitter)
        marks = counter.count(10**6)
        counter.close()
    assert found == whole(block, splitter)
    assert counter.row == len(found)
    assert len(marks) == (1 if found else 0)


@given(PIECES, st.integers(1, 9), st.booleans())
@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_oversized_record_is_one_broken_row_however_blocks_are_divided(
    tmp_path: Path, block: bytes, block_bytes: int, as_csv: bool
) -> None:
    splitter, most = CSV if as_csv else split_lines, 6
    path = tmp_path / "a"
    path.write_bytes(block)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(split_module, "MAX_RECORD_BYTES", most)
        patch.setattr(records_module, "MAX_RECORD_BYTES", most)
        patch.setattr(records_module, "FIRST_BLOCK_BYTES", block_bytes)
        patch.setattr(records_module, "LARGEST_BLOCK_BYTES", block_bytes)
        reader = RecordReader(FoundFile(0, str(path), len(block)), RecordMark(row=0, offset=0), splitter)
        found = [(r.record(i), bool(r.broken[i])) for r in reader.take(0, 10**6, 3) for i in range(len(r.starts))]
        reader.close()
        expected = whole(block, splitter)
    assert [(record[: most + 1], broken) for record, broken in found] == [
        (record[: most + 1], broken) for record, broken in expected
    ]
    assert all(broken for record, broken in expected if len(record) > most)


def test_a_file_without_a_line_end_is_never_held_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(200):
            file.write(bytes(1 << 20))
        file.write(b"\nlast\n")
    monkeypatch.setattr(records_module, "LARGEST_BLOCK_BYTES", 1 << 20)
    reader = RecordReader(FoundFile(0, str(path), 0), RecordMark(row=0, offset=0), split_lines)
    tracemalloc.start()
    found = [(r.text(i), bool(r.broken[i])) for r in reader.take(0, 10, 10) for i in range(len(r.starts))]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    reader.close()
    assert found == [(f"{chr(0) * 1_000} ... (longer than 1048576 bytes)", True), ("last", False)]
    assert peak < 32 << 20


@given(PIECES)
@settings(deadline=None, max_examples=400)
def test_the_columnar_and_the_sequential_splitter_agree(block: bytes) -> None:
    sequential = split_module._one_by_one(block, True, b",")
    assert whole(block) == texts(block, sequential)


def test_a_reader_starts_at_a_mark_and_skips_to_any_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records_module, "ROWS_BETWEEN_MARKS", 3)
    monkeypatch.setattr(records_module, "FIRST_BLOCK_BYTES", 16)
    (tmp_path / "a").write_bytes(b"".join(b"%d\n" % number for number in range(20)))
    file = FoundFile(0, str(tmp_path / "a"), 0)
    counter = RecordReader(file, RecordMark(row=0, offset=0), split_lines)
    marks = counter.count(10**6)
    counter.close()
    assert [mark.row for mark in marks] == [0, 3, 6, 9, 12, 15, 18]
    for mark in marks:
        reader = RecordReader(file, mark, split_lines)
        found = [r.text(i) for r in reader.take(mark.row + 1, mark.row + 3, 5) for i in range(len(r.starts))]
        reader.close()
        assert found == [str(row) for row in range(mark.row + 1, min(mark.row + 3, 20))]
