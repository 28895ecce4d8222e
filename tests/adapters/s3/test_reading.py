"""Objects are read as files are: the same rows for every division, in pieces, and never changed content."""

import gzip
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streaming.adapters.contract import AdapterError, BoundedAdapter, ReplayingAdapter, SampledAdapter
from streaming.adapters.preview import check
from streaming.temporal.events import Event
from tests.adapters.inputs import chunks, files, payloads, rows
from tests.adapters.s3.reading import objects
from tests.object_store import ObjectStore


def lines(first: int, count: int) -> bytes:
    return b"".join(
        json.dumps({"ts": at, "k": f"k{at}", "v": at}).encode() + b"\n" for at in range(first, first + count)
    )


def packed(content: bytes) -> bytes:
    found: bytes = pa.compress(content, "zstd", asbytes=True)
    return found


def table(first: int, count: int) -> bytes:
    buffer = io.BytesIO()
    at = list(range(first, first + count))
    columns = {"ts": pa.array(at, pa.int64()), "k": [f"k{each}" for each in at], "v": at}
    pq.write_table(pa.table(columns), buffer, row_group_size=3)
    return buffer.getvalue()


CONTENTS = {
    "in/a.csv.gz": gzip.compress(b"ts,k,v\n1,k1,1\n2,k2,x\n"),
    "in/b.jsonl.zst": packed(lines(10, 5)),
    "in/c.parquet": table(20, 8),
    "in/d.jsonl": lines(30, 4) + b"no row\n",
}


def values(store: ObjectStore, bucket: str, **options: object) -> list[object]:
    return payloads(rows(objects(store, bucket, **options)), "v")


def test_every_format_gives_the_same_as_files_however_it_is_divided(
    store: ObjectStore, bucket: str, tmp_path: Path
) -> None:
    for key, content in CONTENTS.items():
        store.put(bucket, key, content)
        (tmp_path / key).parent.mkdir(exist_ok=True)
        (tmp_path / key).write_bytes(content)
    wanted = payloads(rows(files(tmp_path, path="in")), "v")
    assert len(wanted) == 20
    found = payloads(rows(objects(store, bucket, prefix="in")), "v")
    assert sorted(map(str, found)) == sorted(map(str, wanted))
    journal = tmp_path / "journal"
    for step in (1, 3, 1_000):
        again = objects(store, bucket, journal, prefix="in/")
        assert payloads(rows(again, step), "v") == found
    [chunk] = objects(store, bucket, journal, prefix="in").read("0", 19, 20)
    assert chunk.raw([0]) == ["no row"]


def test_keys_and_patterns(store: ObjectStore, bucket: str) -> None:
    for number, key in enumerate(
        ("in/a.jsonl", "in/deep/er/b.jsonl", "in/c.csvx", "in/_d.jsonl", "in/e.jsonl.tmp", "inner/f.jsonl", "g.jsonl")
    ):
        store.put(bucket, key, lines(number, 1))
    store.put(bucket, "in/folder/", b"")
    assert values(store, bucket, prefix="in", pattern="*.jsonl") == [0]
    assert values(store, bucket, prefix="in", pattern="**/*.jsonl") == [0, 1]
    assert values(store, bucket, prefix="in", pattern="*/er/*") == [1]
    assert values(store, bucket, prefix="in", pattern="*/*") == []
    assert values(store, bucket, prefix="in", pattern="deep/*/*") == [1]
    assert values(store, bucket) == [6]
    assert values(store, bucket, prefix="in/c.csvx", format="json_lines") == [2]
    with pytest.raises(AdapterError, match=r"There is no object at s3://bucket-.*/nothing"):
        values(store, bucket, prefix="nothing")
    assert values(store, bucket, prefix="nothing", follow=True) == []


