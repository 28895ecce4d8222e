"""The storage contract, the same for a file system and for an object store, even with many concurrent writers."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

from streaming.spark.errors import explain_query, shared_fault
from streaming.spark.query.control import AnotherDriver, ControlLog, StopBinding
from streaming.spark.sink import compaction
from streaming.spark.sink.compaction import compact
from streaming.storage.blobs import BlobFolder, LocalFolder, StoreUnreachable
from streaming.storage.by_run import kept_by_run, lines_by_run
from streaming.storage.folders import folder_at
from streaming.storage.object_store import ObjectFolder
from streaming.storage.results import Commit, PartKind, ResultPart, RunBatches, committed_rows, part_path
from streaming.storage.stored import remove, stored_after

T = TypeVar("T")
MANY = 12
KINDS: Final[tuple[PartKind, PartKind]] = ("results", "late")


def together(work: Callable[[int], T], threads: int = MANY) -> list[T]:
    """Run `work` in `threads` threads that start at the same moment."""
    begin = threading.Barrier(threads)

    def run(number: int) -> T:
        begin.wait()
        return work(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(threads)))


def test_each_location_has_its_own_kind_of_folder(location: str, folder: BlobFolder) -> None:
    assert isinstance(folder, ObjectFolder if location.startswith("s3://") else LocalFolder)


def test_a_blob_has_its_last_written_content(folder: BlobFolder) -> None:
    assert folder.read("deep/er/one.json") is None
    for content in (b"first", b"", b"x" * 20_000_000):
        folder.write("deep/er/one.json", content)
        assert folder.read("deep/er/one.json") == content
    folder.remove("deep/er/one.json")
    folder.remove("deep/er/one.json")
    assert folder.read("deep/er/one.json") is None


def test_a_blob_is_created_once(folder: BlobFolder) -> None:
    assert folder.create("control/1.json", b"mine")
    assert not folder.create("control/1.json", b"yours")
    assert folder.read("control/1.json") == b"mine"
    folder.remove("control/1.json")
    assert folder.create("control/1.json", b"yours")


def test_numbers_are_those_of_direct_blobs(folder: BlobFolder) -> None:
    assert folder.numbers("lanes/0") == []
    for name in ("lanes/0/10.arrow", "lanes/0/9.arrow", "lanes/0/x.arrow", "lanes/1/3.arrow", "lanes/0/7/1.arrow"):
        folder.write(name, b"x")
    assert [number for number in folder.numbers("lanes/0") if number != 7] == [9, 10]
    folder.remove("lanes/0/9.arrow")
    assert 9 not in folder.numbers("lanes/0")
    assert folder.numbers("lanes/1") == [3]


def test_a_tag_distinguishes_contents(folder: BlobFolder) -> None:
    assert folder.tags("journals") == {}
    folder.write("journals/files.jsonl", b"one\n")
    folder.write("journals/deeper/other.jsonl", b"one\n")
    first = folder.tags("journals")
    assert set(first) == {"files.jsonl"}
    assert folder.tags("journals") == first
    folder.write("journals/files.jsonl", b"one\ntwo\n")
    assert folder.tags("journals")["files.jsonl"] != first["files.jsonl"]


def test_a_nested_folder_has_the_names_below_its_own(folder: BlobFolder) -> None:
    folder.within("results/a").write("commits/1.json", b"a")
    assert folder.read("results/a/commits/1.json") == b"a"
    assert folder.within("results").within("a").numbers("commits") == [1]


@pytest.mark.parametrize("pieces", [0, 1, 3_000])
def test_a_large_blob_appears_whole_once_it_is_finished(folder: BlobFolder, pieces: int) -> None:
    folder.write("results/part.jsonl", b"old")
    writing = folder.writing("results/part.jsonl")
    expected = []
    for number in range(pieces):
        piece = bytes([number % 251]) * 4_000
        writing.add([piece, b"\n"])
        expected += [piece, b"\n"]
        if number % 1_000 == 0:
            assert folder.read("results/part.jsonl") == b"old"
    writing.finish()
    assert folder.read("results/part.jsonl") == b"".join(expected)


def test_an_unfinished_attempt_is_not_visible(folder: BlobFolder) -> None:
    folder.writing("results/7.jsonl").add([b"half of it"])
    assert folder.read("results/7.jsonl") is None
    assert folder.numbers("results") == []
    assert folder.tags("results") == {}
    again = folder.writing("results/7.jsonl")
    again.add([b"whole"])
    again.finish()
    assert folder.read("results/7.jsonl") == b"whole"


def test_an_abandoned_attempt_that_still_writes_damages_nothing(folder: BlobFolder) -> None:
    """Write the same part in two attempts with different turns; a successful end leaves the part whole."""
    pieces = [b"a" * 10, b"b" * 20, b"c" * 30]
    for early in range(4):
        first, second = folder.writing("part"), folder.writing("part")
        for piece in pieces[:early]:
            first.add([piece])
        ended = 0
        for attempt, rest in ((second, pieces), (first, pieces[early:])):
            try:
                for piece in rest:
                    attempt.add([piece])
                attempt.finish()
            except OSError:
                continue
            ended += 1
        assert ended >= 1
        assert folder.read("part") == b"".join(pieces)
        folder.remove("part")


def test_one_of_many_concurrent_creates_succeeds(folder: BlobFolder) -> None:
    for name in (f"control/{number}.json" for number in range(5)):
        created = together(lambda number, name=name: folder.create(name, str(number).encode()))
        assert created.count(True) == 1
        assert folder.read(name) == str(created.index(True)).encode()


def creates(location: str, names: int) -> list[int]:
    """Return the numbers that this process could create."""
    folder = folder_at(location)
    return [number for number in range(names) if folder.create(f"{number}.json", b"x")]


def test_one_of_several_creating_processes_succeeds(location: str) -> None:
    with get_context("spawn").Pool(2) as pool:
        both = pool.starmap(creates, [(location, 40)] * 2)
    assert sorted(both[0] + both[1]) == list(range(40))


def test_readers_see_a_whole_blob_while_it_is_replaced(folder: BlobFolder) -> None:
    folder.write("one", b"0" * 1_000)
    over = threading.Event()

    def write(number: int) -> None:
        for size in (1, 40_000, 700_000):
            folder.write("one", str(number % 10).encode() * size)

    def read() -> int:
        seen = 0
        while not over.is_set() or not seen:
            content = folder.read("one")
            assert content
            assert len(content) in {1, 1_000, 40_000, 700_000}
            assert content == content[:1] * len(content)
            seen += 1
        return seen

    with ThreadPoolExecutor(2) as readers:
        reading = [readers.submit(read) for _ in range(2)]
        try:
            together(write)
        finally:
            over.set()
        assert all(each.result() for each in reading)


def test_concurrently_written_blobs_are_listed_at_once(folder: BlobFolder) -> None:
    def write(number: int) -> None:
        folder.write(f"lanes/{number}.arrow", b"x")
        assert number in folder.numbers("lanes")

    together(write)
    assert folder.numbers("lanes") == list(range(MANY))


def stop(binding: str) -> StopBinding:
    return StopBinding(kind="stop", tick=1, binding=binding, flush=False)


def test_a_driver_that_lost_its_carrier_cannot_replace_a_command_of_its_successor(folder: BlobFolder) -> None:
    old, new = ControlLog(folder), ControlLog(folder)
    assert old.append(stop("a")) == 1
    assert new.append(stop("b")) == 2
    with pytest.raises(AnotherDriver):
        old.append(stop("c"))
    assert [new.read(number) for number in (1, 2)] == [stop("a"), stop("b")]
    assert new.newest() == 2


def test_a_command_that_was_stored_without_an_answer_is_stored_once(folder: BlobFolder) -> None:
    ControlLog(folder).append(stop("a"))
    again = ControlLog(folder)
    again._newest = 0
    assert again.append(stop("a")) == 1
    assert again.newest() == 1


def test_a_store_that_does_not_answer_stops_the_carrier_and_not_a_single_binding(store: str) -> None:
    away = folder_at(f"s3://punctual/away?{store.replace(store.partition('=')[2].partition('&')[0], '127.0.0.1:1')}")
    asking: list[Callable[[], object]] = [
        lambda: away.read("x"),
        lambda: away.write("x", b""),
        lambda: away.create("x", b""),
        lambda: away.numbers("x"),
        lambda: away.remove("x"),
    ]

    def ask(number: int) -> StoreUnreachable:
        with pytest.raises(StoreUnreachable) as raised:
            asking[number]()
        return raised.value

    for error in together(ask, len(asking)):
        assert shared_fault(error)
        failure = explain_query(RuntimeError(f"Task failed: StoreUnreachable: {error}"))
        assert failure.domain == "external"
        assert "credentials" in failure.message


def test_a_blob_is_read_from_any_offset(folder: BlobFolder) -> None:
    assert (folder.opened("results/1.jsonl"), folder.size("results/1.jsonl")) == (None, 0)
    content = bytes(range(256)) * 4_000
    folder.write("results/1.jsonl", content)
    assert folder.size("results/1.jsonl") == len(content)
    file = folder.opened("results/1.jsonl")
    assert file is not None
    with file:
        assert file.seek(0, 2) == len(content)
        file.seek(700_001)
        assert file.read(300) == content[700_001:700_301]
        file.seek(-3, 2)
        assert file.read() == content[-3:]


def test_blobs_and_folders_are_listed_and_a_folder_is_cleared(folder: BlobFolder) -> None:
    assert (folder.names("kept"), folder.folders("kept")) == ([], [])
    folder.clear("kept/a")
    for name in ("kept/a/1.json", "kept/a/deep/2.json", "kept/ab/1.json", "kept/3.json"):
        folder.write(name, b"x")
    assert folder.names("kept") == ["3.json"]
    assert folder.folders("kept") == ["a", "ab"]
    folder.clear("kept/a")
    assert folder.read("kept/a/deep/2.json") is None
    assert folder.read("kept/ab/1.json") == b"x"
    assert folder.folders("kept") == ["ab"]


def test_rows_are_merged_paged_and_deleted_alike_at_every_location(
    folder: BlobFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compare with a folder of this machine that has the same batches, step by step."""
    monkeypatch.setattr(compaction, "NEWEST_LEFT", 4)
    monkeypatch.setattr(compaction, "FEWEST_MERGED", 4)
    monkeypatch.setattr(compaction, "MERGED_AT_ONCE", 8)
    twin = LocalFolder(tmp_path / "twin")
    for batch in range(1, 25):
        for each in (folder, twin):
            commit(each, batch)

    def alike() -> None:
        for kind in KINDS:
            assert pages(folder, kind) == pages(twin, kind)
        assert stored_after(folder, 0) == stored_after(twin, 0)
        assert kept_by_run(folder) == kept_by_run(twin)
        assert list(lines_by_run(folder, "late")) == list(lines_by_run(twin, "late"))

    alike()
    for _ in range(3):
        assert compact(folder, tmp_path / "beside", now_s=4e9) == compact(twin, now_s=4e9)
    assert len(folder.names("commits")) < 24
    alike()
    assert remove(folder, "late", 20, "b", beside=tmp_path / "beside") == remove(twin, "late", 20, "b")
    alike()
    assert len(pages(folder, "results")) == 24 * 30
    assert compact(folder, tmp_path / "beside", keep_s=1, now_s=4e9) == compact(twin, keep_s=1, now_s=4e9)
    alike()


def commit(folder: BlobFolder, batch: int) -> None:
    lines = [b'{"n":%d,"of":%d,"long":"%s"}\n' % (batch, of, b"x" * 3_000) for of in range(30)]
    parts = []
    for kind, mine in zip(KINDS, (lines, lines[: batch % 3]), strict=True):
        path = part_path(kind, batch, 0)
        folder.write(path, b"".join(mine))
        parts.append(ResultPart(kind=kind, path=path, rows=len(mine), bytes=sum(map(len, mine))))
    runs = [RunBatches(run="a" if batch < 10 else "b", first=batch, last=batch)]
    made = Commit(batch=batch, parts=parts, totals={"batch": batch, "at": batch}, runs=runs)
    folder.write(f"commits/{batch}.json", made.model_dump_json().encode())


def pages(folder: BlobFolder, kind: PartKind) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = committed_rows(folder, kind, 50, cursor)
        found += page.rows
        cursor = page.next
        if cursor is None:
            return found
