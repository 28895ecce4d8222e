"""Blobs that are written while others are made: all of them are there before anything says that they count."""

from pathlib import Path

import pytest

from streaming.spark.commit_writing import CommitWriting
from streaming.spark.manifests import Manifest, ManifestHead, manifest_before, read_head, read_manifest
from streaming.wire.fast_json import encoded
from streaming.wire.storage import LocalFolder
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import add


def write_some(home: Path, count: int, fault: Exception | None = None) -> None:
    """A blob in each of `count` folders, then `fault`."""
    with CommitWriting() as writing:
        for number in range(count):
            writing.write(LocalFolder(home / str(number)), "commits/1.json", str(number).encode())
        if fault is not None:
            raise fault


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 100])
def test_all_are_there_when_the_block_ends(tmp_path: Path, count: int) -> None:
    write_some(tmp_path, count)
    found = [(tmp_path / str(number) / "commits" / "1.json").read_text() for number in range(count)]
    assert found == [str(number) for number in range(count)]


def test_a_disk_that_takes_one_of_them_not_is_heard_of_when_the_block_ends(tmp_path: Path) -> None:
    (tmp_path / "7").write_text("a file where a folder belongs")
    with pytest.raises(OSError, match="7"):
        write_some(tmp_path, 40)


def test_a_fault_of_who_makes_them_is_not_hidden_by_one_of_writing(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("a file where a folder belongs")
    with pytest.raises(ArithmeticError):
        write_some(tmp_path, 33, ArithmeticError())


def test_a_batch_of_which_a_commit_cannot_be_written_does_not_count(tmp_path: Path) -> None:
    write_readings(tmp_path / "readings.jsonl", 3)
    loop = Loop(tmp_path)
    for name in ("a", "b"):
        add(loop, spec(name, "readings.jsonl"))
    loop.batch()
    spoiled = tmp_path / "results" / "b" / "commits" / f"{loop.offset.n + 1}.json"
    spoiled.mkdir()
    with pytest.raises(OSError, match=str(spoiled)):
        loop.batch()
    assert read_manifest(loop.carrier.folder, loop.offset.n + 1) is None
    spoiled.rmdir()
    again = loop.batch()
    assert again is not None
    assert {report["run"] for report in again.reports} == {"a-1", "b-1"}
    assert spoiled.is_file()


def test_what_the_next_batch_is_planned_by_is_what_the_manifest_says(tmp_path: Path) -> None:
    write_readings(tmp_path / "readings.jsonl", 3)
    loop = Loop(tmp_path)
    add(loop, spec("a", "readings.jsonl"))
    add(loop, spec("gone", "absent.jsonl"))
    for manifest in loop.run():
        head = read_head(loop.carrier.folder, manifest.batch)
        assert (head.failed, head.read) == (manifest.failed, {"": manifest.read})
        dues = {
            key: [lane.due for lanes in each.inputs.values() for lane in lanes.values()]
            for key, each in manifest.bindings.items()
        }
        assert head.dues == {key: each[0] if each else 0 for key, each in dues.items()}
    assert manifest.reports
    assert read_head(loop.carrier.folder, 77) == ManifestHead(77)
    bare = manifest_before(loop.carrier.folder, manifest.batch + 1)
    assert (bare.reports, bare.bindings, bare.runs) == ((), manifest.bindings, manifest.runs)


def test_a_manifest_of_before_has_its_reports_on_its_only_line() -> None:
    manifest = Manifest(4, read=3, reports=({"run": "a-1"},), failed=("a@1",))
    first, second = manifest.to_json().splitlines()
    old = first[:-1] + b',"reports":' + second + b"}"
    assert Manifest.of_json(old) == Manifest.of_json(manifest.to_json()) == manifest
    assert Manifest.of_json(old, reports=False).reports == ()
    assert encoded(manifest.reports) == second
