"""The `rows` adapter: transcript rows, divided by their batch numbers."""

import json
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.registry import input_adapter
from streaming.adapters.rows.adapter import MOST_BYTES
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Cti, Shape, interval, point
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element, MalformedRow

POINTS = StreamDefinition(fields={"k": "string"})
LANES = StreamDefinition(fields={}, lanes=["a", "b"])


def adapter(tmp_path: Path, lines: list[Any], stream: StreamDefinition = POINTS) -> InputAdapter:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (tmp_path / "rows.jsonl").write_text("\n".join(texts) + "\n")
    return input_adapter("rows", {"path": "rows.jsonl"}, stream, tmp_path)


def batches(rows: InputAdapter) -> list[dict[str, list[Element]]]:
    """The rows of each micro-batch and lane, until the input has ended."""
    found = []
    reached = dict.fromkeys(rows.lanes(), 0)
    while not rows.finished(reached):
        further = rows.latest(reached, now=0, limit_rows=1)
        found.append(
            {
                lane: [e for chunk in rows.read(lane, reached[lane], further[lane]) for e in elements(chunk)]
                for lane in rows.lanes()
            }
        )
        reached = dict(further)
    return found


def test_rows_are_divided_by_their_batch_numbers(tmp_path: Path) -> None:
    lines = [{"start": 1, "batch": 0}, {"start": 2, "batch": 0}, {"start": 3, "batch": 2}]
    assert batches(adapter(tmp_path, lines, StreamDefinition(fields={}))) == [
        {"0": [point(1), point(2)]},
        {"0": []},
        {"0": [point(3)]},
    ]


def test_a_later_span_can_be_read_alone_and_counts_its_rows_from_the_beginning(tmp_path: Path) -> None:
    rows = adapter(tmp_path, [{"start": 1, "batch": 0}, {"start": 2, "batch": 1}, {"start": 3, "batch": 1}])
    (chunk,) = rows.read("0", 1, 2)
    assert (chunk.start.tolist(), chunk.positions.tolist()) == ([2, 3], [1, 2])


def test_every_lane_has_its_own_rows_and_an_unlisted_one_is_a_bad_row_of_the_first(tmp_path: Path) -> None:
    lines = [
        {"start": 1, "lane": "b", "batch": 0},
        {"start": 2, "lane": "c", "batch": 0},
        {"start": 3, "batch": 0},
        {"start": 4, "lane": ["a"], "batch": 0},
    ]
    bad = MalformedRow(Reason.BAD_ROW)
    assert batches(adapter(tmp_path, lines, LANES)) == [{"a": [bad, point(3), bad], "b": [point(1)]}]


def test_ctis_bounds_and_lifetimes(tmp_path: Path) -> None:
    stream = StreamDefinition(shape=Shape.INTERVAL, fields={})
    lines = [
        {"cti": 5},
        {"cti": 5, "strict": True},
        {"cti": None},
        {"cti": "x"},
        {"start": 1, "end": None},
        {"start": 1, "end": 4},
        {"start": 4, "end": 4},
        {"start": 4},
    ]
    assert batches(adapter(tmp_path, lines, stream)) == [
        {
            "0": [
                Cti(5),
                Cti(6),
                Cti(INFINITY),
                MalformedRow(Reason.BAD_CTI),
                interval(1, INFINITY),
                interval(1, 4),
                MalformedRow(Reason.BAD_LIFETIME),
                MalformedRow(Reason.BAD_TIME),
            ]
        }
    ]


def test_malformed_rows_keep_their_raw_text(tmp_path: Path) -> None:
    lines = [{"bad": "1;2;"}, "{not json", {"start": 1, "payload": {"k": 5}}, {"start": 1, "batch": -1}, "[1]"]
    rows = adapter(tmp_path, lines)
    (chunk,) = rows.read("0", 0, 1)
    assert list(chunk.malformed.values()) == [
        Reason.BAD_ROW,
        Reason.BAD_ROW,
        Reason.BAD_PAYLOAD,
        Reason.BAD_ROW,
        Reason.BAD_ROW,
    ]
    assert chunk.raw([0, 1, 4]) == ["1;2;", "{not json", "[1]"]


def test_arrival_comes_from_the_row_else_from_the_previous_heartbeat(tmp_path: Path) -> None:
    lines = [{"start": 1}, {"heartbeat": 100}, {"start": 2}, {"start": 3, "arrival": 150}]
    (chunk,) = adapter(tmp_path, lines).read("0", 0, 1)
    assert chunk.arrival is not None
    assert chunk.arrival.tolist() == [NO_CTI, 100, 150]


def test_without_heartbeats_no_arrival_is_known(tmp_path: Path) -> None:
    (chunk,) = adapter(tmp_path, [{"start": 1}]).read("0", 0, 1)
    assert chunk.arrival is None


def test_an_empty_file_has_ended(tmp_path: Path) -> None:
    assert batches(adapter(tmp_path, [])) == []


@pytest.mark.parametrize(("path", "message"), [("absent.jsonl", "can't be read"), ("../x", "outside the folder")])
def test_an_unreadable_file_is_an_error(tmp_path: Path, path: str, message: str) -> None:
    rows = input_adapter("rows", {"path": path}, POINTS, tmp_path)
    with pytest.raises(AdapterError, match=message):
        rows.finished({"0": 0})


def test_a_file_too_large_for_memory_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "large.jsonl").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    rows = input_adapter("rows", {"path": "large.jsonl"}, POINTS, tmp_path)
    with pytest.raises(AdapterError, match="larger than 16 MiB"):
        rows.finished({"0": 0})
