"""The checks before a query starts: Spark's log of batches, its state and our files, without Spark."""

from collections.abc import Callable
from pathlib import Path

import pytest

from streaming.spark.errors import DAMAGED, DISK_FULL, STATE_FILE, DamagedCheckpoint, RunFailure, explain_query
from streaming.spark.planning.poll_schedule import FRESHNESS, read_freshness
from streaming.spark.planning.token_bucket import RATE, read_rates
from streaming.spark.query import damage as damage_of_carriers
from streaming.spark.query.control import StopBinding
from streaming.spark.query.damage import require_whole
from streaming.spark.query.layout import (
    LAYOUT_FILE,
    SETTINGS_FILE,
    CarrierFolder,
    CarrierSettings,
    create,
    open_carrier,
)
from streaming.spark.query.manifests import Manifest, newest_manifest, read_head
from streaming.spark.source.lane_clocks import read_clocks

LAST = 4
"""Spark's number of the last batch; ours is one more, or the same if the query started without work."""


@pytest.fixture
def carrier(tmp_path: Path) -> CarrierFolder:
    """Return a carrier after five batches, with the files of Spark and our own."""
    found = create(tmp_path / "main", CarrierSettings(home=str(tmp_path)))
    found.control.append(StopBinding(kind="stop", tick=1, binding="a", flush=False))
    for number in range(LAST + 1):
        end_batch(found, number, number + 1)
    return found


def end_batch(carrier: CarrierFolder, number: int, batch: int) -> None:
    """Write what Spark and we write in Spark's batch `number`, which is our `batch`; 0: none."""
    spark(carrier, f"offsets/{number}", f'v1\n{{"batchWatermarkMs":0}}\n{{"n":{batch}}}')
    if batch:
        carrier.folder.write(f"commits/{batch}.json", Manifest(batch).to_json())
    for partition in range(2):
        spark(carrier, f"state/0/{partition}/{number + 1}.changelog", "x")
    spark(carrier, f"commits/{number}", 'v1\n{"nextBatchWatermarkMs":0}')


def spark(carrier: CarrierFolder, name: str, content: str) -> None:
    path = Path(carrier.location) / "spark" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def check(carrier: CarrierFolder) -> None:
    require_whole(carrier.folder, Path(carrier.location) / "spark")


def damage(carrier: CarrierFolder, name: str, content: str | None) -> None:
    path = Path(carrier.location) / name
    if content is None:
        path.unlink()
    else:
        path.write_text(content)


def test_whole_files_start(carrier: CarrierFolder) -> None:
    check(carrier)
    check(create(Path(carrier.settings.home) / "new", carrier.settings))


@pytest.mark.parametrize(
    "left",
    [
        [f"spark/commits/{LAST}"],  # killed before Spark had committed
        [f"spark/commits/{LAST}", f"commits/{LAST + 1}.json"],  # and before we had
        [f"spark/offsets/{number}" for number in range(LAST - 1)],  # Spark forgets old ones
        ["commits/1.json", "commits/2.json"],
    ],
)
def test_a_kill_or_the_removal_of_old_files_is_no_damage(carrier: CarrierFolder, left: list[str]) -> None:
    for name in left:
        damage(carrier, name, None)
    check(carrier)


def test_a_query_that_started_without_work_is_whole_as_long_as_all_its_batches_are(tmp_path: Path) -> None:
    carrier = create(tmp_path / "main", CarrierSettings(home=str(tmp_path)))
    end_batch(carrier, 0, 0)
    check(carrier)
    for number in range(1, LAST + 1):
        end_batch(carrier, number, number)
        check(carrier)
    damage(carrier, f"commits/{LAST}.json", None)
    with pytest.raises(DamagedCheckpoint, match=f"commits/{LAST}.json of carrier main is missing"):
        check(carrier)


