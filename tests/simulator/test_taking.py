"""Rows of adapters and of quarantine, and generated rows, as rows of a sample."""

from typing import Any

import pytest

from streaming.adapters.preview import SampleRow as PreviewRow
from streaming.definition.streams.stream import StreamDefinition
from streaming.simulator.samples.capturing import of_adapter, of_quarantine
from streaming.simulator.samples.generating import generated
from streaming.simulator.samples.sample import SampleRow
from streaming.temporal.events import Cti, edge_end, edge_start, interval
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.messages import LateEvent
from streaming.wire.rows.row_json import MalformedRow

FIELDS = {"k": "string", "v": "decimal(5,2)"}


def stream(shape: str = "interval", **more: Any) -> StreamDefinition:
    return StreamDefinition.model_validate({"shape": shape, "fields": FIELDS, **more})


def test_rows_of_an_adapter_have_the_form_of_transcripts() -> None:
    elements = [interval(1, 5, {"k": "a", "v": None}), Cti(Tick(3)), Cti(INFINITY), MalformedRow(Reason.BAD_ROW)]
    rows = [PreviewRow("0", place, element, "{", None) for place, element in enumerate(elements)]
    found = of_adapter("s", stream(), rows)
    assert found.rows == [
        {"stream": "s", "start": 1, "end": 5, "payload": {"k": "a", "v": None}},
        {"stream": "s", "cti": 3},
        {"stream": "s", "cti": None},
        {"stream": "s", "bad": "{"},
    ]
    assert [(note.row, note.message) for note in found.notes] == [(4, "It cannot be read (bad_row).")]


def test_edges_lanes_and_arrivals_are_kept() -> None:
    rows = [PreviewRow("b", 0, edge_start(1, {"k": "a"}), "", Tick(7)), PreviewRow("b", 1, edge_end(1, 4, {}), "")]
    assert of_adapter("s", stream("edge", lanes=["a", "b"]), rows).rows == [
        {"stream": "s", "lane": "b", "arrival": 7, "start": 1, "edge": "start", "payload": {"k": "a", "v": None}},
        {"stream": "s", "lane": "b", "start": 1, "edge": "end", "end": 4, "payload": {"k": None, "v": None}},
    ]


def late(raw: str, start: int | None = 4, node: str = "cars") -> LateEvent:
    return LateEvent(
        input=node, lane="0", position=0, start=start, end=6, cti=9, outcome="dropped_late", reason="before_cti",
        policy="drop", moved_by=None, raw=raw,
    )  # fmt: skip


def test_rows_of_quarantine_are_as_received() -> None:
    rows = [late('{"k": "a", "v": 1.5, "ts": 4}'), late('{"payload": {"k": "b"}}'), late("a,1"), late("{", None)]
    found = of_quarantine({"cars": ("s", stream())}, [*rows, late("{}", node="gone")])
    assert found.rows == [
        {"stream": "s", "start": 4, "end": 6, "payload": {"k": "a", "v": 1.5}},
        {"stream": "s", "start": 4, "end": 6, "payload": {"k": "b"}},
        {"stream": "s", "bad": "a,1"},
        {"stream": "s", "bad": "{"},
    ]
    assert [note.row for note in found.notes] == [3, 4, None]
    assert found.notes[-1].message == "Left out: 1 row of inputs that the query no longer has."


@pytest.mark.parametrize("shape", ["point", "interval", "edge"])
def test_generated_rows_fit_the_stream_and_are_repeatable(shape: str) -> None:
    dials = {"rate": 1.0, "late_share": 0.5, "late_mean": "5s", "late_max": "20s", "seed": 7}
    one, two = (generated("s", stream(shape), dials, 40) for _ in range(2))
    assert one == two
    assert len(one.rows) == 40
    rows = [SampleRow.model_validate(row) for row in one.rows]
    assert all(set(row.payload) == set(FIELDS) for row in rows)
    starts = [row.start for row in rows]
    assert starts != sorted(starts)
    assert generated("s", stream(shape), {**dials, "seed": 8}, 40) != one
    on_time = generated("s", stream(shape), {**dials, "late_share": 0.0}, 40)
    begun = [row["start"] for row in on_time.rows if row.get("edge") != "end"]
    assert begun == sorted(begun)
