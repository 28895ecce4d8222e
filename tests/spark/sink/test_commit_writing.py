"""Blobs that are written while others are made: all of them exist before any file makes them count."""

from pathlib import Path

import pytest

from streaming.spark.errors import BatchRepeated
from streaming.spark.query.manifests import Manifest, ManifestHead, manifest_before, read_head, read_manifest
from streaming.spark.sink.commit_writing import CommitWriting
from streaming.storage.blobs import LocalFolder
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import add
from tests.wire.reports import report


def write_some(home: Path, count: int, fault: Exception | None = None) -> dict[str, Exception]:
    """Write a blob in each of `count` folders, then raise `fault`; return the errors of writing."""
    with CommitWriting() as writing:
        for number in range(count):
            writing.write(str(number), LocalFolder(home / str(number)), "commits/1.json", str(number).encode())
        if fault is not None:
            raise fault
    return writing.failed


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 100])
def test_all_blobs_are_written_when_the_block_ends(tmp_path: Path, count: int) -> None:
    assert write_some(tmp_path, count) == {}
    found = [(tmp_path / str(number) / "commits" / "1.json").read_text() for number in range(count)]
    assert found == [str(number) for number in range(count)]


def test_an_unwritable_blob_does_not_keep_others_from_being_written(tmp_path: Path) -> None:
    (tmp_path / "7").write_text("a file where a folder belongs")
    failed = write_some(tmp_path, 40)
    assert {key: type(error) for key, error in failed.items()} == {"7": NotADirectoryError}
    there = {number for number in range(40) if (tmp_path / str(number) / "commits" / "1.json").is_file()}
    assert there == set(range(40)) - {7}


def test_an_error_of_the_caller_is_not_hidden_by_an_error_of_writing(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("a file where a folder belongs")
    with pytest.raises(ArithmeticError):
        write_some(tmp_path, 33, ArithmeticError())


def test_a_batch_with_an_unwritable_commit_is_repeated_without_its_binding(tmp_path: Path) -> None:
    write_readings(tmp_path / "readings.jsonl", 3)
    loop = Loop(tmp_path)
    for name in ("a", "b"):
        add(loop, spec(name, "readings.jsonl"))
    loop.batch()
    spoiled = tmp_path / "results" / "b" / "commits" / f"{loop.offset.n + 1}.json"
    spoiled.mkdir()
    with pytest.raises(BatchRepeated):
        loop.batch()
    assert read_manifest(loop.carrier.folder, loop.offset.n + 1) is None
    again = loop.batch()
    assert again is not None
    assert {change.run: change.state for change in again.changes} == {"b-1": "failed"}
    assert {report.run for report in again.reports} == {"a-1"}


def test_the_next_batch_is_planned_from_the_values_of_the_manifest(tmp_path: Path) -> None:
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


def test_an_old_manifest_has_its_reports_on_its_only_line_or_together_on_the_second() -> None:
    manifest = Manifest(4, read=3, reports=(report("a-1", 4), report("b-1", 4)), failed=("a@1",))
    first, *lines = manifest.to_json().replace(b',"report_lines":2', b"").splitlines()
    together = b"[" + b",".join(lines) + b"]"
    for old in (first[:-1] + b',"reports":' + together + b"}", first + b"\n" + together):
        assert Manifest.of_json(old) == Manifest.of_json(manifest.to_json()) == manifest
        assert Manifest.of_json(old, reports=False).reports == ()


def test_an_unreadable_report_is_logged_and_leaves_the_others(caplog: pytest.LogCaptureFixture) -> None:
    manifest = Manifest(4, reports=(report("a-1", 4), report("b-1", 4)))
    first, line, other = manifest.to_json().splitlines()
    read = Manifest.of_json(b"\n".join((first, line.replace(b'"batch":4', b'"batch":"fourth"'), other, b"")))
    assert [each.run for each in read.reports] == ["b-1"]
    assert "a report of batch 4 cannot be read" in caplog.text


def test_a_manifest_that_was_cut_off_anywhere_is_damaged() -> None:
    content = Manifest(4, reports=(report("a-1", 4), report("b-1", 4))).to_json()
    for length in range(len(content)):
        with pytest.raises(ValueError, match=r".*"):
            Manifest.of_json(content[:length], reports=False)


def test_a_report_that_is_no_json_is_damage() -> None:
    content = Manifest(4, reports=(report("a-1", 4),)).to_json()
    with pytest.raises(ValueError, match=r".*"):
        Manifest.of_json(content.replace(b'"run":"a-1"', b'"run";"a-1"'))
