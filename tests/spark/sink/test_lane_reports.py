"""A report lists the lanes that delay an input most, and their counts add up to those of the input."""

import json
from pathlib import Path

import pytest

from streaming.adapters.rows.adapter import RowsAdapter
from streaming.wire.messages import RunSpec
from streaming.wire.progress import MOST_LANES, InputCounts, LaneProgress, ProgressReport
from tests.spark.loop import Loop
from tests.spark.query.test_arrival_merge import idle_spec
from tests.spark.specs import spec
from tests.spark.test_loop import add, stop

LANES = [f"l{number:02}" for number in range(25)]
SILENT = "l07"
BATCHES = 8


def lanes_spec(run: str = "a-1") -> RunSpec:
    content = json.loads(spec("a", "lanes.jsonl", run=run).model_dump_json())
    content["inputs"]["readings"]["stream"]["lanes"] = LANES
    return RunSpec.model_validate_json(json.dumps(content))


def write(home: Path, lines: list[dict[str, object]]) -> None:
    (home / "lanes.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    """Give each lane one row in each batch, some of them late, but the silent one only in the first batch."""
    lines: list[dict[str, object]] = []
    for number in range(BATCHES * len(LANES)):
        start, lane = number * 3 - (300 if number % 11 == 4 else 0), LANES[number % len(LANES)]
        if lane != SILENT or number < len(LANES):
            payload = {"device": "d", "value": number}
            lines.append({"start": start, "payload": payload, "lane": lane, "batch": number // len(LANES)})
    write(tmp_path, lines)
    return Loop(tmp_path)


def report_of(loop: Loop) -> ProgressReport:
    manifest = loop.batch()
    assert manifest is not None
    return manifest.reports[0]


def lanes_of(counts: InputCounts) -> list[LaneProgress]:
    assert counts.lanes is not None
    return counts.lanes


def adds_up(counts: InputCounts) -> None:
    lanes, others = lanes_of(counts), counts.other_lanes
    assert others is not None
    assert len(lanes) + others.lanes == len(LANES)
    assert sum(each.received for each in lanes) + others.received == counts.received
    assert sum(each.late for each in lanes) + others.late == sum(counts.lateness)
    assert sum(each.dropped for each in lanes) + others.dropped == counts.outcomes.get("dropped_late", 0)


def test_the_lane_without_a_cti_comes_first_and_all_lanes_add_up(loop: Loop) -> None:
    add(loop, lanes_spec())
    for _ in range(6):
        report = report_of(loop)
    counts = report.inputs["readings"]
    (silent, *others) = lanes_of(counts)
    assert (silent.lane, silent.cti, silent.received, silent.state) == (SILENT, None, 1, "waiting")
    last = [each.last_arrival for each in others]
    assert silent.last_arrival is not None
    assert all(each is not None and silent.last_arrival < each for each in last)
    assert len(others) == MOST_LANES - 1
    assert {each.state for each in others} == {"reading"}
    assert [each.cti for each in others] == sorted(each.cti or 0 for each in others)
    assert counts.outcomes["dropped_late"] > 0
    assert (counts.delay, counts.lane_wait) == (5, None)
    adds_up(counts)


def test_the_lanes_of_a_resumed_run_count_its_own_rows_alone(loop: Loop) -> None:
    add(loop, lanes_spec())
    for _ in range(3):
        before = report_of(loop).inputs["readings"]
    stop(loop, "a", flush=False)
    loop.run()
    add(loop, lanes_spec("a-2"))
    after = loop.run()[-1].reports[-1].inputs["readings"]
    assert before.received + after.received == BATCHES * (len(LANES) - 1) + 1
    assert [each.received for each in lanes_of(after) if each.lane == SILENT] in ([0], [])
    adds_up(before)
    adds_up(after)


def test_a_lane_that_the_input_does_not_wait_for_is_idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    payload = {"device": "d", "value": 1}
    lines = [{"start": n * 3, "payload": payload, "lane": "x", "batch": n // 4} for n in range(64)]
    write(tmp_path, [{"start": 1, "payload": payload, "lane": "y", "batch": 0}, *lines])
    monkeypatch.setattr(RowsAdapter, "finished", lambda *_: False)
    monkeypatch.delattr(RowsAdapter, "recorded")  # a recording has times of its own
    loop = Loop(tmp_path)
    add(loop, idle_spec())
    seen = [{each.lane: each.state for each in lanes_of(report_of(loop).inputs["readings"])} for _ in range(12)]
    assert seen[1] == {"x": "reading", "y": "waiting"}
    assert seen[-1] == {"x": "reading", "y": "idle"}


def test_an_input_waits_for_its_slowest_lane(tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"start": start, "payload": {"device": "d", "value": 1}, "lane": lane, "batch": 0}
        for lane, starts in (("l01", (100, 200)), ("l02", (1_000, 1_200)))
        for start in starts
    ]
    write(tmp_path, lines)
    content = json.loads(lanes_spec().model_dump_json())
    content["inputs"]["readings"]["stream"]["lanes"] = ["l01", "l02"]
    loop = Loop(tmp_path)
    add(loop, RunSpec.model_validate_json(json.dumps(content)))
    counts = report_of(loop).inputs["readings"]
    assert [(each.lane, each.cti) for each in lanes_of(counts)] == [("l01", 195), ("l02", 1_195)]
    assert (counts.cti, counts.lane_wait, counts.other_lanes) == (195, 1_000, None)