def test_a_batch_that_ends_during_the_check_is_no_damage(
    carrier: CarrierFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed, number = damage_of_carriers._numbers, LAST

    def end_another(folder: Path) -> list[int]:
        nonlocal number
        number += 1
        found = listed(folder)
        end_batch(carrier, number, number + 1)
        return found

    monkeypatch.setattr(damage_of_carriers, "_numbers", end_another)
    check(carrier)


def test_state_from_a_snapshot_needs_no_older_changes(carrier: CarrierFolder) -> None:
    for partition in range(2):
        spark(carrier, f"state/0/{partition}/3.zip", "x")
        for number in (1, 2, 3):
            damage(carrier, f"spark/state/0/{partition}/{number}.changelog", None)
    check(carrier)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        (f"spark/offsets/{LAST}", None, "is missing"),
        (f"spark/offsets/{LAST - 1}", None, "is missing"),
        (f"spark/offsets/{LAST}", "v1\n{", "can't be read"),
        (f"spark/offsets/{LAST}", "", "can't be read"),
        (f"spark/commits/{LAST - 1}", None, "is missing"),
        (f"spark/commits/{LAST}", 'v1\n{"nextBatch', "can't be read"),
        (f"commits/{LAST + 1}.json", None, "is missing"),
        (f"spark/state/0/1/{LAST + 1}.changelog", None, "is missing"),
        ("spark/state/0/0/2.changelog", None, "is missing"),
    ],
)
def test_mismatched_files_are_named(carrier: CarrierFolder, name: str, content: str | None, what: str) -> None:
    if name == f"spark/commits/{LAST - 1}":
        damage(carrier, f"spark/commits/{LAST}", None)
    damage(carrier, name, content)
    for _ in range(2):
        with pytest.raises(DamagedCheckpoint) as caught:
            check(carrier)
        assert (caught.value.file, caught.value.domain) == (name, "internal")
        assert str(caught.value) == DAMAGED.format(carrier="main", file=name, what=what)


READERS: list[tuple[str, Callable[[CarrierFolder], object]]] = [
    (f"commits/{LAST + 1}.json", lambda carrier: newest_manifest(carrier.folder)),
    (f"commits/{LAST + 1}.json", lambda carrier: read_head(carrier.folder, LAST + 1)),
    ("control/1.json", lambda carrier: create(carrier.location, carrier.settings).control.commanded()),
    ("control/compacted.json", lambda carrier: create(carrier.location, carrier.settings).control.commanded()),
    ("lanes/0/5.arrow", lambda carrier: read_clocks(carrier.folder, 0, LAST + 2)),
    (SETTINGS_FILE, lambda carrier: create(carrier.location, carrier.settings)),
    (SETTINGS_FILE, lambda carrier: open_carrier(carrier.location)),
    (LAYOUT_FILE, lambda carrier: create(carrier.location, carrier.settings)),
]


@pytest.mark.parametrize(("name", "read"), READERS)
@pytest.mark.parametrize("content", ["", "{", '{"batch": 5', "[]"])
def test_a_cut_file_is_named_by_each_reader(
    carrier: CarrierFolder, name: str, read: Callable[[CarrierFolder], object], content: str
) -> None:
    carrier.folder.write(name, content.encode())
    with pytest.raises(DamagedCheckpoint) as caught:
        read(carrier)
    assert caught.value.file == name


def test_settings_that_the_driver_writes_again_may_be_cut(carrier: CarrierFolder) -> None:
    for name in (RATE, FRESHNESS):
        carrier.folder.write(name, b"{")
    assert (read_rates(carrier.folder), read_freshness(carrier.folder)) == ({}, {})


def test_a_query_that_ends_because_of_a_damaged_file_names_it() -> None:
    damage = DamagedCheckpoint("main", "lanes/0/5.arrow", "can't be read")
    assert explain_query(damage) == RunFailure("internal", str(damage), str(damage))
    quoted = explain_query(RuntimeError(f"Job aborted.\nstreaming.spark.errors.DamagedCheckpoint: {damage}\nTraceback"))
    assert (quoted.domain, quoted.message) == ("internal", str(damage))
    unloaded = "[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] An error occurred during loading state."
    ended = RuntimeError(f"{unloaded}\nCaused by: java.io.IOException: Stream is corrupted")
    assert explain_query(ended, "b").message == DAMAGED.format(carrier="b", file=STATE_FILE, what="can't be read")
    full = RuntimeError(f"{unloaded}\nCaused by: java.io.IOException: No space left on device")
    assert explain_query(full).message == DISK_FULL, "a state that can't be loaded for another reason isn't damaged"
