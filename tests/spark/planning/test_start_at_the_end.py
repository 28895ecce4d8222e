"""A new start of a run whose inputs were read to their end: by default it reads only new rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from streaming.spark.query.control import AddBinding
from streaming.wire.beginning import BeginAt, BeginAtTime
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.planning.test_begin_elsewhere import beginning, write_file
from tests.spark.specs import spec
from tests.spark.test_loop import STAGES, rows, states

FIRST = [1, 11, 12, 31]
MORE = [33, 41]


def reading(run: str, **more: Any) -> RunSpec:
    """Return a run over the files of a folder, which end."""
    content = json.loads(spec("a", "files", run=run).model_dump_json())
    options = {"path": "files", "format": "json_lines"}
    content["inputs"]["readings"]["adapter"] = {"kind": "file", "options": options}
    content["inputs"]["readings"]["stream"]["event_time"] = {"start": {"column": "at", "unit": "us"}}
    return RunSpec.model_validate(content).model_copy(update=more)


def start(loop: Loop, run: str, **more: Any) -> list[Any]:
    """Return the state changes of the runs while `run` was carried."""
    lanes = {"readings": ["0"]}
    command = AddBinding(kind="add", tick=0, spec=reading(run, **more), bucket_ids=[0], lanes=lanes, at_end="flush")
    loop.carrier.control.append(command)
    return states(loop.run(), "a")


@pytest.fixture
def ended(tmp_path: Path) -> Loop:
    write_file(tmp_path, "first.jsonl", FIRST, 1_000_000_000)
    loop = Loop(tmp_path)
    assert start(loop, "a-1")[-1][0] == "completed"
    return loop


def counts(loop: Loop) -> list[tuple[int, int]]:
    found = [json.loads(row) for row in rows(loop, "a")[0]]
    return sorted((row["start"], row["payload"]["n"]) for row in found)


@pytest.mark.parametrize("begin", [None, "oldest_open"])
def test_a_start_without_new_rows_emits_nothing_and_reports_it(ended: Loop, begin: str | None) -> None:
    before = rows(ended, "a")
    changes = start(ended, "a-2", begin=begin)
    assert [state for state, _, _ in changes] == ["completed"]
    assert "There are no new rows" in str(changes[0])
    assert rows(ended, "a") == before


def test_later_rows_are_read_normally_after_any_number_of_empty_starts(ended: Loop, tmp_path: Path) -> None:
    expected = Loop(tmp_path / "one")
    write_file(tmp_path / "one", "first.jsonl", FIRST, 1_000_000_000)
    start(expected, "a-1")
    for loop in (ended, expected):
        if loop is ended:
            start(loop, "a-2")
            start(loop, "a-3")
            loop.restart()
        write_file(loop.home, "more.jsonl", MORE, 2_000_000_000)
        start(loop, "a-4")
    assert counts(ended) == counts(expected)
    assert (40, 1) in counts(ended)
    assert counts(ended).count((0, 1)) == 1, "final results are not repeated"


def test_everything_is_emitted_again_on_request(ended: Loop) -> None:
    before = counts(ended)
    start(ended, "a-2", begin="beginning")
    assert counts(ended) == sorted(before * 2)


def test_another_query_over_the_same_inputs_reads_them(ended: Loop) -> None:
    changes = start(ended, "a-2", query=spec("a", "files", where="value >= 0").query)
    assert "There are no new rows" not in str(changes)


@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_start_without_new_rows_emits_nothing_either(ended: Loop, stage: str) -> None:
    before = rows(ended, "a")
    lanes = {"readings": ["0"]}
    command = AddBinding(kind="add", tick=0, spec=reading("a-2"), bucket_ids=[0], lanes=lanes, at_end="flush")
    ended.carrier.control.append(command)
    assert ended.killed_at(stage)
    ended.run()
    assert rows(ended, "a") == before


@pytest.mark.parametrize("begin", ["now", "old_positions", "beginning", BeginAtTime(kind="time", at=2_000_000_000)])
def test_nothing_is_reported_as_left_behind_if_every_window_was_closed_and_emitted(ended: Loop, begin: BeginAt) -> None:
    start(ended, "a-2", begin=begin)
    start_point = beginning(ended, "a-2")
    assert "left behind" not in start_point.sentence
    assert (start_point.open_from, start_point.open_until) == (None, None)
