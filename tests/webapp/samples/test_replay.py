"""Changes if rows of a quarantine had been on time: compared with a count by hand, and the limits of a replay."""

import json
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from streaming.resume.lane_positions import LaneState
from streaming.resume.restart_points import (
    InputState,
    OutputState,
    RestartPoint,
    beginning_path,
    concealed_spec,
    facts_of,
    points_path,
)
from streaming.storage.results import Commit
from streaming.temporal.ticks import parse_instant
from streaming.wire.messages import LateEvent
from tests.webapp.conftest import Person
from tests.webapp.scene import Scene
from tests.wire.written import write_commit, write_part

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
WINDOW_S = 10
Counts = Counter[tuple[int, str]]


def ticks(second: int) -> int:
    return parse_instant((BEGIN + timedelta(seconds=second)).isoformat())


def line(second: int, plate: str, speed: float = 130.0) -> str:
    at = (BEGIN + timedelta(seconds=second)).isoformat().replace("+00:00", "Z")
    return json.dumps({"at": at, "plate": plate, "speed": speed})


ROWS = [(second * 7 % 60, "AB 1" if second % 3 else "CD 2") for second in range(40)]
"""Second of its start and plate of each row, in order of arrival."""
LATE = {5, 11, 12, 30, 38}
"""Return the rows that the run found late, and dropped."""
BROKEN, SLOW = 20, 12
"""One that could not be read, and, among the late ones, one that the query's filter takes out."""


def lines() -> list[str]:
    written = [line(second, plate, 90.0 if at == SLOW else 130.0) for at, (second, plate) in enumerate(ROWS)]
    written[BROKEN] = "{broken"
    return written


def counts(places: set[int]) -> Counts:
    """By hand: fast rows by window and plate."""
    return Counter((ROWS[at][0] // WINDOW_S, ROWS[at][1]) for at in places if at != SLOW)


@dataclass
class Stage:
    scene: Scene
    data: Path

    def request_replay(self, **more: Any) -> Any:
        return self.scene.person.post("samples/replay/", {"binding": self.scene.binding["id"], **more})

    def replay_answer(self, **more: Any) -> dict[str, Any]:
        answer = self.request_replay(**more)
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    def keep(self, batch: int, read: int, reach: int | None = None) -> None:
        """A restart point as the runner leaves it."""
        spec = concealed_spec(self.scene.run.read_spec())
        facts = facts_of(spec)
        lanes = {"0": LaneState(at=read, reach=reach, clock=None)}
        outputs = {
            name: OutputState(cti=ticks(30), until=ticks(30), sameness=each.sameness, forgets=False, hop=None)
            for name, each in facts.releases.items()
        }
        inputs = {"cars": InputState(source=facts.sources["cars"], clock=facts.clocks["cars"], lanes=lanes)}
        point = RestartPoint(
            batch=batch, run=spec.run, shape=facts.shape, flushed=False, inputs=inputs, outputs=outputs
        )
        path = self.data / self.scene.organisation / points_path(spec.binding) / f"{batch}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(point.model_dump_json())


def quarantined(at: int) -> LateEvent:
    broken = at == BROKEN
    start = None if broken else ticks(ROWS[at][0])
    return LateEvent(
        input="cars",
        lane="0",
        position=at,
        start=start,
        end=None if start is None else start + 1,
        cti=None if start is None else start + 1,
        outcome="malformed" if broken else "dropped_late",
        reason="bad_row" if broken else "before_cti",
        policy="drop",
        moved_by=None,
        raw=lines()[at],
    )


@pytest.fixture
def stage(scene: Scene, settings: LazySettings) -> Stage:
    data = settings.PUNCTUAL_DATA
    (data / scene.organisation / "files" / "cars.jsonl").write_text("\n".join(lines()) + "\n")
    folder = data / scene.organisation / "results" / scene.binding["id"]
    for batch, span in enumerate((range(20), range(20, 40))):
        rows = [quarantined(at) for at in sorted({*LATE, BROKEN}) if at in span]
        totals = {"run": str(scene.run.pk)}
        write_commit(folder, Commit(batch=batch, parts=[write_part(folder, "late", batch, 0, rows)], totals=totals))
    made = Stage(scene, data)
    made.keep(0, 20, ticks(60))
    made.keep(1, 40, ticks(60))
    return made


def by_window(rows: list[dict[str, Any]]) -> dict[tuple[int, str], tuple[str, int | None, int | None]]:
    """Return by window and plate: the mark, the present count, and the count that would be."""
    found = {}
    for row in rows:
        key = ((row["start"] - ticks(0)) // (WINDOW_S * 1_000_000), row["payload"]["plate"])
        reported = row["payload"]["n"]
        was = row["today_payload"]["n"] if row["mark"] == "changed" else reported if row["mark"] == "missing" else None
        found[key] = (row["mark"], was, None if row["mark"] == "missing" else reported)
    return found


def expected(before: Counts, after: Counts) -> dict[tuple[int, str], tuple[str, int | None, int | None]]:
    return {
        key: ("changed" if before[key] else "only_here", before[key] or None, after[key])
        for key in after
        if before[key] != after[key]
    }


def test_all_late_rows_change_what_a_count_by_hand_says(stage: Stage) -> None:
    answer = stage.replay_answer(outcome="dropped_late")
    every = set(range(len(ROWS))) - {BROKEN}
    before, after = counts(every - LATE), counts(every)
    assert by_window(answer["rows"]) == expected(before, after)
    assert (answer["chosen"], answer["counted"], answer["read_again"]) == (5, 4, 40)
    [slow] = answer["not_counted"]
    assert slow["position"] == SLOW
    assert "'fast'" in slow["why"]
    assert answer["marks"]["same"] == len(before) - answer["marks"]["changed"]
    assert answer["whole_from"] == {}
    assert {row["final"] for row in answer["rows"] if row["end"] <= ticks(30)} == {True}
    assert {row["final"] for row in answer["rows"] if row["end"] > ticks(30)} == {False}


def ids_of(stage: Stage) -> dict[int, str]:
    page = stage.scene.person.get(f"runs/{stage.scene.run.pk}/quarantine/").json()
    return {row["position"]: row["id"] for row in page["rows"]}


def test_single_rows_are_chosen_and_a_malformed_one_is_corrected(stage: Stage) -> None:
    ids = ids_of(stage)
    every = set(range(len(ROWS))) - {BROKEN}
    before = counts(every - LATE)
    one = stage.replay_answer(ids=[ids[30]])
    assert by_window(one["rows"]) == expected(before, counts(every - LATE | {30}))
    as_it_came = stage.replay_answer(ids=[ids[BROKEN]])
    assert (as_it_came["rows"], as_it_came["counted"]) == ([], 0)
    assert as_it_came["not_counted"][0]["why"] == "it is malformed (bad_row)."
    mended = {"id": ids[BROKEN], "start": "2026-01-01T00:02:05Z", "payload": '{"plate": "EF 3", "speed": 200.5}'}
    answer = stage.replay_answer(ids=[ids[BROKEN]], mended=[mended])
    assert by_window(answer["rows"]) == {(12, "EF 3"): ("only_here", None, 1)}
    wrong = stage.replay_answer(ids=[ids[BROKEN]], mended=[{**mended, "payload": '{"plate": 3, "speed": 1.5}'}])
    assert wrong["not_counted"][0]["why"].startswith("plate: ")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"payload": '{"plate": "EF 3", "speed": "fast"}'}, "speed: "),
        ({"payload": "[]"}, "Its values are not a JSON object."),
        ({"start": "05.03.2024 10:00"}, "Start: "),
        ({"end": "tomorrow"}, "End: "),
    ],
)
def test_an_unreadable_corrected_row_names_its_field(stage: Stage, change: dict[str, str], named: str) -> None:
    broken = ids_of(stage)[BROKEN]
    mended = {"id": broken, "start": "2026-01-01T00:02:05Z", "payload": '{"plate": "EF 3", "speed": 200.5}'}
    answer = stage.replay_answer(ids=[broken], mended=[{**mended, **change}])
    assert (answer["counted"], answer["rows"]) == (0, [])
    assert answer["not_counted"][0]["why"].startswith(named), answer["not_counted"]


