"""A run that is stopped in the middle and resumes as another version loses no window and marks incomplete ones."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from streaming.resume.restart_points import beginning_path
from streaming.spark.query.control import AddBinding, SaveBinding, StopBinding
from streaming.spark.query.manifests import Manifest
from streaming.wire.beginning import BeginAt, RunBeginning
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.planning.test_token_bucket import file_spec
from tests.spark.specs import ROWS_A_BATCH, spec, write_readings
from tests.spark.test_loop import STAGES, rows, states, undisturbed

__all__ = ["undisturbed"]
BATCHES = 6
ROWS_READ = ROWS_A_BATCH + 1
"""The rows of a batch, with the broken one."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    return tmp_path


def add(loop: Loop, wanted: RunSpec, begin: BeginAt | None = None) -> None:
    wanted = wanted.model_copy(update={"begin": begin})
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes={"readings": ["0"]}, at_end="flush")
    )


def stopped_after(home: Path, batches: int, wanted: RunSpec) -> Loop:
    loop = Loop(home)
    add(loop, wanted)
    for _ in range(batches):
        loop.batch()
    stop(loop)
    return loop


def stop(loop: Loop) -> None:
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding="a", flush=False))
    loop.run()


def sized(window: dict[str, str], **more: Any) -> RunSpec:
    """Return `spec` with another window that counts the rows of each group."""
    content = json.loads(spec("a", "readings.jsonl", run="a-2").model_dump_json())
    content["query"]["nodes"][2]["window"] = window
    content["query"]["nodes"][2] |= more
    return RunSpec.model_validate_json(json.dumps(content))


def whole(home: Path, wanted: RunSpec) -> list[dict[str, Any]]:
    """Return the results of `wanted` over all rows."""
    write_readings(home / "whole" / "readings.jsonl", BATCHES)
    loop = Loop(home / "whole")
    add(loop, wanted)
    loop.run()
    return read_results(loop)


def read_results(loop: Loop) -> list[dict[str, Any]]:
    return [json.loads(row) for row in rows(loop, "a")[0]]


def beginning(loop: Loop, run: str) -> RunBeginning:
    content = loop.carrier.every.read(beginning_path("a", run))
    assert content is not None
    return RunBeginning.model_validate_json(content)


def received(manifests: list[Manifest], run: str) -> int:
    """Return the number of rows that `run` has read."""
    last = [totals for totals in manifests[-1].bindings.values() if totals.run == run]
    return last[0].of_run.inputs["readings"].received


OTHER = {"run": "a-2", "where": "value >= 0"}


def timed(run: str, where: str) -> RunSpec:
    """Return a run over the files of a folder, whose rows contain their time in microseconds."""
    content = json.loads(file_spec("a", "files").model_dump_json())
    content["run"] = run
    content["inputs"]["readings"]["stream"]["event_time"] = {"start": {"column": "at", "unit": "us"}}
    content["query"]["nodes"][1]["where"] = where
    return RunSpec.model_validate_json(json.dumps(content))


def renamed(wanted: RunSpec) -> RunSpec:
    """Return `wanted` with other names for its query and its stream."""
    nodes = [
        node.model_copy(update={"stream": "measurements"}) if node.kind == "input" else node
        for node in wanted.query.nodes
    ]
    return wanted.model_copy(
        update={"query": wanted.query.model_copy(update={"name": "new_name", "nodes": nodes}), "run": "a-2"}
    )


