"""Merged lanes come in the order in which their rows arrived, and time counts for them."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters.rows.adapter import RowsAdapter
from streaming.spark.query.arrival_merge import in_order_of_arrival, part_of
from streaming.spark.query.binding_life import StateGeneration, new_binding
from streaming.spark.query.offset import Offset
from streaming.spark.source.feed_work import share_out
from streaming.temporal.outcomes import Reason
from streaming.wire.messages import RunSpec
from streaming.wire.rows.arrived import Arrived
from tests.spark.loop import Loop
from tests.spark.specs import spec
from tests.spark.test_loop import STAGES, add, rows, stop

Cut = list[list[int | None]]
"""Chunks of one lane with the arrival of each row; a chunk whose first row is None has no arrival times."""
LANES = st.lists(
    st.lists(st.one_of(st.lists(st.integers(0, 20), max_size=5), st.just([None, None])), max_size=4), max_size=4
)


def chunk(times: list[int | None], first: int) -> Arrived:
    count = len(times)
    positions = np.arange(first, first + count)
    known = None if None in times else np.array(times, np.int64)
    payload = pa.record_batch({"n": pa.array(positions)})
    bad = {index: Reason.BAD_ROW for index in range(count) if (first + index) % 3 == 0}
    return Arrived(
        np.zeros(count, np.int8),
        positions,
        positions + 1,
        positions,
        payload,
        bad,
        lambda at: [f"{first + i}" for i in at],
        known,
    )


def lane(cut: Cut) -> list[Arrived]:
    starts = np.cumsum([0, *(len(times) for times in cut)]).tolist()
    return [chunk(times, start) for times, start in zip(cut, starts, strict=False)]


def expected(lanes: list[Cut]) -> list[tuple[str, int]]:
    """Return lane and position of every row; a row arrives no sooner than the rows before it in its lane."""
    found = []
    for place, cut in enumerate(lanes):
        latest = -(2**62)
        for position, time in enumerate([time for times in cut for time in times]):
            latest = latest if time is None else max(latest, time)
            found.append((latest, place, position))
    return [(f"l{place}", position) for _, place, position in sorted(found)]


@given(LANES)
def test_rows_come_in_order_of_arrival_with_all_their_columns(lanes: list[Cut]) -> None:
    named = [(("in", f"l{place}"), iter(lane(cut))) for place, cut in enumerate(lanes)]
    merged = list(in_order_of_arrival(named))
    found = [(name, int(position)) for (_, name), part in merged for position in part.positions]
    assert found == expected(lanes)
    for _, part in merged:
        assert part.payload.column("n").to_pylist() == part.positions.tolist()
        assert sorted(part.malformed) == [i for i, position in enumerate(part.positions) if position % 3 == 0]
        assert part.raw(range(len(part.kind))) == [str(position) for position in part.positions]


def test_a_chunk_ends_only_where_another_lane_has_the_next_row() -> None:
    lanes = [(("in", "a"), iter(lane([[1, 2, 8, 9]]))), (("in", "b"), iter(lane([[5, 6]])))]
    assert [(name[1], part.positions.tolist()) for name, part in in_order_of_arrival(lanes)] == [
        ("a", [0, 1]),
        ("b", [0, 1]),
        ("a", [2, 3]),
    ]
    whole = chunk([1, 2], 0)
    assert part_of(whole, 0, 2) is whole


def test_all_lanes_are_in_one_task_even_when_idle() -> None:
    positions = {"in": {"a": 5, "b": 3}, "other": {"0": 1}}
    before = {"in": {"a": 4, "b": 3}, "other": {"0": 1}}
    item = new_binding(StateGeneration("q", 1, 1, "shape", "routing", together=True), before)
    for each in (item.reading(positions), item.timed(9)):
        (task,) = share_out("carrier", 4, Offset(n=7, tick=9, carried={"q": each}))
        (work,) = task.bindings.values()
        assert [(one.input, one.lane) for one in work.lanes] == [("in", "a"), ("in", "b"), ("other", "0")]
        assert work.together
        assert work.beat is (each.beaten == 9)
    assert share_out("carrier", 4, Offset(n=7, tick=9, carried={"q": item})) == []


def idle_spec(run: str = "a-1", idle: str = "leave_out") -> RunSpec:
    """Return `spec` over two lanes; a lane is left out, or advances, when it has been silent for 6 s."""
    content = json.loads(spec("a", "lanes.jsonl", run=run).model_dump_json())
    stream = content["inputs"]["readings"]["stream"]
    stream["lanes"] = ["x", "y"]
    stream["advance"] |= {"idle_after": "6s", "idle": idle}
    return RunSpec.model_validate_json(json.dumps(content))


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    """Give lane x readings for some batches and lane y one row in the first batch; the input never ends."""
    lines = [{"start": n * 3, "payload": {"device": "d", "value": n}, "lane": "x", "batch": n // 4} for n in range(16)]
    lines.append({"start": 1, "payload": {"device": "d", "value": 0}, "lane": "y", "batch": 0})
    lines.sort(key=lambda each: int(str(each["batch"])))
    (tmp_path / "lanes.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    monkeypatch.setattr(RowsAdapter, "finished", lambda *_: False)
    monkeypatch.delattr(RowsAdapter, "recorded")  # a recording has times of its own
    return Loop(tmp_path)


def test_rows_that_wait_for_a_silent_lane_are_released_after_a_time(loop: Loop) -> None:
    add(loop, idle_spec())
    for _ in range(4):
        assert loop.batch() is not None
    assert rows(loop, "a")[0] == []
    # y was silent from the first heartbeat at 1 s on, x from the last one before its last row, at 3 s
    planned = [loop.clock // 1_000_000 for _ in range(12) if loop.batch() is not None]
    assert planned == [7, 9], "time causes a batch when a lane has been silent long enough, and only then"
    assert len(rows(loop, "a")[0]) >= 3


def test_a_row_without_an_arrival_time_counts_as_arrived_after_the_last_empty_poll(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    latest, more = RowsAdapter.latest, []

    def held(self: RowsAdapter, start: Mapping[str, int], *, now: int, limit_rows: int) -> Mapping[str, int]:
        found = latest(self, start, now=now, limit_rows=limit_rows)
        return found if not any(start.values()) or (more and more.pop()) else start

    monkeypatch.setattr(RowsAdapter, "latest", held)
    add(loop, idle_spec())
    before = [loop.clock // 1_000_000 for _ in range(20) if loop.batch() is not None]
    assert before == [1, 7], "both lanes have been silent since the first heartbeat"
    more.append(True)
    planned = [loop.clock // 1_000_000 for _ in range(12) if loop.batch() is not None]
    assert planned == [21, 26], "seen at the poll of 20 s, so left out again at 26 s, not at once"


def test_a_binding_that_waits_for_nothing_gets_no_batch_for_time_alone(loop: Loop) -> None:
    content = json.loads(idle_spec().model_dump_json())
    del content["inputs"]["readings"]["stream"]["advance"]["idle_after"]
    add(loop, RunSpec.model_validate_json(json.dumps(content)))
    for _ in range(4):
        loop.batch()
    assert [loop.batch() for _ in range(4)] == [None] * 4


def test_between_two_heartbeats_no_batch_is_planned(tmp_path: Path, loop: Loop) -> None:
    slow = Loop(tmp_path, str(tmp_path / "slow"), heartbeat_s=3.0)
    add(slow, idle_spec(idle="advance"))
    for _ in range(4):
        slow.batch()
    planned = [slow.batch() is not None for _ in range(9)]
    assert planned == [False, False, True] * 3


@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_heartbeat_is_repeated_unchanged(loop: Loop, tmp_path: Path, stage: str) -> None:
    quiet = Loop(tmp_path, str(tmp_path / "quiet"))
    content = json.loads(idle_spec(idle="advance").model_dump_json()) | {"results": "results/quiet"}
    add(quiet, RunSpec.model_validate_json(json.dumps(content)))
    add(loop, idle_spec(idle="advance"))

    for number in range(11):
        if number in (2, 7):
            assert loop.killed_at(stage)
        loop.batch()
        quiet.batch()
    assert rows(loop, "a") == rows(quiet, "quiet")
    assert len(rows(loop, "a")[0]) >= 3


def test_a_stopped_binding_gets_no_heartbeats_and_resumes_with_its_clock(loop: Loop) -> None:
    add(loop, idle_spec())
    for _ in range(4):
        loop.batch()
    stop(loop, "a", flush=False)
    loop.batch()
    assert [loop.batch() for _ in range(2)] == [None] * 2  # after a third, lane x would be silent for too long as well
    add(loop, idle_spec("a-2"))
    for _ in range(7):
        loop.batch()
    assert len(rows(loop, "a")[0]) >= 3
