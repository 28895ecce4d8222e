"""Why a row of a live run is so: rows, batch and CTI by hand, over the files that a runner's batches left."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from streaming.spark.query.control import AddBinding
from streaming.wire.binding_homes import CARRIERS, home_of
from tests.spark.loop import Loop
from tests.webapp.conftest import Person
from tests.webapp.samples.test_replay import line, ticks
from tests.webapp.scene import Scene

ROWS = [
    (1, "AB 1"), (2, "CD 2"), (4, "AB 1"), (9, "AB 1"), (3, "AB 1"), (12, "CD 2"),
    (16, "AB 1"), (5, "AB 1"), (18, "CD 2"), (26, "AB 1"), (11, "CD 2"), (27, "CD 2"),
]  # fmt: skip
"""Second and plate of each row in order of arrival; the CTI is 5 s below the latest start.

Row 4 (3 s) meets the CTI 4 s, and row 7 (5 s) the CTI 11 s: both are late. Row 6 (16 s) brings the CTI 11 s and closes
the first window, row 9 (26 s) the second; row 10 (11 s) then meets the CTI 21 s.
"""
A_BATCH = 4


@dataclass
class Stage:
    scene: Scene
    data: Path

    def results(self) -> dict[tuple[int, str], str]:
        """By window and plate the id of each row that was given."""
        rows = self.scene.person.get(f"runs/{self.scene.run.pk}/results/").json()["rows"]
        return {((row["start"] - ticks(0)) // 10_000_000, row["payload"]["plate"]): row["id"] for row in rows}

    def why(self, **asked: Any) -> dict[str, Any]:
        answer = self.scene.person.post("samples/why/", {"binding": self.scene.binding["id"], **asked})
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    def of(self, window: int, plate: str) -> dict[str, Any]:
        return self.why(result=self.results()[window, plate])

    def none_at(self, second: int, **key: str) -> dict[str, Any]:
        return self.why(place={"output": "out", "at": ticks(second), "key": key})


def looped(scene: Scene, data: Path, batch_rows: int = A_BATCH) -> Loop:
    """Return a carrier for the scene's run over `ROWS` that has not started."""
    home = data / scene.organisation
    text = "\n".join(line(second, plate) for second, plate in ROWS)
    (home / "files" / "cars.jsonl").write_text(text + "\n")
    place = str(home / CARRIERS / home_of(home, scene.binding["id"]))
    loop = Loop(home, place, files=str(home / "files"), batch_rows=batch_rows)
    carried(loop, scene)
    return loop


def carried(loop: Loop, scene: Scene) -> None:
    """Let the loop carry the scene's run."""
    command = AddBinding(kind="add", tick=0, spec=scene.run.read_spec(), bucket_ids=[0], lanes={}, at_end="nothing")
    loop.carrier.control.append(command)


@pytest.fixture
def stage(scene: Scene, settings: LazySettings) -> Stage:
    looped(scene, settings.PUNCTUAL_DATA).run()
    return Stage(scene, settings.PUNCTUAL_DATA)


def positions(answer: dict[str, Any]) -> list[int]:
    return [row["position"] for row in answer["rows"]]


def why_of(answer: dict[str, Any], position: int) -> list[str]:
    [row] = [row for row in answer["rows"] if row["position"] == position]
    found: list[str] = row["why"]
    return found


def test_a_row_shows_its_rows_its_batch_and_the_cti_that_emitted_it(stage: Stage) -> None:
    answer = stage.of(0, "AB 1")
    trace, made = answer["trace"], answer["made"]
    assert (answer["row"]["payload"], answer["run"], answer["unread"]) == (
        {"plate": "AB 1", "n": 3},
        str(stage.scene.run.pk),
        None,
    )
    assert (made["batch"], made["inputs"]) == (
        2, [{"input": "cars", "before": ticks(4), "after": ticks(11), "ended": False}]
    )  # fmt: skip
    assert (trace["same"], positions(trace["made_of"]), positions(trace["missed"])) == (True, [0, 2, 3], [4, 7])
    assert "It came out with the CTI 00:00:11 set by row 6 of lane '0' (00:00:16 minus 5 s) of 'cars'." in trace["why"]
    assert why_of(trace["missed"], 4) == [
        "Dropped: 00:00:03 is before the CTI 00:00:04 set by row 3 of lane '0' (00:00:09 minus 5 s).",
        "Kept if the delay is at least 6 s.",
    ]
    other = stage.of(1, "CD 2")["trace"]
    assert (positions(other["made_of"]), positions(other["missed"])) == ([5, 8], [10])


def test_a_row_that_is_not_there_is_held_by_a_cti_or_was_dropped_or_never_came(stage: Stage) -> None:
    held = stage.none_at(22, plate="AB 1")["place"]
    [row] = held["standing"]
    assert (row["given"], row["payload"]) == (False, {"plate": "AB 1", "n": 1})
    assert row["why"] == [
        "It closes when the CTI reaches 00:00:30.",
        "The CTI of 'cars' is at 00:00:22.",
        "A row of 'cars' that starts at 00:00:35 or later would bring it.",
    ]
    given = stage.none_at(5, plate="AB 1")["place"]
    assert [row["given"] for row in given["standing"]] == [True]
    assert positions(given["missed"]) == [4, 7]
    never = stage.none_at(45)["place"]
    assert never["why"] == [
        "No row that was read again lives at 00:00:45, so 'out' has none.",
        "The latest start of 'cars' so far is 00:00:27.",
    ]


def test_what_cannot_be_read_again_says_so_with_what_is_kept(stage: Stage) -> None:
    ids = stage.results()
    few = stage.why(result=ids[0, "AB 1"], most_rows=3)
    assert (few["trace"], few["row"]["payload"]["n"], few["made"]["batch"]) == (None, 3, 2)
    assert "no point where reading can start is both within 3 rows" in few["unread"]
    (stage.data / stage.scene.organisation / "files" / "cars.jsonl").unlink()
    answer = stage.why(result=ids[0, "AB 1"])
    assert (answer["trace"], answer["row"]["payload"]["n"], answer["made"]["inputs"][0]["after"]) == (
        None,
        3,
        ticks(11),
    )
    assert "'cars.jsonl' can't be read" in answer["unread"]


def test_what_is_asked_must_be_there(stage: Stage, charlie: Person) -> None:
    def refused(**asked: Any) -> list[str]:
        answer = stage.scene.person.post("samples/why/", {"binding": stage.scene.binding["id"], **asked})
        assert answer.status_code == 422
        return [each["code"] for each in answer.json()["faults"]]

    assert refused(result="99-0-0") == ["empty_sample"]
    assert refused(place={"output": "outt", "at": 0}) == ["unknown_node"]
    assert refused(place={"output": "out", "at": 0, "key": {"colour": "red"}}) == ["unknown_field"]
    assert refused() == ["bad_shape"]
    row = next(iter(stage.results().values()))
    assert charlie.post("samples/why/", {"binding": stage.scene.binding["id"], "result": row}).status_code == 404