@pytest.fixture(params=[10_000_000, 0], ids=["few points", "many points"])
def every(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("streaming.spark.sink.publishing.POINT_EVERY_TICKS", request.param)
    return int(request.param)


@pytest.mark.parametrize("after", range(1, BATCHES))
def test_another_version_emits_every_window_once_and_complete(
    home: Path, undisturbed: tuple[list[str], list[str]], after: int, every: int
) -> None:
    loop = stopped_after(home, after, spec("a", "readings.jsonl"))
    add(loop, spec("a", "readings.jsonl", **OTHER))
    manifests = loop.run()
    assert rows(loop, "a")[0] == undisturbed[0]
    start = beginning(loop, "a-2")
    assert start.rows_again == received(manifests, "a-2") - (BATCHES - after) * ROWS_READ, "it replays this many rows"
    assert not start.rows_at_most
    if every == 0 and after > 3:
        assert start.rows_again < after * ROWS_READ, "it does not replay all rows"


def test_new_names_alone_change_nothing(home: Path, undisturbed: tuple[list[str], list[str]]) -> None:
    loop = stopped_after(home, 3, spec("a", "readings.jsonl"))
    add(loop, renamed(spec("a", "readings.jsonl")))
    assert states(loop.run(), "a")[0] == ("running", None, None)
    assert rows(loop, "a")[0] == undisturbed[0]
    assert loop.carrier.every.read(beginning_path("a", "a-2")) is None, "it replays nothing and marks nothing"


def test_the_file_list_survives_new_names(home: Path) -> None:
    def write(name: str, first: int, value: int) -> None:
        lines = [{"at": at, "device": "d", "value": value} for at in range(first, first + 8)]
        (home / "files" / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(home / "files" / name, (5, 5))

    (home / "files").mkdir()
    write("0.jsonl", 0, 1)
    write("1.jsonl", 8, 1)
    loop = stopped_after(home, 1, timed("a-1", "true"))
    write("00.jsonl", 16, 100)  # in a new list it would come between the two
    add(loop, renamed(timed("a-1", "true")))
    assert states(loop.run(), "a")[0] == ("running", None, None)
    assert sum(row["payload"]["total"] for row in read_results(loop)) == 8 + 8 + 800


@pytest.mark.parametrize("after", [2, 3, 5])
@pytest.mark.parametrize(
    "window",
    [
        {"kind": "tumbling", "size": "20us"},
        {"kind": "hopping", "size": "20us", "hop": "10us"},
        {"kind": "session", "gap": "4us"},
        {"kind": "snapshot"},
    ],
    ids=lambda window: window["kind"],
)
def test_windows_of_another_kind_are_complete_from_the_first_on(
    home: Path, after: int, window: dict[str, str], every: int
) -> None:
    loop = stopped_after(home, after, spec("a", "readings.jsonl"))
    before, every_one = read_results(loop), whole(home, sized(window))
    add(loop, sized(window))
    loop.run()
    new = [row for row in read_results(loop) if row not in before]
    given_until = max((row["end"] for row in before), default=-1)
    assert every in (0, 10_000_000)
    assert [row for row in new if row not in every_one] == []
    assert [row for row in every_one if row["end"] > given_until and row not in read_results(loop)] == [], (
        "nothing is lost"
    )
    assert not any(row.get("incomplete") for row in new)


@pytest.mark.parametrize("after", range(1, BATCHES))
@pytest.mark.parametrize("window", [{"kind": "tumbling", "size": "20us"}, {"kind": "session", "gap": "4us"}])
def test_at_the_old_positions_every_incomplete_row_is_marked(home: Path, after: int, window: dict[str, str]) -> None:
    loop = stopped_after(home, after, spec("a", "readings.jsonl"))
    before, every_one = read_results(loop), whole(home, sized(window))
    add(loop, sized(window), "old_positions")
    loop.run()
    new = [row for row in read_results(loop) if row not in before]
    assert [row for row in new if not row.get("incomplete") and row not in every_one] == []
    assert after not in (2, 3) or any(row.get("incomplete") for row in new)
    marked = beginning(loop, "a-2").incomplete_before["out"]
    assert marked is not None
    assert all(row.get("incomplete", False) == (row["start"] < marked) for row in new)


def test_the_mark_survives_a_stop_a_start_and_a_move_to_another_carrier(home: Path) -> None:
    loop = stopped_after(home, 3, spec("a", "readings.jsonl"))
    before = read_results(loop)
    add(loop, spec("a", "readings.jsonl", **OTHER), "old_positions")
    loop.batch()
    stop(loop)
    add(loop, spec("a", "readings.jsonl", run="a-3", where=OTHER["where"]))
    loop.batch()
    path = "savepoints/a.arrow"
    loop.carrier.control.append(SaveBinding(kind="savepoint", tick=0, binding="a", path=path))
    loop.run()
    moved = Loop(home, str(home / "dedicated"))
    command = AddBinding(
        kind="add",
        tick=0,
        spec=spec("a", "readings.jsonl", run="a-4", where=OTHER["where"]),
        bucket_ids=[0],
        lanes={"readings": ["0"]},
        at_end="flush",
        from_savepoint=path,
    )
    moved.carrier.control.append(command)
    moved.run()
    marked = beginning(moved, "a-4").incomplete_before["out"]
    assert marked is not None
    new = [row for row in read_results(moved) if row not in before]
    assert {row.get("incomplete", False) for row in new} == {True, False}
    assert all(row.get("incomplete", False) == (row["start"] < marked) for row in new)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("killed", [1, 2])
def test_a_start_that_is_killed_at_any_stage_gives_the_same_rows(
    home: Path, undisturbed: tuple[list[str], list[str]], stage: str, killed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streaming.spark.sink.publishing.POINT_EVERY_TICKS", 0)
    loop = stopped_after(home, 4, spec("a", "readings.jsonl"))
    add(loop, spec("a", "readings.jsonl", **OTHER))
    for _ in range(killed - 1):
        loop.batch()
    assert loop.killed_at(stage)
    loop.run()
    assert rows(loop, "a")[0] == undisturbed[0]


def test_a_stop_during_a_replay_and_a_third_version_repeat_no_row(
    home: Path, undisturbed: tuple[list[str], list[str]]
) -> None:
    loop = stopped_after(home, 4, spec("a", "readings.jsonl"))
    add(loop, spec("a", "readings.jsonl", **OTHER))
    loop.batch()
    stop(loop)
    add(loop, spec("a", "readings.jsonl", run="a-3", where="value >= -1"))
    loop.run()
    assert rows(loop, "a")[0] == undisturbed[0]


def test_a_start_from_the_beginning_applies_once(home: Path) -> None:
    loop = stopped_after(home, 3, spec("a", "readings.jsonl"))
    before = len(read_results(loop))
    add(loop, spec("a", "readings.jsonl", run="a-2"), "beginning")
    loop.batch()
    stop(loop)
    add(loop, spec("a", "readings.jsonl", run="a-2"), "beginning")
    loop.run()
    assert len(read_results(loop)) == before + len(whole(home, spec("a", "readings.jsonl")))


def test_the_message_of_the_run_names_the_open_windows_and_their_fate(home: Path) -> None:
    loop = stopped_after(home, 3, spec("a", "readings.jsonl"))
    add(loop, spec("a", "readings.jsonl", **OTHER))
    manifests = loop.run()
    ((_, _, message), *_) = states(manifests, "a")
    assert message == beginning(loop, "a-2").sentence
    assert "open (1970-01-01 00:00:00.000020Z to 1970-01-01 00:00:00.000040Z) will be complete" in str(message)
    report = manifests[-1].reports[-1]
    assert report.beginning == beginning(loop, "a-2")
    assert [each.reports[0].reading_again for each in manifests[:4]] == [True, True, True, False]


def test_a_deleted_file_cannot_be_replayed_and_the_remaining_rows_are_marked(home: Path) -> None:
    (home / "files").mkdir()
    for number in range(3):
        lines = [{"at": number * 40 + row, "device": "d", "value": row} for row in range(40)]
        (home / "files" / f"{number}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(home / "files" / f"{number}.jsonl", (number, number))
    loop = Loop(home, rows_per_batch=32)
    add(loop, timed("a-1", "true"))
    loop.batch()
    loop.batch()
    stop(loop)
    (home / "files" / "0.jsonl").unlink()
    add(loop, timed("a-2", "value >= 0"), "oldest_open")
    ((state, domain, message),) = states(loop.run(), "a")
    assert (state, domain) == ("failed", "user")
    assert "no longer has the rows" in str(message)
    add(loop, timed("a-3", "value >= 0"))
    changes = states(loop.run(), "a")
    assert changes[0][0] == "running"
    assert "marked as incomplete" in str(changes[0][2])
    assert {row.get("incomplete", False) for row in read_results(loop) if row["start"] >= 50} == {True, False}
