"""The limit of events per second: the rows of a batch, their division, and unchanged results."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError
from streaming.spark.planning.fair_share import ReadRequest, RowBudget, share
from streaming.spark.planning.token_bucket import BURST_S, TokenBucket, write_rate
from streaming.spark.query.control import AddBinding, StopBinding
from streaming.spark.query.manifests import read_head
from streaming.temporal.ticks import TICKS_PER_S
from streaming.wire.messages import RunSpec
from streaming.wire.progress import ProgressReport
from streaming.wire.rows.arrived import Arrived
from tests.spark.loop import Loop
from tests.spark.specs import spec
from tests.spark.test_loop import rows, states

ROWS = 400


@dataclass
class Shelf:
    """Lanes that hold a given number of rows each, read evenly."""

    kind: ClassVar[str] = "shelf"
    waiting: dict[str, int]
    asked: list[int] = field(default_factory=list)

    def lanes(self) -> list[str]:
        return list(self.waiting)

    def latest(self, start: Mapping[str, int], *, now: int, limit_rows: int) -> dict[str, int]:
        self.asked.append(limit_rows)
        part = max(limit_rows // len(self.waiting), 1)
        return {lane: min(start.get(lane, 0) + part, rows) for lane, rows in self.waiting.items()}

    def finished(self, positions: Mapping[str, int]) -> bool:
        return dict(positions) == self.waiting

    def read(self, lane: str, start: int, end: int) -> Iterator[Arrived]:
        raise NotImplementedError(f"{lane} {start} {end}")


class Broken(Shelf):
    """An adapter that does not answer."""

    def latest(self, start: Mapping[str, int], *, now: int, limit_rows: int) -> dict[str, int]:
        raise AdapterError(f"gone at {now} {limit_rows} {start}")


def read_request(binding: str, waiting: int, *, most: int = 1_000_000, name: str = "in", lanes: int = 1) -> ReadRequest:
    each = {str(lane): waiting // lanes for lane in range(lanes)}
    return ReadRequest(binding, name, Shelf(each), dict.fromkeys(each, 0), most)


def test_each_binding_gets_an_equal_share_however_many_inputs_it_has() -> None:
    wishes = [read_request("a", 9_000), read_request("b", 9_000, name="left"), read_request("b", 9_000, name="right")]
    waiting = share(wishes, RowBudget(1_000, {}), 0, first=0)
    assert [each.taken for each in wishes] == [500, 250, 250]
    assert waiting == wishes


def test_the_unused_share_of_one_binding_goes_to_the_others() -> None:
    wishes = [read_request("a", 10), read_request("b", 9_000), read_request("c", 9_000)]
    waiting = share(wishes, RowBudget(1_000, {}), 0, first=0)
    assert [each.taken for each in wishes] == [10, 495, 495]
    assert [each.binding for each in waiting] == ["b", "c"]


def test_the_last_row_does_not_always_go_to_the_same_binding() -> None:
    taken = {"a": 0, "b": 0, "c": 0}
    for batch in range(9):
        wishes = [read_request(name, 50) for name in taken]
        share(wishes, RowBudget(1, {}), 0, first=batch)
        for each in wishes:
            taken[each.binding] += each.taken
    assert taken == {"a": 3, "b": 3, "c": 3}


def test_no_input_takes_more_than_a_batch_allows() -> None:
    wishes = [read_request("a", 9_000, most=100), read_request("b", 50)]
    assert share(wishes, RowBudget(1_000, {}), 0, first=0) == []
    assert [each.taken for each in wishes] == [100, 50]


def test_an_input_that_took_all_its_waiting_rows_was_not_cut_short() -> None:
    wishes = [read_request("a", 500), read_request("b", 500)]
    assert share(wishes, RowBudget(1_000, {}), 0, first=0) == []


def test_the_share_of_a_failed_adapter_goes_to_the_others() -> None:
    broken = ReadRequest("a", "in", Broken({"0": 1}), {"0": 0}, 100)
    well = read_request("b", 9_000)
    share([broken, well], RowBudget(1_000, {}), 0, first=0)
    assert isinstance(broken.fault, AdapterError)
    assert well.taken == 1_000


@given(
    waiting=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 500), st.integers(1, 3)), max_size=6),
    rows=st.integers(0, 1_000),
    first=st.integers(0, 10),
)
def test_all_inputs_together_take_the_limit_or_all_waiting_rows(
    waiting: list[tuple[str, int, int]], rows: int, first: int
) -> None:
    wishes = [read_request(name, count * lanes, lanes=lanes) for name, count, lanes in waiting]
    held = share(wishes, RowBudget(rows, {}), 0, first=first)
    taken, present = sum(each.taken for each in wishes), sum(count * lanes for _, count, lanes in waiting)
    assert taken <= rows + 2, "a share of one row takes at most a row from each of three lanes"
    assert taken >= min(rows, present)
    assert bool(held) is (taken < present)


def test_time_fills_the_bucket_up_to_a_burst_and_reading_empties_it() -> None:
    assert TokenBucket.at(100, None, 0).rows == 100 * BURST_S
    left = TokenBucket.at(100, None, 0).without(490)
    assert TokenBucket.at(100, left, 0).rows == 10
    assert TokenBucket.at(100, left, TICKS_PER_S // 2).rows == 60
    assert TokenBucket.at(100, left, 3_600 * TICKS_PER_S).rows == 100 * BURST_S
    assert TokenBucket.at(100, TokenBucket.at(100, left, 0).without(110), TICKS_PER_S // 2).rows == 0


def test_a_batch_waits_until_one_second_of_the_limit_is_available() -> None:
    assert not TokenBucket(100, 99 * TICKS_PER_S).worth_reading
    assert TokenBucket(100, 100 * TICKS_PER_S).worth_reading
    assert not TokenBucket.at(0, None, TICKS_PER_S).worth_reading


def file_spec(binding: str, path: str, run: str | None = None) -> RunSpec:
    """Return `spec` over a file of JSON lines."""
    content = json.loads(spec(binding, path, run=run).model_dump_json())
    content["inputs"]["readings"]["adapter"] = {"kind": "file", "options": {"path": path, "format": "json_lines"}}
    content["inputs"]["readings"]["stream"]["event_time"] = {"start": {"column": "at"}}
    return RunSpec.model_validate_json(json.dumps(content))


def write_lines(path: Path, count: int = ROWS) -> None:
    lines = [
        {"at": number * 3 - (40 if number % 5 == 4 else 0), "device": f"d{number % 2}", "value": number}
        for number in range(count)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    write_lines(tmp_path / "lines.jsonl")
    return Loop(tmp_path)


def add(loop: Loop, wanted: RunSpec) -> None:
    loop.carrier.control.append(AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes={}, at_end="flush"))


def limit(loop: Loop, per_second: int | None) -> None:
    write_rate(loop.carrier.folder, per_second)


def reports(manifests: list[dict[str, Any]], run: str) -> list[ProgressReport]:
    return [each for manifest in manifests for each in manifest.reports if each.run == run]


def received(manifests: list[dict[str, Any]], run: str) -> list[int]:
    return [report.inputs["readings"].received for report in reports(manifests, run)]


def seconds(loop: Loop, count: int) -> list[dict[str, Any]]:
    """Run the batches of `count` readings of the clock, a second each."""
    return [manifest for manifest in (loop.batch() for _ in range(count)) if manifest is not None]


@pytest.fixture
def unlimited(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    home = tmp_path_factory.mktemp("unlimited")
    write_lines(home / "lines.jsonl")
    loop = Loop(home)
    add(loop, file_spec("a", "lines.jsonl"))
    loop.run()
    return rows(loop, "a")


def test_a_limited_run_reads_a_burst_and_then_the_limit_and_gives_the_same_results(
    loop: Loop, unlimited: tuple[list[str], list[str]]
) -> None:
    limit(loop, 30)
    add(loop, file_spec("a", "lines.jsonl"))
    manifests = seconds(loop, 20)
    assert received(manifests, "a-1") == [150, 180, 210, 240, 270, 300, 330, 360, 390, 400, 400]
    assert [report.held_back for report in reports(manifests, "a-1")] == [30] * 9 + [None] * 2
    assert states(manifests, "a")[-1][0] == "completed"
    assert rows(loop, "a") == unlimited


def test_the_limit_is_one_for_all_bindings_and_shared_evenly(
    loop: Loop, unlimited: tuple[list[str], list[str]]
) -> None:
    limit(loop, 40)
    for name in ("a", "b"):
        add(loop, file_spec(name, "lines.jsonl"))
    manifests = seconds(loop, 3)
    assert received(manifests, "a-1") == received(manifests, "b-1") == [100, 120, 140]
    seconds(loop, 40)
    assert rows(loop, "a") == rows(loop, "b") == unlimited


def test_a_changed_limit_applies_from_the_next_batch_on(loop: Loop) -> None:
    limit(loop, 10)
    add(loop, file_spec("a", "lines.jsonl"))
    first = seconds(loop, 2)
    limit(loop, 100)
    second = seconds(loop, 2)
    limit(loop, None)
    third = seconds(loop, 1)
    assert received([*first, *second, *third], "a-1") == [50, 60, 160, 260, 400]


@pytest.mark.parametrize("stage", ["planned", "fed", "written", "published"])
def test_a_killed_limited_batch_is_repeated_as_planned(
    loop: Loop, unlimited: tuple[list[str], list[str]], stage: str
) -> None:
    limit(loop, 30)
    add(loop, file_spec("a", "lines.jsonl"))
    loop.batch()

    assert loop.killed_at(stage)
    limit(loop, 7)
    loop.restart()
    manifests = seconds(loop, 1)
    assert received(manifests, "a-1") == [180]
    limit(loop, 100)
    seconds(loop, 20)
    assert rows(loop, "a") == unlimited


def test_a_restart_does_not_fill_the_bucket(loop: Loop) -> None:
    limit(loop, 10)
    add(loop, file_spec("a", "lines.jsonl"))
    manifests = []
    for _ in range(4):
        manifests += seconds(loop, 1)
        loop.restart()
    assert received(manifests, "a-1") == [50, 60, 70, 80]


def test_a_clock_that_is_set_back_does_not_delay_the_runs(loop: Loop, unlimited: tuple[list[str], list[str]]) -> None:
    limit(loop, 30)
    loop.clock = 3_600 * TICKS_PER_S
    add(loop, file_spec("a", "lines.jsonl"))
    first = seconds(loop, 2)
    loop.clock = 0
    second = seconds(loop, 20)
    assert received([*first, *second], "a-1") == [150, 180, 210, 240, 270, 300, 330, 360, 390, 400, 400]
    assert rows(loop, "a") == unlimited


def test_a_stop_is_applied_while_the_limit_allows_no_reading(loop: Loop) -> None:
    limit(loop, 10)
    add(loop, file_spec("a", "lines.jsonl"))
    seconds(loop, 1)
    limit(loop, 0)
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding="a", flush=False))
    manifests = seconds(loop, 2)
    assert states(manifests, "a") == [("stopped", None, None)]
    assert received(manifests, "a-1") == [50]


@pytest.mark.parametrize("to", [0, 1])
def test_a_completely_read_input_ends_whatever_the_limit_is(tmp_path: Path, to: int) -> None:
    lines = [
        {"start": number * 3, "payload": {"device": "d", "value": number}, "batch": 0, "lane": "lr"[number % 2]}
        for number in range(100)
    ]
    (tmp_path / "two.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    content = json.loads(spec("a", "two.jsonl").model_dump_json())
    content["inputs"]["readings"]["stream"]["lanes"] = ["l", "r"]
    loop = Loop(tmp_path)
    limit(loop, 10)
    add(loop, RunSpec.model_validate_json(json.dumps(content)))
    assert states(seconds(loop, 1), "a") == [("running", None, None)], "the ends of two lanes are a batch of their own"
    limit(loop, to)
    assert states(seconds(loop, 2), "a")[-1][0] == "completed"


def test_the_limit_is_reached_whatever_the_interval_of_batches_is(tmp_path: Path) -> None:
    write_lines(tmp_path / "lines.jsonl")
    loop = Loop(tmp_path, min_interval_s=20.0)
    limit(loop, 10)
    add(loop, file_spec("a", "lines.jsonl"))
    assert received(seconds(loop, 21), "a-1")[-1] == 50 + 20 * 10


def test_positions_with_many_rows_are_charged_by_their_rows(tmp_path: Path) -> None:
    lines = [
        {"start": number * 3, "payload": {"device": "d", "value": number}, "batch": number // 10}
        for number in range(1_000)
    ]
    (tmp_path / "large.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    loop = Loop(tmp_path)
    limit(loop, 10)
    add(loop, spec("a", "large.jsonl"))
    waits = [loop.batch() is None for _ in range(40)]
    read = (read_head(loop.carrier.folder, 1).read or {})[""]
    assert read > 10 * BURST_S, "the adapter counts micro-batches of ten rows as one"
    assert waits[1:].index(False) >= (read - 10 * BURST_S) // 10
