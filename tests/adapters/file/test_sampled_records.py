"""Records of files before a stream is defined: whole ones, in order, from several places."""

import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError, RecordSample, SampledAdapter
from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import StreamDefinition
from tests.adapters.inputs import chunks, files, write


def sampled(root: Path, most_bytes: int, path: str = ".", most_records: int = 1_000_000) -> RecordSample:
    adapter = input_adapter("file", {"path": path}, StreamDefinition(fields={}), root)
    assert isinstance(adapter, SampledAdapter)
    return adapter.sample_records(most_records, most_bytes, now=0)


def zstandard(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packed:
        packed.write(content)
    return sink.getvalue().to_pybytes()


@given(lengths=st.lists(st.integers(0, 30), min_size=1, max_size=200), budget=st.integers(90, 900))
def test_every_record_is_whole_and_in_its_order(
    lengths: list[int], budget: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("files")
    rows = [f"{number},{'x' * length}" for number, length in enumerate(lengths)]
    write(root / "f.csv", "n,text\n" + "".join(f"{row}\n" for row in rows))
    sample = sampled(root, budget)
    found = [f"{record['n']},{record['text'] or ''}" for span in sample.spans for record in span.records]
    assert set(found) <= set(rows)
    numbers = [int(each.partition(",")[0]) for each in found]
    assert numbers == sorted(numbers)
    assert sample.unreadable == 0
    if sample.whole:
        assert found == rows


def test_beginning_middle_and_end_of_a_large_file_are_read(tmp_path: Path) -> None:
    write(tmp_path / "f.jsonl", "".join(f'{{"n": {number}}}\n' for number in range(100_000)))
    sample = sampled(tmp_path, 3_000)
    assert [span.where for span in sample.spans] == [
        "the first 100 of f.jsonl",
        "76 in the middle of f.jsonl",
        "76 at the end of f.jsonl",
    ]
    numbers = [record["n"] for span in sample.spans for record in span.records]
    assert numbers[0] == 0
    assert any(40_000 < number < 60_000 for number in numbers)
    assert numbers[-1] > 99_900
    assert len(numbers) < 400
    assert not sample.whole


def test_of_many_files_the_first_the_middle_and_the_last_are_read(tmp_path: Path) -> None:
    for number in range(9):
        write(tmp_path / f"{number}.csv", f"n\n{number}\n", modified_s=number)
    assert [span.where for span in sampled(tmp_path, 900).spans] == ["all of 0.csv", "all of 4.csv", "all of 8.csv"]


def test_files_of_several_formats_are_not_one_input(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "n\n1\n")
    write(tmp_path / "b.jsonl", '{"n": 1}\n')
    with pytest.raises(AdapterError, match="several formats"):
        sampled(tmp_path, 900)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard])
def test_a_packed_file_is_sampled_and_read_as_the_file_inside(pack: object, tmp_path: Path) -> None:
    assert callable(pack)
    ending = ".gz" if pack is gzip.compress else ".zst"
    content = "ts,k,v\n" + "".join(f"{at},a{at % 7},{at * 3}\n" for at in range(20_000))
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    write(plain / "f.csv", content)
    packed.mkdir()
    (packed / f"f.csv{ending}").write_bytes(pack(content.encode()))
    assert sampled(packed, 10**7).spans[0].records == sampled(plain, 10**7).spans[0].records
    few = sampled(packed, 3_000)
    assert not few.whole
    assert few.spans[0].records
    read, wanted = (
        [list(zip(each.start.tolist(), each.payload.to_pylist(), strict=True)) for each in chunks(files(root), 6_000)]
        for root in (packed, plain)
    )
    assert read == wanted


def test_a_damaged_packed_file_is_refused_with_an_error(tmp_path: Path) -> None:
    packed = zstandard(b"ts,k,v\n" + b"1,a,2\n" * 100_000)
    (tmp_path / "f.csv.zst").write_bytes(packed[:40])
    with pytest.raises(AdapterError, match="can't be read"):
        sampled(tmp_path, 10**7)
