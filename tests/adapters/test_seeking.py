"""Inputs with other start positions: where they start, what they skip, and what they report to hold."""

import json
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.push.inbox import InboxLimits, PushInbox
from streaming.adapters.registry import input_adapter
from streaming.adapters.seeking import LaneHeld, SeekingAdapter
from streaming.definition.streams.stream import StreamDefinition
from streaming.wire.beginning import BeginAtPositions, BeginAtTime, SoughtBegin
from tests.adapters.binding.feeding import Feeder, read, row
from tests.adapters.push.test_adapter import reader, rows

S = 1_000_000


def at(tick: int) -> BeginAtTime:
    return BeginAtTime(kind="time", at=tick)


def positions(**lanes: int) -> BeginAtPositions:
    return BeginAtPositions(kind="positions", positions={"cars": lanes})


def begun(adapter: InputAdapter, place: SoughtBegin, now: int = 100 * S) -> tuple[dict[str, int], bool]:
    assert isinstance(adapter, SeekingAdapter)
    found = adapter.begin_at(place, "cars", now=now)
    return dict(found.positions), found.skips


def held(adapter: InputAdapter, since: int | None = None) -> list[LaneHeld]:
    assert isinstance(adapter, SeekingAdapter)
    return list(adapter.held(now=100 * S, since=since))


def push(root: Path, batches: dict[int, int]) -> None:
    """Rows by the arrival of their batch."""
    inbox = PushInbox.of(root / "files", "cars")
    for arrived, count in batches.items():
        body = b"".join(json.dumps({"start": n, "n": arrived}).encode() + b"\n" for n in range(count))
        inbox.accept(body, count, batch=None, now=arrived, limits=InboxLimits(1 << 30, 7))


@pytest.mark.parametrize(
    ("place", "begins", "skips"),
    [("now", 6, True), (at(5), 0, False), (at(6), 2, True), (at(21), 6, True)],
)
def test_pushed_rows_start_with_the_first_batch_of_that_time(
    tmp_path: Path, place: SoughtBegin, begins: int, skips: bool
) -> None:
    push(tmp_path, {5: 2, 20: 4})
    assert begun(reader(tmp_path, "journal"), place) == ({"0": begins}, skips)
    push(tmp_path, {30: 1})
    again = reader(tmp_path, "journal")
    assert begun(again, place) == ({"0": begins}, skips), "a repeated plan starts at the same place"
    assert len(rows(again, begins, 7)) == 7 - begins


def test_an_inbox_reports_its_contents(tmp_path: Path) -> None:
    push(tmp_path, {5: 2, 20: 4})
    [lane] = held(reader(tmp_path), since=20)
    assert (lane.earliest, lane.end, lane.at_time, lane.rows, lane.rows_since) == (0, 6, 2, 6, 4)
    assert (lane.from_at, lane.until_at) == (5, 20)
    assert held(reader(tmp_path / "empty"))[0].end == 0


def test_row_numbers_are_checked(tmp_path: Path) -> None:
    push(tmp_path, {5: 2})
    assert begun(reader(tmp_path, "a"), positions(**{"0": 1})) == ({"0": 1}, True)
    with pytest.raises(AdapterError, match="Lane 0 of the input cars can start at 0 to 2, not at 3"):
        begun(reader(tmp_path, "b"), positions(**{"0": 3}))


def generator(journal: Path, **options: Any) -> InputAdapter:
    stream = StreamDefinition(fields={"plate": "string"})
    return input_adapter("generator", {"rate": 2, "lanes": 2, **options}, stream, journal, journal)


def test_a_generator_starts_as_if_it_had_been_started_then(tmp_path: Path) -> None:
    adapter = generator(tmp_path)
    assert begun(adapter, at(90 * S)) == ({"0": 0, "1": 0}, False)
    assert adapter.latest({}, now=100 * S, limit_rows=1_000) == {"0": 10, "1": 10}
    assert begun(generator(tmp_path), at(90 * S), now=200 * S) == ({"0": 0, "1": 0}, False)


def test_a_generator_with_a_fixed_start_begins_with_the_rows_due_then(tmp_path: Path) -> None:
    assert begun(generator(tmp_path, started_at=0), at(5 * S)) == ({"0": 5, "1": 5}, True)
    assert begun(generator(tmp_path / "2", started_at=0), "now") == ({"0": 100, "1": 100}, True)


@pytest.fixture
def feeder(tmp_path: Path) -> Feeder:
    """Three batches of two rows, committed at 0, 1 and 2."""
    made = Feeder(tmp_path)
    for number in range(3):
        made.commit([row(number, number, number + 1), row(number + 10, number, number + 1)], cti=number)
    return made


