"""Why a row is so of a run that began somewhere else than its inputs, of a renamed stream, and of many rows."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import LazySettings

from streaming.spark.query.control import AddBinding, StopBinding
from streaming.wire.beginning import BeginAt, BeginAtPositions
from tests.spark.loop import Loop
from tests.webapp.runs.starts.test_carrying_over import ended
from tests.webapp.samples.test_why import Stage, looped, positions
from tests.webapp.scene import Scene
from webapp.core.errors import TooMuchWork
from webapp.samples import read_back, why

BEGIN_AT = 4
"""The position at which the second run begins: four rows are not read again."""


def stopped(loop: Loop, scene: Scene) -> None:
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding=scene.binding["id"], flush=False))
    loop.batch()
    ended(scene)


def started(loop: Loop, scene: Scene, begin: BeginAt | None = None) -> None:
    """Start another run of the binding; `begin` is where its runner lets it begin."""
    answer = scene.person.post(f"bindings/{scene.binding['id']}/start/", {})
    assert answer.status_code == 201, answer.json()
    scene.run_id = answer.json()["id"]
    spec = scene.run.read_spec().model_copy(update={"begin": begin})
    loop.carrier.control.append(AddBinding(kind="add", tick=0, spec=spec, bucket_ids=[0], lanes={}, at_end="nothing"))


@pytest.fixture
def begun(scene: Scene, settings: LazySettings) -> tuple[Stage, Loop]:
    """A run of two batches, then one that began at a position of its own."""
    loop = looped(scene, settings.PUNCTUAL_DATA)
    loop.batch()
    loop.batch()
    stopped(loop, scene)
    started(loop, scene, BeginAtPositions(kind="positions", positions={"cars": {"0": BEGIN_AT}}))
    return Stage(scene, settings.PUNCTUAL_DATA), loop


def test_a_run_that_began_at_a_position_is_read_again_from_there(begun: tuple[Stage, Loop]) -> None:
    stage, loop = begun
    loop.run()
    answer = stage.of(1, "CD 2")
    assert (answer["unread"], answer["notes"]) == (None, [])
    assert (answer["trace"]["same"], positions(answer["trace"]["made_of"])) == (True, [5, 8])


def test_a_run_that_resumed_one_that_began_at_a_position_is_read_again_from_there(begun: tuple[Stage, Loop]) -> None:
    stage, loop = begun
    loop.batch()
    stopped(loop, stage.scene)
    started(loop, stage.scene)
    loop.run()
    answer = stage.of(1, "CD 2")
    assert (answer["unread"], answer["notes"]) == (None, [])
    assert (answer["trace"]["same"], positions(answer["trace"]["made_of"])) == (True, [5, 8])


def test_after_a_rename_of_stream_and_query_a_row_is_explained_as_before(scene: Scene, settings: LazySettings) -> None:
    loop = looped(scene, settings.PUNCTUAL_DATA)
    loop.run()
    stage = Stage(scene, settings.PUNCTUAL_DATA)
    row = stage.results()[0, "AB 1"]
    before = stage.why(result=row)
    [listed] = scene.person.get("streams/").json()
    stream = scene.person.get(f"streams/{listed['id']}/").json()
    answer = scene.person.put(
        f"streams/{stream['id']}/", {**{n: stream[n] for n in ("definition", "adapter")}, "name": "autos"}
    )
    assert answer.status_code == 200, answer.content
    assert stage.of(0, "AB 1") == before
    stopped(loop, scene)
    started(loop, scene)
    loop.run()
    after = stage.why(result=row)
    assert (after["unread"], after["trace"]) == (None, before["trace"])


MANY = 24_000


@pytest.fixture
def many(scene: Scene, settings: LazySettings) -> Stage:
    """A run over more rows than a replay reads: two plates every millisecond, for 12 s; the CTI is 5 s behind."""
    loop = looped(scene, settings.PUNCTUAL_DATA, batch_rows=4_000)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [
        {"at": (at + timedelta(milliseconds=each // 2)).isoformat(), "plate": "AB 1", "speed": 130.0}
        for each in range(MANY)
    ]
    late = {"at": at.isoformat(), "plate": "AB 1", "speed": 130.0}
    last = {"at": (at + timedelta(seconds=31)).isoformat(), "plate": "CD 2", "speed": 130.0}
    lines = [json.dumps(row) for row in [*rows, last, late, last]]
    (settings.PUNCTUAL_DATA / scene.organisation / "files" / "cars.jsonl").write_text("\n".join(lines) + "\n")
    loop.run()
    return Stage(scene, settings.PUNCTUAL_DATA)


def test_a_row_over_more_rows_than_a_replay_reads_is_explained(many: Stage) -> None:
    answer = many.of(1, "AB 1")
    assert (answer["unread"], answer["trace"]["same"], answer["row"]["payload"]["n"]) == (None, True, 4_000)
    made_of = answer["trace"]["made_of"]
    assert len(made_of["rows"]) + made_of["left_out"] == 4_000
    assert answer["read_again"] > 20_000


def test_of_more_rows_than_are_held_those_that_matter_are_enough(
    many: Stage, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    whole = many.of(1, "AB 1")["trace"]
    settings.IN_LIMITED_PROCESS = True  # so that the job sees the patch
    monkeypatch.setattr(read_back, "MOST_HELD", 1_000)
    answer = many.of(1, "AB 1")
    assert (answer["unread"], answer["trace"]["same"], answer["trace"]["made_of"]["left_out"]) == (
        None,
        True,
        whole["made_of"]["left_out"],
    )
    assert [note for note in answer["notes"] if note.startswith("More than ")] != []
    assert [row["position"] for row in answer["trace"]["made_of"]["rows"]] == positions(whole["made_of"])


def test_what_takes_too_long_is_answered_with_what_is_kept(many: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise TooMuchWork("This explanation takes more than 40 s of processor time. Ask about another row.")

    monkeypatch.setattr(why, "traced_row", refuse)
    answer = many.of(1, "AB 1")
    assert (answer["trace"], answer["row"]["payload"]["n"], answer["made"]["inputs"][0]["input"]) == (
        None,
        4_000,
        "cars",
    )
    assert answer["unread"].startswith("This explanation takes more than 40 s of processor time. The values, the batch")
