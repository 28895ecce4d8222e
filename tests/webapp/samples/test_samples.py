"""Samples over the API: from an adapter, a text, the generator, and a binding's quarantine."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from streaming.adapters.preview import SampleRow
from streaming.resume.lane_positions import LaneState
from streaming.resume.restart_points import InputState, RestartPoint, points_path
from streaming.storage.results import Commit
from streaming.temporal.events import Event
from streaming.temporal.ticks import Tick
from streaming.wire.messages import LateEvent
from tests.simulator.picture import STREAM
from tests.webapp.conftest import Person
from tests.wire.written import write_commit, write_part
from webapp.samples.bodies import LONGEST_TEXT
from webapp.samples.reading_again import merged


def test_the_first_rows_of_a_stream_are_taken(bob: Person, cars: dict[str, Any]) -> None:
    answer = bob.post("samples/stream/", {"stream": "cars"}).json()
    assert answer["rows"] == [
        {"stream": "cars", "start": 1_767_225_600_000_000, "payload": {"plate": "AB 1", "speed": 130.5}},
        {"stream": "cars", "bad": "{broken"},
        {"stream": "cars", "start": 1_767_225_601_000_000, "payload": {"plate": "CD 2", "speed": 90.0}},
    ]
    assert [note["row"] for note in answer["notes"]] == [2]


def test_a_taken_sample_is_simulated_as_it_is(bob: Person, cars: dict[str, Any]) -> None:
    rows = bob.post("samples/stream/", {"stream": "cars"}).json()["rows"]
    text = "INSERT INTO out SELECT STREAM * FROM cars;"
    answer = bob.post("queries/simulate/", {"text": text, "sample": {"rows": rows}}).json()
    assert [row["outcome"] for row in answer["rows"]] == ["on_time", "malformed", "on_time"]


def test_a_text_is_read_for_a_self_contained_stream(bob: Person) -> None:
    body = {"stream": "s", "definition": STREAM, "text": "k,from,until\na,1700000000,1700000005\n"}
    answer = bob.post("samples/text/", body).json()
    assert answer["rows"] == [
        {"stream": "s", "start": 1_700_000_000_000_000, "end": 1_700_000_005_000_000, "payload": {"k": "a"}}
    ]


@pytest.mark.parametrize("path", ["samples/text/", "samples/generated/"])
def test_a_stream_with_an_invalid_type_is_refused_with_its_field(bob: Person, path: str) -> None:
    body = {"stream": "s", "definition": STREAM | {"fields": {"k": "strng"}}}
    answered = bob.post(path, body | ({"text": "k,from,until\n"} if "text" in path else {"rows": 3}))
    assert answered.status_code == 422
    [found] = answered.json()["faults"]
    assert (found["field"], found["message"][:28]) == ("definition.fields.k", "'strng' is not a type: expec")


def test_made_up_rows_are_many_as_asked(bob: Person) -> None:
    answer = bob.post("samples/generated/", {"stream": "s", "definition": STREAM, "rows": 30}).json()
    assert len(answer["rows"]) == 30


def test_quarantine_is_taken_oldest_first(alice: Person, bob: Person, binding: dict[str, Any], tmp_path: Path) -> None:
    folder = tmp_path / str(alice.organisation.pk) / "results" / binding["id"]
    rows = [
        LateEvent(
            input="cars", lane="0", position=number, start=number, end=number + 1, cti=9, outcome="dropped_late",
            reason="before_cti", policy="drop", moved_by=None, raw=f'{{"plate": "{number}", "speed": 1.0}}',
        )
        for number in range(5)
    ]  # fmt: skip
    parts = [write_part(folder, "late", 0, 0, rows)]
    write_commit(folder, Commit(batch=0, parts=parts, totals={}))
    answer = bob.post("samples/quarantine/", {"binding": binding["id"], "rows": 3}).json()
    assert [row["payload"]["plate"] for row in answer["rows"]] == ["2", "3", "4"]
    body = {"binding": binding["id"], "outcome": "malformed"}
    assert bob.post("samples/quarantine/", body).json()["rows"] == []


def test_nothing_of_another_organisation_is_taken(
    charlie: Person, binding: dict[str, Any], cars: dict[str, Any]
) -> None:
    assert charlie.post("samples/quarantine/", {"binding": binding["id"]}).status_code == 404
    assert charlie.post("samples/quarantine/", {"binding": str(uuid4())}).status_code == 404
    assert charlie.post("samples/stream/", {"stream": "cars"}).json()["faults"][0]["code"] == "unknown_stream"
    assert charlie.post("samples/text/", {"stream": "cars", "text": "a\n"}).status_code == 422


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("text", {"text": "x" * (LONGEST_TEXT + 1)}),
        ("generated", {"rows": 5_001}),
        ("generated", {"late_mean": "soon"}),
        ("generated", {"late_share": 2}),
    ],
)
def test_what_is_too_much_or_wrong_is_refused(bob: Person, path: str, body: dict[str, Any]) -> None:
    answered = bob.post(f"samples/{path}/", {"stream": "s", "definition": STREAM, **body})
    assert answered.status_code == 422
    assert answered.json()["faults"]


def point_at(read: int) -> RestartPoint:
    """Return the stored data of a binding that has read that many rows of `cars`."""
    lane = LaneState(at=read, reach=None, clock=None)
    inputs = {"cars": InputState(source="s", clock="c", lanes={"0": lane})}
    return RestartPoint(batch=1, run="r", shape="x", flushed=False, inputs=inputs, outputs={})


def test_the_last_rows_that_a_binding_has_read_are_read_again(
    alice: Person, bob: Person, binding: dict[str, Any], tmp_path: Path
) -> None:
    refused = bob.post("samples/running/", {"binding": binding["id"]})
    assert (refused.status_code, refused.json()["faults"][0]["code"]) == (422, "empty_sample")
    folder = tmp_path / str(alice.organisation.pk) / points_path(binding["id"])
    folder.mkdir(parents=True)
    (folder / "1.json").write_text(point_at(2).model_dump_json())
    answer = bob.post("samples/running/", {"binding": binding["id"]}).json()
    assert [row.get("bad") or row["payload"]["plate"] for row in answer["rows"]] == ["AB 1", "{broken"]
    last = bob.post("samples/running/", {"binding": binding["id"], "rows": 1}).json()
    assert [row.get("bad") for row in last["rows"]] == ["{broken"]
    (folder / "2.json").write_text(point_at(3).model_copy(update={"batch": 2}).model_dump_json())
    assert len(bob.post("samples/running/", {"binding": binding["id"]}).json()["rows"]) == 3


def test_rows_of_another_organisations_binding_are_not_read_again(charlie: Person, binding: dict[str, Any]) -> None:
    assert charlie.post("samples/running/", {"binding": binding["id"]}).status_code == 404


def lane(name: str, *moments: tuple[int | None, int]) -> list[tuple[SampleRow, dict[str, Any]]]:
    """Rows of a lane, each by arrival and start."""
    rows = [
        SampleRow(name, at, Event(Tick(start), Tick(start + 1), {}), "", None if arrival is None else Tick(arrival))
        for at, (arrival, start) in enumerate(moments)
    ]
    return [(row, {"lane": name, "at": row.position}) for row in rows]


def test_lanes_are_merged_by_arrival_and_keep_their_own_order() -> None:
    first, second = lane("a", (10, 9), (30, 1)), lane("b", (20, 8), (20, 50))
    assert [row["lane"] for _, row in merged([first, second])] == ["a", "b", "b", "a"]
    timeless = lane("a", (None, 5), (None, 2), (None, 9)), lane("b", (None, 4), (None, 6))
    entries = [(row["lane"], row["at"]) for _, row in merged(timeless)]
    assert entries == [("b", 0), ("a", 0), ("a", 1), ("b", 1), ("a", 2)]