def test_what_was_read_before_is_not_guessed(stage: Stage) -> None:
    """Only the second batch is read again: windows before its reach may have rows of the first."""
    answer = stage.replay_answer(outcome="dropped_late", most_rows=20)
    assert answer["read_again"] == 20
    assert answer["whole_from"] == {"out": ticks(60)}
    assert {row["whole"] for row in answer["rows"]} == {False}
    assert all(set(row["payload"]) == {"plate"} for row in answer["rows"])
    assert answer["counted"] == 4
    refused = stage.request_replay(most_rows=5)
    assert (refused.status_code, refused.json()["faults"][0]["code"]) == (422, "empty_sample")


def test_a_replay_never_goes_back_further_than_a_fresh_start(stage: Stage) -> None:
    began = stage.data / stage.scene.organisation / beginning_path(stage.scene.binding["id"], str(stage.scene.run.pk))
    began.parent.mkdir(parents=True)
    began.write_text("{}")
    assert stage.replay_answer()["read_again"] == 20


def test_a_changed_input_is_reported(stage: Stage) -> None:
    changed = lines()
    changed[5] = line(59, "AB 1")
    (stage.data / stage.scene.organisation / "files" / "cars.jsonl").write_text("\n".join(changed) + "\n")
    refused = stage.request_replay()
    assert refused.status_code == 422
    assert "has other rows than the binding has read: row 5 of lane 0" in refused.json()["faults"][0]["message"]


def test_nothing_is_written(stage: Stage) -> None:
    before = {path: path.stat().st_mtime_ns for path in stage.data.rglob("*")}
    stage.replay_answer()
    assert {path: path.stat().st_mtime_ns for path in stage.data.rglob("*")} == before


def test_another_organisation_learns_nothing(stage: Stage, charlie: Person) -> None:
    assert charlie.post("samples/replay/", {"binding": stage.scene.binding["id"]}).status_code == 404


def test_a_binding_that_has_read_nothing_says_so(scene: Scene) -> None:
    refused = scene.person.post("samples/replay/", {"binding": scene.binding["id"]})
    assert (refused.status_code, refused.json()["faults"][0]["code"]) == (422, "empty_sample")
