"""Gaps between a checkpoint and the results, as in a folder that was copied while a run was writing."""

import json
import logging
import shutil
from pathlib import Path

import pytest

from streaming.spark.errors import GapInResults
from streaming.spark.query.gaps import require_results
from streaming.spark.query.layout import CarrierFolder, create, is_examined, mark_examined
from streaming.storage.stored import remove
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import add

BATCHES = 6


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    """Return a carrier after some batches of binding a, whose newest one is in Spark's log."""
    write_readings(tmp_path / "original" / "readings.jsonl", BATCHES)
    loop = Loop(tmp_path / "original")
    add(loop, spec("a", "readings.jsonl"))
    for _ in range(BATCHES):
        assert loop.batch() is not None
    log_offset(loop.home / "carrier", loop)
    return loop


def log_offset(place: Path, loop: Loop) -> None:
    file = place / "spark" / "offsets" / "5"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"v1\n{{}}\n{json.dumps(loop.offset.to_json())}")


def copied(loop: Loop) -> CarrierFolder:
    """Return the carrier in a copy of its organisation's folder."""
    home = loop.home.with_name("copy")
    shutil.copytree(loop.home, home)
    return create(home / "carrier", loop.carrier.settings.model_copy(update={"home": str(home)}))


def check(carrier: CarrierFolder) -> None:
    assert carrier.local is not None
    require_results(carrier, carrier.local)


def test_a_whole_copy_starts_and_is_examined_once(loop: Loop) -> None:
    check(loop.carrier)
    copy = copied(loop)
    assert copy.local is not None
    assert is_examined(copy.local) is False
    check(copy)
    assert is_examined(copy.local) is True


def test_results_that_were_copied_before_the_checkpoint_lack_batches(loop: Loop) -> None:
    copy = copied(loop)
    for batch in (5, 6):
        (Path(copy.settings.home) / f"results/a/commits/{batch}.json").unlink()
    with pytest.raises(GapInResults, match=r"binding a .* carrier carrier .* lack 2 batches, from batch 5 to batch 6"):
        check(copy)
    with pytest.raises(GapInResults):
        check(copy)  # again: nobody has examined it


def test_one_missing_batch_between_others_is_a_gap(loop: Loop) -> None:
    copy = copied(loop)
    (Path(copy.settings.home) / "results/a/commits/3.json").unlink()
    with pytest.raises(GapInResults, match="lack 1 batch, from batch 3 to batch 3"):
        check(copy)


def test_results_that_were_copied_after_the_checkpoint_are_ahead_of_it(loop: Loop) -> None:
    copy = copied(loop)
    commits = Path(copy.settings.home) / "results/a/commits"
    shutil.copy(commits / "6.json", commits / "9.json")
    with pytest.raises(GapInResults, match="have batches up to 9, and the checkpoint ends at batch 6"):
        check(copy)


@pytest.mark.parametrize("truncated", [True, False])
def test_a_missing_or_truncated_part_is_a_gap(truncated: bool, loop: Loop) -> None:
    copy = copied(loop)
    part = sorted((Path(copy.settings.home) / "results/a/quarantine").iterdir())[0]
    if truncated:
        part.write_bytes(part.read_bytes()[:-1])
    else:
        part.unlink()
    with pytest.raises(GapInResults, match=rf"quarantine/{part.name} of batch \d is missing or truncated"):
        check(copy)


def test_deleted_rows_are_no_gap_where_the_last_runner_left_the_folder(loop: Loop) -> None:
    folder = loop.home / "results" / "a"
    for kind in ("results", "late"):
        remove(folder, kind, BATCHES)
    check(loop.carrier)


def test_a_folder_of_the_last_release_names_its_gap_and_starts(loop: Loop, caplog: pytest.LogCaptureFixture) -> None:
    place = loop.home / "carrier"
    (place / "place").unlink()
    (loop.home / "results/a/commits/3.json").unlink()
    with caplog.at_level(logging.ERROR):
        check(loop.carrier)
    assert "lack 1 batch, from batch 3 to batch 3" in caplog.text
    assert is_examined(place) is True


def test_a_restored_folder_is_examined(loop: Loop) -> None:
    copy = copied(loop)
    assert copy.local is not None
    mark_examined(copy.local)
    (Path(copy.settings.home) / "results/a/commits/3.json").unlink()  # its rows had been deleted
    check(copy)


def test_a_carrier_without_a_batch_has_no_gap(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    check(loop.carrier)
