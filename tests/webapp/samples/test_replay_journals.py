"""Replays with rows in a runner's journal: of a table that is gone, and of another binding."""

from pathlib import Path
from typing import Any

import redis
from django.conf import LazySettings

from streaming.adapters.network.fetching import Reach
from streaming.adapters.registry import input_adapter
from streaming.storage.results import Commit
from streaming.wire.messages import LateEvent, ResultRow, RunSpec
from streaming.wire.outgoing import OutgoingPolicy
from tests.adapters.postgresql.tables import source_database
from tests.postgresql import PostgreSQL
from tests.webapp.conftest import Clock, Person, graph
from tests.webapp.runs.bindings.test_composed import reading
from tests.webapp.samples.test_replay import LATE, ROWS, SLOW, Stage, by_window, counts, expected, quarantined, ticks
from tests.webapp.scene import Recorded, Scene
from tests.wire.written import write_commit, write_part
from webapp.core.context import organisation_context
from webapp.runs.inputs.input_journals import journals_folder

LOCAL = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))
FIELDS = {"plate": "string", "speed": "double"}


def speed(at: int) -> float:
    return 90.0 if at == SLOW else 130.0


def bound(
    alice: Person, stream: dict[str, Any], connection: "redis.Redis", clock: Clock, where: str = "speed > 120"
) -> Scene:
    """A run, just requested, of a count over `stream`."""
    made = alice.post("streams/", {"name": "read", **stream})
    assert made.status_code == 201, made.content
    query = alice.post("queries/", {"graph": graph("counted", "read", where)})
    assert query.status_code == 201, query.content
    binding = alice.post("bindings/", {"name": "counting", "query_version": query.json()["current"]["id"]})
    assert binding.status_code == 201, binding.content
    started = alice.post(f"bindings/{binding.json()['id']}/start/")
    assert started.status_code == 201, started.content
    return Scene(alice, binding.json(), started.json()["id"], connection, Recorded(), clock)


def journal_of(scene: Scene) -> tuple[RunSpec, Path]:
    with organisation_context(scene.person.organisation.pk):
        spec = scene.run.read_spec()
        return spec, Path(journals_folder(spec), "cars")


def read(scene: Scene, data: Path, options: dict[str, Any]) -> None:
    """Act as a runner: read all rows and journal them."""
    spec, journal = journal_of(scene)
    of = spec.inputs["cars"]
    root = data / scene.organisation / "files"
    adapter = input_adapter(of.adapter.kind, options, of.stream, root, journal, Reach(LOCAL))
    assert adapter.latest({}, now=0, limit_rows=1_000)["0"] == len(ROWS)


def found_late(scene: Scene, data: Path) -> Stage:
    """The rows of `LATE` in quarantine, and restart points, as the runner leaves them."""
    folder = data / scene.organisation / "results" / scene.binding["id"]
    late = [of_results(quarantined(at)) for at in sorted(LATE)]
    totals = {"run": str(scene.run.pk)}
    write_commit(folder, Commit(batch=0, parts=[write_part(folder, "late", 0, 0, late)], totals=totals))
    stage = Stage(scene, data)
    stage.keep(0, len(ROWS), ticks(60))
    return stage


def of_results(late: LateEvent) -> LateEvent:
    return late if late.start is None else late.model_copy(update={"end": late.start + 1_000_000})


def is_as_counted_by_hand(answer: dict[str, Any]) -> None:
    every = set(range(len(ROWS)))
    assert by_window(answer["rows"]) == expected(counts(every - LATE), counts(every))
    assert (answer["chosen"], answer["counted"], answer["read_again"]) == (5, 4, 40)


def files_of(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*")}


def test_rows_of_a_table_that_is_gone_are_read_from_the_journal(
    alice: Person, postgresql: PostgreSQL, redis_connection: Any, clock: Clock, settings: LazySettings
) -> None:
    settings.OUTGOING = LOCAL
    with source_database(postgresql, "replayed") as source:
        source.run("CREATE TABLE read (id bigserial PRIMARY KEY, at timestamptz, plate text, speed float8)")
        for at, (second, plate) in enumerate(ROWS):
            values = [ticks(second) / 1e6, plate, speed(at)]
            source.run("INSERT INTO read (at, plate, speed) VALUES (to_timestamp(%s), %s, %s)", values)
        options = source.options(table="read")
        definition = {"shape": "point", "fields": FIELDS, "event_time": {"start": {"column": "at", "unit": "iso"}}}
        stream = {"definition": definition, "adapter": {"kind": "postgresql", "options": options}}
        scene = bound(alice, stream, redis_connection, clock)
        read(scene, settings.PUNCTUAL_DATA, options)
    stage = found_late(scene, settings.PUNCTUAL_DATA)
    _, journal = journal_of(scene)
    before = files_of(settings.PUNCTUAL_DATA)
    is_as_counted_by_hand(stage.replay_answer())
    assert files_of(settings.PUNCTUAL_DATA) == before
    last = alice.post("samples/running/", {"binding": scene.binding["id"], "rows": 1}).json()
    assert [row["payload"]["plate"] for row in last["rows"]] == [ROWS[-1][1]]
    for page in journal.glob("rows-*"):
        page.unlink()
    refused = stage.request_replay()
    assert refused.status_code == 422
    assert "are no longer stored" in refused.json()["faults"][0]["message"]


def test_results_of_another_binding_are_read_by_what_the_runner_took(
    alice: Person, binding: dict[str, Any], redis_connection: Any, clock: Clock, settings: LazySettings
) -> None:
    data: Path = settings.PUNCTUAL_DATA
    folder = data / str(alice.organisation.pk) / "results" / binding["id"]
    rows = [
        ResultRow(
            output="out",
            start=ticks(second),
            end=ticks(second) + 1_000_000,
            payload={"plate": plate, "n": int(speed(at))},
        )
        for at, (second, plate) in enumerate(ROWS)
    ]
    for batch in (0, 1):
        part = write_part(folder, "results", batch, 0, rows[batch * 20 : batch * 20 + 20])
        write_commit(folder, Commit(batch=batch, parts=[part], totals={"run": "first", "at": batch, "output_ctis": {}}))
    definition = {"shape": "interval", "fields": {"plate": "string", "n": "long"}}
    stream = {"definition": definition, "adapter": reading(binding)}
    scene = bound(alice, stream, redis_connection, clock, "n > 120")
    read(scene, data, reading(binding)["options"])
    stage = found_late(scene, data)
    is_as_counted_by_hand(stage.replay_answer())
    for part in (folder / "results").iterdir():
        part.unlink()
    refused = stage.request_replay()
    assert refused.status_code == 422
    assert "cannot be read again" in refused.json()["faults"][0]["message"]