def test_a_large_object_is_read_in_pieces_and_its_rows_only_once_more(
    store: ObjectStore, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streaming.adapters.s3.objects.LARGEST_PIECE", 1 << 20)
    content = lines(0, 80_000)
    assert len(content) > 3 << 20
    store.put(bucket, "large.jsonl", content)
    before = len(store.requests_seen())
    assert sum(len(chunk.kind) for chunk in chunks(objects(store, bucket, chunk_rows=30_000))) == 80_000
    ranges = [each.partition("bytes=")[2].split("-") for each in store.requests_seen()[before:] if "bytes=" in each]
    sizes = [int(end) - int(start) + 1 for start, end in ranges]
    assert max(sizes) <= 1 << 20
    assert sum(sizes) <= 2 * len(content) + (1 << 20), "counted once, read once"


def test_of_parquet_only_the_needed_ranges_are_read(store: ObjectStore, bucket: str) -> None:
    buffer = io.BytesIO()
    noise = [str(at) * 300 for at in range(20_000)]
    at = pa.array(range(20_000), pa.int64())
    wide = pa.table({"ts": at, "k": ["a"] * 20_000, "v": at, "noise": noise})
    pq.write_table(wide, buffer, compression="none", row_group_size=20_000, use_dictionary=False)
    store.put(bucket, "wide.parquet", buffer.getvalue())
    before = len(store.requests_seen())
    assert len(rows(objects(store, bucket))) == 20_000
    ranges = [each.partition("bytes=")[2].split("-") for each in store.requests_seen()[before:] if "bytes=" in each]
    assert sum(int(end) - int(start) + 1 for start, end in ranges) < len(buffer.getvalue()) // 2


@pytest.mark.parametrize(
    ("name", "content", "other"),
    [("a.jsonl", lines(0, 9), lines(1, 9)), ("a.parquet", table(0, 9), table(1, 9))],
)
def test_an_object_that_is_changed_or_deleted_later_raises_an_error(
    store: ObjectStore, bucket: str, tmp_path: Path, name: str, content: bytes, other: bytes
) -> None:
    store.put(bucket, name, content)
    journal = tmp_path / "journal"
    adapter = objects(store, bucket, journal)
    assert isinstance(adapter, ReplayingAdapter)
    assert dict(adapter.latest({"0": 0}, now=0, limit_rows=100)) == {"0": 9}
    assert adapter.holds("0", 0, 9)
    store.put(bucket, name, other)
    assert not adapter.holds("0", 0, 9)
    with pytest.raises(AdapterError, match="was changed after its rows were counted"):
        list(adapter.read("0", 0, 9))
    with pytest.raises(AdapterError, match="was changed after its rows were counted"):
        objects(store, bucket, journal).latest({"0": 9}, now=0, limit_rows=100)
    store.client().delete_object(Bucket=bucket, Key=name)
    assert not adapter.holds("0", 0, 9)
    with pytest.raises(AdapterError, match=r"can't be read \(the object no longer exists\)\. Restore it"):
        list(adapter.read("0", 0, 9))
    store.put(bucket, name, content)
    assert sum(len(chunk.kind) for chunk in objects(store, bucket, journal).read("0", 0, 9)) == 9


def test_an_object_that_is_changed_while_it_is_read_never_gives_a_mixture(store: ObjectStore, bucket: str) -> None:
    content = lines(0, 60_000)
    store.put(bucket, "a.jsonl", content)
    adapter = objects(store, bucket, chunk_rows=1_000)
    adapter.latest({"0": 0}, now=0, limit_rows=60_000)
    reading = adapter.read("0", 0, 60_000)
    next(reading)
    store.put(bucket, "a.jsonl", content.replace(b"k", b"q"))
    with pytest.raises(AdapterError, match="was changed after its rows were counted"):
        list(reading)


def test_later_objects_are_found_at_the_next_listing(store: ObjectStore, bucket: str, tmp_path: Path) -> None:
    store.put(bucket, "b.jsonl", lines(0, 2))
    first = objects(store, bucket, tmp_path / "journal", follow=True)
    assert dict(first.latest({}, now=0, limit_rows=10)) == {"0": 2}
    assert not first.finished({"0": 2})
    store.put(bucket, "a.jsonl", lines(7, 3))
    asked = len(store.requests_seen())
    assert dict(first.latest({"0": 2}, now=9_999_999, limit_rows=10)) == {"0": 2}
    assert len(store.requests_seen()) == asked, "the bucket is not listed each time"
    assert dict(first.latest({"0": 2}, now=10_000_000, limit_rows=10)) == {"0": 5}
    later = objects(store, bucket, tmp_path / "journal", follow=True)
    found = [row for chunk in later.read("0", 0, 5) for row in chunk.positions.tolist()]
    assert found == [0, 1, 2, 3, 4]


def test_a_batch_is_bounded_in_objects_and_bytes(store: ObjectStore, bucket: str) -> None:
    for key in "abc":
        store.put(bucket, f"{key}.jsonl", lines(0, 4))
    adapter = objects(store, bucket, batch_files=2)
    assert isinstance(adapter, BoundedAdapter)
    adapter.latest({"0": 0}, now=0, limit_rows=100)
    assert adapter.bounds({"0": 0}) == {"0": 8}


def test_a_sample_and_the_connection_test_read_no_more_than_they_need(store: ObjectStore, bucket: str) -> None:
    store.put(bucket, "a.jsonl", lines(0, 200_000))
    before = len(store.requests_seen())
    adapter = objects(store, bucket)
    check(adapter, now=0)
    assert isinstance(adapter, SampledAdapter)
    sample = adapter.sample_records(300, 1 << 20, now=0)
    assert sample.columns == ["ts", "k", "v"]
    assert not sample.whole
    ranges = [each.partition("bytes=")[2].split("-") for each in store.requests_seen()[before:] if "bytes=" in each]
    assert sum(int(end) - int(start) + 1 for start, end in ranges) < 5 << 20


def test_keys_with_any_characters_are_listed_and_read(store: ObjectStore, bucket: str) -> None:
    for key in ("in/a b+c&d=e.jsonl", "in/ü~'(1)%41*.jsonl", "in/日本.jsonl"):
        store.put(bucket, key, lines(1, 1))
    assert [row.payload for row in rows(objects(store, bucket, prefix="in")) if isinstance(row, Event)] == [
        {"k": "k1", "v": 1}
    ] * 3


def test_a_bucket_of_more_keys_than_a_page_is_listed_whole(
    store: ObjectStore, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streaming.adapters.s3.client.PAGE_KEYS", 2)
    for number in range(5):
        store.put(bucket, f"{number:05d}.jsonl", lines(number, 1))
    assert sorted(map(str, values(store, bucket))) == ["0", "1", "2", "3", "4"]