@pytest.mark.parametrize(
    ("place", "numbers"), [("now", [9]), (at(1), [1, 11, 2, 12, 9]), (at(0), [0, 10, 1, 11, 2, 12, 9])]
)
def test_results_of_another_binding_start_with_the_first_batch_of_that_time(
    feeder: Feeder, place: SoughtBegin, numbers: list[int]
) -> None:
    assert begun(feeder.reader(), place) == ({"0": 0}, len(numbers) < 7)
    feeder.commit([row(9, 9, 10)], cti=9)
    for _ in range(2):
        adapter = feeder.reader()
        begun(adapter, place)
        [end] = adapter.latest({}, now=0, limit_rows=99).values()
        found = [each.payload["n"] for each in read(adapter, 0, end) if hasattr(each, "payload")]
        assert found == numbers


def test_results_report_the_rows_committed_since_a_time(feeder: Feeder) -> None:
    [lane] = held(feeder.reader(journal=None), since=1)
    assert (lane.from_at, lane.until_at, lane.rows, lane.rows_since) == (0, 2, 6, 4)


@pytest.mark.parametrize(("how", "anew"), [("now", False), ({"kind": "time", "at": 1}, True), ("beginning", True)])
def test_a_feeder_with_another_start_may_repeat_rows_and_its_readers_get_an_error(
    feeder: Feeder, how: Any, anew: bool
) -> None:
    adapter = feeder.reader()
    adapter.latest({}, now=0, limit_rows=99)
    beginning = {
        "how": how, "after": "first", "incomplete_before": {}, "until": {}, "alike": [], "open_from": None,
        "open_until": None, "rows_again": 0, "sentence": "It began elsewhere.",
    }  # fmt: skip
    feeder.commit([row(9, 9, 10)], cti=9, run="second", beginning=beginning)
    if not anew:
        assert adapter.latest({"0": 9}, now=0, limit_rows=99) == {"0": 11}
        return
    with pytest.raises(AdapterError, match="restarted without its state"):
        adapter.latest({"0": 9}, now=0, limit_rows=99)


def transcript(root: Path, *lines: dict[str, Any]) -> InputAdapter:
    """Lines of two lanes."""
    path = root / "files" / "cars.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"start": 1, "payload": {"n": 1}, **line}) + "\n" for line in lines))
    stream = StreamDefinition(fields={"n": "long"}, lanes=["a", "b"])
    return input_adapter("rows", {"path": "cars.jsonl"}, stream, root / "files", root / "journal")


CAME = [
    {"lane": "a", "batch": 0, "arrival": 5},
    {"lane": "b", "batch": 0, "arrival": 6},
    {"lane": "a", "batch": 2, "arrival": 20},
]


@pytest.mark.parametrize(
    ("place", "begins"),
    [
        ("now", {"a": 3, "b": 3}),
        (at(5), {"a": 0, "b": 0}),
        (at(7), {"a": 2, "b": 2}),
        (at(21), {"a": 3, "b": 3}),
        (positions(a=1), {"a": 1, "b": 0}),
    ],
)
def test_a_transcript_starts_with_a_micro_batch(tmp_path: Path, place: SoughtBegin, begins: dict[str, int]) -> None:
    assert begun(transcript(tmp_path, *CAME), place) == (begins, any(begins.values()))
    longer = transcript(tmp_path, *CAME, {"lane": "a", "batch": 9, "arrival": 30})
    assert begun(longer, place)[0] == begins, "a repeated plan starts at the same place"


def test_a_transcript_reports_its_contents_in_micro_batches(tmp_path: Path) -> None:
    first, second = held(transcript(tmp_path, *CAME), since=7)
    assert (first.unit, first.end, first.at_time, first.rows, first.rows_since) == ("batch", 3, 2, 2, 1)
    assert (first.from_at, first.until_at, second.rows, second.rows_since) == (5, 20, 1, 0)


@pytest.mark.parametrize("lines", [[{}], [CAME[0], {"batch": 1}], [CAME[2], {**CAME[0], "batch": 2}]])
def test_a_transcript_without_arrivals_starts_at_no_time(tmp_path: Path, lines: list[dict[str, Any]]) -> None:
    source = transcript(tmp_path, *lines)
    assert held(source, since=7)[0].at_time is None
    with pytest.raises(AdapterError, match=r"Not every row .* Start at a micro-batch"):
        begun(source, at(5))
    assert begun(source, positions(a=1))[0]["a"] == 1


def test_a_generator_reports_the_due_rows(tmp_path: Path) -> None:
    first, second = held(generator(tmp_path, started_at=0, lanes=2, rate=2), since=99 * S)
    assert (first.earliest, first.end, first.at_time, first.rows, first.rows_since) == (0, 100, 99, 100, 1)
    assert (second.end, second.from_at) == (100, 0)
    assert held(generator(tmp_path, started_at=0, total_rows=3))[0].rows == 2


def test_a_generator_that_starts_now_reports_the_rows_due_since_a_time(tmp_path: Path) -> None:
    assert [lane.rows for lane in held(generator(tmp_path))] == [None, None]
    assert [lane.rows_since for lane in held(generator(tmp_path), since=90 * S)] == [10, 10]
    assert begun(generator(tmp_path), at(90 * S))[0] == {"0": 0, "1": 0}
    assert generator(tmp_path).latest({}, now=100 * S, limit_rows=1_000) == {"0": 10, "1": 10}
